"""Shifts of whole numbers, which MindSpore has as functions alone."""

import torch
from torch import Tensor, nn


def shorter(lengths: Tensor) -> Tensor:
    found = lengths >> 2
    found -= 1
    return found


class Bits(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("places", torch.arange(4))

    def forward(self, codes):
        return (codes.unsqueeze(-1) >> self.places) & 1


x = torch.tensor([50, 46, 40, 7])
print(shorter(x).tolist())
print(((x << 1) + (x >> 1 + 1)).tolist())
print(Bits()(x).tolist())
y = x
y >>= 1
print(x.tolist(), y.tolist())
z = x + 0
z <<= 2
print(z.tolist())
print((1 << torch.arange(4)).tolist(), 3 << 2, -(x >> 1).sum().item())
