"""Adadelta, Adagrad and RMSprop."""

from __future__ import annotations

from typing import Any

from ...engine import dtype as dtypes
from ...engine.argument import check_range
from ...engine.primitive import convert
from ...nn.adagrad import adapted
from ...nn.optimizer import Step, assigned, moved
from ...ops.arithmetic import add, div, mul, sqrt, square, sub
from .optimizer import Optimizer, check_rates


class Adadelta(Optimizer):
    """w -= lr * d, with d = sqrt(u + eps) / sqrt(a + eps) * g; a, u: means of g**2 and d**2."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        check_rates(self.cls_name, lr, weight_decay, eps)
        check_range(self.cls_name, "rho", rho, 0.0, 1.0)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        })  # fmt: skip
        self.accum, self.accum_update = self.states("accum"), self.states("accum_update")

    def update(self, step: Step, group: dict[str, Any]) -> None:
        states = self.accum[step.k], self.accum_update[step.k]
        step.descend(mul(adapted(step.g, states, group["rho"], group["eps"]), step.rate))


class Adagrad(Optimizer):
    """w -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(a) + eps), with a += g**2."""

    counter = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        check_rates(self.cls_name, lr, weight_decay, eps)
        check_range(self.cls_name, "lr_decay", lr_decay, 0.0)
        check_range(self.cls_name, "initial_accumulator_value", initial_accumulator_value, 0.0)
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "maximize": maximize,
        })  # fmt: skip
        self.accum = self.states("accum", initial_accumulator_value)

    def update(self, step: Step, group: dict[str, Any]) -> None:
        before = convert(sub(step.shared, 1), dtypes.float32)
        rate = div(step.rate, convert(add(mul(before, group["lr_decay"]), 1.0), step.w.dtype))
        total = assigned(self.accum[step.k], add(self.accum[step.k], square(step.g)))
        step.descend(div(mul(step.g, rate), add(sqrt(total), group["eps"])))


class RMSprop(Optimizer):
    """w -= lr * m, with m = momentum * m + g / (sqrt(s) + eps); s: mean of g**2."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        check_rates(self.cls_name, lr, weight_decay, eps)
        check_range(self.cls_name, "alpha", alpha, 0.0)
        check_range(self.cls_name, "momentum", momentum, 0.0)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "maximize": maximize,
        })  # fmt: skip
        self.mean_grad, self.mean_square = self.states("mean_grad"), self.states("mean_square")
        self.moment = self.states("moment")

    def update(self, step: Step, group: dict[str, Any]) -> None:
        s = moved(self.mean_square[step.k], square(step.g), group["alpha"])
        if group["centered"]:
            s = sub(s, square(moved(self.mean_grad[step.k], step.g, group["alpha"])))
        change = div(step.g, add(sqrt(s), group["eps"]))
        if group["momentum"]:
            state = self.moment[step.k]
            change = assigned(state, add(mul(state, group["momentum"]), change))
        step.descend(mul(change, step.rate))
