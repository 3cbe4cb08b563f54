"""Pools by norms, pools with random windows, and pools undone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_float, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .arithmetic import abs, add, floor, mul, pow, sign, sub
from .creation import zeros
from .random import rand
from .reduction import argmax
from .registry import op
from .shaping import (
    expand_dims,
    gather_elements,
    reshape,
    squeeze,
    tensor_scatter_elements,
)
from .window import avg_pool1d, avg_pool2d, numbers

Sizes = tuple[int, ...]


def by_norm(where: str, norm_type: Any) -> float:
    """The order of a norm. Raises: TypeError, ValueError (MS304) as MindSpore does."""
    check_type(where, "norm_type", norm_type, float, int)
    if norm_type == 0:
        raise ShapeError(where, "norm_type must not be 0", got="0")
    return float(norm_type)


def root_of(means: Tensor, count: int, order: float) -> Tensor:
    """(sum of each window) ** (1 / order), by its mean."""
    return pow(mul(mul(sign(means), abs(means)), count), 1.0 / order)


@op
def lp_pool1d(
    x: Tensor, norm_type: Any, kernel_size: int, stride: int | None = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of each window: sum(x ** p) ** (1 / p)."""
    order = by_norm("lp_pool1d", norm_type)
    batched = x if x.ndim == 3 else expand_dims(x, 0)
    steps = kernel_size if stride is None else stride
    means = avg_pool1d(pow(batched, order), kernel_size, steps, 0, ceil_mode)
    return root_of(means if x.ndim == 3 else squeeze(means, 0), kernel_size, order)


@op
def lp_pool2d(
    x: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    order, sizes = by_norm("lp_pool2d", norm_type), numbers(kernel_size, 2)
    means = avg_pool2d(pow(x, order), sizes, sizes if stride is None else stride, 0, ceil_mode)
    return root_of(means, math.prod(sizes), order)


def unpooled(
    where: str, x: Tensor, indices: Tensor, window: tuple[Any, Any, Any], output_size: Any
) -> Tensor:
    """Each element of `x` at its place in a plane of zeros; `where` ends in "2d" and such.

    Shapes: x, indices (n, c, *sizes) or (c, *sizes); window kernel, stride, padding
    """
    count = int(where[-2])
    check_type(where, "x", x, Tensor)
    if indices.dtype not in (dtypes.int32, dtypes.int64):
        raise ElementTypeError(where, "indices must be int32 or int64", got=indices.dtype.name)
    if x.shape != indices.shape or x.ndim not in (count + 1, count + 2):
        got = f"{x.shape}, {indices.shape}"
        raise ShapeError(where, "needs two equal shapes, with or without a batch", got=got)
    kernel = numbers(window[0], count)
    steps = kernel if window[1] is None else numbers(window[1], count)
    pads = numbers(window[2], count)
    own = x.shape[-count:]
    every = zip(own, kernel, steps, pads, strict=True)
    sizes = tuple((n - 1) * s - 2 * p + k for n, k, s, p in every)
    if output_size is not None:
        sizes = given_sizes(where, output_size, sizes, steps)
    lead = x.shape[:-count]
    flat = reshape(x, (math.prod(lead), -1))
    places = reshape(convert(indices, dtypes.int64), flat.shape)
    plane = zeros((flat.shape[0], math.prod(sizes)), x.dtype)
    return reshape(tensor_scatter_elements(plane, places, flat, 1), (*lead, *sizes))


def given_sizes(where: str, output_size: Any, usual: Sizes, steps: Sizes) -> Sizes:
    """The last sizes of `output_size`. Raises: ValueError (MS304) if too far from the usual."""
    count = len(usual)
    if not isinstance(output_size, tuple):
        raise ShapeError(where, "output_size must be a tuple", got=repr(output_size))
    if not output_size:
        return usual
    if len(output_size) not in (count, count + 1, count + 2):
        raise ShapeError(where, "output_size has a wrong length", got=str(output_size))
    sizes = output_size[-count:]
    near = zip(sizes, usual, steps, strict=True)
    if any(not u - s < n < u + s for n, u, s in near):
        got, expected = str(sizes), f"near {usual}"
        raise ShapeError(where, "output_size does not fit", got=got, expected=expected)
    return sizes


@op
def max_unpool1d(
    x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:  # fmt: skip
    """Undoes `max_pool1d`: the largest elements at their places, zeros elsewhere."""
    return unpooled("max_unpool1d", x, indices, (kernel_size, stride, padding), output_size)


@op
def max_unpool2d(
    x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:  # fmt: skip
    return unpooled("max_unpool2d", x, indices, (kernel_size, stride, padding), output_size)


@op
def max_unpool3d(
    x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:  # fmt: skip
    return unpooled("max_unpool3d", x, indices, (kernel_size, stride, padding), output_size)


def fractional(
    where: str, x: Tensor, kernel: Any, sizes: tuple[Any, Any], samples: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The largest elements of windows at random places, and where they were.

    Shapes: samples (n, c, axes) in [0, 1); `sizes` are output_size and output_ratio
    """
    count = int(where[-2])
    check_type(where, "input", x, Tensor)
    lead, own = x.shape[:-count], x.shape[-count:]
    wanted = fractional_sizes(where, own, *sizes)
    windows = numbers(kernel, count)
    if samples is None:
        samples = rand(*(lead if len(lead) == 2 else (1, *lead)), count)
    chances = reshape(convert(samples, dtypes.float32), (math.prod(lead), count))
    order = range(count) if count == 3 else (1, 0)
    places: Any = constant(np.zeros((1, 1, 1)), dtypes.int64)
    for axis, (n, w, k) in enumerate(zip(own, wanted, windows, strict=True)):
        chance = chances[:, order[axis] : order[axis] + 1]
        starts = random_starts(chance, n, w, k)
        inside = constant(np.arange(k)[None, None], dtypes.int64)
        seen = add(expand_dims(starts, -1), inside)
        outer = reshape(mul(places, n), (places.shape[0], places.shape[1], 1, places.shape[2], 1))
        both = add(outer, reshape(seen, (seen.shape[0], 1, w, 1, k)))
        places = reshape(both, (both.shape[0], -1, both.shape[3] * k))
    flat = reshape(x, (math.prod(lead), -1))
    every = reshape(places, (places.shape[0], -1))
    found = reshape(gather_elements(flat, 1, every), places.shape)
    best = expand_dims(argmax(found, -1), -1)
    y, where_ = (reshape(gather_elements(a, 2, best), (*lead, *wanted)) for a in (found, places))
    return y, where_


def random_starts(chance: Tensor, size: int, windows: int, kernel: int) -> Tensor:
    """(planes, windows): where the windows begin; the last one ends at the end."""
    last = size - kernel
    if windows == 1:
        return convert(mul(chance, 0.0) + last, dtypes.int64)
    alpha = last / (windows - 1)
    steps = constant(np.arange(windows)[None], dtypes.float32)
    starts = sub(floor(mul(add(chance, steps), alpha)), floor(mul(chance, alpha)))
    ends = constant(np.arange(windows)[None] == windows - 1, dtypes.float32)
    return convert(add(mul(starts, sub(1.0, ends)), mul(ends, float(last))), dtypes.int64)


def fractional_sizes(where: str, own: Sizes, output_size: Any, output_ratio: Any) -> Sizes:
    """The output's sizes. Raises: TypeError, ValueError (MS304) as MindSpore does."""
    if output_size is None and output_ratio is None:
        raise ShapeError(where, "needs output_size or output_ratio")
    count = len(own)
    if output_size is not None:
        return numbers(output_size, count)
    ratios = (output_ratio,) * count if isinstance(output_ratio, (int, float)) else output_ratio
    for ratio in ratios:
        check_float(where, "output_ratio", ratio, 0.0, 1.0, "neither")
    return tuple(int(n * ratio) for n, ratio in zip(own, ratios, strict=True))


@op
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest elements of windows at random places, so that the output has its size."""
    sizes = (output_size, output_ratio)
    found = fractional("fractional_max_pool2d", input, kernel_size, sizes, _random_samples)
    check_type("fractional_max_pool2d", "return_indices", return_indices, bool)
    return found if return_indices else found[0]


@op
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """As `fractional_max_pool2d`, of (d, h, w)."""
    sizes = (output_size, output_ratio)
    found = fractional("fractional_max_pool3d", input, kernel_size, sizes, _random_samples)
    check_type("fractional_max_pool3d", "return_indices", return_indices, bool)
    return found if return_indices else found[0]
