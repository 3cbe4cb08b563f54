"""Checks of Tensors' element types, for what computes only in some of them."""

from __future__ import annotations

from typing import Any

from . import dtype as dtypes
from .dtype import DType
from .failure import ElementTypeError, ShapeError
from .tensor import Tensor

SINGLE_DOUBLE = (dtypes.float32, dtypes.float64)
REAL = (dtypes.float16, *SINGLE_DOUBLE)
COMPLEX = (dtypes.complex64, dtypes.complex128)
FIELD = (*SINGLE_DOUBLE, *COMPLEX)
SOLVABLE = (*REAL, *COMPLEX)
MULTIPLIED = tuple(d for d in dtypes.DTYPES if d is not dtypes.bool_)
"""Of which there are products of matrices."""


def check_given(where: str, *xs: Any) -> None:
    """Raises: TypeError (MS304) for what is no Tensor."""
    for x in xs:
        if not isinstance(x, Tensor):
            raise ElementTypeError(where, "needs Tensors", got=type(x).__name__)


def check_element_types(where: str, known: tuple[DType, ...], *xs: Any, equal: bool = True) -> None:
    """Raises: TypeError (MS304) unless every x is a Tensor of one of the `known` types.

    With `equal`, all of one type.
    """
    check_given(where, *xs)
    found = [x.dtype for x in xs]
    unknown = any(d not in known for d in found)
    if unknown or (equal and len(set(found)) > 1):
        raise ElementTypeError(
            where,
            "takes no such element types" if unknown else "needs equal element types",
            got=", ".join(d.name for d in found),
            expected=", ".join(d.name for d in known),
        )


def check_ranks(where: str, low: int, high: int | None = None, *xs: Tensor) -> None:
    """Raises: ValueError (MS304) unless every x has `low` to `high` axes (any more, if None)."""
    check_given(where, *xs)
    for x in xs:
        if x.ndim < low or (high is not None and x.ndim > high):
            wanted = (
                f"{low} or more" if high is None else f"{low}" if high == low else f"{low}..{high}"
            )
            raise ShapeError(where, "number of axes", got=str(list(x.shape)), expected=wanted)


def check_square(where: str, *xs: Tensor) -> None:
    """Raises: ValueError (MS304) unless every x is a matrix, or a batch, with equal sides."""
    check_given(where, *xs)
    for x in xs:
        if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
            raise ShapeError(where, "needs square matrices", got=str(list(x.shape)))
