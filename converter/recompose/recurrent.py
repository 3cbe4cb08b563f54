"""LSTM, GRU and RNN: ONNX's nodes, one for each layer, become the module that they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..graph.graph import Node, ValueType
from .edit import Derived, Editor
from .pattern import Call, Found, Pattern, Value, either, op
from .rule import MSCONVERT, NO_FIT, Match, Rule, rule
from .scope import lifted, scope

KINDS = ("LSTM", "GRU", "RNN")
LENGTHS, FIRST_STATE, PEEPHOLES = 4, 5, 7
"""The inputs sequence_lens, initial_h (LSTM's initial_c follows) and P."""

MOVES = ("Expand", "Slice", "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Cast", "Identity")
"""What makes zeros of zeros, whatever its other inputs are."""


@dataclass(frozen=True)
class Layers(Pattern):
    """ONNX's recurrent nodes of which each is fed by the one before; longest chains first.

    The Concats that join the final states of all of them, if any, are matched too.
    """

    deepest: int = 64

    def roots(self) -> frozenset[str]:
        return frozenset(KINDS)

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        node = graph.producer(value)
        if node is None or node.op not in KINDS or node.domain:
            return
        chain = _chain(graph, node)[-self.deepest :]
        for first in range(len(chain)):
            layers = chain[first:]
            joined = [_joined(graph, layers, state) for state in (1, 2)]
            ends = (end for end in joined if end is not None)
            yield replace(found, nodes=(*found.nodes, *layers, *ends))


def _chain(graph: Editor, top: Node) -> list[Node]:
    """The layers that could be one module with `top`, which comes last."""
    chain = [top]
    while (below := graph.producer(chain[0].inputs[0])) is not None:
        is_alike = _is_merged(below) and _shared(below) == _shared(top)
        is_free = graph.is_private(below.outputs[0])
        if not is_alike or not is_free or any(_is_again(graph, below, node) for node in chain):
            break
        chain.insert(0, below)
    return chain


def _shared(node: Node) -> tuple[object, ...]:
    """What all layers of one module have in common."""
    attrs = sorted((k, str(v)) for k, v in node.attrs.items() if k != "msconvert_layout")
    return (node.op, node.domain, scope(node), *attrs, bool(_input(node, 3)))


def _is_again(graph: Editor, node: Node, other: Node) -> bool:
    """Whether two nodes are one layer, called twice."""
    a, b = (graph.constant(_input(n, 1)) for n in (node, other))
    return a is not None and b is not None and np.array_equal(a, b)


def _is_merged(node: Node) -> bool:
    return node.attrs.get("msconvert_layout") == "merged"


def _joined(graph: Editor, layers: Sequence[Node], state: int) -> Node | None:
    """The Concat of a final state of two or more layers in order; None if there is none."""
    values = [layer.outputs[state] for layer in layers if len(layer.outputs) > state]
    if len(values) < max(len(layers), 2):
        return None
    readers = (node for node in graph.readers(values[0]) if node.op == "Concat")
    fits = (n for n in readers if n.inputs == values and n.attrs.get("axis") in (0, -3))
    return next(fits, None)


@rule(Layers(deepest=1))
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


cell = either(*(Call(kind, (...,), "cell") for kind in KINDS))


@rule(
    either(
        op.Reshape(op.Transpose(cell).named("move"), Value("target")),
        op.Squeeze(cell).named("squeeze"),
    )
)
def merged_directions(m: Match) -> Node:
    """Y (seq, dirs, n, h) made (seq, n, dirs h): attribute msconvert_layout = "merged"."""
    layer = m.call("cell")
    m.require(not layer.attrs.get("layout", 0), "it is batch first")
    shape, out = m.shape(layer.outputs[0]), m.shape(m.out)
    if "squeeze" in m.found.calls:
        m.require(m.axes(m.root) == (1,), "another axis than the directions is squeezed")
    else:
        m.require(m.call("move").attrs.get("perm") == [0, 2, 1, 3], "it is moved otherwise")
        _check_merge(m, shape, out)
    node = m.again(layer, layer.inputs, [m.out, *layer.outputs[1:]])
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


@rule(Layers())
def stacked_layers(m: Match) -> Node:
    """One module: x, initial states, W R B of each layer -> merged output, final states."""
    layers = [node for node in m.found.nodes if node.op in KINDS]
    m.require(_is_merged(m.root) or not m.graph.is_read(m.out), NO_FIT)
    y = m.out if _is_merged(m.root) else m.value(f"{m.root.outputs[1]}_steps", ValueType())
    m.require(not m.root.attrs.get("layout", 0), "it is batch first")
    odd = [i for layer in layers for i in (LENGTHS, PEEPHOLES) if _input(layer, i)]
    m.require(not odd, "sequence lengths or peepholes are given")
    m.require(not any(map(_is_odd, layers)), "no layer of MindSpore's computes so")
    weights = [_input(layer, i) for layer in layers for i in (1, 2, 3)]
    known = all(not name or m.graph.constant(name) is not None for name in weights)
    m.require(known, "its weights are computed")
    states = [_initial(m, layers, FIRST_STATE + i) for i in (0, 1)]
    outputs = [y, *(_final(m, layers, state) for state in (1, 2)[: len(m.root.outputs) - 1])]
    attrs = {k: v for k, v in m.root.attrs.items() if k not in ("msconvert_layout", "layout")}
    attrs |= {"num_layers": len(layers), "batch_first": 0}
    inputs = [layers[0].inputs[0], *states, *weights]
    return m.like(m.root.op, inputs, outputs, attrs=attrs, version=1, domain=MSCONVERT)


USUAL = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


def _is_odd(node: Node) -> bool:
    """Whether the node clips, couples gates, or has other activations or products than usual."""
    dirs = 2 if node.attrs.get("direction") == "bidirectional" else 1
    fits = [USUAL[node.op] * dirs] + [["Relu"] * dirs] * (node.op == "RNN")
    kinds = node.attrs.get("activations")
    early = node.op == "GRU" and not node.attrs.get("linear_before_reset", 0)
    given = node.attrs.get("clip") is not None or bool(node.attrs.get("input_forget", 0))
    return given or early or (kinds is not None and kinds not in fits)


def _input(node: Node, index: int) -> str:
    return node.inputs[index] if index < len(node.inputs) else ""


def _initial(m: Match, layers: Sequence[Node], index: int) -> str:
    """The tensor of which each layer has its part as initial state; "" if all start with zeros."""
    names = [_input(layer, index) for layer in layers]
    if len(names) == 1 or not any(names):
        return names[0]
    known = [array for name in names if (array := m.graph.constant(name)) is not None]
    if len(known) == len(names):
        how = Derived(names[0], "joined with those of the other layers")
        return m.constant(f"{names[0]}_joined", np.concatenate(known), how)
    dirs = 2 if m.root.attrs.get("direction") == "bidirectional" else 1
    parts = [_rows(m, name) for name in names]
    wanted = [(parts[0][0], i * dirs, (i + 1) * dirs) for i in range(len(names))]
    m.require(parts == wanted, "the initial states are not parts of one tensor")
    whole = parts[0][0]
    m.require(m.shape(whole)[0] == dirs * len(names), "it has the states of more layers")
    return whole


def _rows(m: Match, value: str) -> tuple[str, int, int]:
    """The tensor of which `value` is a slice along the first axis, and from where to where.

    Raises: Refused if it is something else
    """
    node = m.graph.producer(value)
    m.require(node is not None and node.op == "Slice", "an initial state is no slice")
    assert node is not None
    known = [m.graph.constant(name) for name in node.inputs[1:]]
    numbers = [int(a.reshape(-1)[0]) for a in known if a is not None and a.size == 1]
    m.require(len(numbers) == len(known) >= 3, "an initial state is sliced otherwise")
    m.require(numbers[2:] in ([0], [0, 1], [-3], [-3, 1]), "an initial state is no slice of layers")
    return node.inputs[0], numbers[0], numbers[1]


def _final(m: Match, layers: Sequence[Node], state: int) -> str:
    """The value that holds a final state of all layers; what else reads them is refused later."""
    end = _joined(m.graph, layers, state)
    if end is not None:
        return end.outputs[0]
    return layers[0].outputs[state] if len(layers) == 1 else ""


module = either(*(Call(kind, (...,), "module", MSCONVERT) for kind in KINDS))
TURN = [1, 0, 2]


@rule(either(op.Transpose(module).named("after"), module))
def batch_first(m: Match) -> list[Node]:
    """(n, seq, c) turned before, and the output turned back: batch_first.

    Exporters merge these transposes with their neighbours: what those did stays.
    """
    layer = m.call("module")
    before, *after = _turns(m, layer)
    start = _start(m, before, layer)
    x = start[-1].outputs[0] if start else before.inputs[0]
    y, end = _end(m, after[0], layer) if after else (layer.outputs[0], [])
    node = m.again(layer, [x, *layer.inputs[1:]], [y, *layer.outputs[1:]], of=[layer])
    node.attrs["batch_first"] = 1
    node.origin = (*node.origin, *(label for old in after if not end for label in old.origin))
    return [*start, node, *end]


def _start(m: Match, before: Node, layer: Node) -> list[Node]:
    """What is left of the transpose before a module."""
    x, perm = before.inputs[0], [before.attrs["perm"][axis] for axis in TURN]
    known, shape = m.graph.type_of(x), m.shape(x)
    if perm == [0, 1, 2]:
        return []
    out = m.value(f"{x}_turned", replace(known, shape=tuple(shape[axis] for axis in perm)))
    return [_left(before, layer, x, out, perm)]


def _end(m: Match, after: Node, layer: Node) -> tuple[str, list[Node]]:
    """The output of a module, and what is left of the transpose after it."""
    perm = [TURN[axis] for axis in after.attrs["perm"]]
    known, shape = m.graph.type_of(m.out), m.shape(m.out)
    if perm == [0, 1, 2]:
        return m.out, []
    sizes = tuple(shape[perm.index(axis)] for axis in range(3))
    y = m.value(f"{m.out}_turned", replace(known, shape=sizes))
    return y, [_left(after, layer, y, m.out, perm)]


def _left(old: Node, layer: Node, x: str, y: str, perm: list[int]) -> Node:
    """A transpose outside the module of `layer`, in place of one that may be inside."""
    path = scope(layer)
    is_inside = path is not None and scope(old) == path
    name, metadata = lifted(old, path[:-1]) if path and is_inside else (old.name, old.metadata)
    node = Node("Transpose", [x], [y], {"perm": perm}, version=13, name=name)
    node.metadata, node.origin = dict(metadata), old.origin
    return node


def _turns(m: Match, layer: Node) -> list[Node]:
    """The transpose before the module and, if its output is read, the one after it.

    Raises: Refused unless they are the module's own; where nobody says, unless one goes for good
    """
    before = m.graph.producer(layer.inputs[0])
    is_read = m.graph.is_read(layer.outputs[0])
    m.require(not layer.attrs["batch_first"] and is_read == ("after" in m.found.calls), NO_FIT)
    m.require(before is not None and before.op == "Transpose", NO_FIT)
    assert before is not None
    turns = [before, *([m.root] if is_read else [])]
    m.require(all(len(node.attrs.get("perm", ())) == 3 for node in turns), NO_FIT)
    scopes = {scope(node) for node in turns}
    is_gone = any(node.attrs["perm"] == TURN for node in turns)
    is_own = scope(layer) in scopes and (is_gone or scope(layer) is not None)
    m.require(is_own or (scopes == {None} and is_gone), "it is turned outside the module")
    return turns


RULES: tuple[Rule, ...] = (zero_states, merged_directions, stacked_layers, batch_first)
