"""MindSpore's implicit conversions between element types, and between Tensors and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from . import dtype as dtypes
from .dtype import DType
from .failure import ElementTypeError
from .flow.number import Number
from .primitive import convert
from .tensor import Tensor, wrap

_SIGNED = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
_LONG_UNSIGNED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)
_COMPLEX = (dtypes.complex64, dtypes.complex128)


@cache
def common_type(a: DType, b: DType) -> DType:
    """The element type in which MindSpore 2.10 computes with `a` and `b`.

    Raises: MS304 for uint16, uint32 or uint64 with any other type but bool, as MindSpore does.
    """
    if a is b:
        return a
    ranks = [rank_of(a), rank_of(b)]
    if ranks[0] != ranks[1]:
        return unequal_ranks(*((a, b) if ranks[0] > ranks[1] else (b, a)))
    if a in dtypes.INTEGERS:
        return common_integer(a, b)
    if {a, b} == {dtypes.float16, dtypes.bfloat16}:
        return dtypes.float32
    return max(a, b, key=lambda d: d.numpy.itemsize)


def rank_of(a: DType) -> int:
    """bool 0, integers 1, floats 2, complex 3."""
    return 3 if a in _COMPLEX else 2 if a in dtypes.FLOATS else int(a in dtypes.INTEGERS)


def unequal_ranks(high: DType, low: DType) -> DType:
    """The higher kind decides; complex takes its precision from both."""
    if low in _LONG_UNSIGNED:
        raise refusal(high, low)
    return dtypes.complex128 if high in _COMPLEX and low is dtypes.float64 else high


def common_integer(a: DType, b: DType) -> DType:
    if a in _SIGNED and b in _SIGNED:
        return max(a, b, key=lambda d: d.numpy.itemsize)
    signed = [d for d in (a, b) if d in _SIGNED]
    if len(signed) == 1 and dtypes.uint8 in (a, b):
        return dtypes.int16 if signed[0] is dtypes.int8 else signed[0]
    raise refusal(a, b)


def refusal(a: DType, b: DType) -> ElementTypeError:
    return ElementTypeError(
        "type promotion",
        "MindSpore does not convert between these element types by itself",
        got=f"{a.name} and {b.name}",
        advice="convert one of them with ops.cast",
    )


def type_with_number(a: DType, number: Any) -> DType:
    """The element type of a Tensor of type `a` with a Python number."""
    if isinstance(number, complex):
        return dtypes.complex128 if a is dtypes.float64 else common_type(a, dtypes.complex64)
    if isinstance(number, float):
        return a if rank_of(a) >= 2 else common_type(a, dtypes.float32)
    if isinstance(number, bool):
        return a
    return dtypes.int64 if a is dtypes.bool_ else a


def promote(a: Any, b: Any, op: str = "") -> tuple[Tensor, Tensor]:
    """`a` and `b` (Tensors or numbers) as two Tensors of one element type.

    Raises: MS304 for anything else.
    """
    if isinstance(a, Tensor):
        if isinstance(b, Tensor):
            if a.content.dtype == b.content.dtype:
                return a, b
            target = common_type(a.dtype, b.dtype)
            return convert(a, target), convert(b, target)
        if isinstance(b, Number):
            target = type_with_number(a.dtype, b.kind())
            return convert(a, target), convert(b.tensor, target)
        target = type_with_number(a.dtype, plain(b, op))
        return convert(a, target), scalar(b, target)
    if isinstance(b, Tensor):
        if isinstance(a, Number):
            target = type_with_number(b.dtype, a.kind())
            return convert(a.tensor, target), convert(b, target)
        target = type_with_number(b.dtype, plain(a, op))
        return scalar(a, target), convert(b, target)
    return promote(as_tensor(a, op), b, op)


def plain(number: Any, op: str) -> Any:
    """`number` as a Python number. Raises: MS304 if it is none."""
    if isinstance(number, np.generic) or (isinstance(number, np.ndarray) and number.ndim == 0):
        number = number.item()
    if isinstance(number, (bool, int, float, complex)):
        return number
    raise ElementTypeError(op or "operator", "needs Tensors or numbers", got=type(number).__name__)


def scalar(number: Any, target: DType) -> Tensor:
    """A number as a Tensor without axes."""
    if isinstance(number, int) and target in dtypes.INTEGERS:
        number = np.array(number % 2**64, np.uint64).astype(target.numpy)  # others wrap around
    return wrap(np.array(number, target.numpy))


def as_tensor(x: Any, op: str = "") -> Tensor:
    """`x` itself if it is a Tensor, a number as MindSpore would make it one."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, (bool, int, float, complex, np.generic)):
        return Tensor(plain(x, op))
    raise ElementTypeError(op or "operator", "needs a Tensor", got=type(x).__name__)


def floating(x: Tensor) -> Tensor:
    """`x`, or as float32 if it is boolean or of integers."""
    return x if rank_of(x.dtype) >= 2 else convert(x, dtypes.float32)


def constant(value: Any, target: DType = dtypes.int64) -> Tensor:
    """A Python number or sequence as a Tensor of the element type `target`."""
    return wrap(np.array(value, target.numpy))


def in_types_of(xs: Iterable[Tensor], gs: Iterable[Tensor]) -> list[Tensor]:
    """Gradients in the element types of their inputs: beside wider ones a rule gives wider ones."""
    return [convert(g, x.dtype) for x, g in zip(xs, gs, strict=True)]
