"""A scale without axes, and a norm without weights of its own."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(6, 8)
        self.norm = nn.BatchNorm1d(8, affine=False)
        self.scale = nn.Parameter(torch.tensor(0.7))
        self.middle = nn.Linear(8, 8)
        self.leave = nn.Linear(8, 3)

    def forward(self, x):
        x = self.scale * torch.tanh(self.norm(self.enter(x)))
        return self.leave(torch.relu(self.middle(x)))


def build():
    return Net()


def inputs():
    return torch.randn(5, 6)
