import torch
from torch import nn
import torch.nn.functional as F


class Wave(nn.Module):
    """Convolutions over a line, down and up again."""

    def __init__(self, channels=4, depth=2):
        super().__init__()
        self.down = nn.Sequential()
        for i in range(depth):
            self.down.add_module(f"conv{i}", nn.Conv1d(channels, channels, 3, padding=2 ** i, dilation=2 ** i))
            self.down.add_module(f"norm{i}", nn.BatchNorm1d(channels))
            self.down.add_module(f"act{i}", nn.PReLU(channels))
        self.up = nn.ConvTranspose1d(channels, 2, 4, stride=2, padding=1)

    def forward(self, x):
        return F.leaky_relu(self.up(self.down(x)), 0.2)


def inputs():
    return torch.randn(3, 4, 10)
