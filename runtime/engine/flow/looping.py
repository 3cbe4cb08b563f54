"""Loops: Python's own on known values, Loop nodes on traced ones, with their gradients.

A Loop that a gradient is taken of also gives what each turn was given. Its gradient is a Loop that
goes through the turns from the last to the first, and computes each again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtype as dtypes
from ..compiler import flatten, rebuild
from ..failure import LoopError, NoGradientError
from ..gradient import gradient_of, pulled_back
from ..primitive import REGISTRY, zeros_like
from ..tape import DIFFERENTIABLE, NUMERIC, Gradients, Tape, is_watched, record, recording, taping
from ..tensor import Tensor, wrap
from ..trace import Symbol, active
from .control import (
    Traced,
    append,
    captured_by,
    check_alike,
    holding,
    is_traced,
    scalar_condition,
    with_tensors,
)


def while_loop(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any
) -> Any:
    """body_fun(body_fun(... init_val)) as long as cond_fun of the value is true.

    Raises: MS306 if a turn changes the structure, an element type or a shape; MS307 for the
    gradient of a loop that sets parameters, and whose number of turns only the graph finds out.
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
        self.nodes = traced.inner.nodes
        own = {symbol.name for symbol in inputs}
        captured = [x for x in captured_by([traced]) if getattr(x.content, "name", "") not in own]
        watched = bool(recording.tapes) and is_watched([*self.start, *captured])
        given = inputs[2 : 2 + len(start)] if watched else []
        made = self.append(first, start, traced, inputs, given)
        ys, rows = [*map(wrap, made[: len(start)])], [*map(wrap, made[len(start) :])]
        if watched:
            self.record(captured, ys, rows[len(rows) - len(given) :])
        end = rebuild(self.layout, ys)
        return end if self.turns is None else (end, rebuild(self.collected, rows))

    def append(
        self,
        first: Tensor,
        start: list[Symbol],
        traced: Traced,
        inputs: list[Symbol],
        given: list[Symbol],
    ) -> list[Symbol]:
        """The node: the values at its end, and rows of what was collected and of `given`."""
        ends = [traced.inner.assigned[key][1] for key in self.variables]
        kinds = [*start, *self.variables.values()]
        sources = ["", self.trace.lift(scalar_condition(first)).name, *[s.name for s in kinds]]
        carried, collected = traced.symbols[: len(start) + 1], traced.symbols[len(start) + 1 :]
        rows = [*collected, *given]
        body = traced.graph(self.trace, [*carried, *ends, *rows], inputs)
        count = -1 if self.turns is None else self.turns
        stacked_rows = [Symbol(s.name, (count, *s.shape), s.dtype) for s in rows]
        made = append(self.trace, "Loop", sources, [*kinds, *stacked_rows], {"body": body})
        for key, symbol in zip(self.variables, made[len(start) :], strict=False):
            self.trace.assign(self.trace.variables[key].tensor, wrap(symbol))
        return made[: len(start)] + made[len(kinds) :]

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

    def record(self, captured: list[Tensor], ys: list[Tensor], given: list[Tensor]) -> None:
        """Tells the tapes the way back, through the turns from the last to the first."""
        if self.variables:
            raise NoGradientError("while_loop", "a turn sets a parameter, and would set it again")
        values = [x.content for x in captured]

        def back(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
            with holding(captured, values):
                return self.slopes(captured, ys, gs, given)

        record([*self.start, *captured], ys, back)

    def slopes(
        self, captured: list[Tensor], ys: list[Tensor], gs: Gradients, given: list[Tensor]
    ) -> Gradients:
        """The gradients of the first values and of what the turns read around them."""
        moving = [k for k, y in enumerate(ys) if y.content.dtype.kind in DIFFERENTIABLE]

        def turn(state: Any) -> Any:
            left, incoming, sums = state
            left = REGISTRY["Sub"](left, wrap(np.array(1, np.int64)))
            before = [REGISTRY["Gather"](rows, left, axis=0) for rows in given]
            tape = Tape(kinds=NUMERIC)
            tape.known.update((id(x.content), x.content) for x in [*before, *captured])
            after: list[Tensor] = []
            begin = len(self.trace.nodes)
            with taping(*recording.tapes, tape):
                flatten(with_tensors(self.body(rebuild(self.layout, before))), after)
            check_alike(self.trace, self.nodes, self.trace.nodes[begin:], before)
            found = pulled_back(tape, [after[k] for k in moving], incoming)
            outgoing = [gradient_of(found, id(before[k].content), before[k]) for k in moving]
            more = [gradient_of(found, id(x.content), x) for x in captured]
            added = [REGISTRY["Add"](*pair) for pair in zip(sums, more, strict=True)]
            return left, outgoing, added

        sizes = REGISTRY["Shape"](given[0])
        count = REGISTRY["Gather"](sizes, wrap(np.array(0, np.int64)), axis=0)
        if any(-1 in x.shape for x in captured):
            raise NoGradientError("while_loop", "the gradient of its gradient is not known")
        nothing = wrap(np.array(0, np.int64))
        incoming = [zeros_like(ys[k]) if gs[k] is None else gs[k] for k in moving]
        state = (count, incoming, [zeros_like(x) for x in captured])
        again = Loop(lambda s: REGISTRY["Greater"](s[0], nothing), turn, state)
        _, outgoing, sums = again.result(REGISTRY["Greater"](count, nothing))
        found = dict(zip(moving, outgoing, strict=True))
        return [*[found.get(k) for k in range(len(ys))], *sums]


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
