"""Making arrays."""

from __future__ import annotations

import operator
from typing import Any

import numpy

from .. import ops
from ..engine import dtype as dtypes
from ..engine.failure import ShapeError
from ..engine.tensor import Tensor
from .registry import array as as_array
from .registry import named, public, type_of, typed


@public
def array(obj: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    x = as_array(obj, dtype)
    made = ops.reshape(x, (1,) * (ndmin - x.ndim) + x.shape) if ndmin > x.ndim else x
    return made.copy() if copy and made is obj else made


@public
def asarray(a: Any, dtype: Any = None) -> Any:
    return as_array(a, dtype)


@public
def asfarray(a: Any, dtype: Any = dtypes.float32) -> Any:
    """Floats: whole number types become float32."""
    kind = dtypes.float32 if dtype is None else type_of(dtype)
    return as_array(a, kind if kind in dtypes.FLOATS else dtypes.float32)


def sizes(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


@public
def zeros(shape: Any, dtype: Any = dtypes.float32) -> Any:
    return ops.zeros(sizes(shape), type_of(dtype))


named("empty", zeros)


@public
def ones(shape: Any, dtype: Any = dtypes.float32) -> Any:
    return ops.ones(sizes(shape), type_of(dtype))


@public
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    return ops.broadcast_to(as_array(fill_value, dtype), sizes(shape))


@public
def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    like = as_array(a)
    size = like.shape if shape is None else sizes(shape)
    return full(size, fill_value, like.dtype if dtype is None else dtype)


@public
def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    return full_like(a, 0, dtype, shape)


@public
def empty_like(prototype: Any, dtype: Any = None, shape: Any = None) -> Any:
    return zeros_like(prototype, dtype, shape)


@public
def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    return full_like(a, 1, dtype, shape)


@public
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = dtypes.float32) -> Any:
    return Tensor(numpy.eye(N, M, k, dtype=type_of(dtype).numpy))


@public
def identity(n: int, dtype: Any = dtypes.float32) -> Any:
    return eye(n, dtype=dtype)


@public
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = dtypes.float32) -> Any:
    return Tensor(numpy.tri(N, M, k, dtype=type_of(dtype).numpy))


@public
def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    low, high = (0, start) if stop is None else (start, stop)
    made = numpy.arange(low, high, 1 if step is None else step)
    return as_array(made.tolist() if made.size else made, dtype)


@public
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    low, high = as_array(start, dtypes.float32), as_array(stop, dtypes.float32)
    parts = num - 1 if endpoint else num
    step = ops.div(high - low, parts) if parts else high - low
    rank = max(low.ndim, high.ndim)
    places = ops.reshape(Tensor(numpy.arange(num, dtype=numpy.float32)), (num, *(1,) * rank))
    made = low + places * step
    if endpoint and num > 1:  # exactly, whatever the rounding
        last = ops.broadcast_to(ops.expand_dims(high, 0), (1, *made.shape[1:]))
        made = ops.concat((made[:-1], last))
    made = ops.moveaxis(made, 0, axis) if rank else made
    return (typed(made, dtype), step) if retstep else typed(made, dtype)


@public
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    return typed(ops.pow(as_array(base), linspace(start, stop, num, endpoint, axis=axis)), dtype)


@public
def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    low = as_array(start, dtypes.float32)
    ratio = ops.log(ops.div(as_array(stop, dtypes.float32), low))
    exponents = linspace(ops.zeros_like(ratio), ratio, num, endpoint, axis=axis)
    return typed(low * ops.exp(exponents), dtype)


@public
def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> Any:
    if indexing not in ("xy", "ij"):
        raise ShapeError("meshgrid", "indexing", got=repr(indexing), expected="'xy' or 'ij'")
    given = [as_array(x) for x in xi]
    order = [1, 0, *range(2, len(given))] if indexing == "xy" and len(given) > 1 else None
    places = range(len(given)) if order is None else order
    shaped = [
        ops.reshape(x, tuple([-1 if k == place else 1 for k in range(len(given))]))
        for place, x in zip(places, given, strict=True)
    ]
    return shaped if sparse else broadcast_arrays(*shaped)


@public
def broadcast_arrays(*args: Any) -> Any:
    given = [as_array(x) for x in args]
    shape = numpy.broadcast_shapes(*[x.shape for x in given])
    return [ops.broadcast_to(x, shape) for x in given]


@public
def indices(dimensions: Any, dtype: Any = dtypes.int32, sparse: bool = False) -> Any:
    grids = meshgrid(*map(arange, dimensions), sparse=sparse, indexing="ij")
    return [typed(g, dtype) for g in grids]


def ix_(*args: Any) -> Any:
    return tuple(meshgrid(*args, sparse=True, indexing="ij"))


named("ix_", ix_)


def places(made: Any) -> Any:
    return tuple([Tensor(part.astype(numpy.int32)) for part in made])


@public
def diag_indices(n: int, ndim: int = 2) -> Any:
    return places(numpy.diag_indices(n, ndim))


@public
def tril_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    return places(numpy.tril_indices(n, k, m))


@public
def triu_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    return places(numpy.triu_indices(n, k, m))


@public
def tril_indices_from(arr: Tensor, k: int = 0) -> Any:
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


@public
def triu_indices_from(arr: Tensor, k: int = 0) -> Any:
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def window(name: str) -> Any:
    function = operator.attrgetter(name)(numpy)
    return lambda M: Tensor(numpy.asarray(function(M), numpy.float32))


for _name in ("bartlett", "blackman", "hamming", "hanning"):
    named(_name, window(_name))


@public
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    a = as_array(x)
    powers = numpy.arange(a.shape[0] if N is None else N)
    return ops.pow(ops.expand_dims(a, -1), Tensor(powers if increasing else powers[::-1].copy()))


@public
def rand(*shape: Any, dtype: Any = dtypes.float32) -> Any:
    return ops.rand(*shape, dtype=type_of(dtype))


@public
def randn(*shape: Any, dtype: Any = dtypes.float32) -> Any:
    return ops.randn(*shape, dtype=type_of(dtype))


@public
def randint(
    minval: int, maxval: int | None = None, shape: Any = None, dtype: Any = dtypes.int32
) -> Any:
    low, high = (0, minval) if maxval is None else (minval, maxval)
    size = () if shape is None else sizes(shape)
    return ops.randint(low, high, size, dtype=type_of(dtype))


@public
def promote_types(type1: Any, type2: Any) -> dtypes.DType:
    return result_type(type1, type2)


@public
def result_type(*arrays_and_dtypes: Any) -> dtypes.DType:
    """The element type that all go into."""
    from ..engine.promotion import common_type

    kinds = [
        x.dtype
        if isinstance(x, Tensor)
        else as_array(x).dtype
        if isinstance(x, (bool, int, float, list, tuple))
        else type_of(x)
        for x in arrays_and_dtypes
    ]
    found = kinds[0]
    for kind in kinds[1:]:
        found = common_type(found, kind)
    return found
