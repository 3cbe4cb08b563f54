"""Shapes, joining, splitting, choosing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .. import ops
from ..engine import dtype as dtypes
from ..engine.failure import ShapeError
from ..engine.tensor import Tensor
from .creation import asarray, broadcast_arrays
from .registry import array, named, public, typed


@public
def reshape(x: Any, new_shape: Any) -> Any:
    return ops.reshape(array(x), (new_shape,) if isinstance(new_shape, int) else tuple(new_shape))


@public
def ravel(x: Any) -> Any:
    return ops.reshape(array(x), (-1,))


@public
def transpose(a: Any, axes: Any = None) -> Any:
    x = array(a)
    order = tuple(range(x.ndim))[::-1] if axes is None else tuple(axes)
    return ops.transpose(x, order)


@public
def expand_dims(a: Any, axis: int) -> Any:
    return ops.expand_dims(array(a), axis)


@public
def squeeze(a: Any, axis: Any = None) -> Any:
    return ops.squeeze(array(a), axis)


@public
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    return ops.moveaxis(array(a), source, destination)


@public
def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    a = array(x)
    source = axis % a.ndim
    target = start + a.ndim if start < 0 else start
    return ops.moveaxis(a, source, target - 1 if source < target else target)


@public
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    return ops.swapaxes(array(x), axis1, axis2)


@public
def broadcast_to(array: Any, shape: Any) -> Any:
    return ops.broadcast_to(asarray(array), (shape,) if isinstance(shape, int) else tuple(shape))


@public
def flip(m: Any, axis: Any = None) -> Any:
    x = array(m)
    return ops.flip(x, tuple(range(x.ndim)) if axis is None else axis)


@public
def fliplr(m: Any) -> Any:
    return flip(m, (1,))


@public
def flipud(m: Any) -> Any:
    return flip(m, (0,))


@public
def rot90(a: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    x, turns = array(a), k % 4
    if turns in (0, 2):
        return x if turns == 0 else ops.flip(x, tuple(axes))
    turned = ops.swapaxes(x if turns == 3 else ops.flip(x, (axes[1],)), *axes)
    return ops.flip(turned, (axes[1],)) if turns == 3 else turned


@public
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    x = array(a)
    return (
        ops.roll(x, shift, axis) if axis is not None else reshape(roll(ravel(x), shift, 0), x.shape)
    )


@public
def concatenate(arrays: Any, axis: int | None = 0) -> Any:
    given = [array(x) for x in arrays]
    return ops.concat(
        [ravel(x) for x in given] if axis is None else given, 0 if axis is None else axis
    )


@public
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    return concatenate((arr, values), axis)


@public
def stack(arrays: Any, axis: int = 0) -> Any:
    return ops.stack([array(x) for x in arrays], axis)


def at_least(rank: int) -> Callable[..., Any]:
    """`atleast_1d` and its like; the third axis goes behind, the second before."""

    def grown(x: Any) -> Any:
        a = array(x)
        front = max(0, min(rank, 2) - a.ndim)
        made = (1,) * front + a.shape
        return ops.reshape(a, made + (1,) * (rank - len(made)))

    def function(*arys: Any) -> Any:
        made = [grown(x) for x in arys]
        return made[0] if len(made) == 1 else made

    return function


atleast_1d = named("atleast_1d", at_least(1))
atleast_2d = named("atleast_2d", at_least(2))
atleast_3d = named("atleast_3d", at_least(3))


@public
def column_stack(tup: Any) -> Any:
    given = [array(x) for x in tup]
    return ops.concat([ops.reshape(x, (-1, 1)) if x.ndim < 2 else x for x in given], 1)


@public
def hstack(tup: Any) -> Any:
    given = [atleast_1d(x) for x in tup]
    return ops.concat(given, 0 if given[0].ndim == 1 else 1)


@public
def vstack(tup: Any) -> Any:
    return ops.concat([atleast_2d(x) for x in tup], 0)


@public
def dstack(tup: Any) -> Any:
    return ops.concat([atleast_3d(x) for x in tup], 2)


@public
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    a = array(x)
    sections = indices_or_sections
    if isinstance(sections, int) and a.shape[axis] % sections:
        raise ShapeError(
            "split", "it does not divide", got=str(a.shape[axis]), expected=str(sections)
        )
    return array_split(a, sections, axis)


@public
def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    a = array(x)
    size = a.shape[axis]
    if isinstance(indices_or_sections, int):
        parts = [len(p) for p in numpy.array_split(range(size), indices_or_sections)]
    else:
        parts = [len(p) for p in numpy.split(numpy.arange(size), list(indices_or_sections))]
    made: tuple[Tensor, ...] = tuple(ops.split(a, parts, axis))
    return made


@public
def hsplit(x: Any, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, 0 if array(x).ndim == 1 else 1)


@public
def vsplit(x: Any, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, 0)


@public
def dsplit(x: Any, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, 2)


@public
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    x = ravel(a) if axis is None else array(a)
    counts = repeats if isinstance(repeats, int) else list(repeats)
    places = numpy.repeat(numpy.arange(x.shape[axis or 0]), counts)
    return ops.gather(x, Tensor(places), axis or 0)


@public
def tile(a: Any, reps: Any) -> Any:
    return ops.tile(array(a), (reps,) if isinstance(reps, int) else tuple(reps))


@public
def take(a: Any, indices: Any, axis: int | None = None, mode: str = "clip") -> Any:
    x, places = (ravel(a) if axis is None else array(a)), array(indices)
    size = x.shape[axis or 0]
    inside = ops.remainder(places, size) if mode == "wrap" else ops.clamp(places, 0, size - 1)
    return ops.gather(x, inside if mode != "raise" else places, axis or 0)


@public
def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Any:
    x = ravel(arr) if axis is None else array(arr)
    along = 0 if axis is None else axis % x.ndim
    shape = [*numpy.broadcast_shapes(x.shape[:along], indices.shape[:along]), indices.shape[along]]
    shape += numpy.broadcast_shapes(x.shape[along + 1 :], indices.shape[along + 1 :])
    source = [*shape]
    source[along] = x.shape[along]
    places = ops.broadcast_to(indices, tuple(shape))
    return ops.gather_elements(ops.broadcast_to(x, tuple(source)), along, places)


@public
def choose(a: Any, choices: Any, mode: str = "clip") -> Any:
    options = broadcast_arrays(*(choices if isinstance(choices, (list, tuple)) else [*choices]))
    places, last = array(a, dtypes.int32), len(options) - 1
    inside = ops.remainder(places, last + 1) if mode == "wrap" else ops.clamp(places, 0, last)
    wide, first = broadcast_arrays(inside, options[0])
    result = first
    for k, option in enumerate(options):
        result = ops.where(ops.equal(wide, k), ops.broadcast_to(option, wide.shape), result)
    return result


def counted(conditions: Tensor, axis: Any = -1, keepdims: bool = False) -> Any:
    """How many are true, as int32."""
    return typed(ops.sum(conditions.astype(dtypes.int32), axis, keepdims), dtypes.int32)


@public
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    order = array(a) if sorter is None else ops.gather(array(a), array(sorter), 0)
    values = array(v)
    below = ops.less if side == "left" else ops.less_equal
    return counted(below(order, ops.expand_dims(values, -1)))


@public
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The bin of each number; bins rise or fall."""
    edges, values = array(bins), ops.expand_dims(array(x), -1)
    if edges.shape[0] == 0:
        return ops.zeros(values.shape[:-1], dtypes.int32)
    rising = ops.less_equal(edges[0], edges[-1])
    up = ops.less(edges, values) if right else ops.less_equal(edges, values)
    down = ops.greater_equal(edges, values) if right else ops.greater(edges, values)
    return counted(ops.where(rising, up, down))


@public
def unique(x: Any, return_inverse: bool = False) -> Any:
    from ..primitives import reduction

    values, _, places, _ = reduction.unique(ravel(x), sorted=0, outputs=4)
    inverse = ops.reshape(places, array(x).shape).astype(dtypes.int32)
    return (values, inverse) if return_inverse else values


@public
def argwhere(a: Any) -> Any:
    return ops.nonzero(array(a))


@public
def isin(element: Any, test_elements: Any, invert: bool = False) -> Any:
    found = ops.any(ops.equal(ops.expand_dims(array(element), -1), ravel(test_elements)), -1)
    return ops.logical_not(found) if invert else found


@public
def in1d(ar1: Any, ar2: Any, invert: bool = False) -> Any:
    return isin(ravel(ar1), ar2, invert)


@public
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    left = ravel(ar1) if assume_unique else unique(ar1)
    return ops.masked_select(left, isin(left, ar2, True))


@public
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """The sorted numbers that are in both; with the first places of each if asked for."""
    a, b = ravel(ar1), ravel(ar2)
    common = ops.sort(unique(ops.masked_select(a, isin(a, b))))[0]
    if not return_indices:
        return common
    first = [
        ops.argmax(ops.equal(ops.expand_dims(common, -1), x).astype(dtypes.int32), 1)
        for x in (a, b)
    ]
    return (common, *[typed(place, dtypes.int32) for place in first])


@public
def diag(v: Any, k: int = 0) -> Any:
    x = array(v)
    if x.ndim == 2:
        return diagonal(x, k)
    size = x.shape[0] + abs(k)
    rows = numpy.arange(x.shape[0]) + max(-k, 0)
    places = numpy.stack([rows, rows + k], 1)
    return ops.tensor_scatter_update(ops.zeros((size, size), x.dtype), Tensor(places), x)


@public
def diagflat(v: Any, k: int = 0) -> Any:
    return diag(ravel(v), k)


@public
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    x = ops.moveaxis(array(a), (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    places = (
        (numpy.arange(count) + max(-offset, 0)) * columns + numpy.arange(count) + max(offset, 0)
    )
    return ops.gather(ops.reshape(x, (*x.shape[:-2], -1)), Tensor(places.astype(numpy.int64)), -1)


@public
def tril(m: Any, k: int = 0) -> Any:
    return ops.tril(array(m), k)


@public
def triu(m: Any, k: int = 0) -> Any:
    return ops.triu(array(m), k)


@public
def pad(
    arr: Any,
    pad_width: Any,
    mode: Any = "constant",
    stat_length: Any = None,
    constant_values: Any = 0,
    end_values: Any = 0,
    reflect_type: str = "even",
    **kwargs: Any,
) -> Any:
    """As `numpy.pad`: the values by gathering, so that gradients flow where they come from."""
    x = array(arr)
    widths = numpy.broadcast_to(numpy.asarray(pad_width), (x.ndim, 2))
    if mode == "constant":
        flat = [int(n) for pair in widths[::-1] for n in pair]
        return ops.pad(x, flat, "constant", constant_values)
    result = x
    for axis, (before, after) in enumerate(widths):
        if mode not in ("edge", "reflect", "symmetric", "wrap", "empty"):
            raise ShapeError("pad", "the mode is not supported", got=repr(mode))
        kind: Any = "edge" if mode == "empty" else mode
        places = numpy.pad(numpy.arange(x.shape[axis]), (before, after), kind)
        result = ops.gather(result, Tensor(places), axis)
    return result


@public
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """`func1d` of every line of `arr` along `axis`."""
    x = ops.moveaxis(array(arr), axis, -1)
    lines = ops.reshape(x, (-1, x.shape[-1]))
    made = [asarray(func1d(lines[k], *args, **kwargs)) for k in range(lines.shape[0])]
    whole = ops.reshape(ops.stack(made), (*x.shape[:-1], *made[0].shape))
    places = tuple(range(axis % x.ndim, axis % x.ndim + made[0].ndim))
    return ops.moveaxis(whole, tuple(range(x.ndim - 1, whole.ndim)), places) if places else whole


@public
def apply_over_axes(func: Callable[..., Any], a: Any, axes: int | Sequence[int]) -> Any:
    result = array(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        made = func(result, axis)
        result = made if made.ndim == result.ndim else ops.expand_dims(made, axis)
    return result


@public
def unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    rest, found = array(indices), []
    for size in sizes[::-1] if order == "C" else sizes:
        found.append(ops.remainder(rest, size))
        rest = ops.floor_divide(rest, size)
    return tuple(found[::-1] if order == "C" else found)


@public
def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "clip", order: str = "C") -> Any:
    steps = (
        numpy.cumprod([1, *dims[::-1]])[:-1][::-1]
        if order == "C"
        else numpy.cumprod([1, *dims])[:-1]
    )
    total: Any = 0
    for place, size, step in zip(multi_index, dims, steps, strict=True):
        given = array(place)
        inside = ops.remainder(given, size) if mode == "wrap" else ops.clamp(given, 0, size - 1)
        total = total + inside * int(step)
    return typed(array(total), dtypes.float32)


@public
def array_str(a: Tensor) -> str:
    return str(a)


@public
def size(a: Any, axis: int | None = None) -> int:
    return array(a).size if axis is None else array(a).shape[axis]
