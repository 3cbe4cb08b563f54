"""Control flow, and lists of tensors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..code.control import Control, Network
from ..code.expr import INT, Call, Cell, Code, Expr, Index, List, Literal, helper, ms, ops
from ..code.numbering import Names
from ..graph.graph import Dim, ValueType
from ..graph.propagate import learn
from .registry import NodeView, dtype_code, onnx_op

LATER = range(11, 29)
"""The schema versions of If and Loop that are alike, but for types."""

OWN_WORDS = {"self", "ms", "nn", "ops", "condition", "count", "going", "i", "int", "range"}


def words(names: Sequence[str], taken: Names) -> list[str]:
    """A variable for each value, as the file calls it."""
    plain = (re.sub(r"\W", "_", name.rsplit("/", 1)[-1], flags=re.ASCII)[:30] for name in names)
    usable = (w.strip("_") if w.strip("_").isidentifier() else "x" for w in plain)
    return [taken.take(word.lower()) for word in usable]


def called(control: Control, args: Sequence[Expr]) -> Expr:
    """The call of the cell."""
    return Cell(control.name, (), control.weights, control)(*args)


def results(node: NodeView, call: Expr) -> Expr | tuple[Expr, ...]:
    """The call's value, or its parts where the operator has several outputs."""
    count = len(node.node.outputs)
    return call if count == 1 else tuple(call[i] for i in range(count))


@onnx_op("If", 1, *LATER)
def if_(node: NodeView, condition: Expr) -> Expr | tuple[Expr, ...]:
    """If(cond; then_branch, else_branch) -> outputs of the branch that is taken."""
    networks = [node.network(key) for key in ("then_branch", "else_branch")]
    made = ([n.graph.type_of(name) for name in n.graph.outputs] for n in networks)
    known = [common(a, b) for a, b in zip(*made, strict=False)]
    learn(node.graph, dict(zip(node.node.outputs, known, strict=False)))
    captured = list(dict.fromkeys(name for n in networks for name in n.captured))
    taken = Names(OWN_WORDS)
    names = dict(zip(captured, words(captured, taken), strict=True))
    calls = [f"self.{n.member}({', '.join(names[c] for c in n.captured)})" for n in networks]
    lines = ("if condition:", f"    return {calls[0]}", f"return {calls[1]}")
    doc = "The one network or the other, as the condition says."
    name = node.class_name("Branch")
    control = Control(name, doc, tuple(networks), ("condition", *names.values()), lines)
    args = [condition, *(node.value(c) for c in captured)]
    return results(node, called(control, args))


@dataclass(frozen=True)
class Steps:
    """The variables of a loop: its states, what its body reads of the values around it, and what
    each step gives.
    """

    body: Network
    states: list[str]
    others: list[str]
    gathered: list[str]

    @classmethod
    def of(cls, body: Network, states: Sequence[str], first: int, taken: Names) -> Steps:
        """`first`: how many outputs of the body stand before those that are gathered."""
        held, others = words(states, taken), words(body.captured, taken)
        return cls(body, held, others, words(body.graph.outputs[first:], taken))

    def lines(self, head: Sequence[str], step: Sequence[str], given: Sequence[str]) -> list[str]:
        """The loop, whose body is called with `given` and gives `step`, the states and the rest."""
        found = ", ".join([*step, *self.states, *(f"{name}_i" for name in self.gathered)])
        call = f"    {found} = self.body({', '.join([*given, *self.others])})"
        return [*(f"{name} = []" for name in self.gathered), *head, call]

    def returned(self, node: NodeView) -> str:
        """The last line: states, and what was gathered as one tensor each."""
        axes = node.attr("scan_output_axes", [0] * len(self.gathered))
        rows = enumerate(zip(self.gathered, axes, strict=True), len(self.states))
        stacks = [stacked(node, i, name, axis) for i, (name, axis) in rows]
        return f"return {', '.join([*self.states, *stacks])}"


@onnx_op("Loop", 1, *LATER)
def loop(
    node: NodeView, count: Expr | None, going: Expr | None, *states: Expr
) -> Expr | tuple[Expr, ...]:
    """Loop(M, cond, states; body) -> states, and what each step gives, stacked."""
    given = [node.type(i + 2) for i in range(len(states))]
    body = stable_body(node, 2, given, len(states))
    steps = Steps.of(body, body.inputs[2:], 1 + len(states), Names(OWN_WORDS))
    learn_states(node, body, 1, len(states))
    number, limit = node.steps()
    ends = body.ends() or (going is not None and not node.is_true(1))
    asked = ["count"] * limit + ["going"] * ends
    lines = (*loop_lines(steps, limit=limit, ends=ends), steps.returned(node))
    doc, members = "Its body, called again with what it gave.", (*steps.states, *steps.others)
    control = Control(node.class_name("Loop"), doc, (body,), (*asked, *members), lines)
    start = ms.Tensor(True) if going is None else going
    args = [*[number] * limit, *[start] * ends, *states]
    return results(node, called(control, [*args, *(node.value(c) for c in body.captured)]))


def loop_lines(steps: Steps, *, limit: bool, ends: bool) -> list[str]:
    """The lines of a Loop: `limit` if its steps are counted, `ends` if a condition ends it."""
    counts = limit and not ends
    asked = " and ".join(["i < count"] * limit + ["going"] * ends) or "True"
    head = ["for i in range(int(count)):"] if counts else ["i = 0", f"while {asked}:"]
    given = ["ms.Tensor(i, ms.int64)", "going" if ends else "ms.Tensor(True)", *steps.states]
    lines = steps.lines(head, ["going" if ends else "_"], given)
    lines += [f"    {name}.append({name}_i)" for name in steps.gathered]
    return lines if counts else [*lines, "    i += 1"]


def stacked(node: NodeView, output: int, name: str, axis: int) -> str:
    """What each step gave, as one tensor along an axis; an empty one after no step."""
    known = node.out(output) if output < len(node.node.outputs) else ValueType()
    dtype = "bool_" if known.dtype == np.bool_ else getattr(known.dtype, "name", "float32")
    sizes = [d if isinstance(d, int) else 0 for d in known.shape or (0,)]
    sizes[axis if -len(sizes) <= axis < len(sizes) else 0] = 0
    shape = f"({', '.join(map(str, sizes))}{',' * (len(sizes) == 1)})"
    along = f", axis={axis}" if axis else ""
    return f"ops.stack({name}{along}) if {name} else ops.zeros({shape}, ms.{dtype})"


def stable_body(node: NodeView, own: int, given: Sequence[ValueType], states: int) -> Network:
    """The body, with the states' shapes as far as each step leaves them as they are.

    `given` are the types of what it takes behind its `own` inputs: first the states.
    """
    graph = node.node.attrs["body"]
    known = list(given)
    for _ in range(4):
        types = dict(zip(graph.inputs[own:], known, strict=False))
        body = node.network("body", types)
        first = 1 if own == 2 else 0
        made = [body.graph.type_of(name) for name in body.graph.outputs[first:]]
        kept = [common(a, b) for a, b in zip(known[:states], made, strict=False)]
        better = [*kept, *known[states:]]
        if better == known:
            return body
        known = better
    raise node.refuse("shapes that change with each step")


def learn_states(
    node: NodeView, body: Network, first: int, states: int, axes: Sequence[int] = ()
) -> None:
    """Lets the graph around a loop know the states behind it, and what its steps give along `axes`.

    They are as each step takes and leaves them; ONNX's inference gives up where a step reads a
    value of the graph around.
    """
    made = [body.graph.type_of(name) for name in body.graph.outputs[first:]]
    taken = [body.graph.type_of(name) for name in body.graph.inputs[2 * first :]]
    kept = [common(a, b) for a, b in zip(taken, made[:states], strict=False)]
    rows = map(rows_of, made[states:], axes or [0] * len(made))
    learn(node.graph, dict(zip(node.node.outputs, [*kept, *rows], strict=False)))


def rows_of(known: ValueType, axis: int) -> ValueType:
    """The type of many such values along an axis."""
    if known.shape is None:
        return known
    sizes: list[Dim] = list(known.shape)
    sizes.insert(axis if axis >= 0 else len(sizes) + 1 + axis, None)
    return ValueType(known.dtype, tuple(sizes))


def common(a: ValueType, b: ValueType) -> ValueType:
    """What both types say."""
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return ValueType(a.dtype, None, a.container)
    sizes = tuple(m if m == n else None for m, n in zip(a.shape, b.shape, strict=True))
    return ValueType(a.dtype, sizes, a.container)


@onnx_op("Scan", *range(9, 29))
def scan(node: NodeView, *inputs: Expr) -> Expr | tuple[Expr, ...]:
    """Scan(states, sequences; body, num_scan_inputs) -> states, and what each step gives."""
    kept = len(inputs) - int(node.attr("num_scan_inputs"))
    given = [*map(node.type, range(kept)), *elements(node, range(kept, len(inputs)))]
    body = stable_body(node, 0, given, kept)
    learn_states(node, body, 0, kept, node.attr("scan_output_axes", ()))
    taken = Names(OWN_WORDS)
    steps = Steps.of(body, body.inputs[:kept], kept, taken)
    read = words(body.inputs[kept:], taken)
    lines = (*scan_lines(node, steps, read), steps.returned(node))
    doc, members = "Its body, called with each element of a sequence.", (*steps.states, *read)
    control = Control(node.class_name("Scan"), doc, (body,), (*members, *steps.others), lines)
    return results(node, called(control, [*inputs, *(node.value(c) for c in body.captured)]))


def elements(node: NodeView, places: Sequence[int]) -> list[ValueType]:
    """The types of what each step of a Scan reads of its sequences. Raises: MS104 for no axis"""
    axes = node.attr("scan_input_axes", [0] * len(places))
    found = []
    for known, axis in zip(map(node.type, places), axes, strict=True):
        rank = known.rank or 0
        if axis != 0 and not -rank <= axis < rank:
            raise node.malformed(f"axis {axis} of a sequence of {known.rank or 'unknown'} axes")
        found.append(element(known, axis))
    return found


def element(known: ValueType, axis: int) -> ValueType:
    """The type of what a sequence along an axis holds."""
    sizes = None if known.shape is None else list(known.shape)
    if sizes is not None and -len(sizes) <= axis < len(sizes):
        del sizes[axis]
    return ValueType(known.dtype, None if sizes is None else tuple(sizes))


def picked(name: str, axis: int, at: str) -> str:
    """What stands at a place of a sequence along an axis: `x[:, i]`, `x[..., i]`."""
    before, behind = (":, " * axis, "") if axis >= 0 else ("..., ", ", :" * (-1 - axis))
    return f"{name}[{before}{at}{behind}]"


def scan_lines(node: NodeView, steps: Steps, read: Sequence[str]) -> list[str]:
    """The lines of a Scan over the variables `read`, forwards or backwards."""
    none = [0] * len(read)
    axes, back = node.attr("scan_input_axes", none), node.attr("scan_input_directions", none)
    rows = zip(read, axes, back, strict=True)
    given = [*steps.states, *(picked(n, axis, "-1 - i" if b else "i") for n, axis, b in rows)]
    lines = steps.lines([f"for i in range({read[0]}.shape[{axes[0]}]):"], [], given)
    turned = node.attr("scan_output_directions", [0] * len(steps.gathered))
    for name, b in zip(steps.gathered, turned, strict=True):
        lines += [f"    {name}.insert(0, {name}_i)" if b else f"    {name}.append({name}_i)"]
    return lines


@onnx_op("SequenceEmpty", *LATER)
def sequence_empty(node: NodeView) -> Expr:
    """SequenceEmpty() -> []."""
    return List(())


@onnx_op("SequenceConstruct", *LATER)
def sequence_construct(node: NodeView, *items: Expr) -> Expr:
    """SequenceConstruct(inputs) -> a list of them."""
    return List(tuple(items))


@onnx_op("SequenceInsert", *LATER)
def sequence_insert(node: NodeView, items: Expr, x: Expr, place: Expr | None = None) -> Expr:
    """SequenceInsert(sequence, tensor, position) -> the list with the tensor at the position."""
    if place is None:
        return items + List((x,))
    at = Call(INT, (place,))
    return items[slice(None, at)] + List((x,)) + items[slice(at, None)]


@onnx_op("SequenceErase", *LATER)
def sequence_erase(node: NodeView, items: Expr, place: Expr | None = None) -> Expr:
    """SequenceErase(sequence, position) -> the list without what stands there."""
    if place is None:
        return items[slice(None, -1)]
    return helper.onnx_erase(items, place)


@onnx_op("SequenceAt", *LATER)
def sequence_at(node: NodeView, items: Expr, place: Expr) -> Expr:
    """SequenceAt(sequence, position) -> what stands there."""
    return Index(items, (Call(INT, (place,)),))


@onnx_op("SequenceLength", *LATER)
def sequence_length(node: NodeView, items: Expr) -> Expr:
    """SequenceLength(sequence) -> how many there are, an int64 scalar."""
    return ms.Tensor(Call(Code("len"), (items,)), dtype_code(np.dtype("int64")))


@onnx_op("ConcatFromSequence", *LATER)
def concat_from_sequence(node: NodeView, items: Expr) -> Expr:
    """ConcatFromSequence(sequence; axis, new_axis=0) -> the tensors joined."""
    axis = Literal(int(node.attr("axis")))
    if node.attr("new_axis", 0):
        return ops.stack(items, axis)
    return ops.concat(items, axis)


@onnx_op("SplitToSequence", *LATER)
def split_to_sequence(node: NodeView, x: Expr, sizes: Expr | None = None) -> Expr:
    """SplitToSequence(input, split; axis=0, keepdims=1) -> a list of parts."""
    axis = node.axis(0)
    if sizes is None:
        parts: Expr = ops.split(x, 1, axis=axis)
        return parts if node.attr("keepdims", 1) else ops.unbind(x, axis)
    each = node.sizes(1)
    whole = each[0] if node.rank(1) == 0 else tuple(each)
    return ops.split(x, whole, axis=axis)
