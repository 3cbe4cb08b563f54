import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, t, d):
        super().__init__()
        self.norm1 = nn.LayerNorm(d)
        self.tokens = nn.Sequential(nn.Linear(t, 8), nn.GELU(), nn.Linear(8, t))
        self.norm2 = nn.LayerNorm(d)
        self.channels = nn.Sequential(nn.Linear(d, 8), nn.GELU(), nn.Linear(8, d))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class Net(nn.Module):
    """As many tokens as channels: shapes alone do not tell."""

    def __init__(self, t=8, d=8):
        super().__init__()
        self.proj = nn.Linear(8, d)
        self.layers = nn.Sequential(*[Mixer(t, d) for _ in range(3)])
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, 8)

    def forward(self, x):
        return self.head(self.norm(self.layers(self.proj(x))).mean(1))


def build():
    return Net()


def inputs():
    return torch.randn(2, 8, 8)
