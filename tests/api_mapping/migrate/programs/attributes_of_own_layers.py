"""Modules of a project with the attributes of PyTorch's layers, asked beside those."""

import torch
import torch.nn.functional as F
from torch import nn


class Window(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.kernel_size = (size, size)
        self.padding = size // 2
        self.weight = None

    def forward(self, x):
        return x


class Conv1d(Window):
    """With the name of one of PyTorch's."""


class Causal(nn.Conv1d):
    def forward(self, x):
        return F.pad(super().forward(x), (self.padding[0], 0))


for layer in (Window(3), Conv1d(5), nn.Conv2d(1, 1, 3, padding=(1, 2)), nn.Conv1d(1, 1, 3)):
    print(layer.kernel_size, layer.padding, layer.weight is None)
for layer in nn.ModuleList([Window(3), nn.Conv2d(1, 1, 3)]):
    print(layer.padding)
causal = Causal(1, 1, 3, padding=2, dilation=2)
print(causal.padding, causal.kernel_size, causal.dilation)
print(tuple(causal(torch.ones(1, 1, 8)).shape))
for layer in (causal, nn.Conv2d(1, 1, 3, stride=2)):
    print(layer.kernel_size, layer.stride, layer.padding, layer.dilation)
