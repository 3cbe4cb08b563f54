"""Vectors for what is seen: squashed, routed by agreement; a margin loss; a picture made again."""

import torch
import torch.nn.functional as F
from torch import nn


def squash(x, dim=-1):
    square = x.pow(2).sum(dim=dim, keepdim=True)
    return square / (1.0 + square) * x / torch.sqrt(square + 1e-9)


class Routing(nn.Module):
    def __init__(self, parts, enter, classes, leave, rounds=3):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, parts, leave, enter) * 0.3)
        self.rounds = rounds

    def forward(self, u):
        votes = torch.matmul(self.weight, u[:, None, :, :, None]).squeeze(-1)
        logits = torch.zeros(votes.shape[:3])
        for i in range(self.rounds):
            shares = F.softmax(logits, dim=1)
            v = squash((shares[..., None] * votes).sum(dim=2))
            if i < self.rounds - 1:
                agreed = (votes * v[:, :, None, :]).sum(dim=-1)
                logits = logits + agreed
        return v


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 5)
        self.norm = nn.InstanceNorm2d(8, affine=True)
        self.primary = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.routing = Routing(64, 4, 5, 6)
        self.fc1 = nn.Linear(30, 24)
        self.fc2 = nn.Linear(24, 144)
        self.act = nn.LeakyReLU(0.05)

    def forward(self, image, labels):
        x = F.relu(self.norm(self.conv(image)))
        x = self.primary(x)
        b, c, h, w = x.shape
        u = x.reshape(b, c // 4, 4, h, w).permute(0, 1, 3, 4, 2)
        u = squash(u.reshape(b, -1, 4))
        v = self.routing(u)
        length = v.norm(dim=-1)
        hot = F.one_hot(labels, 5).float()
        missed = F.relu(0.9 - length).pow(2)
        wrong = F.relu(length - 0.1).pow(2)
        margin = (hot * missed + 0.5 * (1.0 - hot) * wrong).sum(dim=1)
        kept = (v * hot[..., None]).flatten(1)
        again = torch.sigmoid(self.fc2(self.act(self.fc1(kept))))
        away = (again - image.flatten(1)).pow(2).sum(dim=1)
        best = length.argmax(dim=1)
        return length, margin.mean() + 0.0005 * away.mean(), best


def build():
    return Net()


def inputs():
    return torch.rand(2, 1, 12, 12), torch.tensor([1, 4])
