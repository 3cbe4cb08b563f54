"""LSTM, GRU and RNN: zero initial states left out, directions merged."""

from __future__ import annotations

from ..graph import Node
from .edit import Editor
from .pattern import Call, Pattern, Value, either, op
from .rule import NO_FIT, Match, Rule, rule

CELLS = ("LSTM", "GRU", "RNN")
FIRST_STATE = 5
"""The input where initial_h stands; LSTM's initial_c follows."""

MOVES = ("Expand", "Slice", "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Cast", "Identity")
"""What makes zeros of zeros, whatever its other inputs are."""


def cells(*args: Pattern) -> Pattern:
    return either(*(Call(name, (*args, ...), "cell") for name in CELLS))


@rule(cells())
def zero_states(m: Match) -> Node:
    """Initial states that are zero are ONNX's default: they are left out."""
    inputs = list(m.root.inputs)
    states = [i for i in range(FIRST_STATE, min(len(inputs), FIRST_STATE + 2)) if inputs[i]]
    zero = [i for i in states if is_zero(m.graph, inputs[i])]
    m.require(bool(zero), NO_FIT)
    kept = ["" if i in zero else name for i, name in enumerate(inputs)]
    while not kept[-1]:
        kept.pop()
    return m.again(m.root, kept, m.root.outputs)


def is_zero(graph: Editor, value: str) -> bool:
    """Whether a value is all zeros by construction."""
    known, node = graph.constant(value), graph.producer(value)
    if known is not None:
        return not known.any()
    if node is None:
        return False
    if node.op == "ConstantOfShape":
        fill = node.attrs.get("value")
        return fill is None or not fill.any()
    if node.op == "Concat":
        return all(is_zero(graph, name) for name in node.inputs)
    return node.op in MOVES and is_zero(graph, node.inputs[0])


@rule(
    either(
        op.Reshape(op.Transpose(cells()).named("move"), Value("target")),
        op.Squeeze(cells()).named("squeeze"),
    )
)
def merged_directions(m: Match) -> Node:
    """Y (seq, dirs, n, h) made (seq, n, dirs h): attribute msconvert_layout = "merged"."""
    cell = m.call("cell")
    m.require(not cell.attrs.get("layout", 0), "it is batch first")
    shape, out = m.shape(cell.outputs[0]), m.shape(m.out)
    if "squeeze" in m.found.calls:
        m.require(m.axes(m.root) == (1,), "another axis than the directions is squeezed")
    else:
        m.require(m.call("move").attrs.get("perm") == [0, 2, 1, 3], "it is moved otherwise")
        _check_merge(m, shape, out)
    node = m.again(cell, cell.inputs, [m.out, *cell.outputs[1:]])
    node.attrs["msconvert_layout"] = "merged"
    return node


def _check_merge(m: Match, shape: tuple[object, ...], out: tuple[object, ...]) -> None:
    """Raises: Refused unless the reshape merges the last two of (seq, n, dirs, h)."""
    target = m.graph.constant(m["target"])
    copies = target is not None and target.tolist() == [0, 0, -1]
    seq, dirs, n, h = shape
    is_known = isinstance(dirs, int) and isinstance(h, int)
    width = dirs * h if isinstance(dirs, int) and isinstance(h, int) else None
    m.require(copies or (is_known and out[2:] == (width,)), "it does not merge the directions")
    same = [a is not None and a == b for a, b in zip((seq, n), out, strict=False)]
    m.require(copies or (len(out) == 3 and any(same)), "it changes the sequence or the batch")


RULES: tuple[Rule, ...] = (zero_states, merged_directions)
