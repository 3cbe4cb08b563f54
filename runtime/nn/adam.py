"""Adam and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_float, check_type
from ..engine.failure import ShapeError
from ..engine.parameter import Parameter
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.arithmetic import (
    abs,
    add,
    div,
    greater,
    logical_and,
    maximum,
    mul,
    pow,
    sqrt,
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
    moved,
    opt_init_args_register,
    single_rest,
)


def _check_param_value(beta1: Any, beta2: Any, eps: Any, prim_name: str) -> None:
    """Raises: TypeError, ValueError (MS304) unless betas are in (0, 1) and eps is positive."""
    check_float(prim_name, "beta1", beta1, 0.0, 1.0, "neither")
    check_float(prim_name, "beta2", beta2, 0.0, 1.0, "neither")
    check_float(prim_name, "eps", eps, 0.0, ends="neither")


class Adam(Optimizer):
    """w -= rate * sqrt(1 - beta2**t) / (1 - beta1**t) * m / (sqrt(v) + eps).

    `use_lazy` and `use_offload` make no difference to dense gradients on the CPU.
    """

    @opt_init_args_register
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
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _check_param_value(beta1, beta2, eps, self.cls_name)
        unknown = set(kwargs) - {"use_lazy", "use_offload"}
        if unknown:
            raise KeyError(f"For '{self.cls_name}', there is no argument {sorted(unknown)}")
        self.use_locking, self.use_nesterov = use_locking, use_nesterov
        self.use_amsgrad = use_amsgrad
        self.use_lazy = kwargs.get("use_lazy", False)
        self.use_offload = kwargs.get("use_offload", False)
        for name in ("use_locking", "use_nesterov", "use_amsgrad", "use_lazy", "use_offload"):
            check_type(self.cls_name, name, getattr(self, name), bool)
        if self.use_lazy + self.use_offload + use_amsgrad > 1:
            raise ShapeError(self.cls_name, "use_lazy, use_offload and use_amsgrad exclude another")
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.beta1_power = Parameter(Tensor(np.float32(1)), name="beta1_power")
        self.beta2_power = Parameter(Tensor(np.float32(1)), name="beta2_power")
        self.moment1 = self.states("moment1")
        self.moment2 = self.states("moment2")
        if use_amsgrad:
            self.vhat = self.states("vhat")

    def shared(self) -> Tensor:
        """The correction of both moments."""
        first = assigned(self.beta1_power, mul(self.beta1_power, self.beta1))
        second = assigned(self.beta2_power, mul(self.beta2_power, self.beta2))
        return div(sqrt(sub(1, second)), sub(1, first))

    def update(self, step: Step) -> None:
        m = moved(self.moment1[step.k], step.g, self.beta1)
        v = moved(self.moment2[step.k], square(step.g), self.beta2)
        if self.use_amsgrad:
            v = assigned(self.vhat[step.k], maximum(self.vhat[step.k], v))
        if self.use_nesterov:
            m = add(mul(m, self.beta1), mul(step.g, single_rest(self.beta1)))
        rate = mul(step.rate, convert(step.shared, step.w.dtype))
        step.descend(div(mul(m, rate), add(sqrt(v), self.eps)))


class AdamOffload(Adam):
    """Adam that computes on the host, as everything here does."""

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
    ) -> None:
        super().__init__(
            params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov,
            weight_decay, loss_scale,
        )  # fmt: skip

    def gradients_centralization(self, gradients: Any) -> Any:
        """It has none."""
        return tuple(gradients)


class LazyAdam(Adam):
    """Adam; for gradients of single rows, which there are none of here, only these rows."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        check_type("LazyAdam", "weight_decay", weight_decay, float)
        super().__init__(
            params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov,
            weight_decay, loss_scale, use_lazy=True,
        )  # fmt: skip
        del self.init_args["use_amsgrad"], self.init_args["kwargs"]  # Adam's, and not its own


class AdaMax(Optimizer):
    """w -= rate / (1 - beta1**t) * m / (v + eps), with v = max(beta2 * v, |g|)."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _check_param_value(beta1, beta2, eps, self.cls_name)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.beta1_power = Parameter(Tensor(np.ones(1, np.float32)), name="beta1_power")
        self.moment1 = self.states("moment1")
        self.moment2 = self.states("moment2")

    def shared(self) -> Tensor:
        power = assigned(self.beta1_power, mul(self.beta1_power, self.beta1))
        return reshape(sub(1, power), ())

    def update(self, step: Step) -> None:
        m = moved(self.moment1[step.k], step.g, self.beta1)
        state = self.moment2[step.k]
        v = assigned(state, maximum(mul(state, self.beta2), abs(step.g)))
        rate = div(step.rate, convert(step.shared, step.w.dtype))
        step.descend(mul(rate, div(m, add(v, self.eps))))


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
        _check_param_value(beta1, beta2, eps, self.cls_name)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.moments1 = self.states("adam_m")
        self.moments2 = self.states("adam_v")

    def prepared(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The decay is not part of the gradient."""
        return gradients

    def update(self, step: Step) -> None:
        m = moved(self.moments1[step.k], step.g, self.beta1)
        v = moved(self.moments2[step.k], square(step.g), self.beta2)
        change = div(m, add(sqrt(v), self.eps))
        if step.decay is not None:
            change = add(change, mul(step.w, step.decay))
        step.descend(mul(change, step.rate))


class Lamb(Optimizer):
    """w -= rate * |w| / |c| * c, with c = m' / (sqrt(v') + eps) + decay * w, corrected moments."""

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        _check_param_value(beta1, beta2, eps, self.cls_name)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.moments1 = self.states("lamb_m")
        self.moments2 = self.states("lamb_v")

    def prepared(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return self.gradients_centralization(gradients)

    def shared(self) -> tuple[Tensor, Tensor]:
        """1 - beta**t of both moments."""
        count = reshape(convert(self.global_step, dtypes.float32), ())
        powers = [pow(constant(beta, dtypes.float32), count) for beta in (self.beta1, self.beta2)]
        return sub(1.0, powers[0]), sub(1.0, powers[1])

    def update(self, step: Step) -> None:
        first, second = (convert(one, step.w.dtype) for one in step.shared)
        m = div(moved(self.moments1[step.k], step.g, self.beta1), first)
        v = div(moved(self.moments2[step.k], square(step.g), self.beta2), second)
        change = div(m, add(sqrt(v), self.eps))
        if step.decay is not None:
            change = add(change, mul(step.w, step.decay))
        own, other = sqrt(sum(square(step.w))), sqrt(sum(square(change)))
        both = logical_and(greater(own, 0.0), greater(other, 0.0))
        trust = where(both, div(own, where(both, other, 1.0)), 1.0)
        step.descend(mul(change, mul(trust, step.rate)))
