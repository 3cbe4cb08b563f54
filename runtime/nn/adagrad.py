"""Optimisers that divide by a mean or sum of squared gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_float, check_range, check_type
from ..engine.failure import ShapeError
from ..engine.parameter import Parameter, ParameterTuple, assign
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.arithmetic import (
    abs,
    add,
    div,
    greater,
    maximum,
    minimum,
    mul,
    pow,
    rsqrt,
    sign,
    sqrt,
    square,
    sub,
    where,
)
from ..ops.reduction import mean
from ..ops.shaping import expand_dims, reshape
from .optimizer import Optimizer, Step, assigned, moved, opt_init_args_register


class RMSProp(Optimizer):
    """w -= m, with m = momentum * m + rate * g / sqrt(s + epsilon); s starts at 1."""

    @opt_init_args_register
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
        check_float(self.cls_name, "decay", decay, 0.0)
        check_float(self.cls_name, "momentum", momentum, 0.0)
        check_float(self.cls_name, "epsilon", epsilon, 0.0, ends="neither")
        check_type(self.cls_name, "use_locking", use_locking, bool)
        self.decay, self.momentum, self.epsilon = decay, momentum, epsilon
        self.centered = check_type(self.cls_name, "centered", centered, bool)
        self.ms = self.states("mean_square", "ones")
        self.moment = self.states("moment")
        if centered:
            self.mg = self.states("mean_grad")

    def update(self, step: Step) -> None:
        s = moved(self.ms[step.k], square(step.g), self.decay)
        if self.centered:
            s = sub(s, square(moved(self.mg[step.k], step.g, self.decay)))
        change = div(mul(step.g, step.rate), sqrt(add(s, self.epsilon)))
        state = self.moment[step.k]
        step.descend(assigned(state, add(mul(state, self.momentum), change)))


class Adagrad(Optimizer):
    """w -= rate * g / sqrt(a), with a += g**2; a starts at `accum`."""

    @opt_init_args_register
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
        check_float(self.cls_name, "accum", accum, 0.0)
        self.update_slots = check_type(self.cls_name, "update_slots", update_slots, bool)
        self.accum = self.states("accum", accum)

    def update(self, step: Step) -> None:
        total: Tensor = self.accum[step.k]
        if self.update_slots:
            total = assigned(self.accum[step.k], add(total, square(step.g)))
        step.descend(div(mul(step.g, step.rate), sqrt(total)))


class ProximalAdagrad(Optimizer):
    """Adagrad, after which weights shrink by l1, those below it to 0, and by l2."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for name, value in (("accum", accum), ("l1", l1), ("l2", l2)):
            check_float(self.cls_name, name, value, 0.0)
        check_type(self.cls_name, "use_locking", use_locking, bool)
        self.l1, self.l2 = l1, l2
        self.accum = self.states("accum", accum)

    def update(self, step: Step) -> None:
        total = assigned(self.accum[step.k], add(self.accum[step.k], square(step.g)))
        rate = div(step.rate, sqrt(total))
        near = sub(step.w, mul(step.g, rate))
        if self.l1 > 0:
            near = mul(sign(near), maximum(sub(abs(near), mul(rate, self.l1)), 0.0))
        assign(step.w, div(near, add(mul(rate, self.l2), 1.0)))


class FTRL(Optimizer):
    """Follow the regularised leader: w = (l1 * sign(z) - z) / (n**-p / rate + 2 * l2), or 0."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        initial_accum: float = 0.1,
        learning_rate: float = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ShapeError(self.cls_name, "takes no learning rate per step or per group")
        check_float(self.cls_name, "initial_accum", initial_accum, 0.0)
        check_float(self.cls_name, "learning_rate", learning_rate, 0.0, ends="neither")
        check_float(self.cls_name, "lr_power", lr_power, high=0.0)
        check_float(self.cls_name, "l1", l1, 0.0)
        check_float(self.cls_name, "l2", l2, 0.0)
        check_type(self.cls_name, "use_locking", use_locking, bool)
        self.l1, self.l2, self.lr_power = l1, l2, lr_power
        if not self.is_group:
            self.decay_flags = (True,) * len(self.parameters)
        self.moments = self.states("moments", initial_accum)
        self.linear = self.states("linear")

    def update(self, step: Step) -> None:
        n, z = self.moments[step.k], self.linear[step.k]
        before = pow(n, -self.lr_power)
        after = pow(assigned(n, add(n, square(step.g))), -self.lr_power)
        sigma = div(sub(after, before), step.rate)
        new = assigned(z, sub(add(z, step.g), mul(sigma, step.w)))
        least = add(div(after, step.rate), 2 * self.l2)
        far = div(sub(mul(sign(new), self.l1), new), least)
        assign(step.w, where(greater(abs(new), self.l1), far, 0.0))


class Adadelta(Optimizer):
    """w -= rate * d, with d = sqrt(u + eps) / sqrt(a + eps) * g; a, u: means of g**2 and d**2."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_float(self.cls_name, "rho", rho, 0.0, 1.0)
        check_float(self.cls_name, "epsilon", epsilon, 0.0)
        self.rho, self.epsilon = rho, epsilon
        self.accum = self.states("accum")
        self.accum_update = self.states("accum_update")

    def update(self, step: Step) -> None:
        states = self.accum[step.k], self.accum_update[step.k]
        step.descend(mul(adapted(step.g, states, self.rho, self.epsilon), step.rate))


def adapted(g: Tensor, states: tuple[Parameter, Parameter], rho: float, epsilon: float) -> Tensor:
    """Adadelta's change of a weight; moves its two states."""
    a, u = states
    mean_square = moved(a, square(g), rho)
    change = mul(div(sqrt(add(u, epsilon)), sqrt(add(mean_square, epsilon))), g)
    moved(u, square(change), rho)
    return change


def root_of_mean(x: Tensor) -> Tensor:
    return sqrt(mean(square(x)))


class AdaFactor(Optimizer):
    """Adam whose second moment of a matrix is the product of a row's and a column's mean."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = None,
        eps: tuple[float, float] = (1e-30, 0.001),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float | None = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        if (learning_rate is None) != relative_step or (warmup_init and not relative_step):
            raise ShapeError(
                "AdaFactor", "needs a learning_rate or relative_step; warmup_init needs the latter"
            )
        rate = 0.0 if learning_rate is None else learning_rate
        super().__init__(rate, params, weight_decay, loss_scale)
        beta1 = 0.0 if beta1 is None else beta1
        self.check_settings(eps, clip_threshold, decay_rate, beta1, weight_decay)
        for name, flag in (("scale_parameter", scale_parameter), ("compression", compression),
                           ("relative_step", relative_step)):  # fmt: skip
            check_type(self.cls_name, name, flag, bool)
        self.eps, self.clip_threshold, self.decay_rate = eps, clip_threshold, decay_rate
        self.beta1, self.relative_step, self.warmup_init = beta1, relative_step, warmup_init
        self.scale_parameter = scale_parameter and isinstance(rate, (int, float))
        self.step = Parameter(Tensor(np.zeros(1, np.float32)), name="afactor_step")
        if beta1 > 0:
            self.exp_avg = self.states("exp_avg")
        self.exp_avg_sq_row = self.means("row", lambda s: s[:-1] if len(s) > 1 else (1,))
        self.exp_avg_sq_col = self.means("col", lambda s: s[:-2] + s[-1:] if len(s) > 1 else (1,))
        self.exp_avg_sq = self.means("", lambda s: (1,) if len(s) > 1 else s)

    def check_settings(
        self, eps: Any, clip_threshold: Any, decay_rate: Any, beta1: Any, weight_decay: Any
    ) -> None:
        """Raises: TypeError, ValueError (MS304), as MindSpore does."""
        check_type(self.cls_name, "eps", eps, list, tuple)
        if len(eps) != 2:
            raise ShapeError(self.cls_name, "eps must be two numbers", got=str(len(eps)))
        for one in eps:
            check_float(self.cls_name, "eps", one, 0.0)
        check_float(self.cls_name, "clip_threshold", clip_threshold, 0.0)
        check_float(self.cls_name, "decay_rate", decay_rate, 0.0, 1.0, "neither")
        check_range(self.cls_name, "weight_decay", weight_decay, 0.0, 1.0, "left")
        check_range(
            self.cls_name, "beta1", check_type(self.cls_name, "beta1", beta1, int, float), 0
        )

    def means(self, kind: str, shape: Any) -> ParameterTuple:
        """States of zeros, of the shape that `shape` makes of each parameter's."""
        prefix = f"exp_avg_sq_{kind}_" if kind else "exp_avg_sq_"
        return ParameterTuple([
            Parameter(Tensor(np.zeros(shape(p.shape), p.dtype.numpy)), name=f"{prefix}{p.name}")
            for p in self.parameters
        ])  # fmt: skip

    def prepared(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return gradients

    def shared(self) -> tuple[Tensor | None, Tensor]:
        """The rate that depends on the step, if there is one, and the second moment's beta."""
        count = reshape(assigned(self.step, add(self.step, 1.0)), ())
        beta2 = sub(1.0, pow(count, -self.decay_rate))
        if not self.relative_step:
            return None, beta2
        least = mul(count, 1e-6) if self.warmup_init else constant(0.01, dtypes.float32)
        return minimum(least, rsqrt(count)), beta2

    def update(self, step: Step) -> None:
        relative, beta2 = step.shared
        rate = step.rate if relative is None else convert(relative, step.w.dtype)
        if self.scale_parameter:
            rate = mul(rate, maximum(root_of_mean(step.w), self.eps[1]))
        change = mul(self.factor(step, convert(beta2, step.w.dtype)), step.g)
        excess = maximum(div(root_of_mean(change), self.clip_threshold), 1.0)
        change = mul(div(change, excess), rate)
        if self.beta1 > 0:
            change = moved(self.exp_avg[step.k], change, self.beta1)
        if step.decay is not None:
            change = add(change, mul(mul(step.w, step.decay), rate))
        step.descend(change)

    def factor(self, step: Step, beta2: Tensor) -> Tensor:
        """1 / sqrt of the second moment."""
        squares = add(square(step.g), self.eps[0])
        if step.g.ndim < 2:
            return rsqrt(self.mean_of(self.exp_avg_sq[step.k], squares, beta2))
        row = self.mean_of(self.exp_avg_sq_row[step.k], mean(squares, -1), beta2)
        column = self.mean_of(self.exp_avg_sq_col[step.k], mean(squares, -2), beta2)
        rows = rsqrt(div(row, mean(row, -1, True)))
        return mul(expand_dims(rows, -1), expand_dims(rsqrt(column), -2))

    def mean_of(self, state: Parameter, new: Tensor, beta2: Tensor) -> Tensor:
        return assigned(state, add(mul(state, beta2), mul(new, sub(1.0, beta2))))
