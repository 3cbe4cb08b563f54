"""Moves of data: transposes, reshapes and what undoes them."""

from __future__ import annotations

import numpy as np

from ..graph.graph import Dim, Node
from ..graph.sizes import same
from .pattern import Exactly, MadeBy, Value, either, op
from .rule import NO_FIT, Match, Result, Rule, Same, rule

x = Value("x")
first, second = Value("first", constant=True), Value("second", constant=True)


def order(m: Match, node: Node) -> list[int]:
    """A transpose's permutation."""
    rank = len(m.shape(node.inputs[0]))
    return [int(axis) for axis in node.attrs.get("perm", range(rank - 1, -1, -1))]


@rule(op.Transpose(op.Transpose(x).named("inner")))
def transposes(m: Match) -> Result:
    """Two transposes, one after the other."""
    inner, outer = order(m, m.call("inner")), order(m, m.root)
    perm = [inner[axis] for axis in outer]
    if perm == list(range(len(perm))):
        return Same(m["x"], "two transposes that undo each other")
    return m.node("Transpose", m.root.version, [m["x"]], perm=perm)


@rule(op.Transpose(x))
def idle_transpose(m: Match) -> Result:
    """A transpose that leaves every axis where it is."""
    perm = order(m, m.root)
    m.require(perm == sorted(perm), NO_FIT)
    return Same(m["x"], "a transpose that moves nothing")


@rule(op.Squeeze(op.Slice(x, ...).named("slice")))
def select(m: Match) -> Node:
    """One index of an axis, sliced and squeezed: how the newer exporter writes x[i] and unbind."""
    known = [m.graph.constant(name) for name in m.call("slice").inputs[1:]]
    numbers = [
        int(array.reshape(-1)[0]) for array in known if array is not None and array.size == 1
    ]
    m.require(len(numbers) == len(known) >= 3, "it is sliced over several axes")
    start, end, axis = numbers[0], numbers[1], numbers[2] % len(m.shape(m["x"]))
    m.require(numbers[3:] in ([], [1]) and end == start + 1 != 0, "more than one index is taken")
    m.require(m.axes(m.root) == (axis,), "another axis is squeezed")
    return _indexed(m, m["x"], start, axis)


@rule(op.Squeeze(Value("part")))
def select_of_split(m: Match) -> Node:
    """A split into ones, each squeezed: how the older exporter writes unbind."""
    split = m.graph.producer(m["part"])
    m.require(split is not None and split.op == "Split", NO_FIT)
    assert split is not None
    axis = int(split.attrs.get("axis", 0)) % len(m.shape(split.inputs[0]))
    sizes = {m.shape(out)[axis] for out in split.outputs}
    m.require(sizes == {1} and m.axes(m.root) == (axis,), "it is not split into ones")
    others = {node.op for out in split.outputs for node in m.graph.readers(out)}
    m.require(others <= {"Squeeze"}, "a part is read unsqueezed")
    return _indexed(m, split.inputs[0], split.outputs.index(m["part"]), axis)


def _indexed(m: Match, value: str, index: int, axis: int) -> Node:
    name = m.constant(f"{m.out}_index", np.array(index, np.int64))
    return m.node("Gather", 13, [value, name], axis=axis)


@rule(op.Squeeze(op.Transpose(op.Unsqueeze(x).named("put")).named("move")))
def moved_axis(m: Match) -> Result:
    """An axis put in, moved by a transpose and taken out again: a transpose of the others."""
    rank = len(m.shape(m["x"])) + 1
    put = m.axes(m.call("put"), of=m.call("put").outputs[0])
    out, perm = m.axes(m.root), order(m, m.call("move"))
    m.require(tuple(sorted(perm[axis] for axis in out)) == put, "another axis is taken out")
    rest = [axis for axis in range(rank) if axis not in put]
    left = [rest.index(axis) for axis in perm if axis not in put]
    return m.node("Transpose", m.call("move").version, [m["x"]], perm=left)


@rule(either(op.Squeeze(op.Unsqueeze(x).named("one")), op.Unsqueeze(op.Squeeze(x).named("one"))))
def put_and_taken(m: Match) -> Result:
    """An axis of size 1 put in and taken out, or the other way round."""
    one, other = m.call("one"), m.root
    wide = one.outputs[0] if one.op == "Unsqueeze" else one.inputs[0]
    back = other.outputs[0] if other.op == "Unsqueeze" else other.inputs[0]
    m.require(m.axes(one, of=wide) == m.axes(other, of=back), "the axes differ")
    return Same(m["x"], "an axis of size 1 put in and taken out")


@rule(op.Unsqueeze(op.Unsqueeze(x).named("inner")))
def unsqueezes(m: Match) -> Node:
    """Axes put in one after the other: all at once."""
    outer = m.axes(m.root, of=m.out)
    rest = [axis for axis in range(len(m.shape(m.out))) if axis not in outer]
    inner = [rest[axis] for axis in m.axes(m.call("inner"), of=m.call("inner").outputs[0])]
    axes = m.constant(f"{m.out}_axes", np.array(sorted([*outer, *inner]), np.int64))
    return m.node("Unsqueeze", 13, [m["x"], axes])


@rule(op.Slice(MadeBy("Slice", "inner"), ...))
def slices(m: Match) -> Node:
    """A slice of a slice along other axes: one of all these."""
    inner = m.graph.producer(m["inner"])
    assert inner is not None
    parts = [_slice_of(m, node) for node in (inner, m.root)]
    m.require(not {*parts[0][2]} & {*parts[1][2]}, "an axis is cut twice")
    told = [np.array([*a, *b], np.int64) for a, b in zip(*parts, strict=True)]
    words = ("starts", "ends", "axes", "steps")
    names = [m.constant(f"{m.out}_{w}", array) for w, array in zip(words, told, strict=True)]
    return m.node("Slice", 13, [inner.inputs[0], *names])


def _slice_of(m: Match, node: Node) -> tuple[list[int], ...]:
    """Starts, ends, axes and steps of a Slice. Raises: Refused if one is computed or left out"""
    known = [m.graph.constant(name) for name in node.inputs[1:]]
    m.require(len(known) >= 3 and all(k is not None for k in known), NO_FIT)
    found = [[int(number) for number in k.reshape(-1)] for k in known if k is not None]
    rank = len(m.shape(node.inputs[0]))
    steps = found[3] if len(found) > 3 else [1] * len(found[0])
    return found[0], found[1], [axis % rank for axis in found[2]], steps


@rule(op.Expand(op.Expand(x, Value("any")), Value("whole")))
def expands(m: Match) -> Node:
    """One number as often as one shape says, then as another does: the second decides."""
    m.require(m.shape(m["x"]) in ((), (1,)), "it is no number")
    told, out = _sizes(m, m["whole"]), m.shape(m.out)
    m.require(told is not None and len(told) == len(out), "the shape is not known")
    assert told is not None
    m.require(all(map(same, told, out)), "the first decides too")
    return m.node("Expand", 13, [m["x"], m["whole"]])


def _sizes(m: Match, value: str) -> list[Dim] | None:
    """What a vector of sizes holds, as far as it is read from shapes; None if it is computed."""
    known, node = m.graph.constant(value), m.graph.producer(value)
    if known is not None:
        return [int(size) for size in known.reshape(-1)]
    if node is not None and node.op == "Shape":
        shape = list(m.shape(node.inputs[0]))
        return shape[slice(node.attrs.get("start"), node.attrs.get("end"))]
    if node is None or node.op != "Concat":
        return None
    parts = [_sizes(m, name) for name in node.inputs]
    return None if None in parts else [size for part in parts for size in part or ()]


@rule(op.Reshape(op.Reshape(x, Value("any")), second))
def reshapes(m: Match) -> Node:
    """Two reshapes, one after the other: the second decides."""
    m.require(bool((m.array("second") != 0).all()), "it copies sizes of the first")
    return m.node("Reshape", m.root.version, [m["x"], m["second"]], **m.root.attrs)


@rule(either(op.Reshape(x, Value("any")), op.Flatten(x)))
def idle_reshape(m: Match) -> Result:
    """A reshape to the shape that x has."""
    shape = m.shape(m["x"])
    m.require(_same(shape, m.shape(m.out)), NO_FIT)
    return Same(m["x"], "a reshape to the same shape")


def _same(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> bool:
    """Whether shapes of the same number of elements are equal: of each axis it is shown, or of all
    but one, which are numbers.
    """
    if len(a) != len(b):
        return False
    pairs = [(p, q) for p, q in zip(a, b, strict=True) if not same(p, q)]
    if not pairs:
        return True
    numbers = [p for p, q in zip(a, b, strict=True) if isinstance(p, int) and isinstance(q, int)]
    alone = len(numbers) == len(a) - 1 and not all(isinstance(size, int) for size in pairs[0])
    return len(pairs) == 1 and alone


@rule(op.Reshape(op.Transpose(op.Reshape(x, first).named("split")).named("move"), second))
def pixel_shuffle(m: Match) -> Node:
    """(n, c r r, h, w) -> (n, c, h r, w r), in either order of the channels."""
    shape = m.shape(m["x"])
    split, out = m.shape(m.call("split").outputs[0]), m.shape(m.out)
    m.require(len(shape) == 4 and len(split) == 6 and len(out) == 4, NO_FIT)
    perm = order(m, m.call("move"))
    m.require(perm in ([0, 1, 4, 2, 5, 3], [0, 3, 4, 1, 5, 2]), NO_FIT)
    mode, r = ("CRD", split[2]) if perm[1] == 1 else ("DCR", split[1])
    c = split[perm[1]]
    known = [size for size in (r, c, *shape[1:]) if isinstance(size, int)]
    m.require(len(known) == 5, "a size is not known")
    r, c, _, h, w = known
    m.require(split[1:] in ((c, r, r, h, w), (r, r, c, h, w)), "the sizes are not those of one")
    m.require(out[1:] == (c, h * r, w * r), "the sizes are not those of one")
    return m.node("DepthToSpace", 13, [m["x"]], blocksize=r, mode=mode)


@rule(op.Reshape(op.Transpose(op.Reshape(x, Value("a")).named("split")).named("move"), Value("b")))
def transpose_of_last_two(m: Match) -> Node:
    """Leading axes merged, the last two swapped, the leading axes restored."""
    shape, out = m.shape(m["x"]), m.shape(m.out)
    split = m.shape(m.call("split").outputs[0])
    m.require(order(m, m.call("move")) == [0, 2, 1] and len(shape) > 2, NO_FIT)
    m.require(None not in shape[-2:] and split[1:] == shape[-2:], "the last axes are not kept")
    swapped = (*shape[:-2], shape[-1], shape[-2])
    m.require(_same(swapped, out), "the result is not the swapped shape")
    perm = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    return m.node("Transpose", 13, [m["x"]], perm=perm)


one, zero = Exactly("c", 1), Exactly("c", 0)


@rule(either(x * one, x / one, x + zero, x - zero, op.And(x, one), op.Or(x, zero)))
def neutral(m: Match) -> Result:
    """Times 1 or plus 0, and true or or false."""
    number = m.array("c")
    is_no_wider = number.ndim == 0 or number.ndim <= len(m.shape(m["x"]))
    m.require(is_no_wider, "it adds a dimension")
    return Same(m["x"], "times 1, plus 0, and true, or false")


RULES: tuple[Rule, ...] = (
    neutral,
    transpose_of_last_two,
    pixel_shuffle,
    moved_axis,
    select,
    select_of_split,
    transposes,
    idle_transpose,
    put_and_taken,
    unsqueezes,
    expands,
    reshapes,
    idle_reshape,
    slices,
)
