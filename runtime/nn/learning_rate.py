"""Learning-rate schedules: cells of the global step, and lists of one rate per step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_float, check_int, check_type
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.arithmetic import add, ceil, cos, div, floor, maximum, minimum, mul, pow, sub


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
        check_cosine(self.cls_name, min_lr, max_lr)
        check_int(self.cls_name, "decay_steps", decay_steps, 1)
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
        check_decay(self.cls_name, learning_rate, decay_rate, is_stair)
        check_int(self.cls_name, "decay_steps", decay_steps, 1)
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
        check_polynomial(self.cls_name, learning_rate, end_learning_rate, power)
        check_int(self.cls_name, "decay_steps", decay_steps, 1)
        check_type(self.cls_name, "update_decay_steps", update_decay_steps, bool)
        self.start, self.end = learning_rate, end_learning_rate
        self.decay_steps, self.power = decay_steps, power
        self.update_decay_steps = update_decay_steps

    def construct(self, global_step: Tensor) -> Tensor:
        step: Tensor = as_float(global_step)
        length: Any = float(self.decay_steps)
        if self.update_decay_steps:
            length = mul(maximum(ceil(div(step, length)), 1.0), length)
        else:
            step = minimum(step, length)
        left = pow(sub(1.0, div(step, length)), float(self.power))
        return add(mul(left, self.start - self.end), self.end)


class WarmUpLR(LearningRateSchedule):
    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        check_float(self.cls_name, "learning_rate", learning_rate, 0.0)
        check_int(self.cls_name, "warmup_steps", warmup_steps, 1)
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def construct(self, global_step: Tensor) -> Tensor:
        step = minimum(as_float(global_step), float(self.warmup_steps))
        return mul(step, self.learning_rate / self.warmup_steps)


def check_cosine(where: str, min_lr: Any, max_lr: Any) -> None:
    """Raises: TypeError, ValueError (MS304) as MindSpore does."""
    check_float(where, "min_lr", min_lr, 0.0)
    check_float(where, "max_lr", max_lr, 0.0, ends="neither")
    if min_lr >= max_lr:
        raise ShapeError(where, "max_lr must exceed min_lr", got=f"{min_lr}, {max_lr}")


def check_decay(where: str, learning_rate: Any, decay_rate: Any, is_stair: Any) -> None:
    """Raises: TypeError, ValueError (MS304) as MindSpore does."""
    check_float(where, "learning_rate", learning_rate, 0.0, ends="neither")
    check_float(where, "decay_rate", decay_rate, 0.0, ends="neither")
    check_type(where, "is_stair", is_stair, bool)


def check_polynomial(where: str, learning_rate: Any, end_learning_rate: Any, power: Any) -> None:
    """Raises: TypeError, ValueError (MS304) as MindSpore does."""
    check_float(where, "learning_rate", learning_rate, 0.0, ends="neither")
    check_float(where, "end_learning_rate", end_learning_rate, 0.0)
    check_float(where, "power", power, 0.0, ends="neither")


def check_epochs(where: str, total_step: Any, step_per_epoch: Any, epochs: Any) -> None:
    """Raises: TypeError, ValueError (MS304) unless all are whole numbers of 1 or more."""
    check_int(where, "total_step", total_step, 1)
    check_int(where, "step_per_epoch", step_per_epoch, 1)
    check_int(where, "the number of epochs", epochs, 1)


def by_epoch(total_step: int, step_per_epoch: int, decay_epoch: int, rate: Any) -> list[float]:
    """`rate` of the epoch of each step, at most `decay_epoch`."""
    return [rate(min(step // step_per_epoch, decay_epoch)) for step in range(total_step)]


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """One rate per step, a cosine over `decay_epoch` epochs."""
    check_cosine("cosine_decay_lr", min_lr, max_lr)
    check_epochs("cosine_decay_lr", total_step, step_per_epoch, decay_epoch)
    half = 0.5 * (max_lr - min_lr)
    rate = lambda epoch: min_lr + half * (1 + math.cos(math.pi * epoch / decay_epoch))  # noqa: E731
    return by_epoch(total_step, step_per_epoch, decay_epoch, rate)


def warmup_lr(
    learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int
) -> list[float]:
    """One rate per step, rising over `warmup_epoch` epochs."""
    check_float("warmup_lr", "learning_rate", learning_rate, 0.0)
    check_epochs("warmup_lr", total_step, step_per_epoch, warmup_epoch)
    rise = learning_rate / warmup_epoch
    return by_epoch(total_step, step_per_epoch, warmup_epoch, lambda epoch: rise * epoch)


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """learning_rates[k] up to step milestone[k]."""
    name = "piecewise_constant_lr"
    for given in (milestone, learning_rates):
        check_type(name, "milestone or learning_rates", given, tuple, list)
    if len(milestone) != len(learning_rates):
        got = f"{len(milestone)}, {len(learning_rates)}"
        raise ShapeError(name, "needs as many milestones as rates", got=got)
    found: list[float] = []
    for end, rate in zip(milestone, learning_rates, strict=True):
        check_int(name, "a milestone", end, max(len(found), 1))
        check_type(name, "a rate", rate, float)
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
    check_decay("exponential_decay_lr", learning_rate, decay_rate, is_stair)
    check_epochs("exponential_decay_lr", total_step, step_per_epoch, decay_epoch)
    rate = lambda part: learning_rate * decay_rate**part  # noqa: E731
    return decayed(total_step, step_per_epoch, decay_epoch, is_stair, rate)


def natural_exp_decay_lr(
    learning_rate: float, decay_rate: float, total_step: int, step_per_epoch: int,
    decay_epoch: int, is_stair: bool = False,
) -> list[float]:  # fmt: skip
    """One rate per step: learning_rate * e ** (-decay_rate * epoch)."""
    check_decay("natural_exp_decay_lr", learning_rate, decay_rate, is_stair)
    check_epochs("natural_exp_decay_lr", total_step, step_per_epoch, decay_epoch)
    rate = lambda part: learning_rate * math.e ** (-decay_rate * part * decay_epoch)  # noqa: E731
    return decayed(total_step, step_per_epoch, decay_epoch, is_stair, rate)


def inverse_decay_lr(
    learning_rate: float, decay_rate: float, total_step: int, step_per_epoch: int,
    decay_epoch: int, is_stair: bool = False,
) -> list[float]:  # fmt: skip
    """One rate per step: learning_rate / (1 + decay_rate * epoch / decay_epoch)."""
    check_decay("inverse_decay_lr", learning_rate, decay_rate, is_stair)
    check_epochs("inverse_decay_lr", total_step, step_per_epoch, decay_epoch)
    rate = lambda part: learning_rate / (1 + decay_rate * part)  # noqa: E731
    return decayed(total_step, step_per_epoch, decay_epoch, is_stair, rate)


def polynomial_decay_lr(
    learning_rate: float, end_learning_rate: float, total_step: int, step_per_epoch: int,
    decay_epoch: int, power: float, update_decay_epoch: bool = False,
) -> list[float]:  # fmt: skip
    """One rate per step, to the end over `decay_epoch` epochs, or the next multiple of them."""
    name = "polynomial_decay_lr"
    check_polynomial(name, learning_rate, end_learning_rate, power)
    check_epochs(name, total_step, step_per_epoch, decay_epoch)
    check_type(name, "update_decay_epoch", update_decay_epoch, bool)
    found = []
    for step in range(total_step):
        epoch, length = step // step_per_epoch, decay_epoch
        if update_decay_epoch:
            length *= max(math.ceil(epoch / decay_epoch), 1)
        left = (1 - min(epoch, length) / length) ** power
        found.append((learning_rate - end_learning_rate) * left + end_learning_rate)
    return found


FUNCTIONS = (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
"""What is public beside the classes."""
