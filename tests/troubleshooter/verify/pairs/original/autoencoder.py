from typing import NamedTuple

import torch
from torch import nn


class Decoded(NamedTuple):
    image: torch.Tensor
    mean: torch.Tensor


class Autoencoder(nn.Module):
    """Draws random numbers, and has transposed convolutions and groups."""

    def __init__(self, width=4):
        super().__init__()
        self.encode = nn.Conv2d(1, 2 * width, 3, stride=2, padding=1)
        self.norm = nn.GroupNorm(2, 2 * width)
        self.decode = nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1)

    def forward(self, x, temperature=1.0):
        mean, spread = self.norm(self.encode(x)).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * spread) * temperature
        return Decoded(torch.sigmoid(self.decode(z)), mean)


def inputs():
    return torch.randn(2, 1, 8, 8), 0.5
