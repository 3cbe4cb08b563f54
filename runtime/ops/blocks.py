"""Blocks of space moved into batches and channels; windows made rows and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.argument import check_tensors, check_type
from ..engine.dtype import Array
from ..engine.failure import RefusedError, ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import shaping as p
from .creation import zeros
from .registry import op
from .shaping import gather, pad, reshape, sliced, transpose


def pairs_of(op: str, given: Any) -> list[tuple[int, int]]:
    check_type(op, "paddings", given, tuple, list)
    found = [tuple(pair) for pair in given]
    if any(len(pair) != 2 or min(pair) < 0 for pair in found):
        raise ShapeError(op, "needs two sizes for each axis", got=str(given))
    return found


def block_of(op: str, given: Any, count: int) -> tuple[int, ...]:
    block = (
        (given,) * count
        if isinstance(given, int)
        else tuple(check_type(op, "block", given, tuple, list))
    )
    if len(block) != count or min(block) < 1:
        raise ShapeError(op, "the block does not match", got=str(given))
    return block


@op
def space_to_batch_nd(input_x: Tensor, block_size: Any, paddings: Any) -> Tensor:
    """Padded, and every block of the last axes spread over the batch."""
    check_tensors("space_to_batch_nd", input_x=input_x)
    sides = pairs_of("space_to_batch_nd", paddings)
    block = block_of("space_to_batch_nd", block_size, len(sides))
    kept = input_x.ndim - len(block)
    x = pad(input_x, [n for pair in reversed(sides) for n in pair])
    n, *front = x.shape[:kept]
    sizes = x.shape[kept:]
    if any(size % b for size, b in zip(sizes, block, strict=True)):
        raise RefusedError(
            "space_to_batch_nd", "the block does not divide", got=f"{sizes}, {block}"
        )
    cut = [m for size, b in zip(sizes, block, strict=True) for m in (size // b, b)]
    inner = range(kept, kept + 2 * len(block))
    apart = transpose(reshape(x, (n, *front, *cut)), (*inner[1::2], *range(kept), *inner[::2]))
    return reshape(apart, (-1, *front, *cut[::2]))


@op
def batch_to_space_nd(input_x: Tensor, block_shape: Any, crops: Any) -> Tensor:
    """The inverse of `space_to_batch_nd`; `crops` is cut off."""
    check_tensors("batch_to_space_nd", input_x=input_x)
    sides = pairs_of("batch_to_space_nd", crops)
    given = block_shape.asnumpy().tolist() if isinstance(block_shape, Tensor) else block_shape
    block = block_of("batch_to_space_nd", given, len(sides))
    count = len(block)
    kept = input_x.ndim - count
    n, *front = input_x.shape[:kept]
    sizes = input_x.shape[kept:]
    if n % int(np.prod(block)):
        raise ShapeError("batch_to_space_nd", "the block does not divide the batch", got=f"{n}")
    x = reshape(input_x, (*block, -1, *front, *sizes))
    spatial = range(count + kept, x.ndim)
    order = [axis for pair in zip(spatial, range(count), strict=True) for axis in pair]
    x = transpose(x, (*range(count, count + kept), *order))
    x = reshape(x, (-1, *front, *[s * b for s, b in zip(sizes, block, strict=True)]))
    steps = {
        kept + k: (low, x.shape[kept + k] - high, 1)
        for k, (low, high) in enumerate(sides)
        if low or high
    }
    return sliced(x, steps)


def two(op: str, name: str, value: Any, low: int) -> tuple[int, int]:
    """One size for both axes, or one for each. Raises: TypeError, ValueError (MS304)."""
    check_type(op, name, value, int, tuple, list)
    found = (value, value) if isinstance(value, int) else tuple(value)
    found = found * 2 if len(found) == 1 else found
    if len(found) != 2 or any(isinstance(n, bool) or n < low for n in found):
        raise ShapeError(op, f"{name} needs two sizes from {low} on", got=repr(value))
    return found


def places(size: int, kernel: int, stride: int, dilation: int) -> Array:
    """(kernel, count): the place of each element of each window."""
    count = (size - dilation * (kernel - 1) - 1) // stride + 1
    if count < 1:
        raise ShapeError("unfold", "the window is larger than the input", got=str(size))
    return np.arange(kernel)[:, None] * dilation + np.arange(count) * stride


def windows(
    x: Tensor, kernel_size: Any, dilation: Any, padding: Any, stride: Any, op: str
) -> Tensor:
    """(n, c, h, w) -> (n, c, kernel elements, windows)."""
    check_tensors(op, input=x)
    if x.ndim != 4:
        raise ShapeError(op, "needs four axes", got=str(x.shape))
    kernel, steps = two(op, "kernel_size", kernel_size, 1), two(op, "stride", stride, 1)
    apart, around = two(op, "dilation", dilation, 1), two(op, "padding", padding, 0)
    x = pad(x, (around[1], around[1], around[0], around[0]))
    rows, columns = (places(x.shape[2 + k], kernel[k], steps[k], apart[k]) for k in (0, 1))
    x = gather(gather(x, constant(columns), 3), constant(rows), 2)
    x = transpose(x, (0, 1, 2, 4, 3, 5))
    return reshape(x, (*x.shape[:2], rows.shape[0] * columns.shape[0], -1))


@op
def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """(n, c, h, w) -> (n, c * kernel elements, windows)."""
    y = windows(input, kernel_size, dilation, padding, stride, "unfold")
    return reshape(y, (y.shape[0], -1, y.shape[-1]))


@op
def col2im(
    input_x: Tensor,
    output_size: Tensor,
    kernel_size: Any,
    dilation: Any,
    padding_value: Any,
    stride: Any,
) -> Tensor:
    """(n, c, kernel elements, windows) -> (n, c, h, w): overlapping windows are added."""
    check_tensors("col2im", input_x=input_x, output_size=output_size)
    if input_x.ndim != 4:
        raise ShapeError("col2im", "needs four axes", got=str(input_x.shape))
    height, width = two("col2im", "output_size", output_size.asnumpy().tolist(), 1)
    kernel, steps = two("col2im", "kernel_size", kernel_size, 1), two("col2im", "stride", stride, 1)
    apart, around = (two("col2im", n, v, low) for n, v, low in
                     (("dilation", dilation, 1), ("padding", padding_value, 0)))  # fmt: skip
    high, wide = height + 2 * around[0], width + 2 * around[1]
    rows = places(high, kernel[0], steps[0], apart[0])[:, None, :, None]
    columns = places(wide, kernel[1], steps[1], apart[1])[None, :, None, :]
    at = constant((rows * wide + columns).reshape(-1, 1))
    n, c, elements, count = input_x.shape
    if elements * count != at.size:
        raise ShapeError("col2im", "the windows do not match", got=str(input_x.shape))
    flat = transpose(reshape(input_x, (n * c, elements * count)), (1, 0))
    made = p.scatter_nd(zeros((high * wide, n * c), input_x.dtype), at, flat, reduction="add")
    y = reshape(transpose(made, (1, 0)), (n, c, high, wide))
    return pad(y, (-around[1], -around[1], -around[0], -around[0])) if any(around) else y


@op
def fold(
    input: Tensor,
    output_size: Tensor,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Tensor:
    """(n, c * kernel elements, windows) -> (n, c, h, w): overlapping windows are added."""
    check_tensors("fold", input=input)
    kernel = two("fold", "kernel_size", kernel_size, 1)
    if input.ndim != 3:
        raise ShapeError("fold", "needs three axes", got=str(input.shape))
    x = reshape(input, (input.shape[0], -1, kernel[0] * kernel[1], input.shape[-1]))
    return col2im(x, output_size, kernel, dilation, padding, stride)
