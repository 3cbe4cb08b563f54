"""LSTM, GRU and RNN step by step, as they are computed while a gradient is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.failure import NoGradientError
from ..engine.promotion import constant
from ..engine.tape import Gradients, Record, Tape, detached, recording
from ..engine.tensor import Tensor, wrap
from . import activation as a
from .elementwise import less, where
from .layer import gru, lstm, rnn
from .reduction import gemm
from .shaping import concat, expand, reshape, squeeze, unsqueeze
from .shaping import split as split_

States = tuple[Tensor, ...]
Step = Callable[[Tensor, States, Tensor, Any], States]
"""(what is added to the state's gates, states, recurrent weights, gates of the input where they
are kept apart) -> states, the output first."""


def parts(x: Tensor, count: int, axis: int = -1) -> tuple[Tensor, ...]:
    """Pieces of equal size."""
    if count == 1:
        return (x,)
    sizes = constant([x.shape[axis] // count] * count)
    pieces: tuple[Tensor, ...] = split_(x, sizes, axis=axis, outputs=count)
    return pieces


def recurrence(
    step: Step, inputs: tuple[Any, ...], states: list[Tensor | None],
    direction: str, outputs: int,
) -> Any:  # fmt: skip
    """All steps in all directions; (y, last states ...) in ONNX's shapes."""
    x, w, r, b, lengths = inputs
    directions, size = r.shape[0], r.shape[2]
    found = []
    for d in range(directions):
        wd, rd = (one(t, d) for t in (w, r))
        bd = (None, None) if b is None else parts(one(b, d), 2)
        start = tuple(
            wrap(np.zeros((x.shape[1], size), x.content.dtype)) if s is None else one(s, d)
            for s in states
        )
        backward = direction == "reverse" or d == 1
        found.append(run(step, (x, wd, rd, *bd), start, lengths, backward))
    y = concat(*[unsqueeze(ys, constant((1,))) for ys, _ in found], axis=1)
    ends = [concat(*[unsqueeze(e[k], constant((0,))) for _, e in found], axis=0)
            for k in range(len(states))]  # fmt: skip
    return (y, *ends)[:outputs] if outputs else y


def one(x: Tensor, direction: int) -> Tensor:
    """The part of one direction."""
    pieces = parts(x, x.shape[0], 0) if x.shape[0] > 1 else (x,)
    return squeeze(pieces[direction], constant((0,)))


def run(
    step: Step, weights: tuple[Any, ...], states: States, lengths: Tensor | None, backward: bool
) -> tuple[Tensor, States]:
    """One direction: (outputs (t, n, h), last states)."""
    t = weights[0].shape[0]
    before: list[Any] = [None] * t
    outputs: list[Any] = [None] * t
    rows, apart, r = gates_of(step, weights, before)
    for k in range(t)[::-1] if backward else range(t):
        before[k] = states[0]
        new = step(rows[k], states, r, apart[k])
        outputs[k] = new[0]
        if lengths is not None:
            live = unsqueeze(less(constant(k, lengths.dtype), lengths), constant((1,)))
            outputs[k] = where(live, new[0], new[0] * 0.0)
            new = tuple(where(live, n_, o) for n_, o in zip(new, states, strict=True))
        states = new
    return concat(*[unsqueeze(y, constant((0,))) for y in outputs], axis=0), states


def gates_of(step: Step, weights: tuple[Any, ...], before: list[Any]) -> tuple[Any, Any, Tensor]:
    """For each step what is added to the state's gates, and the input's gates if they are kept
    apart; the recurrent weights. `before` will hold the state before each step."""
    x, w, r, bw, br = weights
    (t, n, c), apart = x.shape, step in (gru_step, gru_early_step)
    bias = bw if apart or bw is None else bw + br
    products = gemm(reshape(x, constant((t * n, c))), w, bias, transB=1)
    shape = constant((t, n, w.shape[0]))
    products = rows = reshape(products, shape)
    if apart:
        rows = expand(constant(0, x.dtype) if br is None else br, shape)
    if step is not gru_early_step:
        rows, r = weighed_at_once(rows, r, before)
    return by_step(rows), by_step(products) if apart else [None] * t, r


def by_step(x: Tensor) -> list[Tensor]:
    return [squeeze(piece, constant((0,))) for piece in parts(x, x.shape[0], 0)]


def weighed_at_once(rows: Tensor, r: Tensor, before: list[Any]) -> tuple[Tensor, Tensor]:
    """`rows` and `r`, with the gradient of all products `rows[k] + before[k] r^T` by r as one.

    Only where one tape watches: to others it is not visible, and gradients of gradients need it.
    """
    *outer, inner = recording.tapes or (Tape(),)
    inputs = (rows, r)
    if not inner.watches((r,)) or any(tape.watches(inputs) for tape in outer):
        return inputs

    def pullback(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
        g: Any = gs[0]
        h = concat(*[unsqueeze(state, constant((0,))) for state in before], axis=0)
        flat = [reshape(x, constant((-1, x.shape[-1]))) for x in (g, h)]
        return [g, gemm(*flat, transA=1)]

    alone = detached(rows)
    inner.add(Record((id(rows.content), id(r.content)), (id(alone.content),), pullback), (alone,))
    return alone, detached(r)


def lstm_step(row: Tensor, states: States, r: Tensor, apart: Any) -> States:
    h, c = states
    gates, new = but_the_last(gemm(h, r, row, transB=1), h.shape[1])
    i, o, f = parts(a.sigmoid(gates), 3)
    cell = f * c + i * a.tanh(new)
    return o * a.tanh(cell), cell


def but_the_last(gates: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """All gates but the last, and the last."""
    sizes = constant((gates.shape[1] - size, size))
    first, last = split_(gates, sizes, axis=1, outputs=2)
    return first, last


def gru_step(row: Tensor, states: States, r: Tensor, x: Any) -> States:
    """With linear_before_reset: the reset gate multiplies the product."""
    (h,) = states
    of_input, xh = but_the_last(x, h.shape[1])
    of_state, new = but_the_last(gemm(h, r, row, transB=1), h.shape[1])
    update, reset = parts(a.sigmoid(of_input + of_state), 2)
    candidate = a.tanh(xh + reset * new)
    return ((h - candidate) * update + candidate,)


def gru_early_step(row: Tensor, states: States, r: Tensor, x: Any) -> States:
    """Without: the reset gate multiplies the state."""
    (h,) = states
    xz, xr, xh = parts(x, 3)
    rz, rr, rh = parts(r, 3, 0)
    bz, br, bh = parts(row, 3)
    update = a.sigmoid(xz + gemm(h, rz, bz, transB=1))
    reset = a.sigmoid(xr + gemm(h, rr, br, transB=1))
    candidate = a.tanh(xh + gemm(reset * h, rh, bh, transB=1))
    return ((h - candidate) * update + candidate,)


def rnn_step(function: Callable[[Tensor], Tensor]) -> Step:
    return lambda row, states, r, apart: (function(gemm(states[0], r, row, transB=1)),)


def refuse(op: str, **special: Any) -> None:
    """Raises: MS307 if one of these attributes or inputs is given."""
    given = [name for name, value in special.items() if value]
    if given:
        raise NoGradientError(op, f"the runtime knows no gradient of it with {', '.join(given)}")


@lstm.composed
def lstm_composed(
    x: Tensor, w: Tensor, r: Tensor, b: Any = None, sequence_lens: Any = None, h: Any = None,
    c: Any = None, p: Any = None, *, activations: Any, clip: Any, direction: str,
    input_forget: int, layout: int, outputs: int, **sizes: Any,
) -> Any:  # fmt: skip
    refuse("LSTM", activations=activations, clip=clip, coupled=input_forget, layout=layout, P=p)
    inputs = (x, w, r, b, sequence_lens)
    return recurrence(lstm_step, inputs, [h, c], direction, outputs)


@gru.composed
def gru_composed(
    x: Tensor, w: Tensor, r: Tensor, b: Any = None, sequence_lens: Any = None, h: Any = None, *,
    activations: Any, clip: Any, direction: str, layout: int, linear_before_reset: int,
    outputs: int, **sizes: Any,
) -> Any:  # fmt: skip
    refuse("GRU", activations=activations, clip=clip, layout=layout)
    step = gru_step if linear_before_reset else gru_early_step
    return recurrence(step, (x, w, r, b, sequence_lens), [h], direction, outputs)


@rnn.composed
def rnn_composed(
    x: Tensor, w: Tensor, r: Tensor, b: Any = None, sequence_lens: Any = None, h: Any = None, *,
    activations: Any, clip: Any, direction: str, layout: int, outputs: int, **sizes: Any,
) -> Any:  # fmt: skip
    functions = {"Tanh": a.tanh, "Relu": a.relu}
    refuse("RNN", clip=clip, layout=layout, activations={*activations} - {*functions})
    step = rnn_step(functions[activations[0]])
    return recurrence(step, (x, w, r, b, sequence_lens), [h], direction, outputs)
