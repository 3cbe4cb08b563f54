"""Schedulers that wait: for milestones, or for a metric that gets no better."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import dtype as dtypes
from ...engine.argument import check_choice, check_range, check_type
from ...engine.failure import ShapeError
from ...engine.parameter import Parameter, assign
from ...engine.promotion import constant
from ...engine.tensor import Tensor
from ...ops.arithmetic import (
    add,
    greater,
    less,
    logical_and,
    logical_or,
    maximum,
    mul,
    sub,
    where,
)
from .optimizer import Optimizer
from .schedule import LRScheduler, number, per_group, single


class SequentialLR:
    """One scheduler after the other, the next one from its milestone on."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        if any(s.optimizer is not optimizer for s in schedulers):
            raise ShapeError("SequentialLR", "a scheduler is of another optimizer")
        if len(milestones) != len(schedulers) - 1:
            raise ShapeError(
                "SequentialLR", "needs one milestone less than schedulers",
                got=f"{len(milestones)} and {len(schedulers)}",
            )  # fmt: skip
        self.optimizer, self._schedulers, self.milestones = optimizer, schedulers, milestones
        self.last_epoch = number(last_epoch + 1, "last_epoch_SequentialLR")
        for group in optimizer.param_groups:
            assign(group["lr"], group["initial_lr"])
        for scheduler in schedulers:
            assign(scheduler.last_epoch, sub(scheduler.last_epoch, 1.0))
        schedulers[0].step()

    def step(self) -> None:
        """Goes on by one epoch."""
        epoch = int(self.last_epoch) + 1
        assign(self.last_epoch, constant(epoch, dtypes.float32))
        place = bisect_right(self.milestones, epoch)
        if place > 0 and self.milestones[place - 1] == epoch:
            self._schedulers[place].step(0)
        else:
            self._schedulers[place].step()

    def get_last_lr(self) -> list[Tensor]:
        return self._schedulers[0].get_last_lr()


class ReduceLROnPlateau:
    """Times `factor` after more than `patience` steps without a better metric."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        name = "ReduceLROnPlateau"
        check_range(name, "factor", factor, high=1.0, ends="neither")
        check_type(name, "optimizer", optimizer, Optimizer)
        check_choice(name, "mode", mode, ("min", "max"))
        check_choice(name, "threshold_mode", threshold_mode, ("rel", "abs"))
        self.optimizer, self.factor, self.patience = optimizer, factor, patience
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = [single(least) for least in per_group(name, optimizer, min_lr)]
        self.last_epoch = Parameter(Tensor(np.int32(0)), name=f"last_epoch_{name}")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.best = number(self.mode_worse, "best")
        self.cooldown_counter, self.wait = number(0, "cooldown_counter"), number(0, "wait")
        self._last_lr = list(optimizer.lrs)

    def step(self, metrics: Any) -> None:
        """Goes on by one epoch, whose metric is given."""
        assign(self.last_epoch, add(self.last_epoch, 1))
        now = single(metrics)
        better = self.is_better(now)
        cooling = self.in_cooldown()
        waited = where(logical_or(better, cooling), 0.0, add(self.wait, 1.0))
        assign(self.best, where(better, now, self.best))
        left = where(cooling, sub(self.cooldown_counter, 1.0), self.cooldown_counter)
        reduces = greater(waited, float(self.patience))
        for held, least in zip(self._last_lr, self.min_lrs, strict=True):
            new = maximum(mul(held, self.factor), least)
            lower = logical_and(reduces, greater(held, add(new, self.eps)))
            assign(held, where(lower, new, held))
        assign(self.cooldown_counter, where(reduces, float(self.cooldown), left))
        assign(self.wait, where(reduces, 0.0, waited))

    def in_cooldown(self) -> Tensor:
        return greater(self.cooldown_counter, 0.0)

    def is_better(self, now: Tensor) -> Tensor:
        """Whether `now` is better than the best by more than the threshold."""
        sign = -1.0 if self.mode == "min" else 1.0
        if self.threshold_mode == "rel":
            limit = mul(self.best, 1.0 + sign * self.threshold)
        else:
            limit = add(self.best, sign * self.threshold)
        return less(now, limit) if self.mode == "min" else greater(now, limit)

    def get_last_lr(self) -> list[Tensor]:
        return [Tensor(np.array(held.asnumpy())) for held in self._last_lr]
