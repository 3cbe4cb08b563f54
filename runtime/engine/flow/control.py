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
from ..failure import LoopError, NoGradientError
from ..gradient import gradient_of, pulled_back
from ..primitive import REGISTRY, convert, zeros_like
from ..reference import HostNode
from ..session import node_of
from ..tape import NUMERIC, Gradients, Tape, is_watched, record, recording, taping
from ..tensor import Tensor, wrap
from ..trace import Inner, Symbol, Trace, active, type_of

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
        nodes = [node for node in self.inner.nodes if not isinstance(node, HostNode)]
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


def while_loop(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any
) -> Any:
    """body_fun(body_fun(... init_val)) as long as cond_fun of the value is true.

    Raises: MS306 if a turn changes the structure, an element type or a shape; MS307 for the
    gradient of a loop whose number of turns only the graph finds out.
    """
    value = init_val
    first = cond_fun(value)
    while not is_traced(first):
        if not bool(first):
            return value
        value = body_fun(value)
        first = cond_fun(value)
    return Loop(cond_fun, body_fun, value).result(first)


class Loop:
    """A Loop node: what it carries from turn to turn, and the variables that a turn assigns.

    With `turns`, as many as it makes, the body also gives what is collected from each turn.
    """

    def __init__(
        self,
        condition: Callable[[Any], Any],
        body: Callable[[Any], Any],
        init: Any,
        turns: int | None = None,
    ) -> None:
        trace = active()
        assert trace is not None
        self.trace, self.condition, self.body, self.turns = trace, condition, body, turns
        self.collected: Any = None
        self.start: list[Tensor] = []
        self.layout = flatten(with_tensors(init), self.start)
        self.variables: dict[int, Symbol] = {}

    def result(self, first: Tensor) -> Any:
        """What is carried at the end; with `turns`, and what was collected, stacked."""
        start = [self.trace.lift(x) for x in self.start]
        traced, inputs = self.turn(start)
        while traced.inner.assigned.keys() - self.variables.keys():
            for key in traced.inner.assigned:
                held = self.trace.variables[key]
                self.variables[key] = held.symbol if held.current is None else held.current
            traced, inputs = self.turn(start)
        ends = [traced.inner.assigned[key][1] for key in self.variables]
        kinds = [*start, *self.variables.values()]
        sources = ["", self.trace.lift(scalar_condition(first)).name, *[s.name for s in kinds]]
        carried, collected = traced.symbols[: len(start) + 1], traced.symbols[len(start) + 1 :]
        body = traced.graph(self.trace, [*carried, *ends, *collected], inputs)
        count = -1 if self.turns is None else self.turns
        rows = [Symbol(s.name, (count, *s.shape), s.dtype) for s in collected]
        made = append(self.trace, "Loop", sources, [*kinds, *rows], {"body": body})
        for key, symbol in zip(self.variables, made[len(start) :], strict=False):
            self.trace.assign(self.trace.variables[key].tensor, wrap(symbol))
        ys = [*map(wrap, made[: len(start)])]
        self.record(captured_by([traced]), ys)
        end = rebuild(self.layout, ys)
        if self.turns is None:
            return end
        return end, rebuild(self.collected, [*map(wrap, made[len(kinds) :])])

    def turn(self, start: list[Symbol]) -> tuple[Traced, list[Symbol]]:
        """One turn, traced; its results are the next condition and the next values."""
        fresh = self.trace.fresh
        scalars = [
            Symbol(fresh("turn"), (), np.dtype(np.int64)),
            Symbol(fresh("go"), (), np.dtype(bool)),
        ]
        carried = [Symbol(fresh("carried"), s.shape, s.dtype) for s in start]
        state = {key: Symbol(fresh("state"), s.shape, s.dtype) for key, s in self.variables.items()}

        def step() -> Any:
            for key, symbol in state.items():
                self.trace.variables[key].current = symbol
            after = with_tensors(self.body(rebuild(self.layout, [*map(wrap, carried)])))
            row: Any = ()
            if self.turns is not None:
                after, row = after
                self.collected = flatten(row, [])
            self.check(after, start)
            go = self.condition(after)
            flag = scalar_condition(go if isinstance(go, Tensor) else Tensor(bool(go)))
            return [flag, after, row]

        return Traced(self.trace, step, repeated=True), [*scalars, *carried, *state.values()]

    def check(self, after: Any, start: list[Symbol]) -> None:
        leaves: list[Tensor] = []
        if flatten(after, leaves) != self.layout:
            raise LoopError("while_loop", "a turn gives another structure than it was given")
        for k, (x, s) in enumerate(zip(leaves, start, strict=True)):
            if (x.shape, x.content.dtype) != (s.shape, s.dtype):
                raise LoopError(
                    f"while_loop, value {k}",
                    "a turn changes the shape or the element type",
                    got=f"{x.dtype.name}{list(x.shape)}",
                    expected=f"{dtypes.from_numpy(s.dtype).name}{list(s.shape)}",
                )

    def record(self, captured: list[Tensor], ys: list[Tensor]) -> None:
        """Tells the tapes that there is no way back."""

        def back(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
            raise NoGradientError("while_loop", "how often it runs is not known while it is traced")

        record([*self.start, *captured], ys, back)


def fori_loop(
    lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any, unroll: bool = True
) -> Any:
    """body_fun(i, value) for each i from `lower` to `upper` - 1.

    Bounds that are known are turns of Python's own; else, and without `unroll`, it is a Loop
    node, but where a gradient is recorded.
    """
    known = not (is_traced(lower) or is_traced(upper))
    if known and (unroll or active() is None or recording.tapes or int(lower) >= int(upper)):
        value = init_val
        for i in range(int(lower), int(upper)):
            value = body_fun(i, value)
        return value
    first = lower if isinstance(lower, Tensor) else Tensor(lower)

    def go(state: Any) -> Any:
        return state[0] < upper

    def body(state: Any) -> Any:
        return state[0] + 1, body_fun(state[0], state[1])

    start = (first, init_val)
    state = Loop(go, body, start).result(Tensor(True)) if known else while_loop(go, body, start)
    return state[1]


def scan(
    loop_func: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any,
    length: int | None = None,
    unroll: bool = True,
) -> tuple[Any, list[Any]]:
    """(carry, ys): carry, y = loop_func(carry, x) for each x of `xs`, or `length` times None.

    Without `unroll` it is a Loop node where no gradient is recorded.
    """
    carry, ys = init, []
    steps = [None] * (0 if length is None else length) if xs is None else xs
    if not unroll and active() is not None and not recording.tapes and is_even(steps):
        return scanned(loop_func, init, None if xs is None else stacked(xs), len(steps))
    for x in steps:
        carry, y = loop_func(carry, x)
        ys.append(y)
    return carry, ys


def is_even(steps: Any) -> bool:
    """Whether there is a step, and all are Tensors of one kind, or None."""
    if isinstance(steps, Tensor) or len(steps) == 0:
        return len(steps) > 0
    kinds = {(x.shape, x.dtype) if isinstance(x, Tensor) else x is None for x in steps}
    return len(kinds) == 1 and False not in kinds


def stacked(xs: Any) -> Tensor:
    if isinstance(xs, Tensor):
        return xs
    first = wrap(np.zeros(1, np.int64))
    return REGISTRY["Concat"](*[REGISTRY["Unsqueeze"](x, first) for x in xs], axis=0)


def scanned(
    loop_func: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Tensor | None, count: int
) -> tuple[Any, list[Any]]:
    """`scan` as a Loop node; ys are taken apart again."""

    def body(state: Any) -> Any:
        x = None if xs is None else REGISTRY["Gather"](xs, state[0], axis=0)
        carry, y = loop_func(state[1], x)
        return (state[0] + 1, carry), y

    loop = Loop(lambda state: state[0] < count, body, (Tensor(0), init), turns=count)
    (_, carry), rows = loop.result(Tensor(True))
    leaves: list[Tensor] = []
    layout = flatten(rows, leaves)
    ys = []
    for k in range(count):
        at = wrap(np.array(k, np.int64))
        ys.append(rebuild(layout, [REGISTRY["Gather"](row, at, axis=0) for row in leaves]))
    return carry, ys
