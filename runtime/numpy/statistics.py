"""Reductions, sums along an axis, products of matrices, polynomials, histograms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .. import ops
from ..engine import dtype as dtypes
from ..engine.tensor import Tensor
from .manipulation import counted, ravel
from .registry import array, floating, named, public, typed


def axes_of(x: Tensor, axis: Any) -> Any:
    return tuple(range(x.ndim)) if axis is None else axis


def extreme(op: str, identity: str) -> Callable[..., Tensor]:
    """max and min, with `initial` and `where`."""

    def function(
        a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Any:
        x = array(a)
        if where is not True:
            x = ops.where(array(where), x, initial)
        y = getattr(ops, op)(x, axes_of(x, axis), keepdims)
        return y if initial is None else getattr(ops, identity)(y, initial).astype(x.dtype)

    return function


for _name in ("max", "amax"):
    named(_name, extreme("amax", "maximum"))
for _name in ("min", "amin"):
    named(_name, extreme("amin", "minimum"))


@public
def sum_(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None
) -> Any:
    x = typed(array(a), dtype)
    y = ops.sum(x, axes_of(x, axis), keepdims).astype(x.dtype)
    return y if initial is None else y + initial


@public
def mean(a: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    x = floating(a)
    return typed(ops.mean(x, axes_of(x, axis), keepdims), dtype)


@public
def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    a = floating(x)
    w = ops.ones_like(a) if weights is None else floating(weights)
    if w.shape != a.shape:
        w = ops.broadcast_to(
            ops.reshape(w, [-1 if k == axis else 1 for k in range(a.ndim)]), a.shape
        )
    total = ops.sum(w, axes_of(a, axis))
    y = ops.div(ops.sum(a * w, axes_of(a, axis)), total)
    return (y, total) if returned else y


@public
def var(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    a = floating(x)
    return ops.var(a, axes_of(a, axis), ddof, keepdims)


@public
def std(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    return ops.sqrt(var(x, axis, ddof, keepdims))


@public
def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    a = array(x)
    along = axes_of(a, axis)
    return ops.amax(a, along, keepdims) - ops.amin(a, along, keepdims)


@public
def count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    a = array(x)
    return counted(ops.not_equal(a, 0), axes_of(a, axis), keepdims)


@public
def sometrue(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return ops.any(array(a, dtypes.bool_), axes_of(array(a), axis), keepdims)


def place(op: str, kind: dtypes.DType) -> Callable[..., Tensor]:
    def function(a: Any, axis: int | None = None) -> Any:
        x = ravel(a) if axis is None else array(a)
        made: Tensor = getattr(ops, op)(x, 0 if axis is None else axis)
        return typed(made, kind)

    return function


named("argmax", place("argmax", dtypes.int64))
named("argmin", place("argmin", dtypes.int32))


def cumulative(op: str) -> Callable[..., Tensor]:
    def function(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
        x = typed(array(a), dtype)
        made: Tensor = getattr(ops, op)(
            ravel(x) if axis is None else x, 0 if axis is None else axis
        )
        return made

    return function


cumsum = named("cumsum", cumulative("cumsum"))
cumprod = named("cumprod", cumulative("cumprod"))


def without_nan(x: Any, fill: Any = 0) -> tuple[Tensor, Tensor]:
    """`x` with `fill` for what is no number, and where that was."""
    a = floating(x)
    missing = ops.isnan(a)
    return ops.where(missing, fill, a), missing


@public
def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    return cumsum(without_nan(a)[0], axis, dtype)


@public
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    return typed(sum_(without_nan(a)[0], axis, None, keepdims), dtype)


@public
def nanmax(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    x, _ = without_nan(a, -numpy.inf)
    return typed(ops.amax(x, axes_of(x, axis), keepdims), dtype)


@public
def nanmin(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    x, _ = without_nan(a, numpy.inf)
    return typed(ops.amin(x, axes_of(x, axis), keepdims), dtype)


@public
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    x, missing = without_nan(a)
    along = axes_of(x, axis)
    there = ops.sum(ops.logical_not(missing).astype(x.dtype), along, keepdims)
    return typed(ops.div(ops.sum(x, along, keepdims), there), dtype)


@public
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> Any:
    x, missing = without_nan(a)
    along = axes_of(x, axis)
    there = ops.logical_not(missing).astype(x.dtype)
    count = ops.sum(there, along, True)
    moved = (x - ops.div(ops.sum(x, along, True), count)) * there
    spread = ops.div(ops.sum(moved * moved, along, True), count - ddof)
    return typed(spread if keepdims else ops.squeeze(spread, along), dtype)


@public
def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> Any:
    return typed(ops.sqrt(nanvar(a, axis, None, ddof, keepdims)), dtype)


# differences and sums along an axis


@public
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    parts = [floating(x) if array(x).ndim else ops.reshape(floating(x), (1,))
             for x in (prepend, a, append) if x is not None]  # fmt: skip
    x = ops.concat(parts, axis) if len(parts) > 1 else array(a)
    for _ in range(n):
        size = x.shape[axis]
        x = ops.narrow(x, axis, 1, size - 1) - ops.narrow(x, axis, 0, size - 1)
    return x


@public
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    made = diff(ravel(ary))
    around = [None if x is None else ravel(x).astype(made.dtype) for x in (to_begin, to_end)]
    parts = [x for x in (around[0], made, around[1]) if x is not None]
    return ops.concat(parts) if len(parts) > 1 else made


@public
def trapz(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    a = floating(y)
    size = a.shape[axis]
    middle = (ops.narrow(a, axis, 1, size - 1) + ops.narrow(a, axis, 0, size - 1)) / 2
    if x is None:
        return ops.sum(middle * dx, axis)
    steps = diff(floating(x))
    if steps.ndim == 1:
        steps = ops.reshape(steps, [-1 if k == axis % a.ndim else 1 for k in range(a.ndim)])
    return ops.sum(middle * steps, axis)


@public
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences inside, one-sided at the ends; by even spacings."""
    x = floating(f)
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1,) * len(axes)
    made = [slope(x, along, step) for along, step in zip(axes, steps, strict=True)]
    return made[0] if len(made) == 1 else made


def slope(x: Tensor, axis: int, step: Any) -> Any:
    def part(start: int, count: int) -> Any:
        return ops.narrow(x, axis, start, count)

    size = x.shape[axis]
    first, last = part(1, 1) - part(0, 1), part(size - 1, 1) - part(size - 2, 1)
    inside = [(part(2, size - 2) - part(0, size - 2)) / 2] if size > 2 else []
    return ops.concat([first, *inside, last], axis) / step


@public
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Linear between the points (xp, fp), xp rising."""
    a, px, py = floating(x), floating(xp), floating(fp)
    last = px.shape[0] - 1
    above = ops.sum(ops.less_equal(px, ops.expand_dims(a, -1)).astype(dtypes.int64), -1)
    high = ops.clamp(above, 1, last)
    x0, x1 = ops.gather(px, high - 1, 0), ops.gather(px, high, 0)
    y0, y1 = ops.gather(py, high - 1, 0), ops.gather(py, high, 0)
    inside = y0 + (y1 - y0) * (a - x0) / (x1 - x0)
    low = ops.where(ops.less(a, px[0]), py[0] if left is None else float(left), inside)
    return ops.where(ops.greater(a, px[last]), py[last] if right is None else float(right), low)


@public
def unwrap(p: Any, discont: float = numpy.pi, axis: int = -1) -> Any:
    x = floating(p)
    steps = diff(x, axis=axis)
    wrapped = ops.remainder(steps + numpy.pi, 2 * numpy.pi) - numpy.pi
    at_edge = ops.logical_and(ops.equal(wrapped, -numpy.pi), ops.greater(steps, 0))
    wrapped = ops.where(at_edge, numpy.pi, wrapped)
    correction = ops.where(ops.less(ops.abs(steps), discont), 0.0, wrapped - steps)
    size = x.shape[axis]
    rest = ops.narrow(x, axis, 1, size - 1) + ops.cumsum(correction, axis)
    return ops.concat((ops.narrow(x, axis, 0, 1), rest), axis)
