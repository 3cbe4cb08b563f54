"""Shapes, joining and splitting, gathering and scattering, padding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_tensors, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import as_tensor, common_type, constant
from ..engine.tensor import Tensor
from ..primitives import elementwise as e
from ..primitives import shaping as p
from .registry import alias, op

PAD_MODES = {
    "constant": "constant",
    "reflect": "reflect",
    "replicate": "edge",
    "circular": "wrap",
}
"""What ONNX calls the modes of `pad`."""

Sizes = int | Sequence[int] | Tensor


def sizes_of(shape: Any) -> tuple[int, ...]:
    """A shape given as a number, a sequence or a Tensor, as a tuple of ints."""
    if isinstance(shape, Tensor):
        shape = shape.asnumpy().tolist()
    sizes = tuple(shape) if isinstance(shape, (tuple, list, range)) else (shape,)
    if any(isinstance(n, (float, str, bool)) for n in sizes):
        raise ElementTypeError("shape", "sizes are whole numbers", got=repr(shape))
    return tuple(int(n) for n in sizes)


def check_indices(where: str, indices: Any) -> None:
    """Raises: TypeError (MS304) if they are no Tensor of int32 or int64."""
    check_tensors(where, indices=indices)
    if indices.dtype not in (dtypes.int32, dtypes.int64):
        raise ElementTypeError(where, "indices are int32 or int64", got=indices.dtype.name)


def axis_of(axis: int, rank: int, op: str = "") -> int:
    """`axis` counted from the front. Raises: MS304 if there is no such axis."""
    if not -rank <= axis < rank:
        raise ShapeError(
            op or "axis", "there is no such axis", got=str(axis), expected=f"{rank} axes"
        )
    return axis % rank if rank else 0


@op
def reshape(input: Tensor, shape: Sizes) -> Tensor:
    """`input` with other sizes; one of them may be -1."""
    sizes = sizes_of(shape)
    if -1 not in input.shape and -1 not in sizes and math.prod(sizes) != input.size:
        raise ShapeError("reshape", "another number of elements", got=str(input.shape),
                         expected=str(sizes))  # fmt: skip
    if 0 in input.shape and -1 in sizes:
        known = math.prod(n for n in sizes if n != -1)
        sizes = tuple(input.size // max(known, 1) if n == -1 else n for n in sizes)
    return p.reshape(input, constant(sizes), allowzero=1)


@op
def transpose(input: Tensor, dims: Sequence[int]) -> Tensor:
    """`input` with its axes in the order `dims`."""
    order = tuple(axis_of(d, input.ndim, "transpose") for d in sizes_of(dims))
    if sorted(order) != list(range(input.ndim)):
        raise ShapeError("transpose", "needs every axis once", got=str(tuple(dims)))
    return p.transpose(input, perm=order)


@op
def permute(input: Tensor, axis: Sequence[int]) -> Tensor:
    return transpose(input, axis)


@op
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    order = list(range(input.ndim))
    a, b = axis_of(axis0, input.ndim, "swapaxes"), axis_of(axis1, input.ndim, "swapaxes")
    order[a], order[b] = order[b], order[a]
    return transpose(input, order)


@op
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    return swapaxes(input, dim0, dim1)


@op
def t(input: Tensor) -> Tensor:
    return transpose(input, (1, 0)) if input.ndim == 2 else input


@op
def movedim(x: Tensor, source: Any, destination: Any) -> Tensor:
    """`x` with the axes `source` moved to `destination`, the others in their order."""
    origin = [axis_of(a, x.ndim) for a in sizes_of(source)]
    target = [axis_of(a, x.ndim) for a in sizes_of(destination)]
    order = [a for a in range(x.ndim) if a not in origin]
    for place, axis in sorted(zip(target, origin, strict=True)):
        order.insert(place, axis)
    return transpose(x, order)


moveaxis = alias("moveaxis", movedim)


@op
def squeeze(input: Tensor, axis: int | Sequence[int] | None = None) -> Tensor:
    """Without the axes of size 1: those in `axis`, or all. Longer ones stay."""
    axes = range(input.ndim) if axis is None else [axis_of(a, input.ndim) for a in sizes_of(axis)]
    gone = tuple(a for a in axes if input.shape[a] == 1)
    return p.squeeze(input, constant(gone)) if gone else input


@op
def expand_dims(input_x: Tensor, axis: int | Sequence[int]) -> Tensor:
    """With a new axis of size 1 at `axis`."""
    x = as_tensor(input_x, "expand_dims")
    places = tuple(axis_of(a, x.ndim + 1, "expand_dims") for a in sizes_of(axis))
    return p.unsqueeze(x, constant(places))


@op
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    return expand_dims(input, dim)


@op
def flatten(input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """The axes from `start_dim` to `end_dim` made one."""
    if order not in ("C", "F"):
        raise ShapeError("flatten", "order must be 'C' or 'F'", got=repr(order))
    if input.ndim == 0:
        return reshape(input, (1,))
    x = transpose(input, tuple(range(input.ndim)[::-1])) if order == "F" else input
    if start_dim == 1 and x.ndim == 1:
        return x
    first, last = axis_of(start_dim, x.ndim, "flatten"), axis_of(end_dim, x.ndim, "flatten")
    if first > last:
        raise ShapeError("flatten", "start_dim lies behind end_dim", got=f"{start_dim}, {end_dim}")
    if first == 1 and last == x.ndim - 1:
        return p.flatten(x, axis=1)
    joined = math.prod(x.shape[first : last + 1])
    return reshape(x, (*x.shape[:first], joined, *x.shape[last + 1 :]))


@op
def broadcast_to(input: Tensor, shape: Sizes) -> Tensor:
    """`input` repeated to `shape`; -1 keeps a size."""
    sizes = sizes_of(shape)
    own = (1,) * (len(sizes) - input.ndim) + input.shape
    if len(own) != len(sizes) or any(
        n not in (-1, o) and o != 1 for n, o in zip(sizes, own, strict=True)
    ):
        raise ShapeError(
            "broadcast_to", "does not broadcast", got=str(input.shape), expected=str(sizes)
        )
    target = tuple(o if n == -1 else n for n, o in zip(sizes, own, strict=True))
    return p.expand(input, constant(target))


@op
def expand(input_x: Tensor, size: Sizes) -> Tensor:
    return broadcast_to(input_x, size)


@op
def tile(input: Tensor, dims: Sizes) -> Tensor:
    """`input` repeated `dims` times along its last axes."""
    times = sizes_of(dims)
    times = (1,) * (input.ndim - len(times)) + times
    x = reshape(input, (1,) * (len(times) - input.ndim) + input.shape)
    return p.tile(x, constant(times))


@op
def repeat_interleave(input: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    """Each element repeated in place along `axis` (of all, flattened, if None).

    `repeats` is one number, or one for each place.
    """
    x = flatten(input, start_dim=0) if axis is None else input
    place = 0 if axis is None else axis_of(axis, x.ndim)
    times = sizes_of(repeats)
    if len(times) > 1:
        if len(times) != x.shape[place]:
            raise ShapeError("repeat_interleave", "one number for each place", got=str(times))
        return p.gather(x, constant(np.repeat(np.arange(len(times)), times)), axis=place)
    repeats = times[0]
    wide = (*x.shape[: place + 1], repeats, *x.shape[place + 1 :])
    joined = (*x.shape[:place], x.shape[place] * repeats, *x.shape[place + 1 :])
    return reshape(broadcast_to(expand_dims(x, place + 1), wide), joined)


@op
def concat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """The tensors joined along `axis`, in their common element type."""
    check_type("concat", "tensors", tensors, tuple, list)
    if not tensors:
        raise ShapeError("concat", "there is nothing to join")
    check_tensors("concat", **{f"tensors[{k}]": x for k, x in enumerate(tensors)})
    target = tensors[0].dtype
    for x in tensors[1:]:
        target = common_type(target, x.dtype)
    place = axis_of(axis, tensors[0].ndim, "concat")
    return p.concat(*[convert(x, target) for x in tensors], axis=place)


@op
def cat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    return concat(tensors, axis)


@op
def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """The tensors joined along a new axis."""
    every = [tensors] if isinstance(tensors, Tensor) else tensors
    return concat([expand_dims(x, axis) for x in every], axis)


@op
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    return concat(
        [reshape(x, (1,)) if x.ndim == 0 else x for x in tensors], int(tensors[0].ndim > 1)
    )


@op
def vstack(inputs: Sequence[Tensor]) -> Tensor:
    return concat([reshape(x, (1, -1)) if x.ndim < 2 else x for x in inputs], 0)


@op
def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], axis: int = 0
) -> tuple[Tensor, ...]:
    """Pieces of the size given (the last may be smaller), or of the sizes given."""
    place = axis_of(axis, tensor.ndim, "split")
    total = tensor.shape[place]
    check_type("split", "sections", split_size_or_sections, int, tuple, list)
    if isinstance(split_size_or_sections, int):
        if split_size_or_sections < 1:
            raise ShapeError("split", "the size must be positive", got=str(split_size_or_sections))
        whole, rest = divmod(total, split_size_or_sections)
        sections = (split_size_or_sections,) * whole + ((rest,) if rest or not whole else ())
    else:
        sections = sizes_of(split_size_or_sections)
    if sum(sections) != total:
        raise ShapeError("split", "the sizes do not add up", got=str(sections), expected=str(total))
    pieces: tuple[Tensor, ...] = p.split(
        tensor, constant(sections), axis=place, outputs=len(sections)
    )
    return pieces


@op
def chunk(input: Tensor, chunks: int, axis: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of equal size; the last may be smaller."""
    total = input.shape[axis_of(axis, input.ndim, "chunk")]
    if chunks < 1:
        raise ShapeError("chunk", "chunks must be positive", got=str(chunks))
    return split(input, max(1, -(-total // chunks)), axis)


@op
def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along `axis`, without it."""
    place = axis_of(axis, input_x.ndim, "unstack")
    return tuple(squeeze(piece, place) for piece in split(input_x, 1, place))


@op
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    return unstack(input, dim)


@op
def narrow(input: Tensor, axis: int, start: int, length: int) -> Tensor:
    size = input.shape[axis_of(axis, input.ndim, "narrow")]
    if not 0 <= start < size or not 0 < length <= size - start:
        raise ShapeError("narrow", "not within the axis", got=f"{start}, {length}")
    return sliced(input, {axis: (start, start + length, 1)})


def sliced(x: Tensor, steps: dict[int, tuple[int, int, int]]) -> Tensor:
    """`x` with axis -> (start, stop, step) taken."""
    if not steps:
        return x
    starts, stops, strides = zip(*steps.values(), strict=True)
    axes = constant(tuple(steps))
    return p.slice(x, constant(starts), constant(stops), axes, constant(strides))


@op
def slice(input_x: Tensor, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """`size` elements from `begin` on along each axis; -1 takes all that follow."""
    steps = {}
    places, lengths = sizes_of(begin), sizes_of(size)
    if not len(places) == len(lengths) == input_x.ndim:
        raise ShapeError("slice", "begin and size are of one length", got=f"{begin}, {size}")
    for axis, (start, length) in enumerate(zip(places, lengths, strict=True)):
        if start + length > input_x.shape[axis]:
            raise ShapeError("slice", "the slice is longer than the axis", got=f"{begin}, {size}")
        stop = input_x.shape[axis] if length == -1 else start + length
        steps[axis] = (start, stop, 1)
    return sliced(input_x, steps)


@op
def flip(input: Tensor, dims: int | Sequence[int]) -> Tensor:
    """Reversed along `dims`."""
    end = -(2**62)
    return sliced(input, {axis_of(d, input.ndim, "flip"): (-1, end, -1) for d in sizes_of(dims)})


@op
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """The elements moved by `shifts` along `dims`, those pushed out coming in at the front."""
    if dims is None:
        return reshape(roll(reshape(input, (-1,)), shifts, 0), input.shape)
    for shift, axis in zip(sizes_of(shifts), sizes_of(dims), strict=True):
        length = input.shape[axis]
        cut = (length - shift) % length if length else 0
        if cut:
            input = concat(split(input, (cut, length - cut), axis)[::-1], axis)
    return input


@op
def gather(input_params: Tensor, input_indices: Tensor, axis: Any, batch_dims: int = 0) -> Tensor:
    """The slices of `input_params` along `axis` at `input_indices`.

    The first `batch_dims` axes of both are the same: each has its own indices.
    """
    check_tensors("gather", input_params=input_params, input_indices=input_indices)
    x, indices = input_params, input_indices
    place = axis_of(int(axis), x.ndim, "gather")
    if not batch_dims:
        return p.gather(x, indices, axis=place)
    batches = batch_dims % (indices.ndim + 1)
    if batches > place or x.shape[:batches] != indices.shape[:batches]:
        raise ShapeError("gather", "the batches differ", got=f"{x.shape}, {indices.shape}")
    return gathered_in_batches(x, convert(indices, dtypes.int64), place, batches)


def gathered_in_batches(x: Tensor, indices: Tensor, place: int, batches: int) -> Tensor:
    """All batches in one row of slices, where each begins at a place of its own."""
    count, length = math.prod(x.shape[:batches]), x.shape[place]
    front = movedim(x, place, batches)
    kept = front.shape[batches + 1 :]
    flat = reshape(front, (count * length, *kept))
    starts = constant([[k * length] for k in range(count)])
    at = e.add(reshape(indices, (count, -1)), starts)
    found = reshape(p.gather(flat, at, axis=0), (*indices.shape, *kept))
    moved = range(batches, indices.ndim)
    before = place - batches
    rest = range(indices.ndim, found.ndim)
    return transpose(found, (*range(batches), *rest[:before], *moved, *rest[before:]))


@op
def index_select(input: Tensor, axis: int, index: Tensor) -> Tensor:
    if index.ndim != 1:
        raise ShapeError("index_select", "index is a vector", got=str(index.shape))
    return gather(input, index, axis)


@op
def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """y[i][j] = input[index[i][j]][j] for dim 0, and likewise."""
    return p.gather_elements(input, index, axis=dim)


@op
def gather_d(x: Tensor, dim: int, index: Tensor) -> Tensor:
    return gather_elements(x, dim, index)


@op
def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor:
    """The slices at the index tuples in the last axis of `indices`."""
    at = convert(indices, dtypes.int64)
    if at.ndim > 1:
        return p.gather_nd(input_x, at)
    return reshape(p.gather_nd(input_x, expand_dims(at, 0)), input_x.shape[at.shape[0] :])


@op
def tensor_scatter_elements(
    input_x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    """`input_x` with `updates` written (or with reduction "add" added) at `indices`."""
    return p.scatter_elements(input_x, indices, updates, axis=axis, reduction=reduction)


@op
def scatter(input: Tensor, axis: int, index: Tensor, src: Any) -> Tensor:
    """`input` with `src`, a Tensor or a number, written along `axis` at `index`."""
    number = not isinstance(src, Tensor)
    new = broadcast_to(constant(src, input.dtype), index.shape) if number else src
    return tensor_scatter_elements(input, index, new, axis)


@op
def scatter_nd(indices: Tensor, updates: Tensor, shape: Sizes) -> Tensor:
    """Zeros of `shape` with `updates` added at the index tuples `indices`."""
    zero = broadcast_to(constant(0, updates.dtype), sizes_of(shape))
    return p.scatter_nd(zero, convert(indices, dtypes.int64), updates, reduction="add")


@op
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where `mask` is true, as one axis."""
    shape = [max(a, b) for a, b in zip(*aligned(input.shape, mask.shape), strict=True)]
    x, chosen = broadcast_to(input, shape), broadcast_to(mask, shape)
    places = p.non_zero(reshape(chosen, (-1,)))
    return p.gather(reshape(x, (-1,)), reshape(places, (-1,)), axis=0)


def aligned(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes with ones in front of the shorter."""
    rank = max(len(a), len(b))
    return (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b


@op
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices (n, rank) of the elements that are not zero, or one Tensor per axis."""
    found = transpose(p.non_zero(convert(input, dtypes.bool_)), (1, 0))
    if not as_tuple:
        return found
    return tuple(reshape(column, (-1,)) for column in split(found, 1, 1))


@op
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The part of the matrices on and below a diagonal."""
    return p.trilu(input, constant(diagonal), upper=0)


@op
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    return p.trilu(input, constant(diagonal), upper=1)


@op
def pad(input_x: Tensor, padding: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Padded; `padding` counts from the last axis on: (left, right, top, bottom, ...).

    `mode` is constant, reflect, replicate or circular; negative sizes crop.
    """
    sizes = sizes_of(padding)
    onnx_modes = {
        "constant": "constant",
        "reflect": "reflect",
        "replicate": "edge",
        "circular": "wrap",
    }
    if mode not in onnx_modes or len(sizes) % 2 or len(sizes) > 2 * input_x.ndim:
        raise ShapeError("pad", "no such padding", got=f"{mode} {sizes}, {input_x.ndim} axes")
    if mode != "constant" and value is not None:
        raise ShapeError("pad", "value is for constant padding only", got=mode)
    rank = input_x.ndim
    before, after = [0] * rank, [0] * rank
    for k in range(len(sizes) // 2):
        before[rank - 1 - k], after[rank - 1 - k] = sizes[2 * k], sizes[2 * k + 1]
    filling = constant(0 if value is None else value, input_x.dtype) if mode == "constant" else None
    return p.pad(input_x, constant(before + after), filling, mode=PAD_MODES[mode])


@op
def meshgrid(*inputs: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """One grid per input; "xy" has the first two axes exchanged, "ij" has not."""
    if indexing not in ("xy", "ij"):
        raise ShapeError("meshgrid", "indexing must be 'xy' or 'ij'", got=repr(indexing))
    if any(x.ndim != 1 for x in inputs):
        raise ShapeError("meshgrid", "takes vectors", got=str([x.shape for x in inputs]))
    order = list(range(len(inputs)))
    if indexing == "xy" and len(inputs) > 1:
        order[0], order[1] = 1, 0
    shape = [inputs[k].size for k in order]
    return tuple(
        broadcast_to(
            reshape(x, [-1 if axis == order.index(k) else 1 for axis in range(len(inputs))]), shape
        )
        for k, x in enumerate(inputs)
    )
