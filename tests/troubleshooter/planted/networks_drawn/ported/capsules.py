"""Vectors for what is seen: squashed, routed by agreement; a margin loss; a picture made again."""

import mindspore as ms
from mindspore import nn, ops


def squash(x, dim=-1):
    square = x.pow(2).sum(dim, keepdim=True)
    return square / (1.0 + square) * x / ops.sqrt(square + 1e-9)


class Routing(nn.Cell):
    def __init__(self, parts, enter, classes, leave, rounds=3):
        super().__init__()
        self.weight = ms.Parameter(ops.randn(classes, parts, leave, enter) * 0.3)
        self.rounds = rounds

    def construct(self, u):
        votes = ops.matmul(self.weight, u[:, None, :, :, None]).squeeze(-1)
        logits = ops.zeros(votes.shape[:3])
        for i in range(self.rounds):
            shares = ops.softmax(logits, axis=1)
            v = squash((shares[..., None] * votes).sum(2))
            if i < self.rounds - 1:
                agreed = (votes * v[:, :, None, :]).sum(-1)
                logits = logits + agreed
        return v


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 5, pad_mode="valid", has_bias=True)
        self.norm = nn.GroupNorm(8, 8, affine=True)
        self.primary = nn.Conv2d(8, 16, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.routing = Routing(64, 4, 5, 6)
        self.fc1 = nn.Dense(30, 24)
        self.fc2 = nn.Dense(24, 144)
        self.act = nn.LeakyReLU(alpha=0.05)

    def construct(self, image, labels):
        x = ops.relu(self.norm(self.conv(image)))
        x = self.primary(x)
        b, c, h, w = x.shape
        u = x.reshape(b, c // 4, 4, h, w).permute(0, 1, 3, 4, 2)
        u = squash(u.reshape(b, -1, 4))
        v = self.routing(u)
        length = v.norm(dim=-1)
        hot = ops.one_hot(labels, 5).float()
        missed = ops.relu(0.9 - length).pow(2)
        wrong = ops.relu(length - 0.1).pow(2)
        margin = (hot * missed + 0.5 * (1.0 - hot) * wrong).sum(1)
        kept = (v * hot[..., None]).flatten(1)
        again = ops.sigmoid(self.fc2(self.act(self.fc1(kept))))
        away = (again - image.flatten(1)).pow(2).sum(1)
        best = length.argmax(1)
        return length, margin.mean() + 0.0005 * away.mean(), best


def build():
    return Net()


def inputs():
    return ops.rand(2, 1, 12, 12), ms.tensor([1, 4])
