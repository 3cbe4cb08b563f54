"""Element by element."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.tensor import Tensor
from ..tensor_methods import methods, renamed, same

same(
    """
    abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atan2
    atanh bitwise_and bitwise_or bitwise_xor ceil clamp clip cos cosh deg2rad div divide eq
    equal erf exp expm1 floor floor_divide fmod ge greater greater_equal gt hardshrink inv
    isfinite isinf isnan le lerp less less_equal log log10 log1p log2 logical_and logical_not
    logical_or logical_xor lt masked_fill maximum minimum mul multiply ne neg negative not_equal
    pow rad2deg reciprocal relu round rsqrt sigmoid sign sin sinh softmax sqrt square subtract
    tan tanh true_divide trunc
    """
)


@methods
class Elementwise:
    def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        return ops.add(self, other if alpha == 1 else ops.mul(other, alpha))

    def sub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        return ops.subtract(self, other, alpha=alpha)

    def remainder(self: Any, *args: Any, **names: Any) -> Any:
        """The remainder by `other`, or `divisor`."""
        return renamed(ops.remainder, divisor="other")(self, *args, **names)

    def select(self: Any, condition: Any, y: Any) -> Any:
        """The Tensor where `condition` is true, else `y`; select(axis, index): one place."""
        if isinstance(condition, int):
            return ops.squeeze(ops.narrow(self, condition, y % self.shape[condition], 1), condition)
        return ops.where(condition, self, y)

    def where(self: Any, condition: Tensor, y: Any) -> Any:
        return ops.where(condition, self, y)
