"""SGD, ASGD and Rprop."""

from __future__ import annotations

from typing import Any

from ...engine import dtype as dtypes
from ...engine.argument import check_range, check_type
from ...engine.failure import ShapeError
from ...engine.primitive import convert
from ...engine.tensor import Tensor
from ...nn.descent import averaged, numbers, resilient, with_momentum
from ...nn.optimizer import Step
from ...ops.arithmetic import mul
from .optimizer import Optimizer, check_rates


class SGD(Optimizer):
    """w -= lr * v, with v = momentum * v + (1 - dampening) * g; at the first step v = g."""

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        check_type(self.cls_name, "momentum", momentum, int, float)
        check_range(self.cls_name, "momentum", momentum, 0.0)
        check_type(self.cls_name, "dampening", dampening, int, float)
        for name, flag in (("nesterov", nesterov), ("maximize", maximize)):
            check_type(self.cls_name, name, flag, bool)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ShapeError(self.cls_name, "Nesterov needs a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": float(momentum), "dampening": float(dampening),
            "weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize,
        })  # fmt: skip
        self.accum = self.states("accum")
        self.stat = self.states("stat", "ones")

    def update(self, step: Step, group: dict[str, Any]) -> None:
        change = step.g
        if group["momentum"]:
            states = self.accum[step.k], self.stat[step.k]
            settings = group["momentum"], group["dampening"], group["nesterov"]
            change = with_momentum(step.g, states, *settings)
        step.descend(mul(change, step.rate))


class ASGD(Optimizer):
    """Stochastic descent with a falling rate, and the mean `ax` of the weights since step t0."""

    counter = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        check_rates(self.cls_name, lr, weight_decay)
        check_type(self.cls_name, "lambd", lambd, float)
        check_type(self.cls_name, "t0", t0, float)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0,
            "weight_decay": weight_decay, "maximize": maximize,
        })  # fmt: skip
        self.mu = list(numbers(self.parameters, "mu_", 1.0))
        self.eta = list(numbers(self.parameters, "eta_", 0.0))
        self.ax = self.states("ax")

    def count(self) -> Tensor | None:
        count = super().count()
        return None if count is None else convert(count, dtypes.float32)

    def update(self, step: Step, group: dict[str, Any]) -> None:
        states = self.mu[step.k], self.eta[step.k], self.ax[step.k]
        averaged(step, states, (group["lambd"], group["alpha"], group["t0"]))


class Rprop(Optimizer):
    """Each weight has a step size, which grows while its gradient keeps its sign."""

    counter = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        check_rates(self.cls_name, lr)
        check_range(self.cls_name, "etas[0]", etas[0], 0.0, 1.0, "neither")
        check_range(self.cls_name, "etas[1]", etas[1], 1.0, ends="neither")
        settings = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        super().__init__(params, settings)
        self.prev, self.step_size = self.states("prev"), self.states("step_size")

    def update(self, step: Step, group: dict[str, Any]) -> None:
        states = self.prev[step.k], self.step_size[step.k]
        resilient(step, states, group["etas"], group["step_sizes"])
