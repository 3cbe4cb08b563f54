"""New tensors: filled, counted, random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import context
from .. import dtype as dtypes
from .. import trace as tracing
from ..dtype import Array, DType
from ..failure import ShapeError
from ..primitives import shaping as p
from ..promotion import as_tensor, constant
from ..tensor import Tensor, wrap
from .arithmetic import cast, less
from .registry import op
from .shaping import Sizes, sizes_of


@op
def full(size: Sizes, fill_value: Any, *, dtype: DType | None = None) -> Tensor:
    """`fill_value` everywhere; its own element type unless `dtype` is given."""
    target = Tensor(fill_value).dtype if dtype is None else dtypes.as_dtype(dtype)
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
    if limits[2] == 0:
        raise ShapeError("arange", "step must not be 0")
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
    return wrap(np.linspace(first, last, int(steps), dtype=np.float32))


@op
def eye(n: int, m: int | None = None, dtype: DType | None = None) -> Tensor:
    return wrap(np.eye(n, m, dtype=(dtypes.float32 if dtype is None else dtype).numpy))


@op
def one_hot(
    indices: Tensor, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1
) -> Tensor:
    """`on_value` at the index, `off_value` elsewhere, along a new axis of `depth`."""
    on, off = (x if isinstance(x, Tensor) else Tensor(x) for x in (on_value, off_value))
    pair = wrap(np.stack([off.asnumpy(), on.asnumpy()]))
    return p.one_hot(indices, constant(int(depth)), pair, axis=axis)


def drawn(shape: tuple[int, ...], target: np.dtype[Any], make: Callable[[], Array]) -> Tensor:
    """A random Tensor; inside a graph it is drawn anew for every run."""
    trace = tracing.active()
    return wrap(make().astype(target)) if trace is None else trace.source(shape, target, make)


def source_of(seed: int | None) -> np.random.Generator:
    """The runtime's generator, or one of its own for `seed`."""
    return context.generator if seed is None else np.random.Generator(np.random.PCG64(seed))


@op
def rand(*size: Any, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Uniform in [0, 1)."""
    shape = random_shape(size)
    target = (dtypes.float32 if dtype is None else dtype).numpy
    return drawn(shape, target, lambda: source_of(seed).random(shape, dtype=np.float32))


@op
def randn(*size: Any, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Normal, mean 0, variance 1."""
    shape = random_shape(size)
    target = (dtypes.float32 if dtype is None else dtype).numpy
    make = lambda: source_of(seed).standard_normal(shape, dtype=np.float32)  # noqa: E731
    return drawn(shape, target, make)


def random_shape(size: tuple[Any, ...]) -> tuple[int, ...]:
    nested = len(size) == 1 and isinstance(size[0], (tuple, list))
    return sizes_of(size[0] if nested else size)


@op
def rand_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    return rand(*input.shape, dtype=input.dtype if dtype is None else dtype, seed=seed)


@op
def randn_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    return randn(*input.shape, dtype=input.dtype if dtype is None else dtype, seed=seed)


@op
def randint(
    low: int, high: int, size: Sizes, seed: int | None = None, *, dtype: DType | None = None
) -> Tensor:
    """Whole numbers in [low, high)."""
    shape, target = sizes_of(size), (dtypes.int64 if dtype is None else dtype).numpy
    return drawn(shape, target, lambda: source_of(seed).integers(low, high, shape))


@op
def bernoulli(input: Tensor, p: float = 0.5, seed: int | None = None) -> Tensor:
    """1 with probability `p`, else 0, in the shape and element type of `input`."""
    return cast(less(rand(*input.shape, seed=seed), p), input.dtype)
