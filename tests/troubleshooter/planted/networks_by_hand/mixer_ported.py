"""The same for MindSpore."""

import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def grid_places(side, width):
    quarter = width // 4
    rates = 100.0 ** (-np.arange(quarter) / quarter)
    y, x = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    x, y = np.outer(x.ravel(), rates), np.outer(y.ravel(), rates)
    return np.hstack([np.sin(x), np.cos(x), np.sin(y), np.cos(y)]).astype(np.float32)


class RMSNorm(nn.Cell):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = Parameter(ops.ones((width,)), name="weight")
        self.eps = eps

    def construct(self, x):
        size = ops.mean(x * x, -1, keep_dims=True)
        return x * ops.rsqrt(size + self.eps) * self.weight


class Attention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.scale = (width // heads) ** -0.5
        self.qkv = nn.Dense(width, 3 * width)
        self.talk = Parameter(ops.ones((heads, heads)), name="talk")
        self.out = nn.Dense(width, width)
        self.temperature = Parameter(ops.ones((heads,)), name="temperature")

    def construct(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads)
        q, k, v = [qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3)]
        scores = ops.matmul(q, k.transpose(0, 1, 3, 2)) * self.scale
        scores = ops.matmul(scores.transpose(0, 2, 3, 1), self.talk).transpose(0, 3, 1, 2)
        shares = ops.softmax(scores * self.temperature.reshape(-1, 1, 1), -1)
        mixed = ops.matmul(shares, v).transpose(0, 2, 1, 3)
        return self.out(mixed.reshape(b, n, c))


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.attention = Attention(width, 4)
        self.gate = nn.Dense(width, 2 * width)
        self.down = nn.Dense(2 * width, width)
        self.scale1 = Parameter(ops.ones((width,)), name="scale1")
        self.scale2 = Parameter(ops.ones((width,)), name="scale2")

    def construct(self, x):
        x = x + self.scale1 * self.attention(self.norm1(x))
        h = ops.relu(self.gate(self.norm2(x)))
        return x + self.scale2 * self.down(h * h)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.patch = nn.Dense(48, 16)
        self.first = Parameter(ops.ones((1, 1, 16)), name="first")
        self.places = Tensor(grid_places(4, 16))
        self.blocks = nn.SequentialCell(Block(16), Block(16))
        self.norm = nn.GroupNorm(4, 16)
        self.head = nn.Dense(32, 5)
        self.mean = np.array([0.485, 0.456, 0.406], np.float32).reshape(1, 3, 1, 1)
        self.spread = np.array([0.229, 0.224, 0.225], np.float32).reshape(1, 3, 1, 1)

    def construct(self, images):
        b = images.shape[0]
        images = (images - Tensor(self.mean)) / Tensor(self.spread)
        patches = images.reshape(b, 3, 4, 4, 4, 4).transpose(0, 2, 4, 1, 3, 5)
        x = self.patch(patches.reshape(b, 16, 48)) + self.places
        x = ops.cat((ops.tile(self.first, (b, 1, 1)), x), axis=1)
        x = self.blocks(x)
        image = self.norm(x[:, 1:].swapaxes(1, 2).reshape(b, 16, 4, 4))
        small = image.reshape(b, 16, 2, 2, 2, 2).mean((3, 5))
        pooled = small.max(axis=(2, 3))
        return ops.softmax(self.head(ops.cat((x[:, 0], pooled), axis=-1)), -1)


def build():
    return Net()
