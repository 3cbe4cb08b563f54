"""Shapes, slices, gathering, scattering and new tensors.

Each function is one ONNX operator; see `primitive.py`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.dtype import int64
from ..engine.failure import NoGradientError
from ..engine.primitive import REGISTRY, primitive
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .elementwise import cast, equal, zero


def zeros(shape: Sequence[int], x: Tensor) -> Tensor:
    """Zeros in the element type of `x`."""
    return expand(zero(x), constant(tuple(shape)))


def moved(x: Tensor, order: Sequence[int]) -> Tensor:
    """`x` with its axes in this order."""
    return x if [*order] == sorted(order) else transpose(x, perm=tuple(order))


def added_at(places: Tensor, g: Tensor, x: Tensor) -> Tensor:
    """The elements of g added at `places` of the flattened x, in the shape of x."""
    flat = [reshape(t, constant((-1, *more))) for t, more in ((places, (1,)), (g, ()))]
    added = scatter_nd(zeros((x.size,), x), *flat, reduction="add")
    return reshape(added, constant(x.shape))


Read = Callable[[Tensor], Tensor]
Write = Callable[[Tensor, Tensor, str], Tensor]


def along(at: Tensor, axis: int) -> tuple[Read, Write]:
    """How to read and write at `at` along an axis."""
    return (
        lambda x: gather_elements(x, at, axis=axis),
        lambda x, new, how: scatter_elements(x, at, new, axis=axis, reduction=how),
    )


def tuples(at: Tensor) -> tuple[Read, Write]:
    """How to read and write at the index tuples `at`."""
    return (
        lambda x: gather_nd(x, at),
        lambda x, new, how: scatter_nd(x, at, new, reduction=how),
    )


def same(a: Tensor, b: Tensor) -> Tensor:
    """1 where both are equal, else 0."""
    return cast(equal(a, b), to=a.dtype.onnx)


def kept_of(
    g: Tensor, y: Tensor, x: Tensor, updates: Tensor, reduction: str, read: Read, write: Write
) -> Tensor:
    """The gradient of what a scatter wrote into. Equal extremes share it, as in MindSpore."""
    if reduction == "add":
        return g
    if reduction == "none":
        return write(g, zeros(updates.shape, g), "none")
    if reduction == "mul":
        return write(g, updates, "mul")
    hit = same(x, y)
    return g * hit / write(hit, same(updates, read(y)), "add")


def put_of(
    g: Tensor, y: Tensor, x: Tensor, updates: Tensor, reduction: str, read: Read, write: Write
) -> Tensor:
    """The gradient of what a scatter wrote."""
    if reduction in ("none", "add"):
        return read(g)
    if reduction == "mul":
        return read(g * y) / updates
    hit = same(updates, read(y))
    return read(g / write(same(x, y), hit, "add")) * hit


@primitive("CenterCropPad")
def center_crop_pad(
    input_data: Tensor, shape: Tensor, *, axes: tuple[int, ...] | None = None
) -> Any: ...


@primitive("Compress")
def compress(input: Tensor, condition: Tensor, *, axis: int | None = None) -> Any: ...


@primitive("Concat")
def concat(*inputs: Tensor, axis: int) -> Any: ...


@concat.vjp_all
def concat_vjp(g: Tensor, y: Tensor, *xs: Tensor, axis: int) -> Any:
    return split(g, constant([x.shape[axis] for x in xs]), axis=axis, outputs=len(xs))


@primitive("ConstantOfShape")
def constant_of_shape(input: Tensor, *, value: Any = None) -> Any: ...


@primitive("DepthToSpace")
def depth_to_space(input: Tensor, *, blocksize: int, mode: str = "DCR") -> Any: ...


@depth_to_space.vjp
def depth_to_space_vjp(g: Tensor, y: Tensor, x: Tensor, *, blocksize: int, mode: str) -> Tensor:
    (n, c, h, w), b = x.shape, blocksize
    blocks = reshape(g, constant((n, c // b**2, h, b, w, b)))
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return reshape(transpose(blocks, perm=order), constant(x.shape))


@primitive("Expand")
def expand(input: Tensor, shape: Tensor) -> Any: ...


@primitive("EyeLike")
def eye_like(input: Tensor, *, dtype: int | None = None, k: int = 0) -> Any: ...


@primitive("Flatten")
def flatten(input: Tensor, *, axis: int = 1) -> Any: ...


@primitive("Gather")
def gather(data: Tensor, indices: Tensor, *, axis: int = 0) -> Any: ...


@gather.vjp
def gather_vjp(g: Tensor, y: Tensor, x: Tensor, indices: Tensor, *, axis: int) -> Tensor:
    """The slices of g added where they came from."""
    axis, count = axis % x.ndim, indices.ndim
    behind = [a for a in builtins.range(g.ndim) if not axis <= a < axis + count]
    rows = moved(g, [*builtins.range(axis, axis + count), *behind])
    first = [axis, *[a for a in builtins.range(x.ndim) if a != axis]]
    nothing = zeros([x.shape[a] for a in first], x)
    places = unsqueeze(cast(indices, to=int64.onnx), constant((-1,)))
    added = scatter_nd(nothing, places, rows, reduction="add")
    return moved(added, [first.index(a) for a in builtins.range(x.ndim)])


@primitive("GatherElements")
def gather_elements(data: Tensor, indices: Tensor, *, axis: int = 0) -> Any: ...


@primitive("GatherND")
def gather_nd(data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Any: ...


@gather_nd.vjp
def gather_nd_vjp(g: Tensor, y: Tensor, x: Tensor, indices: Tensor, *, batch_dims: int) -> Tensor:
    if batch_dims:
        raise NoGradientError("GatherND", "the runtime knows no gradient of it with batch_dims")
    return scatter_nd(zeros(x.shape, x), indices, g, reduction="add")


@primitive("NonZero")
def non_zero(x: Tensor) -> Any: ...


@primitive("OneHot")
def one_hot(indices: Tensor, depth: Tensor, values: Tensor, *, axis: int = -1) -> Any: ...


@primitive("Pad")
def pad(
    data: Tensor,
    pads: Tensor,
    constant_value: Tensor | None = None,
    axes: Tensor | None = None,
    *,
    mode: str = "constant",
) -> Any: ...


@pad.vjp
def pad_vjp(g: Tensor, y: Tensor, x: Tensor, pads: Tensor, *rest: Any, mode: str) -> Tensor:
    """Constant padding is cut off; what other padding repeats is added where it came from."""
    axes = rest[1] if len(rest) > 1 else None
    if mode == "constant":
        return pad(g, constant([-n for n in pads.asnumpy().tolist()]), zero(g), axes)
    places = pad(constant(np.arange(x.size).reshape(x.shape)), pads, None, axes, mode=mode)
    return added_at(places, g, x)


@primitive("Range")
def range(start: Tensor, limit: Tensor, delta: Tensor) -> Any: ...


@primitive("Reshape")
def reshape(data: Tensor, shape: Tensor, *, allowzero: int = 0) -> Any: ...


@primitive("ReverseSequence")
def reverse_sequence(
    input: Tensor, sequence_lens: Tensor, *, batch_axis: int = 1, time_axis: int = 0
) -> Any: ...


@primitive("ScatterElements")
def scatter_elements(
    data: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none"
) -> Any: ...


@primitive("ScatterND")
def scatter_nd(
    data: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none"
) -> Any: ...


@primitive("Shape")
def shape(data: Tensor, *, end: int | None = None, start: int = 0) -> Any: ...


@primitive("Size")
def size(data: Tensor) -> Any: ...


@primitive("Slice")
def slice(
    data: Tensor,
    starts: Tensor,
    ends: Tensor,
    axes: Tensor | None = None,
    steps: Tensor | None = None,
) -> Any: ...


@slice.vjp
def slice_vjp(g: Tensor, y: Tensor, x: Tensor, starts: Tensor, ends: Tensor, *rest: Any) -> Tensor:
    """Zeros around g; with steps, g written among zeros."""
    lists = [t.asnumpy().tolist() for t in (starts, ends, *rest) if t is not None]
    axes = lists[2] if len(lists) > 2 else [*builtins.range(len(lists[0]))]
    steps = lists[3] if len(lists) > 3 else [1] * len(axes)
    whole = [builtins.slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, *lists[:2], steps, strict=True):
        whole[axis] = builtins.slice(start, end, step)
    cut = [s.indices(n) for s, n in zip(whole, x.shape, strict=True)]
    if any(step != 1 for _, _, step in cut):
        return added_at(constant(np.arange(x.size).reshape(x.shape)[tuple(whole)]), g, x)
    before = [start for start, _, _ in cut]
    after = [n - b - m for n, b, m in zip(x.shape, before, g.shape, strict=True)]
    return pad(g, constant(before + after), zero(g))


@primitive("SpaceToDepth")
def space_to_depth(input: Tensor, *, blocksize: int) -> Any: ...


@primitive("Split")
def split(
    input: Tensor, split: Tensor | None = None, *, axis: int = 0, num_outputs: int | None = None
) -> Any: ...


@split.vjp_all
def split_vjp(gs: Any, ys: Any, *xs: Tensor, axis: int) -> tuple[Tensor]:
    return (concat(*gs, axis=axis),)


@primitive("Squeeze")
def squeeze(data: Tensor, axes: Tensor | None = None) -> Any: ...


@primitive("Tile")
def tile(input: Tensor, repeats: Tensor) -> Any: ...


@tile.vjp
def tile_vjp(g: Tensor, y: Tensor, x: Tensor, repeats: Tensor) -> Tensor:
    pairs = [n for pair in zip(repeats.asnumpy().tolist(), x.shape, strict=True) for n in pair]
    every = constant([2 * a for a in builtins.range(x.ndim)])
    return REGISTRY["ReduceSum"](reshape(g, constant(pairs)), every, keepdims=0)


@primitive("Transpose")
def transpose(data: Tensor, *, perm: tuple[int, ...] | None = None) -> Any: ...


@transpose.vjp
def transpose_vjp(g: Tensor, y: Tensor, x: Tensor, *, perm: tuple[int, ...] | None) -> Tensor:
    order = builtins.range(x.ndim)[::-1] if perm is None else perm
    return transpose(g, perm=tuple(np.argsort(order).tolist()))


@primitive("Trilu")
def trilu(input: Tensor, k: Tensor | None = None, *, upper: int = 1) -> Any: ...


@primitive("Unsqueeze")
def unsqueeze(data: Tensor, axes: Tensor) -> Any: ...


# gradients

expand.vjp(lambda g, y, x, shape: g)
flatten.vjp(lambda g, y, x: reshape(g, constant(x.shape)))
gather_elements.vjp(
    lambda g, y, x, indices, *, axis: scatter_elements(
        zeros(x.shape, x), indices, g, axis=axis, reduction="add"
    )
)
reshape.vjp(lambda g, y, x, shape: reshape(g, constant(x.shape), allowzero=1))
reverse_sequence.vjp(
    lambda g, y, x, lengths, *, batch_axis, time_axis: reverse_sequence(
        g, lengths, batch_axis=batch_axis, time_axis=time_axis
    )
)
scatter_elements.vjp(
    lambda g, y, x, at, updates, *, axis, reduction: kept_of(
        g, y, x, updates, reduction, *along(at, axis)
    ),
    None,
    lambda g, y, x, at, updates, *, axis, reduction: put_of(
        g, y, x, updates, reduction, *along(at, axis)
    ),
)
scatter_nd.vjp(
    lambda g, y, x, at, updates, *, reduction: kept_of(g, y, x, updates, reduction, *tuples(at)),
    None,
    lambda g, y, x, at, updates, *, reduction: put_of(g, y, x, updates, reduction, *tuples(at)),
)
space_to_depth.vjp(lambda g, y, x, *, blocksize: depth_to_space(g, blocksize=blocksize))
squeeze.vjp(lambda g, y, x, *axes: reshape(g, constant(x.shape), allowzero=1))
trilu.vjp(lambda g, y, x, *k, upper: trilu(g, *k, upper=upper))
unsqueeze.vjp(lambda g, y, x, axes: reshape(g, constant(x.shape), allowzero=1))
