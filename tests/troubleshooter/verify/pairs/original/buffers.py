from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Output:
    value: torch.Tensor
    kept: dict


class Normalizer(nn.Module):
    """Keeps a running mean of what it sees."""

    def __init__(self, size=6):
        super().__init__()
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("steps", torch.tensor(0))
        angles = torch.arange(size, dtype=torch.float32)[:, None] / 10
        self.register_buffer("table", torch.cat([angles.sin(), angles.cos()], 1), persistent=False)
        self.scale = nn.Parameter(torch.ones(size))
        self.frozen = nn.Parameter(torch.full((size,), 2.0), requires_grad=False)

    def forward(self, x):
        if self.training:
            self.mean.copy_(0.9 * self.mean + 0.1 * x.detach().mean(0))
            self.steps += 1
        y = (x - self.mean) * self.scale * self.frozen
        return Output(y, {"table": y @ self.table, "steps": self.steps})


def inputs():
    return {"x": torch.randn(4, 6)}
