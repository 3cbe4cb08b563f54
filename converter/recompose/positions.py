"""Reads of every position where it stands: moved around, or computed one by one by an exporter."""

from __future__ import annotations

import numpy as np

from ..graph.graph import Node, ValueType
from ..graph.sizes import same
from .pattern import Call, MadeBy, Value, op
from .rule import MSCONVERT, NO_FIT, Match, Result, Rule, Same, rule

x = Value("x")


@rule(op.Concat(op.Slice(x, ...).named("rest"), op.Slice(x, ...).named("first")))
def roll(m: Match) -> Node:
    """What is behind a cut, then what is before it: torch.roll over one axis."""
    axis = int(m.root.attrs["axis"]) % len(m.shape(m["x"]))
    size = m.shape(m["x"])[axis]
    m.require(isinstance(size, int), "the size is not known")
    assert isinstance(size, int)
    (start, end), (zero, cut) = (_span(m, m.call(name), axis, size) for name in ("rest", "first"))
    m.require(zero == 0 and 0 < cut == start and end == size, "it is no move of all positions")
    shift = -cut if 2 * cut < size else size - cut
    return m.like("Roll", [m["x"]], [m.out], domain=MSCONVERT, version=1, attrs=_roll(shift, axis))


def _roll(shift: int, axis: int) -> dict[str, list[int]]:
    return {"shifts": [shift], "axes": [axis]}


def _span(m: Match, node: Node, axis: int, size: int) -> tuple[int, int]:
    """First position and the one behind the last that a Slice takes of an axis.

    Raises: Refused if it is not that of one axis, by ones, with known limits
    """
    known = [m.graph.constant(name) for name in node.inputs[1:]]
    m.require(len(known) >= 3 and all(k is not None and k.size == 1 for k in known), NO_FIT)
    start, end, of, *step = (int(k.reshape(-1)[0]) for k in known if k is not None)
    m.require(of % len(m.shape(m["x"])) == axis and step in ([], [1]), NO_FIT)
    return slice(start, end).indices(size)[:2]


@rule(Call("Roll", (Call("Roll", (x,), "inner", MSCONVERT),), "", MSCONVERT))
def rolls(m: Match) -> Node:
    """Moves over several axes: all at once."""
    attrs = {k: [*m.call("inner").attrs[k], *m.root.attrs[k]] for k in ("shifts", "axes")}
    return m.like("Roll", [m["x"]], [m.out], domain=MSCONVERT, version=1, attrs=attrs)


@rule(op.GatherND(x, Value("index")))
def own_positions(m: Match) -> Node:
    """x[i, j] for all i and j, each along an axis of its own: how torch.vmap reads a mask."""
    shape, joined = m.shape(m["x"]), m.graph.producer(m["index"])
    m.require(joined is not None and joined.op == "Concat", NO_FIT)
    assert joined is not None
    m.require(m.root.attrs.get("batch_dims", 0) == 0, NO_FIT)
    last = len(m.shape(m["index"])) - 1
    m.require(int(joined.attrs["axis"]) % (last + 1) == last, NO_FIT)
    places = [_place(m, name, size) for name, size in zip(joined.inputs, shape, strict=False)]
    m.require(len(places) == len(shape) == len(joined.inputs), "not all axes are read")
    m.require(places == sorted(set(places)), "the axes are not in their order")
    rest = [axis for axis in range(last) if axis not in places]
    known = m.shape(m["index"])
    m.require(all(known[axis] == 1 for axis in rest), "a position is read again")
    axes = m.constant(f"{m.out}_axes", np.array(rest, np.int64))
    return m.node("Unsqueeze", 13, [m["x"], axes])


def _place(m: Match, value: str, size: object) -> int:
    """The axis along which the value is 0, 1, 2 and so on, as many as `size`; it is one wide last.

    Raises: Refused if it is not so
    """
    rank = len(m.shape(value))
    places = list(range(rank))
    node = m.graph.producer(value)
    while node is not None and node.op in ("Unsqueeze", "Expand"):
        if node.op == "Unsqueeze":
            put = m.axes(node, of=node.outputs[0])
            places = [place for axis, place in enumerate(places) if axis not in put]
        else:
            places = places[len(places) - len(m.shape(node.inputs[0])) :]
        value = node.inputs[0]
        node = m.graph.producer(value)
    m.require(node is not None and node.op == "Range" and len(places) == 1, NO_FIT)
    assert node is not None
    start, step = (m.graph.constant(node.inputs[index]) for index in (0, 2))
    counts = start is not None and step is not None and start.item() == 0 and step.item() == 1
    m.require(counts, NO_FIT)
    (count,) = m.shape(node.outputs[0])
    m.require(same(count, size), "not all positions are read")  # type: ignore[arg-type]
    return places[0]


@rule(op.Gather(op.Reshape(x, Value("flat", constant=True)), Value("index")))
def every_element(m: Match) -> Result:
    """All elements by their numbers, in their order: what is left of torch.as_strided."""
    shape, index = m.shape(m["x"]), m.graph.producer(m["index"])
    m.require(list(m.array("flat").reshape(-1)) == [-1] and len(shape) > 1, NO_FIT)
    m.require(index is not None and index.op == "Add" and m.shape(m.out) == shape, NO_FIT)
    assert index is not None
    inner = [size for size in shape[1:] if isinstance(size, int)]
    each = int(np.prod(inner))
    m.require(len(inner) == len(shape) - 1 and shape[0] is not None, "a size is not known")
    offsets = [m.graph.constant(name) for name in index.inputs]
    rows = [n for n, known in zip(index.inputs, offsets, strict=True) if known is None]
    within = [known for known in offsets if known is not None]
    m.require(len(rows) == len(within) == 1 and within[0].shape == (1, *inner), NO_FIT)
    counted = np.array_equal(within[0].reshape(-1), np.arange(each))
    m.require(counted and _row_begins(m, rows[0], each, shape[0]), "another element is read")
    return Same(m["x"], "every element, read by its number")


def _row_begins(m: Match, value: str, each: int, count: object) -> bool:
    """Whether the value is 0, `each`, 2 `each` and so on along its first axis."""
    node = m.graph.producer(value)
    while node is not None and node.op in ("Unsqueeze", "Reshape"):
        known = m.graph.type_of(node.outputs[0]).shape or ()
        if known[1:] != (1,) * (len(known) - 1):
            return False
        node = m.graph.producer(node.inputs[0])
    if node is None or node.op != "Mul":
        return False
    factors = [m.graph.constant(name) for name in node.inputs]
    ranges = [n for n, known in zip(node.inputs, factors, strict=True) if known is None]
    numbers = [int(k.reshape(-1)[0]) for k in factors if k is not None and k.size == 1]
    return len(ranges) == 1 and numbers == [each] and _place(m, ranges[0], count) == 0


@rule(x + MadeBy("Where", "term"))
def mask_of_all(m: Match) -> list[Node]:
    """x plus one number where "position at least 0, and" a mask holds, else another: the mask."""
    where = m.graph.producer(m["term"])
    both = None if where is None else m.graph.producer(where.inputs[0])
    m.require(both is not None and both.op == "And", NO_FIT)
    assert where is not None
    assert both is not None
    others = [name for name in both.inputs if not _always_holds(m, name)]
    m.require(len(others) == 1, NO_FIT)
    numbers = [m.graph.constant(name) for name in where.inputs[1:]]
    m.require(all(n is not None and n.size == 1 for n in numbers), "what is added is no number")
    wide, out = m.shape(m["x"]), m.shape(m.out)
    m.require(len(wide) == len(out) and all(map(same, wide, out)), "the mask widens the sum")
    known = ValueType(m.graph.type_of(m["term"]).dtype, m.shape(others[0]))
    value = m.value(f"{m['term']}_mask", known)
    again = m.again(where, [others[0], *where.inputs[1:]], [value], of=[m.root])
    return [again, m.again(m.root, [m["x"], value], [m.out])]


def _always_holds(m: Match, value: str) -> bool:
    """Whether it is "n >= 0" of numbers that count up from one that is not negative."""
    node = m.graph.producer(value)
    if node is None or node.op != "GreaterOrEqual":
        return False
    least, counted = m.graph.constant(node.inputs[1]), m.graph.producer(node.inputs[0])
    while counted is not None and counted.op in ("Unsqueeze", "Reshape", "Expand"):
        counted = m.graph.producer(counted.inputs[0])
    if counted is None or counted.op != "Range" or least is None or least.size != 1:
        return False
    start, step = (m.graph.constant(counted.inputs[index]) for index in (0, 2))
    known = start is not None and step is not None and start.size == step.size == 1
    return known and bool(start.item() >= least.item() and step.item() > 0)  # type: ignore[union-attr]


@rule(op.GatherElements(Value("table", constant=True), x))
def gather_of_one_number(m: Match) -> list[Node]:
    """Elements of a table that is one number again and again: that number, as often."""
    table = m.array("table")
    m.require(table.size > 0 and bool((table == table.flat[0]).all()), NO_FIT)
    shape = m.value(f"{m.out}_shape", ValueType(np.dtype(np.int64), (len(m.shape(m["x"])),)))
    number = m.constant(f"{m.out}_number", table.reshape(-1)[:1])
    sizes = m.like("Shape", [m["x"]], [shape], version=15)
    return [sizes, m.node("Expand", 13, [number, shape])]


RULES: tuple[Rule, ...] = (
    roll,
    rolls,
    own_positions,
    every_element,
    mask_of_all,
    gather_of_one_number,
)
