"""`mindspore.mint.special`."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.dtype import DType
from ..engine.tensor import Tensor
from .functions import typed


def erfc(input: Tensor) -> Any:
    return ops.erfc(input)


def exp2(input: Tensor) -> Any:
    return ops.exp2(input)


def expm1(input: Tensor) -> Any:
    return ops.expm1(input)


def log1p(input: Tensor) -> Any:
    return ops.log1p(input)


def log_softmax(input: Tensor, dim: Any = None, *, dtype: DType | None = None) -> Any:
    return ops.log_softmax(typed(input, dtype), dim)


def round(input: Tensor, *, decimals: int = 0) -> Any:
    return ops.round(input, decimals=decimals)


def sinc(input: Tensor) -> Any:
    return ops.sinc(input)
