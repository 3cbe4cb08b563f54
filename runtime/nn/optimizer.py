"""Optimisers with MindSpore's formulas and parameter groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cell import Cell
from ..failure import ElementTypeError, ShapeError
from ..ops.arithmetic import add, div, maximum, minimum, mul, sqrt, square, sub, where
from ..ops.shaping import gather, reshape
from ..parameter import Parameter, ParameterTuple, assign
from ..primitive import convert
from ..promotion import constant
from ..tensor import Tensor
from .learning_rate import LearningRateSchedule

UNDECAYED = ("beta", "gamma")
"""Parts of names that exempt a parameter from weight decay, unless parameters are grouped."""


@dataclass(frozen=True, eq=False)
class Group:
    """What holds for some of the parameters. `rate`, `decay`: a Parameter, number or Cell."""

    parameters: tuple[Parameter, ...]
    rate: Any
    decay: Any
    centralised: bool


class IteratedRate(LearningRateSchedule):
    """One rate per step; the last one stays."""

    def __init__(self, rates: Any) -> None:
        super().__init__()
        self.rates = Tensor(np.asarray(rates, np.float32))

    def construct(self, global_step: Tensor) -> Tensor:
        place = minimum(global_step, self.rates.shape[0] - 1)
        return gather(self.rates, place, 0)


class Optimizer(Cell):
    """Abstract: a subclass defines `update` for one parameter and its states.

    Args: parameters, or groups {"params", "lr", "weight_decay", "grad_centralization"} and
    {"order_params"}. learning_rate a number, Tensor, schedule, or one rate per step.
    """

    def __init__(
        self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        given = list(parameters)
        if not given:
            raise ShapeError(self.cls_name, "there are no parameters to optimise")
        self.is_group = isinstance(given[0], dict)
        self.loss_scale = float(loss_scale)
        self.global_step = Parameter(
            Tensor(np.zeros(1, np.int32)), name="global_step", requires_grad=False
        )
        self.learning_rate = self.rate_of(learning_rate, "learning_rate")
        self.weight_decay = weight_decay
        self.__dict__["groups"] = groups = self.grouped(given)
        ordered = [p for group in groups for p in group.parameters] if self.is_group else given
        for entry in given:
            if self.is_group and "order_params" in entry:
                ordered = list(entry["order_params"])
        self.check(ordered)
        self.parameters = ParameterTuple(ordered)
        every = [*[g.rate for g in groups], *[g.decay for g in groups]]
        self.dynamic_lr = any(isinstance(value, Cell) for value in every)

    def check(self, parameters: list[Any]) -> None:
        """Raises: TypeError for what is no Parameter, ValueError (MS304) for one given twice."""
        for p in parameters:
            if not isinstance(p, Parameter):
                raise ElementTypeError(
                    self.cls_name, "parameters must be Parameters", got=type(p).__name__
                )
        if len({id(p) for p in parameters}) < len(parameters):
            raise ShapeError(self.cls_name, "a parameter stands in the list twice")

    def rate_of(self, given: Any, name: str) -> Any:
        """A learning rate as a Parameter (that can be assigned) or a schedule."""
        if isinstance(given, Cell):
            return given
        kinds = (int, float, Tensor, Sequence)
        array = given.asnumpy() if isinstance(given, Tensor) else given
        if isinstance(given, (bool, str)) or not isinstance(given, kinds):
            raise TypeError(
                f"For '{self.cls_name}', the argument 'learning_rate' must be int, float, Tensor, "
                f"Iterable or LearningRateSchedule, but got {type(given)}."
            )
        values = np.asarray(array, np.float32)
        if (values < 0).any():
            raise ValueError(f"For '{self.cls_name}', 'learning_rate' must be at least 0.")
        if values.ndim:
            return IteratedRate(values)
        return Parameter(Tensor(values), name=name)

    def grouped(self, given: list[Any]) -> list[Group]:
        if not self.is_group:
            return self.plain_groups(given)
        found = []
        for k, entry in enumerate(given):
            unknown = set(entry) - {
                "params", "lr", "weight_decay", "grad_centralization", "order_params"
            }  # fmt: skip
            if unknown:
                raise KeyError(f"For '{self.cls_name}', a group has no key {sorted(unknown)}")
            if "order_params" in entry:
                continue
            rate = self.learning_rate
            if "lr" in entry:
                rate = self.rate_of(entry["lr"], f"learning_rate_group_{k}")
                setattr(self, f"learning_rate_group_{k}", rate)
            decay = entry.get("weight_decay", self.weight_decay)
            parameters = tuple(entry["params"])
            found.append(Group(parameters, rate, decay, entry.get("grad_centralization", False)))
        return found

    def plain_groups(self, given: list[Any]) -> list[Group]:
        """All parameters, less those that are not decayed by their names."""
        self.check(given)
        plain = tuple(p for p in given if not any(part in p.name for part in UNDECAYED))
        rest = tuple(p for p in given if any(part in p.name for part in UNDECAYED))
        groups = [Group(plain, self.learning_rate, self.weight_decay, False)]
        return [*groups, Group(rest, self.learning_rate, 0.0, False)] if rest else groups

    def states(self, prefix: str, init: Any = "zeros") -> ParameterTuple:
        """One state per parameter, named `prefix.NAME`."""
        made = self.parameters.clone(prefix, init)
        for state in made:
            state.requires_grad = False
        return made

    def now(self, value: Any) -> Any:
        """A rate or decay at the present step."""
        return reshape(value(self.global_step), ()) if isinstance(value, Cell) else value

    def get_lr(self) -> Any:
        """The learning rate, or one per parameter if they are grouped."""
        if not self.is_group:
            return self.now(self.learning_rate)
        return tuple(self.now(self.group_of(p).rate) for p in self.parameters)

    def get_lr_parameter(self, param: Any) -> Any:
        """What the learning rate of `param` (or of each of a list) is held in."""
        if isinstance(param, (tuple, list)):
            return [self.group_of(p).rate for p in param]
        return self.group_of(param).rate

    def get_weight_decay(self) -> Any:
        """The weight decay, or one per parameter if they are grouped."""
        if not self.is_group:
            return self.now(self.weight_decay)
        return tuple(self.now(self.group_of(p).decay) for p in self.parameters)

    def group_of(self, parameter: Parameter) -> Group:
        """Raises: TypeError if the optimiser does not hold it."""
        groups: list[Group] = self.__dict__["groups"]
        for group in groups:
            if any(p is parameter for p in group.parameters):
                return group
        raise TypeError(f"the parameter {parameter.name!r} is not optimised here")

    def construct(self, gradients: Any) -> Any:
        """One step, with the gradients in the order of the parameters."""
        if len(gradients) != len(self.parameters):
            raise ShapeError(
                self.cls_name, "another number of gradients",
                got=str(len(gradients)), expected=str(len(self.parameters)),
            )  # fmt: skip
        self.before()
        rates = {id(g): self.now(g.rate) for g in self.__dict__["groups"]}
        decays = {id(g): self.now(g.decay) for g in self.__dict__["groups"]}
        for k, (w, g) in enumerate(zip(self.parameters, gradients, strict=True)):
            group = self.group_of(w)
            g = self.prepared(w, convert(g, w.dtype), group, decays[id(group)])
            self.update(k, w, g, convert_rate(rates[id(group)], w))
        if self.dynamic_lr:
            assign(self.global_step, add(self.global_step, 1))
        return tuple(Tensor(True) for _ in self.parameters)

    def before(self) -> None:
        """What happens once per step, before the parameters are updated."""

    def prepared(self, w: Tensor, g: Tensor, group: Group, decay: Any) -> Tensor:
        """The gradient unscaled, with the decay of the weight added, centralised."""
        if self.loss_scale != 1.0:
            g = mul(g, 1 / self.loss_scale)
        if isinstance(decay, Tensor) or decay:
            g = add(g, mul(w, decay))
        if group.centralised and w.ndim > 1:
            g = sub(g, g.mean(tuple(range(1, w.ndim)), True))
        return g

    def update(self, k: int, w: Parameter, g: Tensor, rate: Tensor) -> None:
        """Changes parameter number `k` and its states."""
        raise NotImplementedError(f"{self.cls_name} defines construct or update")


def convert_rate(rate: Any, w: Tensor) -> Tensor:
    return convert(rate, w.dtype) if isinstance(rate, Tensor) else constant(rate, w.dtype)


def blended(state: Parameter, new: Tensor, keep: float, share: float | None = None) -> Tensor:
    """Moves a running mean; gives it back. `share` is the weight of the new, if not 1 - keep."""
    moved = add(mul(state, keep), mul(new, 1 - keep if share is None else share))
    assign(state, moved)
    return moved


def descend(w: Parameter, change: Tensor) -> None:
    assign(w, sub(w, change))


class SGD(Optimizer):
    """w -= rate * v, with v = momentum * v + (1 - dampening) * g; at the first step v = g."""

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Any = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if momentum < 0 or dampening < 0:
            raise ValueError(f"For '{self.cls_name}', momentum and dampening must be at least 0.")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening.")
        self.factor, self.dampening, self.nesterov = float(momentum), float(dampening), nesterov
        self.momentum = Parameter(Tensor(np.float32(momentum)), name="momentum")
        self.accum = self.states("accum")
        self.stat = self.states("stat", "ones")

    def update(self, k: int, w: Parameter, g: Tensor, rate: Tensor) -> None:
        if not self.factor:
            return descend(w, mul(g, rate))
        kept = mul(self.accum[k], convert(self.momentum, w.dtype))
        v = add(kept, mul(g, 1 - self.dampening) if self.dampening else g)
        if self.dampening:
            v = where(self.stat[k] > 0, g, v)
            assign(self.stat[k], mul(self.stat[k], 0.0))
        assign(self.accum[k], v)
        change = add(g, mul(v, convert(self.momentum, w.dtype))) if self.nesterov else v
        return descend(w, mul(change, rate))


class Momentum(Optimizer):
    """w -= rate * v, with v = momentum * v + g."""

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        momentum: float,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if not isinstance(momentum, float):
            raise TypeError(f"For 'Momentum', 'momentum' must be float, but got {type(momentum)}.")
        if momentum < 0:
            raise ValueError(f"For 'Momentum', 'momentum' must be at least 0, but got {momentum}")
        self.momentum = Parameter(Tensor(np.float32(momentum)), name="momentum")
        self.moments = self.states("moments")
        self.use_nesterov = use_nesterov

    def update(self, k: int, w: Parameter, g: Tensor, rate: Tensor) -> None:
        momentum = convert(self.momentum, w.dtype)
        v = add(mul(self.moments[k], momentum), g)
        assign(self.moments[k], v)
        descend(w, mul(add(g, mul(v, momentum)) if self.use_nesterov else v, rate))


class Adam(Optimizer):
    """w -= rate * sqrt(1 - beta2**t) / (1 - beta1**t) * m / (sqrt(v) + eps)."""

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_adam(self.cls_name, beta1, beta2, eps)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.beta1_power = Parameter(Tensor(np.float32(1)), name="beta1_power")
        self.beta2_power = Parameter(Tensor(np.float32(1)), name="beta2_power")
        self.moment1 = self.states("moment1")
        self.moment2 = self.states("moment2")
        if use_amsgrad:
            self.vhat = self.states("vhat")

    def before(self) -> None:
        first, second = mul(self.beta1_power, self.beta1), mul(self.beta2_power, self.beta2)
        assign(self.beta1_power, first)
        assign(self.beta2_power, second)
        self.__dict__["correction"] = div(sqrt(sub(1, second)), sub(1, first))

    def update(self, k: int, w: Parameter, g: Tensor, rate: Tensor) -> None:
        m = blended(self.moment1[k], g, self.beta1)
        v = blended(self.moment2[k], square(g), self.beta2)
        if self.use_amsgrad:
            v = maximum(self.vhat[k], v)
            assign(self.vhat[k], v)
        if self.use_nesterov:
            m = add(mul(m, self.beta1), mul(g, 1 - self.beta1))
        step = mul(rate, convert(self.__dict__["correction"], w.dtype))
        descend(w, div(mul(m, step), add(sqrt(v), self.eps)))


def check_adam(name: str, beta1: float, beta2: float, eps: float) -> None:
    """Raises: ValueError for betas outside (0, 1) or an eps that is not positive."""
    if not (0 < beta1 < 1 and 0 < beta2 < 1 and eps > 0):
        raise ValueError(f"For '{name}', beta1, beta2 must be in (0, 1) and eps positive.")


class AdamWeightDecay(Optimizer):
    """w -= rate * (m / (sqrt(v) + eps) + decay * w), without bias correction (PyTorch: with)."""

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        check_adam(self.cls_name, beta1, beta2, eps)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.moments1 = self.states("adam_m")
        self.moments2 = self.states("adam_v")

    def prepared(self, w: Tensor, g: Tensor, group: Group, decay: Any) -> Tensor:
        """The decay is not part of the gradient."""
        self.__dict__["decay"] = decay
        return super().prepared(w, g, group, 0.0)

    def update(self, k: int, w: Parameter, g: Tensor, rate: Tensor) -> None:
        m = blended(self.moments1[k], g, self.beta1, single_rest(self.beta1))
        v = blended(self.moments2[k], square(g), self.beta2, single_rest(self.beta2))
        change = div(m, add(sqrt(v), self.eps))
        decay = self.__dict__["decay"]
        if isinstance(decay, Tensor) or decay:
            change = add(change, mul(w, decay))
        descend(w, mul(change, rate))


def single_rest(keep: float) -> float:
    """1 - keep in float32, which for 0.999 is off by 5e-5: MindSpore's AdamWeightDecay has it."""
    return float(np.float32(1) - np.float32(keep))


class RMSProp(Optimizer):
    """w -= m, with m = momentum * m + rate * g / sqrt(s + epsilon); s starts at 1."""

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if epsilon <= 0 or decay < 0 or momentum < 0:
            raise ValueError("For 'RMSProp', epsilon must be positive, decay and momentum >= 0.")
        self.decay, self.momentum, self.epsilon = decay, momentum, epsilon
        self.centered = centered
        self.ms = self.states("mean_square", "ones")
        self.moment = self.states("moment")
        if centered:
            self.mg = self.states("mean_grad")

    def update(self, k: int, w: Parameter, g: Tensor, rate: Tensor) -> None:
        s = blended(self.ms[k], square(g), self.decay)
        if self.centered:
            s = sub(s, square(blended(self.mg[k], g, self.decay)))
        change = div(mul(g, rate), sqrt(add(s, self.epsilon)))
        m = add(mul(self.moment[k], self.momentum), change)
        assign(self.moment[k], m)
        descend(w, m)


class Adagrad(Optimizer):
    """w -= rate * g / sqrt(a), with a += g**2; a starts at `accum`."""

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if accum < 0:
            raise ValueError(f"For 'Adagrad', 'accum' must be at least 0, but got {accum}.")
        self.update_slots = update_slots
        self.accum = self.states("accum", accum)

    def update(self, k: int, w: Parameter, g: Tensor, rate: Tensor) -> None:
        total: Tensor = self.accum[k]
        if self.update_slots:
            total = add(self.accum[k], square(g))
            assign(self.accum[k], total)
        descend(w, div(mul(g, rate), sqrt(total)))
