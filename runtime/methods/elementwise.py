"""Element by element."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..tensor import Tensor
from ..tensor_methods import methods, same

same(
    """
    abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan
    atan2 atanh bitwise_and bitwise_or bitwise_xor ceil clamp clip cos cosh deg2rad div divide
    eq equal erf exp expm1 floor floor_divide fmod ge greater greater_equal gt hardshrink inv
    isfinite isinf isnan le lerp less less_equal log log10 log1p log2 logical_and logical_not
    logical_or logical_xor lt masked_fill maximum minimum mul multiply ne neg negative not_equal
    pow rad2deg reciprocal relu remainder round rsqrt select sigmoid sign sin sinh softmax sqrt
    square sub subtract tan tanh true_divide trunc
    """
)


@methods
class Elementwise:
    def where(self: Any, condition: Tensor, y: Any) -> Any:
        return ops.where(condition, self, y)
