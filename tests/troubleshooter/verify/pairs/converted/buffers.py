from dataclasses import dataclass

import msconvert.runtime as ms
from msconvert.runtime import nn, ops


@dataclass
class Output:
    value: ms.Tensor
    kept: dict


class Normalizer(nn.Cell):
    """Keeps a running mean of what it sees."""

    def __init__(self, size=6):
        super().__init__()
        self.register_buffer("mean", ops.zeros((size,), ms.float32))
        self.register_buffer("steps", ms.Tensor(0))
        angles = ops.arange(size).astype(ms.float32)[:, None] / 10
        self.register_buffer("table", ops.cat([angles.sin(), angles.cos()], 1), persistent=False)
        self.scale = ms.Parameter(ops.ones((size,), ms.float32))
        self.frozen = ms.Parameter(ops.full((size,), 2.0, dtype=ms.float32), requires_grad=False)

    def construct(self, x):
        if self.training:
            self.mean.copy_(0.9 * self.mean + 0.1 * ops.stop_gradient(x).mean(0))
            self.steps.copy_(self.steps + 1)
        y = (x - self.mean) * self.scale * self.frozen
        return Output(y, {"table": y @ self.table, "steps": self.steps})
