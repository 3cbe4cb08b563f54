"""Decompositions of matrices, inverses, determinants and systems of equations."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine import dtype as dtypes
from ..engine.element_types import (
    COMPLEX,
    REAL,
    SOLVABLE,
    check_element_types,
    check_ranks,
    check_square,
)
from ..engine.failure import ElementTypeError, ShapeError
from ..ops.linalg import fit
from ..primitives import linalg as p
from .operation import operation, same

for _name, _op in {
    "Geqrf": "geqrf",
    "LogMatrixDeterminant": "log_matrix_determinant",
    "LuSolve": "lu_solve",
    "MatrixDeterminant": "matrix_determinant",
    "MatrixExp": "matrix_exp",
    "Orgqr": "orgqr",
}.items():
    same(_name, _op)


@operation("Cholesky")
def cholesky(input_x: Any, *, upper: bool = False) -> Any:
    return ops.cholesky(input_x, upper)


@operation("CholeskyInverse")
def cholesky_inverse(x: Any, *, upper: bool = False) -> Any:
    return ops.cholesky_inverse(x, upper)


@operation("CholeskySolve")
def cholesky_solve(x1: Any, x2: Any, *, upper: bool = False) -> Any:
    return ops.cholesky_solve(x1, x2, upper)


@operation("MatrixInverse")
def matrix_inverse(x: Any, *, adjoint: bool = False) -> Any:
    return ops.inverse(ops.adjoint(x) if adjoint else x)


@operation("MatrixLogarithm")
def matrix_logarithm(x: Any) -> Any:
    check_element_types("MatrixLogarithm", COMPLEX, x)
    check_square("MatrixLogarithm", x)
    return p.matrix_logarithm(x)


@operation("MatrixPower")
def matrix_power(x: Any, *, n: int) -> Any:
    return ops.matrix_power(x, n)


@operation("MatrixSolve")
def matrix_solve(matrix: Any, rhs: Any, *, adjoint: bool = False) -> Any:
    return ops.matrix_solve(matrix, rhs, adjoint)


@operation("MatrixSolveLs")
def matrix_solve_ls(matrix: Any, rhs: Any, l2_regularizer: Any, *, fast: bool = True) -> Any:
    """The least squares; `fast` by the normal equations, to which the regularizer is added."""
    check_ranks("MatrixSolveLs", 2, None, matrix, rhs)
    fit("MatrixSolveLs", matrix, rhs)
    check_element_types("MatrixSolveLs", SOLVABLE, matrix, rhs)
    check_element_types("MatrixSolveLs", (dtypes.float64,), l2_regularizer)
    if not fast:
        return p.lstsq(matrix, rhs)
    turned = ops.adjoint(matrix)
    extra = ops.eye(matrix.shape[-1], dtype=matrix.dtype) * ops.cast(l2_regularizer, matrix.dtype)
    return p.solve(ops.matmul(turned, matrix) + extra, ops.matmul(turned, rhs))


@operation("MatrixTriangularSolve")
def matrix_triangular_solve(
    matrix: Any, rhs: Any, *, lower: bool = True, adjoint: bool = False
) -> Any:
    check_square("MatrixTriangularSolve", matrix)
    check_ranks("MatrixTriangularSolve", 2, None, rhs)
    check_element_types("MatrixTriangularSolve", SOLVABLE, matrix, rhs)
    if matrix.shape[-2] != rhs.shape[-2]:
        raise ShapeError(
            "MatrixTriangularSolve", "the rows differ", got=f"{matrix.shape}, {rhs.shape}"
        )
    a = ops.adjoint(matrix) if adjoint else matrix
    return p.triangular_solve(a, rhs, lower=lower is not adjoint)


@operation("TridiagonalMatMul")
def tridiagonal_mat_mul(superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any) -> Any:
    """The product of a tridiagonal matrix, given by its diagonals (..., 1, m), with (..., m, n)."""
    check_element_types("TridiagonalMatMul", SOLVABLE, superdiag, maindiag, subdiag, rhs)
    check_ranks("TridiagonalMatMul", 2, None, superdiag, maindiag, subdiag, rhs)
    above, main, below = (ops.swapaxes(d, -1, -2) for d in (superdiag, maindiag, subdiag))
    rows, nothing = rhs.shape[-2], ops.zeros_like(rhs)[..., :1, :]
    after = ops.concat((rhs[..., 1:rows, :], nothing), -2)
    before = ops.concat((nothing, rhs[..., : rows - 1, :]), -2)
    return above * after + main * rhs + below * before


@operation("Svd")
def svd(input: Any, *, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Without `compute_uv` u and v are empty."""
    found = ops.svd(input, full_matrices, compute_uv)
    return found if compute_uv else (found, *(ops.zeros((1,), input.dtype) for _ in range(2)))


@operation("Qr")
def qr(x: Any, *, full_matrices: bool = False) -> Any:
    return ops.qr(x, "complete" if full_matrices else "reduced")


@operation("Eig")
def eig(x: Any, *, compute_v: bool = False) -> Any:
    return ops.eig(x)


def check_lstsq(fast: bool, l2_regularizer: float) -> None:
    """Raises: TypeError (MS304) for what MindSpore's CPU build cannot do."""
    if not fast or l2_regularizer:
        raise ElementTypeError("Lstsq", "takes no slow way and no regularizer", got=f"fast {fast}")


@operation("Lstsq", check=check_lstsq)
def lstsq(x: Any, a: Any, *, fast: bool = True, l2_regularizer: float | int = 0.0) -> Any:
    check_element_types("Lstsq", REAL, x, a)
    return ops.lstsq(x, a)


@operation("LuUnpack")
def lu_unpack(
    LU_data: Any, LU_pivots: Any, *, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    return ops.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)


@operation("Ormqr")
def ormqr(x: Any, tau: Any, other: Any, *, left: bool = True, transpose: bool = False) -> Any:
    return ops.ormqr(x, tau, other, left, transpose)
