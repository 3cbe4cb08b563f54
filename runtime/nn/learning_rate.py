"""Learning-rate schedules: cells of the global step, and lists of one rate per step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import dtype as dtypes
from ..cell import Cell
from ..failure import ShapeError
from ..ops.arithmetic import add, cos, div, floor, minimum, mul, pow, sub
from ..primitive import convert
from ..promotion import constant
from ..tensor import Tensor


class LearningRateSchedule(Cell):
    """A learning rate as a function of the global step; subclasses define `construct`."""


def as_float(global_step: Tensor) -> Tensor:
    return convert(global_step, dtypes.float32)


def base(number: float) -> Tensor:
    """The base of a power, in the element type of the steps."""
    return constant(number, dtypes.float32)


class CosineDecayLR(LearningRateSchedule):
    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        if min_lr >= max_lr:
            raise ShapeError(self.cls_name, "max_lr must exceed min_lr", got=f"{min_lr}, {max_lr}")
        self.min_lr, self.max_lr, self.decay_steps = min_lr, max_lr, decay_steps

    def construct(self, global_step: Tensor) -> Tensor:
        step = minimum(as_float(global_step), float(self.decay_steps))
        wave = add(cos(mul(step, math.pi / self.decay_steps)), 1.0)
        return add(mul(wave, 0.5 * (self.max_lr - self.min_lr)), self.min_lr)


class Decay(LearningRateSchedule):
    """A rate that falls with step / decay_steps. Abstract: subclasses say how."""

    def __init__(
        self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False
    ) -> None:
        super().__init__()
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.decay_steps, self.is_stair = decay_steps, is_stair

    def part(self, global_step: Tensor) -> Tensor:
        """How many times decay_steps have passed; whole times if `is_stair`."""
        passed = div(as_float(global_step), float(self.decay_steps))
        return floor(passed) if self.is_stair else passed


class ExponentialDecayLR(Decay):
    def construct(self, global_step: Tensor) -> Tensor:
        return mul(pow(base(self.decay_rate), self.part(global_step)), self.learning_rate)


class NaturalExpDecayLR(Decay):
    def construct(self, global_step: Tensor) -> Tensor:
        passed = self.part(global_step)
        steps = mul(passed, float(self.decay_steps)) if self.is_stair else as_float(global_step)
        return mul(pow(base(math.e), mul(steps, -self.decay_rate)), self.learning_rate)


class InverseDecayLR(Decay):
    def construct(self, global_step: Tensor) -> Tensor:
        return div(self.learning_rate, add(mul(self.part(global_step), self.decay_rate), 1.0))


class PolynomialDecayLR(LearningRateSchedule):
    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        if update_decay_steps:
            raise ShapeError(self.cls_name, "update_decay_steps is not known yet")
        self.start, self.end = learning_rate, end_learning_rate
        self.decay_steps, self.power = decay_steps, power

    def construct(self, global_step: Tensor) -> Tensor:
        passed = div(minimum(as_float(global_step), float(self.decay_steps)), self.decay_steps)
        left = pow(sub(1.0, passed), float(self.power))
        return add(mul(left, self.start - self.end), self.end)


class WarmUpLR(LearningRateSchedule):
    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def construct(self, global_step: Tensor) -> Tensor:
        step = minimum(as_float(global_step), float(self.warmup_steps))
        return mul(step, self.learning_rate / self.warmup_steps)


def by_epoch(total_step: int, step_per_epoch: int, decay_epoch: int, rate: Any) -> list[float]:
    """`rate` of the epoch of each step, at most `decay_epoch`."""
    return [rate(min(step // step_per_epoch, decay_epoch)) for step in range(total_step)]


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """One rate per step, a cosine over `decay_epoch` epochs."""
    half = 0.5 * (max_lr - min_lr)
    rate = lambda epoch: min_lr + half * (1 + math.cos(math.pi * epoch / decay_epoch))  # noqa: E731
    return by_epoch(total_step, step_per_epoch, decay_epoch, rate)


def warmup_lr(
    learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int
) -> list[float]:
    """One rate per step, rising over `warmup_epoch` epochs."""
    rise = learning_rate / warmup_epoch
    return by_epoch(total_step, step_per_epoch, warmup_epoch, lambda epoch: rise * epoch)


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """learning_rates[k] up to step milestone[k]."""
    found: list[float] = []
    for end, rate in zip(milestone, learning_rates, strict=True):
        found += [rate] * (end - len(found))
    return found


def decayed(
    total_step: int, step_per_epoch: int, decay_epoch: int, is_stair: bool, rate: Any
) -> list[float]:
    """`rate` of the (whole, if `is_stair`) number of times `decay_epoch` has passed."""
    parts = [(step // step_per_epoch) / decay_epoch for step in range(total_step)]
    return [rate(math.floor(part) if is_stair else part) for part in parts]


def exponential_decay_lr(
    learning_rate: float, decay_rate: float, total_step: int, step_per_epoch: int,
    decay_epoch: int, is_stair: bool = False,
) -> list[float]:  # fmt: skip
    """One rate per step: learning_rate * decay_rate ** (epoch / decay_epoch)."""
    rate = lambda part: learning_rate * decay_rate**part  # noqa: E731
    return decayed(total_step, step_per_epoch, decay_epoch, is_stair, rate)


FUNCTIONS = (cosine_decay_lr, exponential_decay_lr, piecewise_constant_lr, warmup_lr)
"""What is public beside the classes."""
