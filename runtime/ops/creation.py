"""New tensors: filled, counted, random."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.dtype import DType
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.promotion import as_tensor, constant
from ..engine.tensor import Tensor, wrap
from ..primitives import shaping as p
from .arithmetic import less, where
from .registry import op
from .shaping import Sizes, check_indices, reshape, sizes_of


@op
def full(size: Sizes, fill_value: Any, *, dtype: DType | None = None) -> Tensor:
    """`fill_value` everywhere; its own element type unless `dtype` is given."""
    check_type("full", "size", size, tuple, list, Tensor)
    natural = dtypes.int64 if isinstance(fill_value, bool) else Tensor(fill_value).dtype
    target = natural if dtype is None else dtypes.as_dtype(dtype)
    return wrap(np.full(sizes_of(size), fill_value, target.numpy))


@op
def zeros(size: Sizes, dtype: DType | None = None) -> Tensor:
    return wrap(np.zeros(sizes_of(size), (dtypes.float32 if dtype is None else dtype).numpy))


@op
def ones(shape: Sizes, dtype: DType | None = None) -> Tensor:
    return wrap(np.ones(sizes_of(shape), (dtypes.float32 if dtype is None else dtype).numpy))


@op
def full_like(input: Tensor, fill_value: Any, *, dtype: DType | None = None) -> Tensor:
    return full(input.shape, fill_value, dtype=input.dtype if dtype is None else dtype)


@op
def zeros_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    return zeros(input.shape, input.dtype if dtype is None else dtype)


@op
def ones_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    return ones(input.shape, input.dtype if dtype is None else dtype)


@op
def fill(type: DType, shape: Sizes, value: Any) -> Tensor:
    return full(shape, value, dtype=type)


@op
def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: DType | None = None) -> Tensor:
    """start, start + step, ... below `end`; int64, or float32 if an argument is a float."""
    first, last = (0, start) if end is None else (start, end)
    limits = [x.item() if isinstance(x, Tensor) else x for x in (first, last, step)]
    if limits[2] == 0 or (limits[1] - limits[0]) * limits[2] < 0:
        raise ShapeError("arange", "no step leads to the end", got=str(limits))
    natural = dtypes.float32 if any(isinstance(x, float) for x in limits) else dtypes.int64
    target = natural if dtype is None else dtypes.as_dtype(dtype)
    return wrap(np.arange(*limits).astype(target.numpy))


@op
def range(start: Any, end: Any, step: Any, maxlen: int = 1000000) -> Tensor:
    return arange(start, end, step)


@op
def linspace(start: Any, end: Any, steps: int) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, as float32."""
    first, last = (as_tensor(x).item() for x in (start, end))
    check_int("linspace", "steps", steps, 1)
    return wrap(np.linspace(first, last, int(steps), dtype=np.float32))


@op
def logspace(
    start: Any, end: Any, steps: int, base: int = 10, *, dtype: DType = dtypes.float32
) -> Tensor:
    """`steps` powers of `base`, whose exponents go from `start` to `end`."""
    first, last = (as_tensor(x).item() for x in (start, end))
    check_int("logspace", "steps", steps, 0)
    if dtype not in dtypes.FLOATS:
        raise ElementTypeError("logspace", "makes floats", got=str(dtype))
    return wrap(np.logspace(first, last, int(steps), base=base).astype(dtype.numpy))


@op
def eye(n: int, m: int | None = None, dtype: DType | None = None) -> Tensor:
    return wrap(np.eye(n, m, dtype=(dtypes.float32 if dtype is None else dtype).numpy))


@op
def one_hot(
    indices: Tensor, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1
) -> Tensor:
    """`on_value` at the index, `off_value` elsewhere, along a new axis of `depth`."""
    on, off = (x if isinstance(x, Tensor) else Tensor(x) for x in (on_value, off_value))
    check_indices("one_hot", indices)
    pair = p.concat(reshape(off, (1,)), reshape(on, (1,)), axis=0)
    places = where(less(indices, 0), int(depth), indices)  # ONNX counts those from the end
    return p.one_hot(places, constant(int(depth)), pair, axis=axis)
