"""Schedulers: each step assigns the learning rates of an optimiser's groups.

They compute with Tensors, so that they may be part of a compiled step.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from ...engine import dtype as dtypes
from ...engine.argument import check_int, check_range, check_type
from ...engine.failure import ShapeError
from ...engine.parameter import Parameter, assign
from ...engine.primitive import convert
from ...engine.promotion import as_tensor, constant
from ...engine.tensor import Tensor
from ...ops.arithmetic import (
    add,
    div,
    equal,
    floor_divide,
    greater,
    greater_equal,
    less,
    logical_or,
    minimum,
    mul,
    not_equal,
    pow,
    remainder,
    sub,
    where,
)
from .optimizer import Optimizer


def number(value: float, name: str) -> Parameter:
    """A float32 state of a scheduler."""
    return Parameter(Tensor(np.float32(value)), name=name, requires_grad=False)


def single(value: Any) -> Tensor:
    return convert(as_tensor(value), dtypes.float32)


class LRScheduler:
    """Abstract: subclasses define `get_lr`, and `closed_form` for an epoch that is given."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        name = type(self).__name__
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        check_int(name, "last_epoch", last_epoch, -1)
        for k, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", Tensor(np.array(group["lr"].asnumpy())))
            elif "initial_lr" not in group:
                raise KeyError(f"group {k} has no initial_lr: it is needed to go on")
        self.optimizer = optimizer
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._last_lr = list(optimizer.lrs)
        self.groups_num = len(optimizer.param_groups)
        self.last_epoch = number(last_epoch, f"last_epoch_{name}")
        self.step()

    def step(self, epoch: Any = None) -> None:
        """Goes on by one epoch, or to `epoch`."""
        if epoch is None:
            assign(self.last_epoch, add(self.last_epoch, 1.0))
            rates = self.get_lr()
        else:
            assign(self.last_epoch, single(epoch))
            rates = self.closed_form()
        for held, rate in zip(self._last_lr, rates, strict=True):
            assign(held, single(rate))

    def get_lr(self) -> list[Any]:
        """The rates of the present epoch, from those of the last one."""
        raise NotImplementedError(f"{type(self).__name__} defines no get_lr")

    def closed_form(self) -> list[Any]:
        """The rates of the present epoch, from the initial ones."""
        return self.get_lr()

    def get_last_lr(self) -> list[Tensor]:
        return [Tensor(np.array(held.asnumpy())) for held in self._last_lr]

    def times(self, factor: Any) -> list[Any]:
        """The last rates times `factor`."""
        return [mul(held, factor) for held in self._last_lr]

    def times_initial(self, factor: Any) -> list[Any]:
        return [mul(base, factor) for base in self.base_lrs]


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = check_type("StepLR", "step_size", step_size, int)
        self.gamma = check_type("StepLR", "gamma", gamma, float)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        between = not_equal(remainder(self.last_epoch, float(self.step_size)), 0.0)
        return self.times(where(logical_or(equal(self.last_epoch, 0.0), between), 1.0, self.gamma))

    def closed_form(self) -> list[Any]:
        times = floor_divide(self.last_epoch, float(self.step_size))
        return self.times_initial(pow(constant(self.gamma, dtypes.float32), times))


class MultiStepLR(LRScheduler):
    """Times `gamma` at each of the milestones, as often as it is among them."""

    def __init__(
        self, optimizer: Optimizer, milestones: list[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        check_type("MultiStepLR", "milestones", milestones, list)
        for milestone in milestones:
            check_type("MultiStepLR", "a milestone", milestone, int)
        self.milestones = Counter(milestones)
        self.gamma = check_type("MultiStepLR", "gamma", gamma, float, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        factor: Any = constant(1.0, dtypes.float32)
        for milestone, count in self.milestones.items():
            here = equal(self.last_epoch, float(milestone))
            factor = where(here, mul(factor, self.gamma**count), factor)
        return self.times(factor)


class ConstantLR(LRScheduler):
    """Times `factor` for `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        check_range("ConstantLR", "factor", factor, 0, 1)
        self.factor = factor
        self.total_iters = check_type("ConstantLR", "total_iters", total_iters, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        first = equal(self.last_epoch, 0.0)
        last = equal(self.last_epoch, float(self.total_iters))
        back = 1 / self.factor if self.factor else math.inf
        return self.times(where(first, self.factor, where(last, back, 1.0)))

    def closed_form(self) -> list[Any]:
        over = greater_equal(self.last_epoch, float(self.total_iters))
        return self.times_initial(where(over, 1.0, self.factor))


class LinearLR(LRScheduler):
    """From `start_factor` to `end_factor` over `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        check_range("LinearLR", "start_factor", start_factor, 0, 1, "right")
        check_range("LinearLR", "end_factor", end_factor, 0, 1)
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = check_type("LinearLR", "total_iters", total_iters, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        before = add(mul(sub(self.last_epoch, 1.0), rise), self.total_iters * self.start_factor)
        moving = add(div(rise, before), 1.0)
        over = greater(self.last_epoch, float(self.total_iters))
        first = equal(self.last_epoch, 0.0)
        return self.times(where(first, self.start_factor, where(over, 1.0, moving)))

    def closed_form(self) -> list[Any]:
        part = div(minimum(self.last_epoch, float(self.total_iters)), float(self.total_iters))
        factor = add(mul(part, self.end_factor - self.start_factor), self.start_factor)
        return self.times_initial(factor)


class ExponentialLR(LRScheduler):
    """Times `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = check_type("ExponentialLR", "gamma", gamma, float)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return self.times(where(equal(self.last_epoch, 0.0), 1.0, self.gamma))

    def closed_form(self) -> list[Any]:
        return self.times_initial(pow(constant(self.gamma, dtypes.float32), self.last_epoch))


class PolynomialLR(LRScheduler):
    """To 0 over `total_iters` epochs, as (1 - epoch / total_iters) ** power."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.power = check_type("PolynomialLR", "power", power, float)
        check_range("PolynomialLR", "power", power, 0)
        self.total_iters = check_type("PolynomialLR", "total_iters", total_iters, int)
        super().__init__(optimizer, last_epoch)

    def left(self, epoch: Tensor) -> Tensor:
        return sub(1.0, div(epoch, float(self.total_iters)))

    def get_lr(self) -> list[Any]:
        over = greater(self.last_epoch, float(self.total_iters))
        still = logical_or(equal(self.last_epoch, 0.0), over)
        before = where(still, 1.0, self.left(sub(self.last_epoch, 1.0)))
        now = where(still, 1.0, self.left(self.last_epoch))
        return self.times(pow(div(now, before), self.power))

    def closed_form(self) -> list[Any]:
        epoch = minimum(self.last_epoch, float(self.total_iters))
        return self.times_initial(pow(self.left(epoch), self.power))


class LambdaLR(LRScheduler):
    """The initial rate times lr_lambda(epoch), or the one of a list for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.lr_lambdas = per_group("LambdaLR", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [mul(base, function(self.last_epoch)) for base, function in pairs]


class MultiplicativeLR(LRScheduler):
    """The last rate times lr_lambda(epoch), or the one of a list for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.lr_lambdas = per_group("MultiplicativeLR", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        going = less(0.0, self.last_epoch)
        pairs = zip(self._last_lr, self.lr_lambdas, strict=True)
        return [mul(held, where(going, function(self.last_epoch), 1.0)) for held, function in pairs]


def per_group(where: str, optimizer: Optimizer, given: Any) -> list[Any]:
    """One for each group. Raises: ValueError (MS304) for a list of another length."""
    count = len(optimizer.param_groups)
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if len(given) != count:
        raise ShapeError(where, "needs one for each group", got=str(len(given)))
    return list(given)
