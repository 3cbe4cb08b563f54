"""Decompositions of matrices, inverses, determinants and systems of equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.element_types import (
    FIELD,
    REAL,
    SINGLE_DOUBLE,
    SOLVABLE,
    check_element_types,
    check_ranks,
    check_square,
)
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import linalg as p
from .arithmetic import abs, cast, greater, log, maximum, mul, reciprocal, where
from .product import adjoint as flipped
from .reduction import amax, matmul
from .registry import alias, op
from .shaping import broadcast_to, expand_dims, narrow, swapaxes

MATRICES = (*REAL, dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.int32, dtypes.int64)
"""What MindSpore raises to a power."""


def batch_of_squares(where: str, known: tuple[dtypes.DType, ...], x: Tensor) -> Tensor:
    """`x`. Raises: MS304 unless it holds square matrices of the `known` element types."""
    check_square(where, x)
    check_element_types(where, known, x)
    return x


@op
def cholesky(input_x: Tensor, upper: bool = False) -> Tensor:
    """The lower factor of positive definite matrices; with `upper` its adjoint."""
    check_type("cholesky", "upper", upper, bool)
    return p.cholesky(batch_of_squares("cholesky", REAL, input_x), upper=upper)


@op
def cholesky_inverse(input_x: Tensor, upper: bool = False) -> Tensor:
    """The inverse of the matrix whose factor is `input_x`; its other triangle is not read."""
    x = batch_of_squares("cholesky_inverse", REAL, input_x)
    eye = broadcast_to(cast(constant(np.eye(x.shape[-1])), x.dtype), x.shape)
    return cholesky_solve_of(eye, x, upper)


@op
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """x of a x = input, where `input2` is the factor of a."""
    check_element_types("cholesky_solve", SINGLE_DOUBLE, input, input2)
    check_ranks("cholesky_solve", 2, 3, input, input2)
    check_square("cholesky_solve", input2)
    fit("cholesky_solve", input2, input)
    return cholesky_solve_of(input, input2, upper)


def cholesky_solve_of(b: Tensor, factor: Tensor, upper: bool) -> Tensor:
    first, second = (
        (swapaxes(factor, -1, -2), factor) if upper else (factor, swapaxes(factor, -1, -2))
    )
    return p.triangular_solve(second, p.triangular_solve(first, b), lower=False)


def fit(where: str, a: Tensor, b: Tensor) -> None:
    """Raises: ValueError (MS304) unless a x = b can have an answer."""
    if a.ndim != b.ndim or a.shape[:-1] != b.shape[:-1]:
        raise ShapeError(where, "the shapes do not fit", got=f"{a.shape}, {b.shape}")


@op
def inverse(input: Tensor) -> Tensor:
    check_element_types("inverse", FIELD, input)
    check_square("inverse", input)
    return p.inverse(input)


@op
def matrix_determinant(input: Tensor) -> Tensor:
    return p.determinant(batch_of_squares("matrix_determinant", SOLVABLE, input))


det = alias("det", matrix_determinant)


@op
def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    """The sign, and the logarithm of the absolute value."""
    sign, logarithm = p.log_determinant(batch_of_squares("slogdet", SOLVABLE, input))
    return sign, logarithm


slogdet = alias("slogdet", log_matrix_determinant)


@op
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan if that is negative."""
    return log(matrix_determinant(input))


@op
def svd(input: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """s, u and v of input = u diag(s) v^H; s alone without `compute_uv`."""
    check_ranks("svd", 2, None, input)
    check_element_types("svd", FIELD, input)
    if not compute_uv:
        return p.singular_values(input)
    s, u, v = p.svd(input, full_matrices=bool(full_matrices))
    return s, u, v


@op
def qr(input: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """q and r; `mode` is "reduced" or "complete"."""
    if mode not in ("reduced", "complete"):
        raise ElementTypeError(
            "qr", "mode is not known", got=repr(mode), expected="reduced, complete"
        )
    check_ranks("qr", 2, None, input)
    check_element_types("qr", SOLVABLE, input)
    q, r = p.qr(input, full_matrices=mode == "complete")
    return q, r


@op
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors, complex."""
    values, vectors = p.eig(batch_of_squares("eig", FIELD, A))
    return values, vectors


@op
def eigvals(A: Tensor) -> Tensor:
    return eig(A)[0]


@op
def eigh(A: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    values, vectors = p.eigh(batch_of_squares("eigh", FIELD, A))
    return values, vectors


@op
def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """Householder's form of the QR decomposition."""
    check_ranks("geqrf", 2, None, input)
    check_element_types("geqrf", REAL, input)
    r, tau = p.geqrf(input)
    return r, tau


@op
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """The first columns of the q that `geqrf` gave as reflectors and factors."""
    check_element_types("orgqr", FIELD, input, input2)
    check_ranks("orgqr", 2, None, input)
    if input2.ndim != input.ndim - 1 or input.shape[-2] < input.shape[-1]:
        raise ShapeError("orgqr", "the shapes do not fit", got=f"{input.shape}, {input2.shape}")
    return p.orgqr(input, input2)


@op
def ormqr(
    input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False
) -> Tensor:
    """q other, other q, or the same with q^H, where q is given as by `geqrf`."""
    check_element_types("ormqr", FIELD, input, tau, other)
    check_ranks("ormqr", 2, None, input, other)
    return p.ormqr(input, tau, other, left=bool(left), transposed=bool(transpose))


@op
def lstsq(input: Tensor, A: Tensor) -> Tensor:
    """x with the least |input x - A|, the shortest if there are several."""
    check_element_types("lstsq", REAL, input, A)
    check_ranks("lstsq", 2, 2, input)
    check_ranks("lstsq", 1, 2, A)
    b = expand_dims(A, 1) if A.ndim == 1 else A
    if b.shape[0] != input.shape[0]:
        raise ShapeError("lstsq", "the rows differ", got=f"{input.shape}, {A.shape}")
    return p.lstsq(input, b)


@op
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """x of a x = b, of the factors of a in one matrix, and its pivots (from 1)."""
    check_element_types("lu_solve", REAL, b, LU_data)
    check_element_types("lu_solve", (dtypes.int32,), LU_pivots)
    check_ranks("lu_solve", 2, None, b, LU_data)
    check_square("lu_solve", LU_data)
    if b.shape[-2] != LU_data.shape[-2] or LU_pivots.shape[-1:] != LU_data.shape[-1:]:
        raise ShapeError("lu_solve", "the shapes do not fit", got=f"{b.shape}, {LU_data.shape}")
    return p.lu_solve(b, LU_data, LU_pivots)


@op
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """The permutation, L and U of factors in one matrix; None for what is not wanted."""
    check_type("lu_unpack", "unpack_data", unpack_data, bool)
    check_type("lu_unpack", "unpack_pivots", unpack_pivots, bool)
    check_ranks("lu_unpack", 2, None, LU_data)
    check_element_types("lu_unpack", MATRICES, LU_data)
    check_element_types("lu_unpack", MATRICES[3:], LU_pivots)
    permutation = p.lu_permutation(LU_data, LU_pivots) if unpack_pivots else None
    return permutation, *(triangles(LU_data) if unpack_data else (None, None))


def triangles(lu: Tensor) -> tuple[Tensor, Tensor]:
    """L with ones on its diagonal (m, k), and U (k, n)."""
    k, axis = min(lu.shape[-2:]), lu.ndim
    below = narrow(lu, axis - 1, 0, k)
    eye = np.eye(lu.shape[-2], k)
    lower = masked(below, np.tril(np.ones(eye.shape), -1), eye)
    above = narrow(lu, axis - 2, 0, k)
    return lower, masked(above, np.triu(np.ones(above.shape[-2:])), 0.0)


def masked(x: Tensor, mask: Any, rest: Any) -> Tensor:
    return where(constant(mask, dtypes.bool_), x, constant(rest, x.dtype))


@op
def matrix_power(input: Tensor, n: int) -> Tensor:
    """The n-th power, of the inverse for a negative n."""
    check_int("matrix_power", "n", n)
    check_element_types("matrix_power", MATRICES[1:], input)
    check_square("matrix_power", input)
    if n < 0 and input.dtype not in REAL:
        raise ShapeError("matrix_power", "integers have no inverse", got=str(n))
    base = p.inverse(input) if n < 0 else input
    return power(base, -n if n < 0 else n)


def power(x: Tensor, n: int) -> Tensor:
    """By repeated squaring."""
    if n == 0:
        return broadcast_to(cast(constant(np.eye(x.shape[-1])), x.dtype), x.shape)
    if n == 1:
        return x
    half = power(x, n // 2)
    square = matmul(half, half)
    return matmul(square, x) if n % 2 else square


@op
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices."""
    return p.matrix_exp(batch_of_squares("matrix_exp", SOLVABLE, input))


@op
def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint: bool = False) -> Tensor:
    """x of matrix x = rhs, or of its adjoint."""
    check_element_types("matrix_solve", SOLVABLE, matrix, rhs)
    check_type("matrix_solve", "adjoint", adjoint, bool)
    fit("matrix_solve", batch_of_squares("matrix_solve", SOLVABLE, matrix), rhs)
    return p.solve(flipped(matrix) if adjoint else matrix, rhs)


@op
def pinv(x: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """The pseudo-inverse; singular values up to max(atol, rtol * largest) count as 0."""
    check_type("pinv", "x", x, Tensor)
    if x.ndim == 0:
        raise ElementTypeError("pinv", "needs matrices", got="no axes")
    check_ranks("pinv", 2, None, x)
    check_element_types("pinv", SINGLE_DOUBLE, x)
    check_type("pinv", "hermitian", hermitian, bool)
    if hermitian:
        values, right = p.eigh(x)
        left = right
    else:
        values, left, right = p.svd(x)
    sizes = abs(values)
    if rtol is None:
        rtol = 0.0 if atol is not None else max(x.shape) * float(np.finfo(x.content.dtype).eps)
    limits = [as_limit(t, x) for t in (0.0 if atol is None else atol, rtol)]
    kept = greater(sizes, maximum(limits[0], mul(limits[1], amax(sizes, -1, True))))
    inverses = where(kept, reciprocal(where(kept, values, 1.0)), 0.0)
    return matmul(mul(right, expand_dims(inverses, -2)), swapaxes(left, -1, -2))


def as_limit(limit: Any, x: Tensor) -> Tensor:
    """A tolerance, one or one for each matrix, as a column beside the singular values."""
    t = limit if isinstance(limit, Tensor) else constant(limit, x.dtype)
    return expand_dims(cast(t, x.dtype), -1)
