"""`mindspore.scipy.linalg`: decompositions and solutions under SciPy's names.

Integers are computed in float64. `overwrite_...` and `check_finite` are accepted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_type
from ..engine.element_types import (
    FIELD,
    SINGLE_DOUBLE,
    check_element_types,
    check_ranks,
    check_square,
)
from ..engine.failure import ShapeError
from ..engine.promotion import constant
from ..ops.linalg import masked
from ..primitives import linalg as p

INTEGERS = (dtypes.int32, dtypes.int64)
TRANSPOSITIONS = {"N": 0, "T": 1, "C": 2}


def matrix(where: str, a: Any, *, square: bool = True, is_complex: bool = False) -> Any:
    """`a` in floats. Raises: MS304 unless it is a (square) matrix of numbers."""
    known = FIELD if is_complex else SINGLE_DOUBLE
    check_element_types(where, (*INTEGERS, *known), a)
    if square:
        check_square(where, a)
    return ops.cast(a, dtypes.float64) if a.dtype in INTEGERS else a


def check_flags(where: str, **flags: Any) -> None:
    for name, flag in flags.items():
        check_type(where, name, flag, bool)


def block_diag(*arrs: Any) -> Any:
    """The matrices along a diagonal, zeros elsewhere."""
    if not arrs:
        return ops.zeros((1, 0))
    for a in arrs:
        check_ranks("block_diag", 0, 2, a)
    return ops.block_diag(*arrs)


def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    check_flags("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    return ops.inverse(matrix("inv", a))


def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """The factor of a positive definite matrix; the upper one unless `lower`."""
    check_flags("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return ops.cholesky(matrix("cholesky", a), not lower)


def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    return cholesky(a, lower, overwrite_a, check_finite), lower


def cho_solve(
    c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """x of a x = b, of what `cho_factor` gave for a."""
    factor, lower = c_and_lower
    check_flags("cho_solve", lower=lower, overwrite_b=overwrite_b, check_finite=check_finite)
    c = matrix("cho_solve", factor)
    inner = solve_triangular(c, matrix("cho_solve", b, square=False), int(not lower), lower)
    return solve_triangular(c, inner, int(lower), lower)


def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False,
    overwrite_b: bool = False, debug: Any = None, check_finite: bool = True,
) -> Any:  # fmt: skip
    """x of a x = b, or of a's transpose (`trans` 1, "T") or adjoint (2, "C")."""
    where = "solve_triangular"
    if isinstance(trans, str):
        check_choice(where, "trans", trans, TRANSPOSITIONS)
        trans = TRANSPOSITIONS[trans]
    check_choice(where, "trans", trans, TRANSPOSITIONS.values())
    check_element_types(where, (*INTEGERS, *FIELD), a, b)
    check_square(where, a)
    rhs = ops.expand_dims(b, -1) if b.ndim == a.ndim - 1 else b
    if rhs.ndim != a.ndim or rhs.shape[-2] != a.shape[-1]:
        raise ShapeError(where, "the shapes do not fit", got=f"{a.shape}, {b.shape}")
    a, rhs = matrix(where, a, is_complex=True), matrix(where, rhs, square=False, is_complex=True)
    if unit_diagonal:
        eye = np.eye(a.shape[-1])
        a = masked(a, eye == 0, eye)
    if trans:
        a = ops.adjoint(a) if trans == 2 else ops.swapaxes(a, -1, -2)
    y = p.triangular_solve(a, rhs, lower=lower is not bool(trans))
    return ops.squeeze(y, -1) if b.ndim == a.ndim - 1 else y


def eigh(
    a: Any, b: Any = None, lower: bool = True, eigvals_only: bool = False,
    overwrite_a: bool = False, overwrite_b: bool = False, turbo: bool = True, eigvals: Any = None,
    type: int = 1, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Eigenvalues and eigenvectors of a symmetric matrix, of which one triangle is read."""
    check_flags("eigh", lower=lower, eigvals_only=eigvals_only, overwrite_a=overwrite_a)
    check_flags("eigh", overwrite_b=overwrite_b, turbo=turbo, check_finite=check_finite)
    check_type("eigh", "type", type, int)
    if b is not None or eigvals is not None:
        raise ShapeError("eigh", "b and eigvals must be None")
    x = matrix("eigh", a, is_complex=True)
    x = x if lower else ops.adjoint(x)
    n = x.shape[-1]
    whole = ops.tril(x) + ops.adjoint(masked(x, np.tril(np.ones((n, n)), -1), 0))
    values, vectors = ops.eigh(whole)
    values = ops.cast(values, x.dtype)
    return values if eigvals_only else (values, vectors)


def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """L and U in one matrix, and with which row (from 0) each was exchanged."""
    check_flags("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    factors, pivots = p.lu_factor(matrix("lu_factor", a))
    return factors, pivots


def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """The permutation (int32), L and U; with `permute_l` their first product, and U."""
    check_flags("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    x = matrix("lu", a, square=False)
    check_ranks("lu", 2, 2, x)
    if x.shape[0] > x.shape[1]:
        raise ShapeError("lu", "needs no more rows than columns", got=str(x.shape))
    factors, pivots = p.lu_factor(x)
    permutation, lower, upper = ops.lu_unpack(factors, pivots + 1)
    if permute_l:
        return ops.matmul(permutation, lower), upper
    return ops.cast(permutation, dtypes.int32), lower, upper


def lu_solve(
    lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """x of a x = b, of what `lu_factor` gave for a; with `trans` of its transpose."""
    factors, pivots = lu_and_piv
    check_flags("lu_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    check_choice("lu_solve", "trans", trans, (0, 1, 2))
    x = matrix("lu_solve", factors)
    rhs = matrix("lu_solve", b, square=False)
    column = ops.expand_dims(rhs, -1) if rhs.ndim == x.ndim - 1 else rhs
    if trans:
        permutation, lower, upper = ops.lu_unpack(x, pivots + 1)
        y = p.triangular_solve(ops.swapaxes(upper, -1, -2), column)
        y = p.triangular_solve(ops.swapaxes(lower, -1, -2), y, lower=False)
        y = ops.matmul(permutation, y)
    else:
        y = ops.lu_solve(column, x, pivots + 1)
    return ops.squeeze(y, -1) if rhs.ndim == x.ndim - 1 else y


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    check_flags("det", overwrite_a=overwrite_a, check_finite=check_finite)
    return ops.det(matrix("det", a))


def lstsq(A: Any, B: Any, rcond: Any = None, driver: Any = None) -> Any:
    """x with the least |A x - B|, no residues, the rank, and no singular values."""
    check_element_types("lstsq", SINGLE_DOUBLE, A, B)
    x = ops.lstsq(A, B)
    x = ops.squeeze(x, -1) if B.ndim == A.ndim - 1 else x
    sizes = p.singular_values(A)
    least = ops.amax(sizes) * (max(A.shape) * float(np.finfo(A.content.dtype).eps))
    nothing = constant(np.zeros(0), A.dtype)
    return x, nothing, ops.sum(sizes > least), nothing
