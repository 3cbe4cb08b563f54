"""Products of matrices, convolutions, polynomials, covariance."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from .. import ops
from ..engine.promotion import promote
from ..engine.tensor import Tensor
from .creation import arange
from .manipulation import diagonal, ravel
from .registry import array, floating, public, typed


@public
def matmul(x1: Any, x2: Any, dtype: Any = None) -> Any:
    return typed(ops.matmul(*promote(array(x1), array(x2), "matmul")), dtype)


@public
def dot(a: Any, b: Any) -> Any:
    x, y = array(a), array(b)
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    return tensordot(x, y, ([-1], [-1 if y.ndim == 1 else -2]))


@public
def inner(a: Any, b: Any) -> Any:
    x, y = array(a), array(b)
    return x * y if 0 in (x.ndim, y.ndim) else tensordot(x, y, ([-1], [-1]))


@public
def outer(a: Any, b: Any) -> Any:
    return ops.expand_dims(ravel(a), 1) * ravel(b)


@public
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    x, y = array(a), array(b)
    if isinstance(axes, int):
        left, right = [*range(x.ndim - axes, x.ndim)], [*range(axes)]
    else:
        left, right = [[k] if isinstance(k, int) else k for k in axes]
    places = [[k % t.ndim for k in s] for t, s in ((x, left), (y, right))]
    free = [[k for k in range(t.ndim) if k not in s] for t, s in zip((x, y), places, strict=True)]
    count = int(numpy.prod([x.shape[k] for k in places[0]]))
    rows = ops.reshape(ops.transpose(x, (*free[0], *places[0])), (-1, count))
    columns = ops.reshape(ops.transpose(y, (*places[1], *free[1])), (count, -1))
    shape = [x.shape[k] for k in free[0]] + [y.shape[k] for k in free[1]]
    return ops.reshape(ops.matmul(*promote(rows, columns)), tuple(shape))


@public
def multi_dot(arrays: Any) -> Any:
    return functools.reduce(dot, map(array, arrays))


@public
def matrix_power(a: Any, n: int) -> Any:
    x = array(a)
    if n == 0:
        return ops.broadcast_to(ops.eye(x.shape[-1], dtype=x.dtype), x.shape)
    factor = ops.inverse(x) if n < 0 else x
    return functools.reduce(ops.matmul, [factor] * abs(n))


@public
def kron(a: Any, b: Any) -> Any:
    x, y = array(a), array(b)
    rank = max(x.ndim, y.ndim)
    x = ops.reshape(x, (1,) * (rank - x.ndim) + x.shape)
    y = ops.reshape(y, (1,) * (rank - y.ndim) + y.shape)
    wide = ops.reshape(x, [n for size in x.shape for n in (size, 1)])
    tall = ops.reshape(y, [n for size in y.shape for n in (1, size)])
    return ops.reshape(wide * tall, [n * m for n, m in zip(x.shape, y.shape, strict=True)])


@public
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    first, second, out = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    x, y = ops.moveaxis(array(a), first, -1), ops.moveaxis(array(b), second, -1)
    flat = x.shape[-1] == y.shape[-1] == 2

    def part(t: Tensor, k: int) -> Any:
        return t[..., k] if k < t.shape[-1] else ops.zeros_like(t[..., 0])

    def turn(i: int, j: int) -> Any:
        return part(x, i) * part(y, j) - part(x, j) * part(y, i)

    return turn(0, 1) if flat else ops.stack((turn(1, 2), turn(2, 0), turn(0, 1)), out)


@public
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    line = diagonal(a, offset, axis1, axis2)
    return typed(ops.sum(line, -1).astype(line.dtype), dtype)


@public
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    return ops.norm(floating(x), ord, axis, keepdims)


@public
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: Any = None,
) -> Any:
    rows = [atleast_rows(part, rowvar) for part in (m, y) if part is not None]
    x = ops.concat(rows, 0) if len(rows) > 1 else rows[0]
    counts = ops.ones((x.shape[1],), x.dtype) if fweights is None else floating(fweights)
    weights = counts if aweights is None else counts * floating(aweights)
    total = ops.sum(weights)
    free = (0 if bias else 1) if ddof is None else ddof
    lost = (
        ops.div(ops.sum(weights * (1.0 if aweights is None else floating(aweights))), total) * free
    )
    moved = x - ops.div(ops.sum(x * weights, 1, True), total)
    made = ops.matmul(moved * weights, ops.swapaxes(moved, 0, 1)) / (total - lost)
    return typed(ops.squeeze(made), dtype)


def atleast_rows(x: Any, rowvar: bool) -> Any:
    a = floating(x)
    if a.ndim < 2:
        return ops.reshape(a, (1, -1))
    return a if rowvar else ops.swapaxes(a, 0, 1)


@public
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return typed(c / c, dtype)
    spread = ops.sqrt(diagonal(c))
    return typed(ops.clamp(c / ops.expand_dims(spread, 1) / spread, -1, 1), dtype)


@public
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    x, w = floating(a), floating(v)
    return (
        correlate(w, ops.flip(x, (0,)), mode)
        if x.size < w.size
        else correlate(x, ops.flip(w, (0,)), mode)
    )


@public
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The products summed at every offset of the shorter along the longer."""
    x, w = floating(a), floating(v)
    swapped = x.size < w.size
    long, short = (w, x) if swapped else (x, w)
    size = short.size
    around = {"valid": (0, 0), "full": (size - 1, size - 1), "same": (size // 2, (size - 1) // 2)}[
        mode
    ]
    padded = ops.pad(long, around[::-1] if swapped else around)
    places = numpy.arange(padded.size - size + 1)[:, None] + numpy.arange(size)
    made = ops.matmul(ops.gather(padded, Tensor(places), 0), short)
    return ops.flip(made, (0,)) if swapped else made


# polynomials


def joined(a1: Any, a2: Any) -> tuple[Tensor, Tensor]:
    """Two polynomials with as many coefficients."""
    x, y = ravel(a1), ravel(a2)
    size = max(x.size, y.size)
    return ops.pad(x, (size - x.size, 0)), ops.pad(y, (size - y.size, 0))


@public
def polyadd(a1: Any, a2: Any) -> Any:
    x, y = joined(a1, a2)
    return x + y


@public
def polysub(a1: Any, a2: Any) -> Any:
    x, y = joined(a1, a2)
    return x - y


@public
def polymul(a1: Any, a2: Any) -> Any:
    return convolve(ravel(a1), ravel(a2))


@public
def polyval(p: Any, x: Any) -> Any:
    coefficients = ravel(p)
    y = ops.zeros_like(array(x))
    for k in range(coefficients.size):
        y = y * array(x) + coefficients[k]
    return y


@public
def polyder(p: Any, m: int = 1) -> Any:
    x = ravel(p)
    for _ in range(m):
        x = x[:-1] * arange(x.size - 1, 0, -1)
    return x


@public
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    x = floating(ravel(p))
    constants = numpy.broadcast_to(0.0 if k is None else numpy.asarray(k, float), (m,))
    for constant in constants:
        x = ops.concat((x / arange(x.size, 0, -1), ops.full((1,), float(constant), dtype=x.dtype)))
    return x
