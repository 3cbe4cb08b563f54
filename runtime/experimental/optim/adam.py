"""Adam, AdamW, Adamax, NAdam and RAdam."""

from __future__ import annotations

from typing import Any

from ...engine import dtype as dtypes
from ...engine.argument import check_range
from ...engine.primitive import convert
from ...engine.promotion import constant
from ...engine.tensor import Tensor
from ...nn.descent import numbers
from ...nn.optimizer import Step, assigned, moved
from ...ops.arithmetic import (
    abs,
    add,
    div,
    less,
    maximum,
    mul,
    pow,
    sqrt,
    square,
    sub,
    where,
)
from .optimizer import Optimizer, check_rates


def power(base: float, exponent: Tensor) -> Tensor:
    """base ** exponent in float32."""
    return pow(constant(base, dtypes.float32), convert(exponent, dtypes.float32))


def check_betas(where: str, betas: tuple[float, float]) -> None:
    """Raises: ValueError (MS304) unless both are in [0, 1)."""
    for k in (0, 1):
        check_range(where, f"betas[{k}]", betas[k], 0.0, 1.0, "left")


class Moments(Optimizer):
    """Two moments per parameter. Abstract."""

    counter = "step_t"

    def add_moments(self) -> None:
        self.exp_avg = self.states("exp_avg")
        self.exp_avg_sq = self.states("exp_avg_sq")

    def moments(self, step: Step, betas: tuple[float, float]) -> tuple[Tensor, Tensor]:
        """Both, moved."""
        first = moved(self.exp_avg[step.k], step.g, betas[0])
        return first, moved(self.exp_avg_sq[step.k], square(step.g), betas[1])

    def corrections(self, step: Step, betas: tuple[float, float]) -> tuple[Tensor, Tensor]:
        """1 - beta ** count of both."""
        first, second = (sub(1.0, power(beta, step.shared)) for beta in betas)
        return convert(first, step.w.dtype), convert(second, step.w.dtype)


class Adam(Moments):
    """w -= lr * m' / (sqrt(v') + eps), with m' and v' corrected; the decay is part of g."""

    counter = "state_step"

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
        for name, value in (("lr", lr), ("eps", eps), ("weight_decay", weight_decay)):
            check_range(self.cls_name, name, value, 0.0)
        check_betas(self.cls_name, betas)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "amsgrad": amsgrad, "maximize": maximize,
        })  # fmt: skip
        self.add_moments()
        self.max_exp_avg_sq = self.states("max_exp_avg_sq")

    def update(self, step: Step, group: dict[str, Any]) -> None:
        m, v = self.moments(step, group["betas"])
        if group["amsgrad"]:
            state = self.max_exp_avg_sq[step.k]
            v = assigned(state, maximum(state, v))
        first, second = self.corrections(step, group["betas"])
        w: Tensor = step.w
        if self.decoupled and step.decay is not None:
            w = mul(w, sub(1, mul(step.rate, step.decay)))
        root = add(div(sqrt(v), sqrt(second)), group["eps"])
        assigned(step.w, sub(w, div(mul(m, div(step.rate, first)), root)))


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


class Adamax(Optimizer):
    """w -= lr / (1 - beta1**t) * m / u, with u = max(beta2 * u, |g| + eps)."""

    counter = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        check_rates(self.cls_name, lr, weight_decay, eps)
        check_betas(self.cls_name, betas)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "maximize": maximize,
        })  # fmt: skip
        self.exp_avg, self.exp_inf = self.states("exp_avg"), self.states("exp_inf")

    def update(self, step: Step, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        m = moved(self.exp_avg[step.k], step.g, beta1)
        state = self.exp_inf[step.k]
        u = assigned(state, maximum(mul(state, beta2), add(abs(step.g), group["eps"])))
        rate = div(step.rate, convert(sub(1.0, power(beta1, step.shared)), step.w.dtype))
        step.descend(div(mul(m, rate), u))


class NAdam(Moments):
    """Adam with Nesterov's momentum, whose factor grows with the steps."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
    ) -> None:
        check_rates(self.cls_name, lr, weight_decay, eps)
        check_range(self.cls_name, "momentum_decay", momentum_decay, 0.0)
        check_betas(self.cls_name, betas)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
        })  # fmt: skip
        self.add_moments()
        self.mu_product = list(numbers(self.parameters, "mu_product_", 1.0))

    def update(self, step: Step, group: dict[str, Any]) -> None:
        beta1, decay = group["betas"][0], group["momentum_decay"]
        now, following = (
            mul(sub(1.0, mul(power(0.96, mul(add(step.shared, k), decay)), 0.5)), beta1)
            for k in (0, 1)
        )
        product = assigned(self.mu_product[step.k], mul(self.mu_product[step.k], now))
        m, v = self.moments(step, group["betas"])
        _, second = self.corrections(step, group["betas"])
        root = add(sqrt(div(v, second)), group["eps"])
        fresh = div(sub(1.0, now), sub(1.0, product))
        kept = div(following, sub(1.0, mul(product, following)))
        both = add(mul(step.g, convert(fresh, step.w.dtype)), mul(m, convert(kept, step.w.dtype)))
        step.descend(mul(div(both, root), step.rate))


class RAdam(Moments):
    """Adam without its second moment until the variance of that is known well enough."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        check_rates(self.cls_name, lr, weight_decay, eps)
        check_betas(self.cls_name, betas)
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        )
        self.add_moments()

    def update(self, step: Step, group: dict[str, Any]) -> None:
        m, v = self.moments(step, group["betas"])
        first, second = self.corrections(step, group["betas"])
        factor = convert(self.rectification(step.shared, group["betas"][1]), step.w.dtype)
        adaptive = div(mul(sqrt(second), factor), add(sqrt(v), group["eps"]))
        known = where(less(0.0, factor), adaptive, 1.0)
        step.descend(mul(mul(div(m, first), step.rate), known))

    @staticmethod
    def rectification(count: Tensor, beta2: float) -> Tensor:
        """By which a step is multiplied; 0 while the variance is not known."""
        most = 2 / (1 - beta2) - 1
        left = power(beta2, count)
        length = sub(most, div(mul(mul(count, 2.0), left), sub(1.0, left)))
        known = less(5.0, length)
        length = where(known, length, 5.0)
        above = mul(mul(sub(length, 4.0), sub(length, 2.0)), most)
        below = mul(length, (most - 4) * (most - 2))
        return where(known, sqrt(div(above, below)), 0.0)
