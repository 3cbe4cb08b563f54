"""What a training run leaves of running statistics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .layer import Array, Layer, Outputs


@dataclass(frozen=True, eq=False)
class RunningStatistics(Layer):
    """(1 - momentum) * running + momentum * the batch's, of mean and variance: (n, c, ...).

    Units: momentum in [0, 1], weight of the NEW value
    """

    running_mean: Array
    running_var: Array
    momentum: float = 0.1
    unbiased: bool = True
    updates: int = 1

    def outputs(self, *inputs: Array) -> Outputs:
        mean, variance = self.running_mean, self.running_var
        of_batch = self.of_batch(inputs[0])
        for _ in range(self.updates):
            mean = mean + self.momentum * (of_batch[0] - mean)
            variance = variance + self.momentum * (of_batch[1] - variance)
        return mean, variance

    def of_batch(self, x: Array) -> tuple[Array, Array]:
        axes = (0, *range(2, x.ndim))
        count = x.size // x.shape[1]
        ddof = int(self.unbiased and count > 1)
        return np.asarray(x.mean(axes)), np.asarray(x.var(axes, ddof=ddof))
