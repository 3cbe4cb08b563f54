"""Linear algebra by NumPy and SciPy on the host; matrices are the last two axes.

The gradients are those of Giles (2008) and Seeger et al. (2017), written with products, solutions
of triangular systems and masks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.dtype import Array
from ..engine.failure import NoGradientError, RefusedError
from ..engine.host import host
from ..engine.promotion import constant
from ..engine.tensor import Tensor, wrap
from .complex import like, real
from .elementwise import equal, mul, one, where, zero
from .reduction import matmul
from .shaping import concat, expand, slice, transpose, unsqueeze

Tensors = tuple[Tensor, ...]


def check_real(op: str, x: Tensor) -> None:
    """Raises: MS307 for complex numbers, of which the rule is another one."""
    if x.content.dtype.kind == "c":
        raise NoGradientError(op, "the runtime knows no gradient of it for complex numbers")


def turned(x: Tensor) -> Tensor:
    """`x` with its last two axes exchanged."""
    order = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    return transpose(x, perm=order)


def columns(x: Tensor, start: int, end: int) -> Tensor:
    return slice(x, constant([start]), constant([end]), constant([-1]))


def rows_of(x: Tensor, start: int, end: int) -> Tensor:
    return slice(x, constant([start]), constant([end]), constant([-2]))


def scaled_columns(x: Tensor, s: Tensor) -> Tensor:
    """x diag(s)."""
    return x * unsqueeze(s, constant([-2]))


def masked(x: Tensor, mask: Array) -> Tensor:
    return mul(x, wrap(mask.astype(x.content.dtype)))


def lower_part(x: Tensor, diagonal: float = 1.0) -> Tensor:
    """The lower triangle of square matrices, the diagonal times `diagonal`."""
    n = x.shape[-1]
    return masked(x, np.tril(np.ones((n, n)), -1) + diagonal * np.eye(n))


def symmetric(x: Tensor) -> Tensor:
    return (x + turned(x)) * 0.5


def diagonal_matrix(s: Tensor) -> Tensor:
    """(..., n) -> (..., n, n)."""
    n = s.shape[-1]
    return masked(expand(unsqueeze(s, constant([-2])), constant((*s.shape, n))), np.eye(n))


def inverse_gaps(s: Tensor) -> Tensor:
    """1 / (s_j - s_i), 0 on the diagonal."""
    gaps = unsqueeze(s, constant([-2])) - unsqueeze(s, constant([-1]))
    same = equal(gaps, zero(gaps))
    return where(same, zero(gaps), one(gaps) / where(same, one(gaps), gaps))


@host("Cholesky")
def cholesky(x: Array, *, upper: bool = False) -> Array:
    """The factor of x = L L^H; with `upper` L^H. Raises: MS304 if x is not positive definite."""
    try:
        y = np.linalg.cholesky(x)
    except np.linalg.LinAlgError as error:
        raise RefusedError("Cholesky", str(error)) from None
    return np.ascontiguousarray(y.swapaxes(-1, -2).conj()) if upper else y


@cholesky.vjp
def cholesky_vjp(g: Tensor, y: Tensor, x: Tensor, *, upper: bool) -> Tensor:
    g, y = (turned(g), turned(y)) if upper else (g, y)
    inner = lower_part(matmul(turned(y), g), 0.5)
    left = triangular_solve(turned(y), inner, lower=False)
    return symmetric(turned(triangular_solve(turned(y), turned(left), lower=False)))


@host("MatrixInverse")
def inverse(x: Array) -> Array:
    return np.linalg.inv(x)


@inverse.vjp
def inverse_vjp(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    return -matmul(turned(y), matmul(g, turned(y)))


@host("MatrixDeterminant")
def determinant(x: Array) -> Array:
    return np.asarray(np.linalg.det(x))


@determinant.vjp
def determinant_vjp(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    return unsqueeze(g * y, constant([-2, -1])) * turned(inverse(x))


@host("LogMatrixDeterminant", outputs=2)
def log_determinant(x: Array) -> tuple[Array, Array]:
    """The sign and the logarithm of the absolute value, both in the type of x."""
    sign, log = np.linalg.slogdet(x)
    return np.asarray(sign), np.asarray(log).astype(x.dtype)


@log_determinant.vjp_all
def log_determinant_vjp(gs: Any, ys: Any, x: Tensor) -> Tensors:
    g = gs[1]
    if g.content.dtype.kind == "c":
        g = like(real(g), x)  # the logarithm is a real number, whatever its element type
    return (unsqueeze(g, constant([-2, -1])) * turned(inverse(x)),)


def check_finite(op: str, *matrices: Array) -> None:
    """Raises: MS304 for NaN and infinities, of which LAPACK never ends"""
    if not all(np.isfinite(x).all() for x in matrices):
        raise RefusedError(op, "the matrix has NaN or infinities")


@host("Svd", outputs=3)
def svd(x: Array, *, full_matrices: bool = False) -> tuple[Array, Array, Array]:
    """s, u and v of x = u diag(s) v^H."""
    check_finite("Svd", x)
    u, s, vh = np.linalg.svd(x, full_matrices=full_matrices)
    return s.astype(x.dtype), u, np.ascontiguousarray(vh.swapaxes(-1, -2).conj())


@svd.vjp_all
def svd_vjp(gs: Any, ys: Any, x: Tensor) -> Tensors:
    check_real("Svd", x)
    (m, n), k, s = x.shape[-2:], min(x.shape[-2:]), ys[0]
    u, v, gu, gv = (columns(t, 0, k) for t in (*ys[1:], *gs[1:]))
    found = matmul(matmul(u, svd_core(gs[0], s, skew(u, gu), skew(v, gv))), turned(v))
    if m > k:
        found = found + matmul(scaled_columns(outside(u, gu), one(s) / s), turned(v))
    if n > k:
        found = found + matmul(u, turned(scaled_columns(outside(v, gv), one(s) / s)))
    return (found,)


def svd_core(gs: Tensor, s: Tensor, of_u: Tensor, of_v: Tensor) -> Tensor:
    """The gradient of diag(s), in the bases u and v."""
    gaps = inverse_gaps(s * s)
    inner = diagonal_matrix(gs) + scaled_columns(gaps * of_u, s)
    return inner + unsqueeze(s, constant([-1])) * gaps * of_v


def skew(u: Tensor, g: Tensor) -> Tensor:
    product = matmul(turned(u), g)
    return product - turned(product)


def outside(u: Tensor, g: Tensor) -> Tensor:
    """What of g is orthogonal to the columns of u."""
    return g - matmul(u, matmul(turned(u), g))


@host("SingularValues")
def singular_values(x: Array) -> Array:
    check_finite("Svd", x)
    return np.linalg.svd(x, compute_uv=False).astype(x.dtype)


@singular_values.vjp
def singular_values_vjp(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    check_real("Svd", x)
    _, u, v = svd(x)
    return matmul(scaled_columns(u, g), turned(v))


@host("Qr", outputs=2)
def qr(x: Array, *, full_matrices: bool = False) -> tuple[Array, Array]:
    q, r = np.linalg.qr(x, mode="complete" if full_matrices else "reduced")
    return q, r


@qr.vjp_all
def qr_vjp(gs: Any, ys: Any, x: Tensor) -> Tensors:
    """Raises: MS307 for wide or complex matrices, and for more columns of q than x has."""
    check_real("Qr", x)
    (gq, gr), (q, r) = gs, ys
    if q.shape[-1] != x.shape[-1]:
        raise NoGradientError("Qr", "the runtime knows no gradient of it for this shape")
    inner = matmul(r, turned(gr)) - matmul(turned(gq), q)
    below = lower_part(inner, 0.0)
    whole = lower_part(inner) + turned(below)
    left = gq + matmul(q, whole)
    return (turned(triangular_solve(r, turned(left), lower=False)),)


@host("Eigh", outputs=2)
def eigh(x: Array) -> tuple[Array, Array]:
    """Eigenvalues (ascending) and eigenvectors of symmetric matrices."""
    check_finite("Eigh", np.tril(x))
    w, v = np.linalg.eigh(x)
    return w, v


@eigh.vjp_all
def eigh_vjp(gs: Any, ys: Any, x: Tensor) -> Tensors:
    check_real("Eigh", x)
    (gw, gv), (w, v) = gs, ys
    inner = diagonal_matrix(gw) + inverse_gaps(w) * matmul(turned(v), gv)
    return (symmetric(matmul(matmul(v, inner), turned(v))),)


@host("Eig", outputs=2)
def eig(x: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors, complex."""
    check_finite("Eig", x)
    complex_type = np.result_type(x.dtype, np.complex64)
    w, v = np.linalg.eig(x)
    return w.astype(complex_type), v.astype(complex_type)


@host("MatrixSolve")
def solve(a: Array, b: Array) -> Array:
    """x of a x = b."""
    return np.linalg.solve(a, b)


@solve.vjp_all
def solve_vjp(g: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensors:
    gb = solve(turned(a), g)
    return -matmul(gb, turned(y)), gb


def substituted(a: Array, b: Array, lower: bool, unit: bool = False) -> Array:
    from scipy.linalg import get_blas_funcs  # slow to import

    (solve_one,) = get_blas_funcs(("trsm",), (a, b))
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    pairs = [np.broadcast_to(x, (*batch, *x.shape[-2:])).reshape(-1, *x.shape[-2:]) for x in (a, b)]
    made = [solve_one(1.0, p, q, lower=lower, diag=unit) for p, q in zip(*pairs, strict=True)]
    return np.asarray(made, a.dtype).reshape(*batch, *b.shape[-2:])


@host("MatrixTriangularSolve")
def triangular_solve(a: Array, b: Array, *, lower: bool = True) -> Array:
    """x of a x = b, of whose a only one triangle is read; not finite if it is singular."""
    return substituted(a, b, lower)


@triangular_solve.vjp_all
def triangular_solve_vjp(g: Tensor, y: Tensor, a: Tensor, b: Tensor, *, lower: bool) -> Tensors:
    gb = triangular_solve(turned(a), g, lower=not lower)
    ga = -matmul(gb, turned(y))
    return lower_part(ga) if lower else turned(lower_part(turned(ga))), gb


@host("Lstsq")
def lstsq(a: Array, b: Array) -> Array:
    """The shortest x with the least |a x - b|; matrices without a batch."""
    check_finite("Lstsq", a, b)
    return np.linalg.lstsq(a, b, rcond=None)[0].astype(a.dtype)


@lstsq.vjp_all
def lstsq_vjp(g: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensors:
    """For full rank. Raises: MS307 if a is wider than high."""
    if a.shape[0] < a.shape[1]:
        raise NoGradientError("Lstsq", "the runtime knows no gradient of it for wide matrices")
    inner = solve(matmul(turned(a), a), g)
    gb = matmul(a, inner)
    residual = b - matmul(a, y)
    return matmul(residual, turned(inner)) - matmul(gb, turned(y)), gb


@host("Geqrf", outputs=2)
def geqrf(x: Array) -> tuple[Array, Array]:
    """Householder's reflectors below the diagonal of r, and their factors."""
    h, tau = np.linalg.qr(x, mode="raw")
    return np.ascontiguousarray(h.swapaxes(-1, -2)).astype(x.dtype), tau.astype(x.dtype)


def reflected(h: Array, tau: Array, y: Array, *, backwards: bool, conjugated: bool) -> Array:
    """The product of the reflectors of `geqrf` with y."""
    y, m = y.copy(), h.shape[-2]
    count = range(tau.shape[-1])
    for k in count[::-1] if backwards else count:
        v = np.where(np.arange(m) > k, h[..., :, k], (np.arange(m) == k).astype(h.dtype))[..., None]
        t = tau[..., k, None, None]
        y -= (t.conj() if conjugated else t) * v @ (v.conj().swapaxes(-1, -2) @ y)
    return y


@host("Orgqr")
def orgqr(x: Array, tau: Array) -> Array:
    """The first columns of the product of reflectors."""
    eye = np.broadcast_to(np.eye(x.shape[-2], x.shape[-1], dtype=x.dtype), x.shape)
    return reflected(x, tau, eye, backwards=True, conjugated=False)


@host("Ormqr")
def ormqr(x: Array, tau: Array, y: Array, *, left: bool = True, transposed: bool = False) -> Array:
    """q y, y q, or the same with q^H, where q is the product of reflectors."""
    if left:
        return reflected(x, tau, y, backwards=not transposed, conjugated=transposed)
    turned_ = y.swapaxes(-1, -2).conj()
    return (
        reflected(x, tau, turned_, backwards=transposed, conjugated=not transposed)
        .swapaxes(-1, -2)
        .conj()
    )


@host("MatrixExp")
def matrix_exp(x: Array) -> Array:
    from scipy.linalg import expm  # slow to import

    return np.asarray(expm(x)).astype(x.dtype, copy=False)


@matrix_exp.vjp
def matrix_exp_vjp(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """The upper right block of the exponential of ((x^T, g), (0, x^T))."""
    n, flipped = x.shape[-1], turned(x)
    above = concat(flipped, g, axis=-1)
    below = concat(masked(g, np.zeros((n, n))), flipped, axis=-1)
    return columns(rows_of(matrix_exp(concat(above, below, axis=-2)), 0, n), n, 2 * n)


@host("MatrixLogarithm")
def matrix_logarithm(x: Array) -> Array:
    from scipy.linalg import logm  # slow to import

    each = x.reshape(-1, *x.shape[-2:]).astype(np.complex128)
    return np.asarray([logm(matrix) for matrix in each]).reshape(x.shape).astype(x.dtype)


@host("LuFactor", outputs=2)
def lu_factor(x: Array) -> tuple[Array, Array]:
    """L and U in one matrix, and with which row (from 0) each was exchanged."""
    from scipy.linalg import get_lapack_funcs  # slow to import

    (factor,) = get_lapack_funcs(("getrf",), (x,))
    made = [factor(matrix) for matrix in x.reshape(-1, *x.shape[-2:])]
    pivots = np.asarray([p for _, p, _ in made], np.int32).reshape(*x.shape[:-2], -1)
    return np.asarray([lu for lu, _, _ in made]).reshape(x.shape), pivots


def order_of(pivots: Array, n: int) -> Array:
    """The order of n rows after the exchanges; pivots count from 0."""
    order = np.broadcast_to(np.arange(n), (*pivots.shape[:-1], n)).copy()
    for k in range(pivots.shape[-1]):
        other = pivots[..., k, None].astype(np.int64)
        here = order[..., k, None].copy()
        order[..., k, None] = np.take_along_axis(order, other, -1)
        np.put_along_axis(order, other, here, -1)
    return order


@host("LuSolve")
def lu_solve(b: Array, lu: Array, pivots: Array) -> Array:
    """x of a x = b, of a's factors and pivots, which count from 1."""
    n = lu.shape[-1]
    order = np.broadcast_to(order_of(pivots - 1, n)[..., None], b.shape)
    inner = substituted(lu, np.take_along_axis(b, order, -2), lower=True, unit=True)
    return substituted(lu, inner, lower=False)


@host("LuPermutation")
def lu_permutation(lu: Array, pivots: Array) -> Array:
    """The permutation p of a = p l u, of pivots that count from 1, in the type of `lu`."""
    n = lu.shape[-2]
    order = order_of(pivots - 1, n)
    return np.ascontiguousarray(np.eye(n, dtype=lu.dtype)[order].swapaxes(-1, -2))
