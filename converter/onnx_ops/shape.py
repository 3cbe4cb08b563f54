"""Shapes, indexing and layout."""

from __future__ import annotations

import numpy as np

from ..code.expr import Call, Code, Expr, Literal, Ref, Tuple, expr, helper, ms, ops
from ..graph.graph import Dim
from .creation import filled
from .registry import NodeView, dtype_code, onnx_op, shortest


@onnx_op("Reshape", 1, 5, 13, 14, 19, 21, 23, 24, 25)
def reshape(node: NodeView, x: Expr, shape: Expr | None = None) -> Expr:
    """Reshape(data, shape; allowzero=0) -> reshaped; one unknown size is written -1."""
    target = node.out().shape
    if target is not None:
        sizes = [d if isinstance(d, int) else -1 for d in target]
        if sizes.count(-1) <= 1 and 0 not in sizes:
            return _reshaped(node, x, sizes)
    copied = node.attr("allowzero", 0) == 0
    wanted = enumerate(node.sizes(1))
    own = x.attribute("shape")
    return x.method(
        "reshape", tuple(own[i] if copied and s == Literal(0) else s for i, s in wanted)
    )


def _reshaped(node: NodeView, x: Expr, sizes: list[int]) -> Expr:
    source = node.type().shape
    flat = (
        source is not None
        and len(sizes) == 2
        and len(source) > 2
        and source[0] is not None
        and source[0] == (node.out().shape or (None,))[0]
    )
    return x.method("flatten", start_dim=1) if flat else x.method("reshape", tuple(sizes))


@onnx_op("Flatten", 1, 9, 11, 13, 21, 23, 24, 25)
def flatten(node: NodeView, x: Expr) -> Expr:
    """Flatten(input; axis=1) -> a matrix."""
    axis, rank = node.axis(1), node.rank()
    if 0 < axis < rank:
        y = x if axis == 1 else x.method("flatten", start_dim=0, end_dim=axis - 1)
        return y.method("flatten", start_dim=1) if rank - axis > 1 else y
    return x.method("reshape", (1, -1) if axis == 0 else (-1, 1))


@onnx_op("Transpose", 1, 13, 21, 23, 24, 25)
def transpose(node: NodeView, x: Expr) -> Expr:
    """Transpose(data; perm) -> transposed; two swapped axes are written as swapaxes."""
    perm = node.attr("perm", list(reversed(range(node.rank()))))
    moved = [i for i, p in enumerate(perm) if i != p]
    if len(moved) == 2:
        return x.method("swapaxes", *moved)
    return x.method("transpose", tuple(perm))


@onnx_op("Roll", 1, domain="msconvert")
def roll(node: NodeView, x: Expr) -> Expr:
    """Roll(x; shifts, axes) -> x, its positions moved around the end of the axes: torch.roll."""
    return helper.onnx_roll(x, tuple(node.attr("shifts")), tuple(node.attr("axes")))


@onnx_op("Squeeze", 1, 11, 13, 21, 23, 24, 25)
def squeeze(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """Squeeze(data, axes) -> squeezed."""
    removed = node.axes(1)
    if removed is None:
        return x.method("squeeze")
    return x.method("squeeze", removed[0] if len(removed) == 1 else tuple(removed))


@onnx_op("Unsqueeze", 1, 11, 13, 21, 23, 24, 25)
def unsqueeze(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """Unsqueeze(data, axes) -> expanded."""
    rank, count = node.rank(), len(node.ints("axes", 1) or [])
    places = sorted(node.axes(1, rank=rank + count) or [])
    if rank == 1 and count > 1:
        return x.method("reshape", tuple(1 if axis in places else -1 for axis in range(1 + count)))
    for axis in places:
        x = x.method("expand_dims", axis)
    return x


@onnx_op("Concat", 1, 4, 11, 13)
def concat(node: NodeView, *inputs: Expr) -> Expr:
    """Concat(inputs; axis) -> concatenated."""
    return ops.concat(tuple(inputs), axis=node.axis(1))


def parts(node: NodeView, axis: int) -> list[int] | None:
    """The sizes into which Split cuts the axis, one for each output.

    None for equal parts of an unknown size.
    """
    count, sizes = len(node.node.outputs), node.ints("split", 1)
    if count != (node.attr("num_outputs", count) if sizes is None else len(sizes)):
        raise node.malformed(f"{count} outputs, and not as many parts")
    if sizes is not None:
        return sizes
    total = node.shape()[axis]
    if not isinstance(total, int):
        return None
    each = -(-total // count)
    return [each] * (count - 1) + [total - each * (count - 1)]


@onnx_op("Split", 1, 2, 11, 13, 18)
def split(node: NodeView, x: Expr, split: Expr | None = None) -> Expr | tuple[Expr, ...]:
    """Split(input, split; axis=0, num_outputs) -> outputs."""
    axis = node.axis(0)
    if node.has(1) and node.array(1) is None:
        computed = node.sizes(1)
        if len(computed) != len(node.node.outputs):
            raise node.malformed("not as many parts as outputs")
        return ops.split(x, tuple(computed), axis=axis)
    sizes = parts(node, axis)
    if sizes is None:
        count = len(node.node.outputs)
        return ops.split(x, (x.attribute("shape")[axis] + (count - 1)) // count, axis=axis)
    if 0 in sizes:
        return slices(x, sizes, axis)
    return ops.split(x, sizes[0] if len(set(sizes)) == 1 else tuple(sizes), axis=axis)


def slices(x: Expr, sizes: list[int], axis: int) -> tuple[Expr, ...]:
    """Parts one after another, of which some are empty."""
    ends = np.cumsum(sizes).tolist()
    whole = (slice(None),) * axis
    spans = zip(sizes, ends, strict=True)
    return tuple(x[(*whole, slice(end - size, end))] for size, end in spans)


@onnx_op("Slice", 1, 10, 11, 13)
def slice_(node: NodeView, x: Expr, *_: Expr) -> Expr:
    """Slice(data, starts, ends, axes, steps) -> output, written as an index."""
    count = cut_axes(node)
    if count is None and len(_) == 2 and node.hosts.sizes(node.node.inputs[1]) is None:
        return helper.onnx_slice(x, *_)
    starts, ends = node.bounds("starts", 1, count), node.bounds("ends", 2, count)
    axes = node.axes(3) or list(range(len(starts)))
    steps = node.ints("steps", 4) or [1] * len(starts)
    parts: list[slice] = [slice(None)] * (max(axes) + 1)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        if step < 0:
            parts[axis] = ascending(node, axis, (start, end, step))
        else:
            parts[axis] = slice(*span(start, end, node.shape()[axis]), None if step == 1 else step)
    turned = tuple(a for a, step in zip(axes, steps, strict=True) if step < 0)
    return ops.flip(x[tuple(parts)], turned) if turned else x[tuple(parts)]


def cut_axes(node: NodeView) -> int | None:
    """How many axes a Slice cuts, by the lengths of its axes, starts or ends."""
    told = [node.type(i).shape for i in (3, 1, 2)]
    lengths = [shape[0] for shape in told if shape is not None and len(shape) == 1]
    return next((n for n in lengths if isinstance(n, int)), 1 if node.rank() == 1 else None)


def ascending(node: NodeView, axis: int, bounds: tuple[Expr, Expr, int]) -> slice:
    """The elements that a slice with a negative step takes, in the order of the axis."""
    start, end, step = bounds
    size = node.shape()[axis]
    if not (isinstance(size, int) and isinstance(start, Literal) and isinstance(end, Literal)):
        raise node.refuse("a negative step of an unknown size", advice="give --shape")
    first, last = (int(e.value or 0) for e in (start, end))
    taken = range(*slice(first, last, step).indices(size))
    if not taken:
        return slice(0, 0)
    return slice(taken[-1] or None, None if taken[0] == size - 1 else taken[0] + 1, -step)


def span(start: Expr, end: Expr, size: int | str | None) -> tuple[object, object]:
    """start and end as a person writes them: nothing where they say the whole axis."""
    first = None if start == Literal(0) else start
    if isinstance(end, Literal) and isinstance(end.value, int):
        whole = end.value >= (size if isinstance(size, int) else 2**31 - 1)
        return first, None if whole else end
    return first, end


@onnx_op("Expand", 8, 13)
def expand(node: NodeView, x: Expr, shape: Expr) -> Expr:
    """Expand(input, shape) -> broadcast both ways."""
    known = node.out().shape
    number = node.array(0)
    if known is not None and all(isinstance(d, int) for d in known):
        sizes = expr(tuple(known))
    else:
        sizes = expr(tuple(wider_sizes(node, node.sizes(1))))
    if number is not None and number.size == 1 and number.dtype.kind in "iu":  # no weight
        return filled(sizes, number.reshape(-1)[0])
    return ops.broadcast_to(x, sizes)


def wider_sizes(node: NodeView, wanted: list[Expr]) -> list[Expr]:
    """For each axis the larger of its own size and the one wanted: ONNX broadcasts both ways."""
    shape, out = node.shape(), node.out().shape
    rank = max(len(shape), len(wanted))
    own = (1,) * (rank - len(shape)) + shape
    target = [Literal(1)] * (rank - len(wanted)) + wanted
    result = out if out is not None and len(out) == rank else (None,) * rank
    mine = [Ref(node.node.inputs[0]).attribute("shape")[i] for i in range(len(shape))]
    sizes = [Literal(1)] * (rank - len(shape)) + mine
    return [wider(sizes[i], own[i], target[i], result[i]) for i in range(rank)]


def wider(mine: Expr, own: Dim, wanted: Expr, result: Dim) -> Expr:
    """One size after Expand: `mine` is written for the tensor's `own`, `result` what is known."""
    if isinstance(result, int):
        return Literal(result)
    if own == 1:
        return wanted
    if wanted == Literal(1) or isinstance(own, int):
        return mine
    return wanted if own is not None and own == result else Call(Code("max"), (mine, wanted))


@onnx_op("Tile", 1, 6, 13)
def tile(node: NodeView, x: Expr, repeats: Expr) -> Expr:
    """Tile(input, repeats) -> output."""
    return ops.tile(x, Tuple(tuple(node.sizes(1))))


@onnx_op("Pad", 1, 2, 11, 13, 18, 19, 21, 23, 24, 25)
def pad(node: NodeView, x: Expr, *_: Expr) -> Expr:
    """Pad(data, pads, constant_value, axes; mode) -> output."""
    mode = node.choice("mode", "constant", PAD_MODES)
    given = node.array(2)
    value = node.attr("value", 0.0) if given is None else shortest(given.reshape(-1)[0])
    value = value if mode == "constant" else None
    if node.has(1) and node.array(1) is None:
        return padded_by_computed(node, x, mode, value)
    sides = padded_sides(node)
    x = cropped(x, sides, node.rank())
    added = tuple(max(side, 0) for side in sides)
    if added != sides and not any(added):
        return x
    return ops.pad(x, added, mode=mode, value=value)


def padded_by_computed(node: NodeView, x: Expr, mode: str, value: float | None) -> Expr:
    """`x` padded by sizes of which it is not known whether they are negative."""
    flat = node.sizes(1)
    zero: tuple[Expr, Expr] = (Literal(0), Literal(0))
    axes = node.axes(3) or list(range(node.rank()))
    pairs = dict.fromkeys(range(node.rank()), zero)
    pairs |= {a: (flat[i], flat[i + len(axes)]) for i, a in enumerate(axes)}
    first = min((a for a, pair in pairs.items() if pair != zero), default=node.rank() - 1)
    sides = tuple(side for a in range(node.rank() - 1, first - 1, -1) for side in pairs[a])
    return helper.onnx_pad(x, sides, mode, value)


def cropped(x: Expr, sides: tuple[int, ...], rank: int) -> Expr:
    """`x` without what negative sides cut off: ops.pad's kernel for the CPU repeats old results."""
    parts = [slice(None)] * rank
    for axis, (before, after) in enumerate(zip(sides[::2], sides[1::2], strict=True), 1):
        parts[rank - axis] = slice(-before if before < 0 else None, after if after < 0 else None)
    return x if parts == [slice(None)] * rank else x[tuple(parts)]


BLOCK_ORDERS = {"DCR": "DCR", "CRD": "CRD"}
"""ONNX's orders of the depths that become a block."""

PAD_MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}
"""ONNX's modes of padding in MindSpore's words."""


def padded_sides(node: NodeView) -> tuple[int, ...]:
    """(before, after) of each axis from the last to the first that is padded."""
    flat = node.ints("pads", 1) or node.attr("paddings") or []
    axes = node.axes(3) or list(range(node.rank()))
    pairs = dict.fromkeys(range(node.rank()), (0, 0))
    pairs |= {a: (flat[i], flat[i + len(axes)]) for i, a in enumerate(axes)}
    first = min((a for a, pair in pairs.items() if pair != (0, 0)), default=node.rank() - 1)
    return tuple(side for a in range(node.rank() - 1, first - 1, -1) for side in pairs[a])


@onnx_op("Shape", 1, 13, 15, 19, 21, 23, 24, 25)
def shape(node: NodeView, x: Expr) -> Expr:
    """Shape(data; start, end) -> an int64 vector."""
    return ms.Tensor(
        x.attribute("shape")[slice(node.attr("start"), node.attr("end"))],
        dtype_code(np.dtype("int64")),
    )


@onnx_op("DepthToSpace", 1, 11, 13, 28)
def depth_to_space(node: NodeView, x: Expr) -> Expr:
    """DepthToSpace(input; blocksize, mode="DCR") -> output; CRD is PyTorch's pixel_shuffle."""
    size = node.attr("blocksize")
    if node.choice("mode", "DCR", BLOCK_ORDERS) == "CRD":
        return ops.pixel_shuffle(x, size)
    c, h, w = sizes_behind_batch(node)
    y = x.method("reshape", (-1, size, size, c // size**2, h, w))
    return ops.transpose(y, (0, 3, 4, 1, 5, 2)).method(
        "reshape", (-1, c // size**2, h * size, w * size)
    )


@onnx_op("SpaceToDepth", 1, 13, 28)
def space_to_depth(node: NodeView, x: Expr) -> Expr:
    """SpaceToDepth(input; blocksize, mode="DCR") -> output; CRD is PyTorch's pixel_unshuffle."""
    size = node.attr("blocksize")
    c, h, w = sizes_behind_batch(node)
    y = x.method("reshape", (-1, c, h // size, size, w // size, size))
    crd = node.choice("mode", "DCR", BLOCK_ORDERS) == "CRD"
    return ops.transpose(y, (0, 1, 3, 5, 2, 4) if crd else (0, 3, 5, 1, 2, 4)).method(
        "reshape", (-1, c * size**2, h // size, w // size)
    )


def sizes_behind_batch(node: NodeView) -> tuple[int, ...]:
    """Channels, height and width, which must be known; the batch need not be."""
    sizes = tuple(d for d in node.shape()[1:] if isinstance(d, int))
    if len(sizes) != 3:
        raise node.refuse("unknown sizes of an image", got=str(node.shape()), advice="give --shape")
    return sizes


@onnx_op("Trilu", 14)
def trilu(node: NodeView, x: Expr, k: Expr | None = None) -> Expr:
    """Trilu(input, k; upper=1) -> output."""
    diagonal = int(np.asarray(node.constant(1, "k")).reshape(-1)[0]) if node.has(1) else 0
    function = ops.triu if node.attr("upper", 1) else ops.tril
    return function(x, diagonal) if diagonal else function(x)


@onnx_op("Identity", 1, 13, 14, 16, 19, 21, 23, 24, 25)
def identity(node: NodeView, x: Expr) -> Expr:
    """Identity(input) -> output."""
    if node.type().container not in ((), ("sequence",)) or node.type().dtype is None:
        raise node.refuse("a sequence, an optional or text", expected="a tensor of numbers")
    return x


@onnx_op("Size", 1, 13, 19, 21, 23, 24, 25)
def size(node: NodeView, x: Expr) -> Expr:
    """Size(data) -> the number of elements, an int64 scalar."""
    return ms.Tensor(x.attribute("size"), dtype_code(np.dtype("int64")))
