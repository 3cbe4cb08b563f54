"""Norms of vectors and matrices, and distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_float, check_int, check_type
from ..engine.element_types import COMPLEX, REAL, check_element_types, check_ranks
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant, floating
from ..engine.tensor import Tensor
from ..primitives import complex as c
from ..primitives import linalg as p
from ..primitives import reduction as reductions
from .arithmetic import abs, cast, clamp, div, mul, not_equal, pow, sqrt, sub
from .complex import conj
from .reduction import amax, amin, reduced, sum
from .registry import op
from .shaping import axis_of, expand_dims, gather, movedim, reshape

INFINITE = (math.inf, -math.inf)
OF_MATRICES = (2, -2, 1, -1, *INFINITE, "fro", "nuc")
"""The orders of matrix norms."""


def euclidean(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    if x.dtype in COMPLEX:
        return sqrt(sum(mul(conj(x), x), axes, keep))
    return reduced(reductions.reduce_l2, floating(x), axes, keep)


def of_order(x: Tensor, order: Any, axes: tuple[int, ...], keep: bool) -> Tensor:
    """The vector norm of any order."""
    if order == 2:
        return euclidean(x, axes, keep)
    if order == 0:
        return sum(cast(not_equal(x, 0), x.dtype), axes, keep, dtype=x.dtype)
    size = c.magnitude(x) if x.dtype in COMPLEX else abs(x)
    if order in INFINITE:
        return (amax if order > 0 else amin)(size, axes, keep)
    size = floating(size)
    if order == 1:
        return reduced(reductions.reduce_l1, size, axes, keep)
    return pow(sum(pow(size, order), axes, keep), 1 / order)


@op
def vector_norm(
    x: Tensor, ord: Any = 2, axis: Any = None, keepdims: bool = False, *, dtype: Any = None
) -> Tensor:
    """The norm of order `ord` over `axis`; over all axes if that is None."""
    if axis is not None:
        check_type("vector_norm", "axis", axis, int, tuple)
    if not isinstance(ord, (int, float)):
        raise ShapeError("vector_norm", "ord must be a number", got=repr(ord))
    axes = places("vector_norm", axis, x.ndim)
    return of_order(x if dtype is None else convert(x, dtype), ord, axes, keepdims)


def places(where: str, axis: Any, rank: int) -> tuple[int, ...]:
    """Axes counted from the front. Raises: ValueError (MS304) for one twice, or not there."""
    given = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    found = tuple(axis_of(a, rank, where) for a in given)
    if len(set(found)) < len(found):
        raise ShapeError(where, "an axis twice", got=str(axis))
    return found


def of_matrix(x: Tensor, order: Any, rows: int, columns: int) -> Tensor:
    """A matrix norm over two axes, which are gone."""
    if order in (None, "fro"):
        return euclidean(x, (rows, columns), False)
    if order in (1, -1, *INFINITE):
        along, other = (rows, columns) if order in (1, -1) else (columns, rows)
        sums = sum(abs(x), along, dtype=x.dtype)
        return (amax if order > 0 else amin)(sums, other - (other > along))
    values = p.singular_values(movedim(convert(x, dtypes.float32), (rows, columns), (-2, -1)))
    return sum(values, -1) if order == "nuc" else (amax if order == 2 else amin)(values, -1)


@op
def matrix_norm(
    A: Tensor, ord: Any = "fro", axis: Any = (-2, -1), keepdims: bool = False, *, dtype: Any = None
) -> Tensor:
    """The norm of the matrices that two axes hold."""
    check_type("matrix_norm", "axis", axis, tuple, list)
    if len(axis) != 2:
        raise ShapeError("matrix_norm", "needs two axes", got=str(axis))
    rows, columns = places("matrix_norm", axis, A.ndim)
    check_choice("matrix_norm", "ord", ord, OF_MATRICES)
    x = A if dtype is None else convert(A, dtype)
    return kept(of_matrix(x, ord, rows, columns), A, (rows, columns), keepdims)


def kept(y: Tensor, x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    """`y` with the axes of `x` that are gone as ones, if they are to be kept."""
    sizes = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
    return reshape(y, sizes) if keep else y


@op
def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The norm over one axis (of vectors) or two (of matrices); without `ord` the Euclidean one.

    Raises: MS304 for an order that is not known, and for more than two axes unless `ord` is None.
    """
    if dim is not None:
        check_type("norm", "dim", dim, int, tuple)
    axes = places("norm", dim, A.ndim)
    if dim is not None and len(axes) > 2:
        raise ShapeError("norm", "takes two axes at most", got=str(dim))
    check_order(ord, len(axes))
    x = A if dtype is None else convert(A, dtype)
    if ord is None or (ord == "fro" and len(axes) == 2):
        return euclidean(x, axes, keepdim)
    if len(axes) == 2:
        return kept(of_matrix(x, ord, *axes), A, axes, keepdim)
    if len(axes) == 1:
        return of_order(x, ord, axes, keepdim)
    raise ShapeError("norm", "takes two axes at most with ord", got=f"{A.shape}, ord={ord!r}")


def check_order(order: Any, axes: int) -> None:
    """Raises: TypeError or ValueError (MS304) for an order that such a norm does not have."""
    if axes == 1 and isinstance(order, str):
        raise ElementTypeError("norm", "vectors have no such order", got=repr(order))
    if axes == 2:
        check_choice("norm", "ord", order, (*OF_MATRICES, None))


@op
def dist(input: Tensor, other: Tensor, p: int = 2) -> Tensor:
    """The norm of the difference, of all elements."""
    check_type("dist", "input", input, Tensor)
    check_type("dist", "other", other, Tensor)
    z = sub(input, other)
    if not z.ndim:
        return abs(z)
    check_element_types("dist", (dtypes.float16, dtypes.float32), z)
    check_int("dist", "p", p, 0)
    return of_order(z, p, tuple(range(z.ndim)), False)


@op
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """(..., n, k), (..., m, k) -> (..., n, m): the distance of every two rows."""
    check_float("cdist", "p", p, 0.0)
    check_ranks("cdist", 2, None, x1, x2)
    if x1.ndim != x2.ndim or x1.shape[-1] != x2.shape[-1] or x1.shape[:-2] != x2.shape[:-2]:
        raise ShapeError("cdist", "the shapes do not fit", got=f"{x1.shape}, {x2.shape}")
    check_element_types("cdist", REAL, x1, x2)
    return of_order(sub(expand_dims(x1, -2), expand_dims(x2, -3)), p, (-1,), False)


@op
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """(n, k) -> (n (n - 1) / 2): the distances of the rows i < j."""
    check_element_types("pdist", REAL, input)
    check_float("pdist", "p", p, 0.0)
    check_ranks("pdist", 2, 2, input)
    left, right = np.triu_indices(input.shape[0], 1)
    rows = [gather(input, constant(k), 0) for k in (left, right)]
    return of_order(sub(*rows), p, (1,), False)


@op
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
    lengths = [norm(x, dim=dim, ord=2) for x in (x1, x2)]
    return div(sum(mul(x1, x2), dim), clamp(mul(*lengths), min=eps))
