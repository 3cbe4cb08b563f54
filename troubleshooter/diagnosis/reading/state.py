"""Running statistics before a training run and after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...compare.records import LayerRecord
from ..layers.layer import Array, Outputs
from ..layers.normalization import BatchNorm, InstanceNorm
from ..layers.statistics import RunningStatistics
from .describe import describe
from .description import Description

STATISTICS = ("running_mean", "running_var")


@dataclass(frozen=True, eq=False)
class Left:
    """The layer as it updates its statistics, and what they were afterwards."""

    layer: RunningStatistics
    after: Outputs


def left_by(record: LayerRecord) -> Left | None:
    """None for a layer without running statistics, or of which they are not known."""
    before = describe(replace(record, training=False))
    after = describe(
        replace(record, training=False, parameters={**record.parameters, **record.state_after})
    )
    if before is None or after is None or before.layer not in (BatchNorm, InstanceNorm):
        return None
    held, left = of_values(before), of_values(after)
    if held is None or left is None:
        return None
    momentum = before.values.get("momentum", 0.1)
    if momentum is None:  # the mean of all batches
        momentum = 1 / (float(record.parameters.get("num_batches_tracked", 0)) + 1)
    layer = RunningStatistics(held[0], held[1], momentum, updates=int(record.training))
    return Left(layer, left)


def of_values(description: Description) -> tuple[Array, Array] | None:
    """Mean and variance, if the layer keeps them."""
    mean, variance = (description.values.get(name) for name in STATISTICS)
    return None if mean is None or variance is None else (mean, variance)
