"""Optimisers that follow the gradient: SGD, Momentum, ASGD, Rprop, LARS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_float, check_range, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.parameter import Parameter, ParameterTuple, assign
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.arithmetic import (
    add,
    clamp,
    div,
    equal,
    greater,
    less,
    maximum,
    minimum,
    mul,
    pow,
    sign,
    square,
    sub,
    where,
)
from ..ops.reduction import sum
from ..ops.shaping import reshape
from .optimizer import (
    Optimizer,
    Step,
    assigned,
    convert_rate,
    is_decay,
    opt_init_args_register,
)


def number(where: str, name: str, value: Any) -> float:
    """A float of 0 or more; a whole number will do."""
    check_float(where, name, float(value) if isinstance(value, int) else value, 0.0)
    return float(value)


class SGD(Optimizer):
    """w -= rate * v, with v = momentum * v + (1 - dampening) * g; at the first step v = g."""

    @opt_init_args_register
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
        self.factor = number(self.cls_name, "momentum", momentum)
        self.dampening = number(self.cls_name, "dampening", dampening)
        self.nesterov = check_type(self.cls_name, "nesterov", nesterov, bool)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ShapeError(self.cls_name, "Nesterov needs a momentum and zero dampening")
        if self.dynamic_weight_decay:
            raise ElementTypeError(self.cls_name, "weight_decay must be a number")
        self.momentum = Parameter(Tensor(np.float32(momentum)), name="momentum")
        self.accum = self.states("accum")
        self.stat = self.states("stat", "ones")

    def update(self, step: Step) -> None:
        change = step.g
        if self.factor:
            states = self.accum[step.k], self.stat[step.k]
            momentum = convert(self.momentum, step.w.dtype)
            change = with_momentum(step.g, states, momentum, self.dampening, self.nesterov)
        step.descend(mul(change, step.rate))


def with_momentum(
    g: Tensor,
    states: tuple[Parameter, Parameter],
    momentum: Any,
    dampening: float,
    nesterov: bool,
) -> Tensor:
    """SGD's change of a weight. `states` are the velocity, and 1 until the first step."""
    accum, stat = states
    v = add(mul(accum, momentum), mul(g, 1 - dampening) if dampening else g)
    if dampening:
        v = where(greater(stat, 0), g, v)
        assign(stat, mul(stat, 0.0))
    assign(accum, v)
    return add(g, mul(v, momentum)) if nesterov else v


class Momentum(Optimizer):
    """w -= rate * v, with v = momentum * v + g."""

    @opt_init_args_register
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
        check_float(self.cls_name, "momentum", momentum, 0.0)
        self.momentum = Parameter(Tensor(np.float32(momentum)), name="momentum")
        self.use_nesterov = check_type(self.cls_name, "use_nesterov", use_nesterov, bool)
        self.moments = self.states("moments")

    def update(self, step: Step) -> None:
        momentum, state = convert(self.momentum, step.w.dtype), self.moments[step.k]
        v = assigned(state, add(mul(state, momentum), step.g))
        step.descend(mul(add(step.g, mul(v, momentum)) if self.use_nesterov else v, step.rate))


class ASGD(Optimizer):
    """Stochastic descent with a falling rate, and the mean `ax` of the weights since step t0."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, value in (("lambd", lambd), ("alpha", alpha), ("t0", t0)):
            check_type(self.cls_name, name, value, float)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        self.mu = numbers(self.parameters, "mu_", 1.0)
        self.eta = numbers(self.parameters, "eta_", 0.0)
        self.ax = self.states("ax_")

    def shared(self) -> Tensor:
        return reshape(convert(self.global_step, dtypes.float32), ())

    def update(self, step: Step) -> None:
        states = self.mu[step.k], self.eta[step.k], self.ax[step.k]
        settings = self.lambd, self.alpha, self.t0
        averaged(step, states, settings)


def numbers(parameters: ParameterTuple, prefix: str, value: float) -> ParameterTuple:
    """One number per parameter, named `prefix` and its name."""
    names = [prefix + p.name for p in parameters]
    return ParameterTuple([Parameter(Tensor(np.float32(value)), name=n) for n in names])


def averaged(
    step: Step,
    states: tuple[Parameter, Parameter, Parameter],
    settings: tuple[float, float, float],
) -> None:
    """One step of ASGD; `step.shared` counts the steps from 1."""
    (mu, eta, ax), (lambd, alpha, t0) = states, settings
    count, w = step.shared, convert(step.w, dtypes.float32)
    rate = convert(step.rate, dtypes.float32)
    now = where(equal(count, 1.0), rate, eta)
    w = sub(mul(w, sub(1.0, mul(now, lambd))), mul(now, convert(step.g, dtypes.float32)))
    assign(step.w, w)
    before = convert(ax, dtypes.float32)
    assign(ax, where(equal(mu, 1.0), w, add(before, mul(sub(w, before), mu))))
    assign(eta, div(rate, pow(add(mul(mul(rate, lambd), count), 1.0), alpha)))
    assign(mu, div(1.0, maximum(sub(count, t0), 1.0)))


class Rprop(Optimizer):
    """Each weight has a step size, which grows while its gradient keeps its sign."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
            check_type(self.cls_name, name, pair, tuple)
            if len(pair) != 2:
                raise ShapeError(self.cls_name, f"{name} must be two", got=str(len(pair)))
        check_range(self.cls_name, "the maximal step size", step_sizes[1], step_sizes[0])
        check_float(self.cls_name, "etaminus", etas[0], 0.0, 1.0, "neither")
        check_float(self.cls_name, "etaplus", etas[1], 1.0, ends="neither")
        for size in step_sizes:
            check_type(self.cls_name, "a step size", size, float)
        self.etas, self.step_sizes = etas, step_sizes
        self.prev, self.step_size = self.states("prev"), self.states("step_size")

    def shared(self) -> Tensor:
        return reshape(self.global_step, ())

    def update(self, step: Step) -> None:
        states = self.prev[step.k], self.step_size[step.k]
        resilient(step, states, self.etas, self.step_sizes)


def resilient(
    step: Step,
    states: tuple[Parameter, Parameter],
    etas: tuple[float, float],
    step_sizes: tuple[float, float],
) -> None:
    """One step of Rprop; `step.shared` counts the steps from 1."""
    prev, sizes = states
    start = add(mul(sizes, 0.0), step.rate)
    known = where(equal(step.shared, 1), start, sizes)
    agreement = mul(step.g, prev)
    turned = less(agreement, 0.0)
    factor = where(greater(agreement, 0.0), etas[1], where(turned, etas[0], 1.0))
    size = clamp(mul(known, convert(factor, step.w.dtype)), *step_sizes)
    g = where(turned, 0.0, step.g)
    step.descend(mul(sign(g), size))
    assign(prev, g)
    assign(sizes, size)


class LARS(Optimizer):
    """Scales each gradient by its weight's norm over its own, and lets `optimizer` step."""

    @opt_init_args_register
    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-05,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Parameter], bool] = lambda x: (
            "LayerNorm" not in x.name and "bias" not in x.name
        ),
    ) -> None:
        check_type("LARS", "optimizer", optimizer, Optimizer)
        given = optimizer.settings
        super().__init__(0.0, list(optimizer.parameters), 0.0, optimizer.loss_scale)
        self.epsilon = check_type(self.cls_name, "epsilon", epsilon, float)
        self.coefficient = check_type(self.cls_name, "coefficient", coefficient, float)
        self.use_clip = check_type(self.cls_name, "use_clip", use_clip, bool)
        self.opt, self.settings, self.global_step = optimizer, given, optimizer.global_step
        self.decay_flags, self.weight_decay = optimizer.decay_flags, optimizer.weight_decay
        self.lars_flag = tuple(map(lars_filter, self.parameters))
        optimizer.settings = tuple(replace(s, decay=0.0) for s in given)
        optimizer.need_scale = False
        optimizer.decay_flags = (False,) * len(given)

    def construct(self, gradients: Any) -> Any:
        scaled = list(self.scale_grad(self.checked(gradients)))
        rates = self.now([s.rate for s in self.settings])
        decays = self.now([s.decay for s in self.settings])
        for k, (w, g) in enumerate(zip(self.parameters, scaled, strict=True)):
            flag = self.decay_flags[k] and is_decay(decays[k])
            decay = convert_rate(decays[k], w) if flag else constant(0.0, w.dtype)
            if self.lars_flag[k]:
                decay = mul(decay, 1 / self.loss_scale)
                scaled[k] = self.trusted(w, g, decay, convert_rate(rates[k], w))
        return self.opt(tuple(scaled))

    def trusted(self, w: Tensor, g: Tensor, decay: Tensor, rate: Tensor) -> Tensor:
        """(g + decay * w) * coefficient * |w| / (|g| + decay * |w| + epsilon)."""
        own, other = (pow(sum(square(x)), 0.5) for x in (w, g))
        least = add(add(other, mul(decay, own)), self.epsilon)
        trust = div(mul(own, self.coefficient), least)
        if self.use_clip:
            trust = minimum(div(trust, rate), 1.0)
        return mul(add(g, mul(w, decay)), trust)
