"""Reductions over axes, products of matrices, and searches.

Each function is one ONNX operator; see `primitive.py`.
"""

from __future__ import annotations

from typing import Any

from ..engine.dtype import float32
from ..engine.primitive import primitive, summed_to
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .elementwise import cast, equal, exp, sign, where, zero
from .shaping import expand, reshape, scatter_elements, transpose, unsqueeze


def spread(g: Tensor, x: Tensor, axes: tuple[Tensor | None, ...], keepdims: int) -> Tensor:
    """What is left of `x` after a reduction over `axes`, repeated to the shape of `x`."""
    given = axes[0].asnumpy().tolist() if axes and axes[0] is not None else range(x.ndim)
    reduced = {a % x.ndim for a in given} if x.ndim else set()
    kept = constant(tuple(1 if a in reduced else n for a, n in enumerate(x.shape)))
    return expand(g if keepdims else reshape(g, kept), constant(x.shape))


def to_the_extreme(
    g: Tensor, y: Tensor, x: Tensor, axes: tuple[Tensor | None, ...], keepdims: int
) -> Tensor:
    """The gradient of the largest or smallest element; equal ones share it."""
    chosen = cast(equal(x, spread(y, x, axes, keepdims)), to=x.dtype.onnx)
    count = reduce_sum(chosen, *axes, keepdims=keepdims)
    return spread(g / count, x, axes, keepdims) * chosen


def of_the_others(g: Tensor, x: Tensor, axes: tuple[Tensor | None, ...], keepdims: int) -> Tensor:
    """The gradient of a product: that of the other elements, where some are zero, too."""
    zeros = equal(x, zero(x))
    others = where(zeros, zero(x) + 1, x)
    known = cast(zeros, to=x.dtype.onnx)
    product, count = (
        spread(f(v, *axes, keepdims=keepdims), x, axes, keepdims)
        for f, v in ((reduce_prod, others), (reduce_sum, known))
    )
    rest = where(equal(count, known), product / others, zero(x))  # none of the others is zero
    return spread(g, x, axes, keepdims) * rest


def explicit(equation: str, ranks: list[int]) -> tuple[list[str], str]:
    """The letters of each operand and of the result; Ellipsis becomes letters of its own."""
    left, _, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in equation]
    missing = [rank - len(t.replace("...", "")) for t, rank in zip(terms, ranks, strict=True)]
    widest = max([n for n, t in zip(missing, terms, strict=True) if "..." in t], default=0)
    letters = "".join(spare[:widest])
    if "->" not in equation:
        found = sorted({c for c in left if c.isalpha() and left.count(c) == 1})
        right = ("..." if "..." in left else "") + "".join(found)
    full = [t.replace("...", letters[widest - n :]) for t, n in zip(terms, missing, strict=True)]
    return full, right.replace("...", letters)


@primitive("ArgMax")
def arg_max(
    data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
) -> Any: ...


@primitive("ArgMin")
def arg_min(
    data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
) -> Any: ...


@primitive("CumSum")
def cum_sum(x: Tensor, axis: Tensor, *, exclusive: int = 0, reverse: int = 0) -> Any: ...


@primitive("Det")
def det(x: Tensor) -> Any: ...


@primitive("Einsum")
def einsum(*inputs: Tensor, equation: str) -> Any: ...


@einsum.vjp_all
def einsum_vjp(g: Tensor, y: Tensor, *xs: Tensor, equation: str) -> list[Tensor]:
    """Each operand's gradient is the product of g and the others, with its own letters left."""
    terms, target = explicit(equation, [x.ndim for x in xs])
    found = []
    for k, (term, x) in enumerate(zip(terms, xs, strict=True)):
        others = [target, *terms[:k], *terms[k + 1 :]]
        kept = "".join(c for c in term if any(c in other for other in others))
        swapped = f"{','.join(others)}->{kept}"
        d = einsum(g, *xs[:k], *xs[k + 1 :], equation=swapped)
        gone = tuple(a for a, c in enumerate(term) if c not in kept)
        found.append(expand(unsqueeze(d, constant(gone)), constant(x.shape)) if gone else d)
    return found


@primitive("Gemm")
def gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Any: ...


@primitive("LpNormalization")
def lp_normalization(input: Tensor, *, axis: int = -1, p: int = 2) -> Any: ...


@primitive("MatMul")
def matmul(a: Tensor, b: Tensor) -> Any: ...


@matmul.vjp_all
def matmul_vjp(g: Tensor, y: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """A vector takes part as a matrix of one row or column."""
    if a.ndim == 1:
        g = unsqueeze(g, constant((g.ndim - (b.ndim > 1),)))
    if b.ndim == 1:
        g = unsqueeze(g, constant((-1,)))
    a2 = unsqueeze(a, constant((0,))) if a.ndim == 1 else a
    b2 = unsqueeze(b, constant((1,))) if b.ndim == 1 else b
    da, db = matmul(g, turned(b2)), product_over_rows(a2, g, b2.ndim == 2)
    rows = reshape(summed_to(da, (1, *a.shape)), constant(a.shape)) if a.ndim == 1 else da
    return rows, reshape(db, constant(b.shape)) if b.ndim == 1 else db


def product_over_rows(a: Tensor, g: Tensor, flat: bool) -> Tensor:
    """a transposed times g; one product over all rows if the batch axes are summed anyway."""
    if not flat:
        return matmul(turned(a), g)
    rows = [reshape(x, constant((-1, x.shape[-1]))) if x.ndim > 2 else x for x in (a, g)]
    return gemm(*rows, transA=1) if g.dtype is float32 else matmul(turned(rows[0]), rows[1])


def turned(x: Tensor) -> Tensor:
    """The matrices of `x` transposed."""
    order = tuple(range(x.ndim))
    return transpose(x, perm=(*order[:-2], order[-1], order[-2]))


@primitive("MatMulInteger")
def matmul_integer(
    a: Tensor, b: Tensor, a_zero_point: Tensor | None = None, b_zero_point: Tensor | None = None
) -> Any: ...


@primitive("ReduceL1")
def reduce_l1(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceL2")
def reduce_l2(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceLogSum")
def reduce_log_sum(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceLogSumExp")
def reduce_log_sum_exp(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceMax")
def reduce_max(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceMean")
def reduce_mean(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceMin")
def reduce_min(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceProd")
def reduce_prod(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceSum")
def reduce_sum(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceSumSquare")
def reduce_sum_square(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("TopK")
def topk(x: Tensor, k: Tensor, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any: ...


@topk.vjp_all
def topk_vjp(gs: Any, ys: Any, x: Tensor, k: Tensor, *, axis: int) -> tuple[Tensor]:
    nothing = expand(zero(x), constant(x.shape))
    return (scatter_elements(nothing, ys[1], gs[0], axis=axis),)


@primitive("Unique")
def unique(x: Tensor, *, axis: int | None = None, sorted: int = 1) -> Any: ...


# gradients

cum_sum.vjp(
    lambda g, y, x, axis, *, exclusive, reverse: cum_sum(
        g, axis, exclusive=exclusive, reverse=1 - reverse
    )
)
gemm.vjp(
    lambda g, y, a, b, *c, alpha, transA, transB: (
        gemm(b, g, alpha=alpha, transA=transB, transB=1)
        if transA
        else gemm(g, b, alpha=alpha, transB=1 - transB)
    ),
    lambda g, y, a, b, *c, alpha, transA, transB: (
        gemm(g, a, alpha=alpha, transA=1, transB=transA)
        if transB
        else gemm(a, g, alpha=alpha, transA=1 - transA)
    ),
    lambda g, y, a, b, c, *, beta: g if beta == 1 else g * beta,
)
reduce_l1.vjp(lambda g, y, x, *axes, keepdims: spread(g, x, axes, keepdims) * sign(x))
reduce_l2.vjp(
    lambda g, y, x, *axes, keepdims: (
        x * spread(where(equal(y, zero(y)), zero(y), g / y), x, axes, keepdims)
    )
)
reduce_log_sum.vjp(lambda g, y, x, *axes, keepdims: spread(g / exp(y), x, axes, keepdims))
reduce_log_sum_exp.vjp(
    lambda g, y, x, *axes, keepdims: (
        spread(g, x, axes, keepdims) * exp(x - spread(y, x, axes, keepdims))
    )
)
reduce_max.vjp(lambda g, y, x, *axes, keepdims: to_the_extreme(g, y, x, axes, keepdims))
reduce_mean.vjp(lambda g, y, x, *axes, keepdims: spread(g * (g.size / x.size), x, axes, keepdims))
reduce_min.vjp(lambda g, y, x, *axes, keepdims: to_the_extreme(g, y, x, axes, keepdims))
reduce_prod.vjp(lambda g, y, x, *axes, keepdims: of_the_others(g, x, axes, keepdims))
reduce_sum.vjp(lambda g, y, x, *axes, keepdims: spread(g, x, axes, keepdims))
reduce_sum_square.vjp(lambda g, y, x, *axes, keepdims: spread(g, x, axes, keepdims) * x * 2)
