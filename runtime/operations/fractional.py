"""Pools with random windows, and pools undone."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from .. import ops
from ..engine.argument import check_type
from ..engine.dtype import Array
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.activation import SIGNED
from ..ops.random import source_of
from ..ops.unpooling import fractional, unpooled
from ..ops.window import check_rank, check_sizes, numbers
from .operation import operation

Sizes = int | tuple[int, ...]


def bounds(n: int, ratio: float, pseudo: bool, source: np.random.Generator) -> Array:
    """Where the windows over n elements begin, and the end: the lengths differ by one at most."""
    count = int(n / ratio)
    if pseudo:
        step = n / count
        start = source.random() * min(1.0, (n + 1 - step * (count - 1)) / step - 1)
        places = np.ceil(step * (np.arange(count + 1) + start)).astype(np.int64)
        ends: Array = places - places[0]
        ends[-1] = n
        return ends
    lengths = np.full(count, n // count)
    lengths[: n % count] += 1
    return np.concatenate([[0], np.cumsum(source.permutation(lengths))]).astype(np.int64)


def windows(x: Tensor, axis: int, ends: Array, overlapping: bool) -> tuple[Tensor, Array]:
    """`x` with the elements of each window along a new axis, and how many are in each."""
    last = [min(b + overlapping, x.shape[axis]) for b in ends[1:].tolist()]
    rows = [np.arange(a, b) for a, b in zip(ends[:-1].tolist(), last, strict=True)]
    width = max(map(len, rows))
    table = np.stack([np.pad(row, (0, width - len(row)), mode="edge") for row in rows])
    counted = np.arange(width)[None] < np.array([len(row) for row in rows])[:, None]
    return ops.gather(x, constant(table), axis), counted


def check_ratios(**attrs: Any) -> None:
    for ratio in attrs["pooling_ratio"]:
        check_type("FractionalPool", "pooling_ratio", ratio, float)


def random_pool(name: str, mean: bool) -> None:
    @operation(name, check_ratios)
    def made(
        x: Tensor,
        *,
        pooling_ratio: list[float],
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: int = 0,
        seed2: int = 0,
    ) -> Any:
        """(n, h, w, c) in windows of random lengths, and where they begin along h and w."""
        check_rank(name, x, 4)
        if any(ratio < 1 for ratio in pooling_ratio):
            raise ShapeError(name, "pooling_ratio must be at least 1", got=str(pooling_ratio))
        source = source_of((seed or None) if deterministic else None)
        found, y = [], x
        for axis in (1, 2):
            found.append(bounds(x.shape[axis], pooling_ratio[axis], pseudo_random, source))
            seen, counted = windows(y, axis, found[-1], overlapping)
            y = averaged(seen, axis + 1, counted) if mean else ops.amax(seen, axis + 1)
        whole = ops.trunc(y) if mean and x.dtype in SIGNED else y
        return convert(whole, x.dtype), *[constant(ends) for ends in found]


def averaged(seen: Tensor, axis: int, counted: Array) -> Any:
    """The mean of those that count, of windows along `axis`."""
    shape = [1] * seen.ndim
    shape[axis - 1 : axis + 1] = counted.shape
    shares = (counted / counted.sum(1, keepdims=True)).reshape(shape).astype(np.float32)
    return ops.sum(ops.mul(seen, Tensor(shares)), axis)


random_pool("FractionalMaxPool", False)
random_pool("FractionalAvgPool", True)


def check_fixed(**attrs: Any) -> None:
    count = 3 if attrs["data_format"] in ("NCDHW", "NDHWC") else 2
    for name in ("ksize", "output_shape"):
        check_sizes("FractionalMaxPool", name, attrs[name], count)


@operation("FractionalMaxPoolWithFixedKsize", check_fixed)
def fractional_max_pool(
    input_x: Tensor,
    random_samples: Tensor,
    *,
    ksize: Sizes,
    output_shape: Sizes,
    data_format: Literal["NCHW"] = "NCHW",
) -> Any:
    check_rank("FractionalMaxPoolWithFixedKsize", input_x, 4)
    return fractional("pool2d", input_x, ksize, (output_shape, None), random_samples)


@operation("FractionalMaxPool3DWithFixedKsize", check_fixed)
def fractional_max_pool_3d(
    x: Tensor,
    random_samples: Tensor,
    *,
    ksize: Sizes,
    output_shape: Sizes,
    data_format: Literal["NCDHW", "NDHWC"] = "NCDHW",
) -> Any:
    check_rank("FractionalMaxPool3DWithFixedKsize", x, 4, 5)
    last = data_format == "NDHWC"
    given = ops.movedim(x, -1, -4) if last else x
    found = fractional("pool3d", given, ksize, (output_shape, None), random_samples)
    return tuple([ops.movedim(y, -4, -1) for y in found]) if last else found


def unpool(name: str, formats: tuple[str, str]) -> None:
    count = len(formats[0]) - 2

    def check(ksize: Any, strides: Any, pads: Any, output_shape: Any, data_format: Any) -> None:
        for attr, sizes, low in (("ksize", ksize, 1), ("strides", strides, 0), ("pads", pads, 0)):
            check_sizes(name, attr, sizes, count, low)
        if data_format not in formats:
            raise ShapeError(name, "there is no such data_format", got=data_format)

    @operation(name, check)
    def made(
        x: Tensor,
        argmax: Tensor,
        *,
        ksize: Sizes,
        strides: Sizes = 0,
        pads: Sizes = 0,
        output_shape: tuple[int, ...] = (),
        data_format: str = formats[0],
    ) -> Any:
        """Each element at its place in a plane of zeros."""
        check_rank(name, x, count + 2)
        last = data_format == formats[1]
        values, places = (ops.movedim(t, -1, 1) if last else t for t in (x, argmax))
        steps = None if strides in (0, (0,) * count) else strides
        shape = output_shape
        if last and shape:
            shape = (shape[0], shape[-1], *shape[1:-1])
        window = (ksize, steps, pads)
        check_places(name, places, window, shape[2:])
        y = unpooled(f"MaxUnpool{count}d", values, places, window, shape)
        return ops.movedim(y, 1, -1) if last else y


def check_places(where: str, places: Tensor, window: tuple[Any, Any, Any], given: Any) -> None:
    """Raises: RuntimeError for places outside of the plane, where they are known."""
    own = places.shape[2:]
    kernel, pads = (numbers(window[k], len(own)) for k in (0, 2))
    steps = kernel if window[1] is None else numbers(window[1], len(own))
    every = zip(own, kernel, steps, pads, strict=True)
    sizes = given or [(n - 1) * s - 2 * p + k for n, k, s, p in every]
    if not places.is_traced and places.size and places.asnumpy().max() >= math.prod(sizes):
        raise RuntimeError(f"{where}: a place lies outside of {sizes}")


unpool("MaxUnpool2D", ("NCHW", "NHWC"))
unpool("MaxUnpool3D", ("NCDHW", "NDHWC"))
