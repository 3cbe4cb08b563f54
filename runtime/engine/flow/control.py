"""Branches and loops: Python's own on known values, If and Loop nodes on traced ones.

The functions may read whatever is around them. A branch has a gradient: a branch between the
gradients of its sides. A loop whose number of turns is known is traced turn by turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from onnx import GraphProto, ValueInfoProto

from .. import dtype as dtypes
from ..compiler import flatten, rebuild
from ..failure import LoopError
from ..gradient import gradient_of, pulled_back
from ..primitive import REGISTRY, convert, zeros_like
from ..reference import HostNode, needed_of, read_by
from ..session import node_of
from ..tape import NUMERIC, Gradients, Tape, is_watched, record, recording, taping
from ..tensor import Tensor, wrap
from ..trace import Inner, Symbol, Trace, active, is_inline, type_of

Side = Callable[[], Any]
State = dict[int, tuple[Tensor, Symbol]]


def is_traced(value: Any) -> bool:
    return isinstance(value, Tensor) and (
        value.is_traced or (value.variable and active() is not None)
    )


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any
) -> Any:
    """true_fn(*operands) if `pred`, a Tensor of one element, else false_fn(*operands).

    Raises: MS306 if the two give other structures, element types or numbers of axes.
    """
    if not is_traced(pred):
        return true_fn(*operands) if bool(pred) else false_fn(*operands)
    return chosen(pred, lambda: true_fn(*operands), lambda: false_fn(*operands))


def chosen(pred: Tensor, *sides: Side) -> Any:
    """What the first side gives if `pred`, else what the second does; an If of the graph."""
    trace = active()
    assert trace is not None
    condition = scalar_condition(pred)
    try:
        traced = [Traced(trace, side) for side in sides]
    except HostCallError:
        return selected(trace, condition, sides)
    layout = traced[0].layout
    check_layouts(layout, traced[1].layout)
    return rebuild(layout, joined(trace, condition, traced, sides))


def joined(
    trace: Trace, condition: Tensor, traced: Sequence[Region], sides: Sequence[Side]
) -> list[Tensor]:
    """The results of an If of two sides that are traced."""
    state = merged(trace, [one.inner for one in traced])
    pairs = [*zip(*[one.symbols for one in traced], strict=True)]
    kinds = [common(f"cond, result {k}", *pair) for k, pair in enumerate(pairs)]
    kinds += [held.symbol for held in (trace.variables[key] for key in state)]
    bodies = [
        one.graph(trace, [*one.symbols, *[now[k] for now in state.values()]])
        for k, one in enumerate(traced)
    ]
    attrs = {"then_branch": bodies[0], "else_branch": bodies[1]}
    made = append(trace, "If", [trace.lift(condition).name], kinds, attrs)
    for key, symbol in zip(state, made[len(pairs) :], strict=True):
        trace.assign(trace.variables[key].tensor, wrap(symbol))
    ys = [*map(wrap, made[: len(pairs)])]
    record_branch(condition, sides, captured_by(traced), ys)
    return ys


def check_layouts(first: Any, second: Any) -> None:
    if first != second:
        raise LoopError("cond", "the two functions give other structures")


def selected(trace: Trace, condition: Tensor, sides: Sequence[Side]) -> Any:
    """As `chosen`, for sides that no inner graph can hold: both are computed."""
    layouts: list[Any] = []
    values: list[list[Tensor]] = []
    ends: list[dict[int, Any]] = []
    before = {key: held.current for key, held in trace.variables.items()}
    for side in sides:
        leaves: list[Tensor] = []
        layouts.append(flatten(with_tensors(side()), leaves))
        values.append(leaves)
        held = trace.variables.items()
        ends.append({k: v.current for k, v in held if v.current is not before.get(k)})
        for key, variable in held:
            variable.current = before.get(key)
    check_layouts(*layouts)
    for key in dict.fromkeys([*ends[0], *ends[1]]):
        variable = trace.variables[key]
        prior = variable.symbol if variable.current is None else variable.current
        news = [end.get(key, prior) for end in ends]
        trace.assign(variable.tensor, REGISTRY["Where"](condition, *map(wrap, news)))
    pairs = zip(*values, strict=True)
    return rebuild(layouts[0], [REGISTRY["Where"](condition, *pair) for pair in pairs])


class HostCallError(LoopError):
    """MS306: a function is called between sessions, which no inner graph can do."""


class Region:
    """What is traced into an inner graph, and the values that it gives."""

    inner: Inner
    symbols: list[Symbol]

    def check_calls(self) -> None:
        """Raises: HostCallError if a function is called that ONNX Runtime has not."""
        if any(isinstance(node, HostNode) for node in self.inner.nodes):
            names = {
                node.function.__name__ for node in self.inner.nodes if isinstance(node, HostNode)
            }
            raise HostCallError(", ".join(sorted(names)), "ONNX Runtime has no operator for it")

    def graph(
        self, trace: Trace, outputs: Sequence[Symbol], inputs: Sequence[Symbol] = ()
    ) -> GraphProto:
        """The inner graph with these outputs."""
        graph = GraphProto(name=trace.fresh("inner"))
        every = needed_of(self.inner.nodes, [symbol.name for symbol in outputs])
        nodes = [node for node in every if not isinstance(node, HostNode)]
        graph.node.extend(nodes)
        for symbol in inputs:
            graph.input.append(ValueInfoProto(name=symbol.name, type=type_of(symbol)))
        for symbol in outputs:
            name = trace.fresh("result")
            graph.node.append(node_of("Identity", [symbol.name], [name], {}))
            graph.output.append(ValueInfoProto(name=name, type=type_of(symbol)))
        return graph


class Traced(Region):
    """A function traced into an inner graph."""

    def __init__(self, trace: Trace, side: Side, repeated: bool = False) -> None:
        leaves: list[Tensor] = []
        with trace.within(repeated) as self.inner, taping():
            self.layout = flatten(with_tensors(side()), leaves)
            self.symbols = [trace.lift(y) for y in leaves]
        self.check_calls()


def with_tensors(result: Any) -> Any:
    """`result` with its numbers as Tensors: which of two is known only when the graph runs."""
    if isinstance(result, dict):
        return {key: with_tensors(part) for key, part in result.items()}
    if isinstance(result, (tuple, list)):
        return type(result)(map(with_tensors, result))
    return Tensor(result) if isinstance(result, (int, float)) else result


def scalar_condition(pred: Tensor) -> Tensor:
    if pred.size != 1:
        raise LoopError("cond", "a condition has one element", got=f"shape {pred.shape}")
    flag = convert(pred, dtypes.bool_)
    return flag if not flag.shape else REGISTRY["Reshape"](flag, wrap(np.zeros(0, np.int64)))


def common(where: str, a: Symbol, b: Symbol) -> Symbol:
    """What two sides give at one place; a size in which they differ is open."""
    if a.dtype != b.dtype or len(a.shape) != len(b.shape):
        got = " and ".join(f"{dtypes.from_numpy(s.dtype).name}{list(s.shape)}" for s in (a, b))
        raise LoopError(where, "both must be of one element type and number of axes", got=got)
    sizes = tuple([n if n == m else -1 for n, m in zip(a.shape, b.shape, strict=True)])
    return Symbol(a.name, sizes, a.dtype)


def merged(trace: Trace, inners: Sequence[Inner]) -> dict[int, list[Symbol]]:
    """The variables that any of them assigns: their value at the end of each."""
    keys = dict.fromkeys(key for inner in inners for key in inner.assigned)
    found = {}
    for key in keys:
        held = trace.variables[key]
        before = held.symbol if held.current is None else held.current
        found[key] = [
            inner.assigned[key][1] if key in inner.assigned else before for inner in inners
        ]
    return found


def append(
    trace: Trace, op: str, inputs: list[str], kinds: Sequence[Symbol], attrs: dict[str, Any]
) -> list[Symbol]:
    """Appends a node with inner graphs; its outputs are of the given kinds."""
    made = [Symbol(trace.fresh(f"{op}_"), kind.shape, kind.dtype) for kind in kinds]
    trace.nodes.append(node_of(op, inputs, [s.name for s in made], attrs))
    trace.computed.update(s.name for s in made)
    trace.symbols.update((s.name, s) for s in made)
    return made


def captured_by(traced: Sequence[Region]) -> list[Tensor]:
    """The Tensors around the functions that they read, each once."""
    found: dict[int, Tensor] = {}
    for one in traced:
        inside = {name for node in one.inner.nodes for name in node.output}
        for x in one.inner.captured:
            if x.variable or getattr(x.content, "name", "") not in inside:
                found.setdefault(id(x.content), x)
    return [x for x in found.values() if x.content.dtype.kind in NUMERIC]


def record_branch(pred: Tensor, sides: Sequence[Side], xs: list[Tensor], ys: list[Tensor]) -> None:
    """Tells the tapes that the gradient is a branch, too: each side is differentiated inside."""
    if not (recording.tapes and is_watched(xs)):
        return
    values = [x.content for x in xs]

    def back(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
        given = [zeros_like(y) if g is None else g for g, y in zip(gs, ys, strict=True)]
        with holding(xs, values):
            found: Gradients = chosen(pred, *[lambda s=s: slopes(s, xs, given) for s in sides])
        return found

    record(xs, ys, back)


def check_alike(
    trace: Trace, first: list[Any], second: list[Any], own: Sequence[Tensor] = ()
) -> None:
    """Raises: LoopError if a region reads other values when it is traced again for a gradient.

    `own` are those that it is given then.
    """
    before, now = (values_read(trace, nodes) for nodes in (first, second))
    if not now - {getattr(x.content, "name", "") for x in own} <= before:
        raise LoopError("a gradient", "a name that it needs holds something else by now")


def values_read(trace: Trace, nodes: list[Any]) -> set[str]:
    """The values around the nodes; large constants have new names each time."""
    made = {name for node in nodes for name in node.output}
    every = {name for node in nodes for name in read_by(node)} - made
    return {n for n in every if n not in trace.constants or is_inline(trace.constants[n])}


def slopes(side: Side, xs: list[Tensor], gs: list[Tensor]) -> list[Tensor]:
    """The gradients of one side by `xs`."""
    tape = Tape(kinds=NUMERIC)
    tape.known.update((id(x.content), x.content) for x in xs)
    leaves: list[Tensor] = []
    with taping(*recording.tapes, tape):
        flatten(with_tensors(side()), leaves)
    found = pulled_back(tape, leaves, gs)
    return [gradient_of(found, id(x.content), x) for x in xs]


@contextmanager
def holding(xs: list[Tensor], values: list[Any]) -> Iterator[None]:
    """Inside, the plain Tensors hold what they held then: they may have changed in place."""
    now = [x.content for x in xs]
    for x, value in zip(xs, values, strict=True):
        if not x.variable:
            x.content = value
    try:
        yield
    finally:
        for x, value in zip(xs, now, strict=True):
            if not x.variable:
                x.content = value
