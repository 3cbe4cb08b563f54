"""Recurrent layers that MindSpore's do not say, step by step: lengths, peepholes, clipping, ...

x is (t, n, c), or (n, t, c) with layout 1; a direction's weights are its part of W, R, B and P.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..code.expr import Code, Constant, Expr, Tuple, helper, ops
from .registry import NodeView, dtype_code

ACTIVATIONS = {"Sigmoid": "ops.sigmoid", "Tanh": "ops.tanh", "Relu": "ops.relu"}
ACTIVATIONS |= {"Softsign": "ops.softsign", "Softplus": "ops.softplus"}
"""Those that have no numbers of their own."""


def stepwise(node: NodeView, x: Expr, rest: Sequence[Expr | None]) -> tuple[Expr, ...]:
    """Y, Y_h and, of an LSTM, Y_c."""
    turned = node.attr("layout", 0) == 1
    x = x.method("swapaxes", 0, 1) if turned else x
    names = {"reverse": (True,), "bidirectional": (False, True)}
    ways = names.get(node.attr("direction", "forward"), (False,))
    found = [direction(node, x, rest, (i, way)) for i, way in enumerate(ways)]
    merged = node.attr("msconvert_layout") == "merged"
    y = (ops.concat if merged else ops.stack)(tuple(call[0] for call in found), -1 if merged else 1)
    count = 2 if node.node.op == "LSTM" else 1
    states = [ops.stack(tuple(call[k + 1] for call in found), 0) for k in range(count)]
    if not turned:
        return y, *states
    return ops.transpose(y, (2, 0, 1, 3)), *(s.method("swapaxes", 0, 1) for s in states)


def direction(node: NodeView, x: Expr, rest: Sequence[Expr | None], way: tuple[int, bool]) -> Expr:
    """The call of one direction's function; `way` is its number, and whether it goes backwards."""
    index, reverse = way
    _, _, _, lengths, h, c, _ = [*rest, *[None] * 7][:7]
    w, r, b = (part(node, at, index) for at in (1, 2, 3))
    first = [x, w, r, b]
    states = [state(node, x, value, index) for value in (h, c)]
    limit, kinds = node.attr("clip"), Tuple(tuple(activations(node, index)))
    match node.node.op:
        case "LSTM":
            coupled = node.attr("input_forget", 0) == 1
            first += [part(node, 7, index), lengths]
            return helper.onnx_lstm(*first, *states, kinds, reverse, limit, coupled)
        case "GRU":
            linear = node.attr("linear_before_reset", 0) == 1
            return helper.onnx_gru(*first, lengths, states[0], kinds, reverse, limit, linear)
    return helper.onnx_rnn(*first, lengths, states[0], kinds, reverse, limit)


def part(node: NodeView, at: int, index: int) -> Constant | None:
    """The weights of one direction, from input `at`."""
    if not node.has(at):
        return None
    source = node.operand(node.node.inputs[at])
    array = node.constant(at, "a weight")[index]
    assert isinstance(source, Constant)
    name = f"{node.node.outputs[0] or node.node.name}/{at}_{index}"
    return Constant(name, node.weight(source, array, f"part [{index}]"))


def state(node: NodeView, x: Expr, value: Expr | None, index: int) -> Expr:
    """The state before the first step, zeros if none is given."""
    if value is not None:
        return value[:, index] if node.attr("layout", 0) == 1 else value[index]
    size = node.constant(2, "R").shape[2]
    dtype = node.type().dtype or np.dtype("float32")
    return ops.zeros((x.attribute("shape")[1], size), dtype_code(dtype))


def activations(node: NodeView, index: int) -> list[Expr]:
    """The functions of one direction."""
    usual = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
    each = usual[node.node.op]
    names = [*node.attr("activations", []), *each, *each]
    first = index * len(each) if node.attr("activations") is not None else 0
    chosen = names[first : first + len(each)]
    if any(name not in ACTIVATIONS for name in chosen):
        raise node.refuse("an activation", got=str(chosen), expected=", ".join(ACTIVATIONS))
    return [Code(ACTIVATIONS[name]) for name in chosen]
