"""Schedulers whose rates fall and rise: cosines and triangles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...engine import dtype as dtypes
from ...engine.argument import check_choice, check_type
from ...engine.failure import ShapeError
from ...engine.parameter import assign
from ...engine.promotion import constant
from ...engine.tensor import Tensor
from ...ops.arithmetic import (
    add,
    cos,
    div,
    equal,
    floor,
    greater_equal,
    less_equal,
    log,
    logical_and,
    mul,
    not_equal,
    pow,
    remainder,
    sub,
    trunc,
    where,
)
from .optimizer import Optimizer
from .schedule import LRScheduler, number, per_group, single


class CosineAnnealingLR(LRScheduler):
    """A cosine from the initial rate to `eta_min`, with half a period of T_max epochs."""

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = check_type("CosineAnnealingLR", "T_max", T_max, int)
        self.eta_min = check_type("CosineAnnealingLR", "eta_min", eta_min, float, int)
        super().__init__(optimizer, last_epoch)

    def wave(self, epoch: Tensor) -> Tensor:
        return add(cos(mul(epoch, math.pi / self.T_max)), 1.0)

    def get_lr(self) -> list[Any]:
        first = equal(self.last_epoch, 0.0)
        phase = remainder(sub(self.last_epoch, 1.0 + self.T_max), 2.0 * self.T_max)
        bottom = logical_and(equal(phase, 0.0), not_equal(self.last_epoch, 0.0))
        rise = (1 - math.cos(math.pi / self.T_max)) / 2
        before = where(bottom, 1.0, self.wave(sub(self.last_epoch, 1.0)))
        factor = where(first, 1.0, div(self.wave(self.last_epoch), before))
        least = float(self.eta_min)
        return [
            where(bottom, add(held, mul(sub(base, least), rise)),
                  where(first, held, add(mul(sub(held, least), factor), least)))
            for base, held in zip(self.base_lrs, self._last_lr, strict=True)
        ]  # fmt: skip

    def closed_form(self) -> list[Any]:
        part, least = mul(self.wave(self.last_epoch), 0.5), float(self.eta_min)
        return [add(mul(sub(base, least), part), least) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """A cosine from the initial rate to `eta_min`, again and again; each is T_mult as long."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0,
        last_epoch: int = -1,
    ) -> None:
        name = "CosineAnnealingWarmRestarts"
        for value in (T_0, T_mult):
            if not isinstance(value, int) or value < 1:
                raise ShapeError(name, "T_0 and T_mult must be 1 or more", got=repr(value))
        check_type(name, "eta_min", eta_min, float, int)
        self.T_0, self.T_mult, self.eta_min = number(T_0, "T_0"), T_mult, float(eta_min)
        self.T_i, self.T_cur = number(T_0, "T_i"), number(last_epoch, "T_cur")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        part = mul(add(cos(div(mul(self.T_cur, math.pi), self.T_i)), 1.0), 0.5)
        return [add(mul(sub(base, self.eta_min), part), self.eta_min) for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Goes on by one epoch, or to `epoch`. Raises: ValueError (MS304) for a negative one."""
        if epoch is None and not hasattr(self, "started"):
            self.started, epoch = True, 0
        if epoch is None:
            self.go_on()
        else:
            self.go_to(single(epoch))
        for held, rate in zip(self._last_lr, self.get_lr(), strict=True):
            assign(held, rate)

    def go_on(self) -> None:
        assign(self.last_epoch, add(self.last_epoch, 1.0))
        place = add(self.T_cur, 1.0)
        over = greater_equal(place, self.T_i)
        assign(self.T_cur, where(over, sub(place, self.T_i), place))
        assign(self.T_i, where(over, mul(self.T_i, float(self.T_mult)), self.T_i))

    def go_to(self, epoch: Tensor) -> None:
        if not epoch.is_traced and float(epoch) < 0:
            raise ShapeError("CosineAnnealingWarmRestarts", "epoch is negative", got=str(epoch))
        assign(self.last_epoch, floor(epoch))
        over = greater_equal(epoch, self.T_0)
        if self.T_mult == 1:
            assign(self.T_cur, where(over, remainder(epoch, self.T_0), epoch))
            return
        times = add(mul(div(where(over, epoch, self.T_0), self.T_0), self.T_mult - 1.0), 1.0)
        done = where(over, trunc(div(log(times), math.log(self.T_mult))), 0.0)
        length = pow(constant(self.T_mult, dtypes.float32), done)
        before = div(mul(self.T_0, sub(length, 1.0)), self.T_mult - 1.0)
        assign(self.T_cur, sub(epoch, before))
        assign(self.T_i, mul(self.T_0, length))


class CyclicLR(LRScheduler):
    """Between `base_lr` and `max_lr` in triangles, whose height `mode` or `scale_fn` changes."""

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: float = 2000,
        step_size_down: float | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[Any], Any] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        lows = per_group("CyclicLR", optimizer, base_lr)
        self.max_lrs = [single(rate) for rate in per_group("CyclicLR", optimizer, max_lr)]
        if last_epoch == -1:
            for group, low in zip(optimizer.param_groups, lows, strict=True):
                assign(group["lr"], single(low))
        up = float(step_size_up)
        self.total_step_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_up_ratio = up / self.total_step_size
        if scale_fn is None:
            check_choice("CyclicLR", "mode", mode, ("triangular", "triangular2", "exp_range"))
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.mode, self.gamma, self.scale_mode = mode, gamma, scale_mode
        self.custom = scale_fn
        # The first rates come from `initial_lr`, perhaps an earlier schedule's, as in MindSpore.
        super().__init__(optimizer, last_epoch)
        self.base_lrs = [single(rate) for rate in lows]

    def scale_fn(self, x: Tensor) -> Any:
        """How high the triangle number `x` (or of epoch `x`) is."""
        if self.custom is not None:
            return self.custom(x)
        base = {"triangular": 1.0, "triangular2": 0.5, "exp_range": self.gamma}[self.mode]
        return pow(constant(base, dtypes.float32), sub(x, 1.0) if self.mode != "exp_range" else x)

    def get_lr(self) -> list[Any]:
        passed = add(div(self.last_epoch, self.total_step_size), 1.0)
        cycle = floor(passed)
        x = sub(passed, cycle)
        rising = div(x, self.step_up_ratio)
        falling = div(sub(x, 1.0), self.step_up_ratio - 1 or math.nan)
        part = where(less_equal(x, self.step_up_ratio), rising, falling)
        height = mul(part, self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch))
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [add(low, mul(sub(high, low), height)) for low, high in pairs]
