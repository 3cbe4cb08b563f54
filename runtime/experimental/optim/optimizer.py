"""Optimisers whose learning rates are parameters of their groups, which schedulers assign."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...cell import Cell
from ...failure import ElementTypeError, ShapeError
from ...ops.arithmetic import add, div, maximum, mul, neg, pow, sqrt, square, sub
from ...parameter import Parameter, ParameterTuple, assign
from ...primitive import convert
from ...promotion import constant
from ...tensor import Tensor


class Optimizer(Cell):
    """Abstract: subclasses define `update` for one parameter.

    `param_groups` are dictionaries with params, lr (a Parameter) and the other settings.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        given = list(params)
        if not given:
            raise ShapeError(self.cls_name, "there are no parameters to optimise")
        groups = given if isinstance(given[0], dict) else [{"params": given}]
        self.defaults = defaults
        self.__dict__["param_groups"] = [self.group(k, entry) for k, entry in enumerate(groups)]
        self.parameters = ParameterTuple(self.flat())
        self.lrs = ParameterTuple([group["lr"] for group in self.__dict__["param_groups"]])

    def flat(self) -> list[Parameter]:
        return [p for group in self.__dict__["param_groups"] for p in group["params"]]

    def group(self, k: int, entry: dict[str, Any]) -> dict[str, Any]:
        """A group with the defaults filled in. Raises: TypeError, ValueError as MindSpore does."""
        made = self.defaults | entry
        parameters = made["params"]
        made["params"] = [parameters] if isinstance(parameters, Parameter) else list(parameters)
        if not all(isinstance(p, Parameter) for p in made["params"]):
            raise ElementTypeError(self.cls_name, "parameters must be Parameters")
        if not isinstance(made["lr"], (int, float, Tensor)) or float(made["lr"]) < 0:
            raise ValueError(f"Invalid learning rate: {made['lr']}")
        rate = Tensor(np.float32(float(made["lr"])))
        made["lr"] = Parameter(rate, name=f"learning_rate_{k}", requires_grad=False)
        made["initial_lr"] = float(rate)
        return made

    def states(self, prefix: str) -> ParameterTuple:
        """One state of zeros per parameter, named `prefix.NAME`."""
        made = self.parameters.clone(prefix, "zeros")
        for state in made:
            state.requires_grad = False
        return made

    def construct(self, gradients: Any) -> Any:
        """One step, with the gradients in the order of the parameters."""
        if len(gradients) != len(self.parameters):
            raise ShapeError(self.cls_name, "another number of gradients", got=str(len(gradients)))
        self.before()
        every = [(group, p) for group in self.__dict__["param_groups"] for p in group["params"]]
        for k, ((group, w), g) in enumerate(zip(every, gradients, strict=True)):
            g = neg(g) if group["maximize"] else g
            self.update(k, w, convert(g, w.dtype), group)
        return True

    def before(self) -> None:
        """What happens once per step."""

    def update(self, k: int, w: Parameter, g: Tensor, group: dict[str, Any]) -> None:
        """Changes parameter number `k` and its states."""
        raise NotImplementedError(f"{self.cls_name} defines no update")


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
        if momentum < 0 or weight_decay < 0:
            raise ValueError(f"Invalid momentum or weight_decay: {momentum}, {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "nesterov": nesterov,
            "weight_decay": weight_decay, "maximize": maximize,
        })  # fmt: skip
        self.accum = self.states("accum")
        self.first = Parameter(Tensor(np.float32(1)), name="first", requires_grad=False)

    def update(self, k: int, w: Parameter, g: Tensor, group: dict[str, Any]) -> None:
        if group["weight_decay"]:
            g = add(g, mul(w, group["weight_decay"]))
        if group["momentum"]:
            damped = group["dampening"]
            share = add(mul(self.first, damped), 1 - damped)  # the first step is not damped
            fresh = mul(g, convert(share, w.dtype)) if damped else g
            v = add(mul(self.accum[k], group["momentum"]), fresh)
            assign(self.accum[k], v)
            g = add(g, mul(v, group["momentum"])) if group["nesterov"] else v
        assign(w, sub(w, mul(g, convert(group["lr"], w.dtype))))

    def construct(self, gradients: Any) -> Any:
        done = super().construct(gradients)
        assign(self.first, constant(0, self.first.dtype))
        return done


class Adam(Optimizer):
    """w -= lr * m' / (sqrt(v') + eps), with m' and v' corrected; the decay is part of g."""

    decoupled = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        if eps < 0 or weight_decay < 0 or not all(0 <= beta < 1 for beta in betas):
            raise ValueError(f"Invalid eps, weight_decay or betas: {eps}, {weight_decay}, {betas}")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "amsgrad": amsgrad, "maximize": maximize,
        })  # fmt: skip
        self.exp_avg = self.states("exp_avg")
        self.exp_avg_sq = self.states("exp_avg_sq")
        self.max_exp_avg_sq = self.states("max_exp_avg_sq")
        self.state_step = Parameter(Tensor(np.float32(0)), name="state_step", requires_grad=False)

    def before(self) -> None:
        assign(self.state_step, add(self.state_step, 1.0))

    def update(self, k: int, w: Parameter, g: Tensor, group: dict[str, Any]) -> None:
        rate, decay = convert(group["lr"], w.dtype), group["weight_decay"]
        weight: Tensor = w
        if decay and self.decoupled:
            weight = mul(w, sub(1, mul(rate, decay)))
        elif decay:
            g = add(g, mul(w, decay))
        m = self.moved(self.exp_avg[k], g, group["betas"][0])
        v = self.moved(self.exp_avg_sq[k], square(g), group["betas"][1])
        if group["amsgrad"]:
            v = maximum(self.max_exp_avg_sq[k], v)
            assign(self.max_exp_avg_sq[k], v)
        first, second = (self.correction(beta, w) for beta in group["betas"])
        root = add(div(sqrt(v), sqrt(second)), group["eps"])
        assign(w, sub(weight, div(mul(m, div(rate, first)), root)))

    def moved(self, state: Parameter, new: Tensor, beta: float) -> Tensor:
        moved = add(mul(state, beta), mul(new, 1 - beta))
        assign(state, moved)
        return moved

    def correction(self, beta: float, w: Tensor) -> Tensor:
        """1 - beta ** step."""
        step = sub(1, pow(constant(beta, self.state_step.dtype), self.state_step))
        return convert(step, w.dtype)


class AdamW(Adam):
    """As Adam, but w is decayed by lr * weight_decay beside the gradient."""

    decoupled = True

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
