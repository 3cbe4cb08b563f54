from typing import NamedTuple

import msconvert.runtime as ms
from msconvert.runtime import nn, ops


class Decoded(NamedTuple):
    image: ms.Tensor
    mean: ms.Tensor


class Autoencoder(nn.Cell):
    """Draws random numbers, and has transposed convolutions and groups."""

    def __init__(self, width=4):
        super().__init__()
        self.encode = nn.Conv2d(
            1, 2 * width, 3, stride=2, pad_mode="pad", padding=1, has_bias=True
        )
        self.norm = nn.GroupNorm(2, 2 * width)
        self.decode = nn.Conv2dTranspose(
            width, 1, 4, stride=2, pad_mode="pad", padding=1, has_bias=True
        )

    def construct(self, x, temperature=1.0):
        mean, spread = self.norm(self.encode(x)).chunk(2, axis=1)
        z = mean + ops.randn_like(mean) * ops.exp(0.5 * spread) * temperature
        return Decoded(ops.sigmoid(self.decode(z)), mean)
