"""Recurrent layers: ONNX's nodes, and the modules of several layers that recomposing makes.

A module has the inputs x, initial_h, initial_c, then W, R and B of each layer, and the attributes
num_layers and batch_first; its output Y is MindSpore's (seq, batch, dirs * hidden).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..code.expr import Cell, Constant, Expr, Weight, ops
from ..code.layers import nn
from .registry import NodeView, onnx_op
from .stepwise import stepwise

Array = np.ndarray[Any, Any]
Operands = Sequence[Expr | None]


@dataclass(frozen=True)
class Recurrence:
    """A kind of layer: its gates in ONNX's order and in MindSpore's, and ONNX's activations."""

    layer: Callable[..., Cell]
    gates: str
    wanted: str
    activations: tuple[str, ...]

    def reordered(self, array: Array) -> Array:
        """The gates' blocks of rows in MindSpore's order."""
        blocks = np.split(array, len(self.gates))
        return np.concatenate([blocks[self.gates.index(gate)] for gate in self.wanted])

    def change(self, part: str) -> str:
        """Which part of the source a weight is, and its order of gates, in words."""
        moved = f", gates {' '.join(self.gates)} reordered to {' '.join(self.wanted)}"
        return f"part [{part}]" + (moved if self.gates != self.wanted else "")


@onnx_op("LSTM", 1, 7, 14, 22)
@onnx_op("LSTM", 1, domain="msconvert")
def lstm(node: NodeView, x: Expr, *rest: Expr | None) -> tuple[Expr, ...]:
    """LSTM(X, W, R, B, sequence_lens, initial_h, initial_c, P) -> Y, Y_h, Y_c."""
    if is_odd(node, ("Sigmoid", "Tanh", "Tanh")):
        return stepwise(node, x, rest)
    cell = layers(node, Recurrence(nn.LSTM, "iofc", "ifco", ("Sigmoid", "Tanh", "Tanh")), rest)
    h, c = initial_states(node, rest)
    if h is None and c is None:
        return results(node, cell(forwards(node, x)), 2)
    h, c = ops.zeros_like(c) if h is None else h, ops.zeros_like(h) if c is None else c
    return results(node, cell(forwards(node, x), (h, c)), 2)


@onnx_op("GRU", 1, 3, 7, 14, 22)
@onnx_op("GRU", 1, domain="msconvert")
def gru(node: NodeView, x: Expr, *rest: Expr | None) -> tuple[Expr, ...]:
    """GRU(X, W, R, B, sequence_lens, initial_h) -> Y, Y_h."""
    if not node.attr("linear_before_reset", 0) or is_odd(node, ("Sigmoid", "Tanh")):
        return stepwise(node, x, rest)
    cell = layers(node, Recurrence(nn.GRU, "zrh", "rzh", ("Sigmoid", "Tanh")), rest)
    h, _ = initial_states(node, rest)
    return results(node, cell(forwards(node, x), *([] if h is None else [h])), 1)


@onnx_op("RNN", 1, 7, 14, 22)
@onnx_op("RNN", 1, domain="msconvert")
def rnn(node: NodeView, x: Expr, *rest: Expr | None) -> tuple[Expr, ...]:
    """RNN(X, W, R, B, sequence_lens, initial_h) -> Y, Y_h."""
    kind = node.attr("activations", ["Tanh"])[0]
    if kind not in ("Tanh", "Relu") or is_odd(node, (kind,)):
        return stepwise(node, x, rest)
    recurrence = Recurrence(nn.RNN, "h", "h", (kind,))
    cell = layers(node, recurrence, rest, nonlinearity=kind.lower())
    h, _ = initial_states(node, rest)
    return results(node, cell(forwards(node, x), *([] if h is None else [h])), 1)


def is_module(node: NodeView) -> bool:
    return node.node.domain == "msconvert"


def initial_states(node: NodeView, rest: Operands) -> Operands:
    """The initial h and c, None where they are zeros."""
    first = 0 if is_module(node) else 4
    return [*rest[first : first + 2], None, None][:2]


def forwards(node: NodeView, x: Expr) -> Expr:
    """x in the order in which the layer reads it: the last step first if direction is reverse."""
    time = 1 if node.attr("batch_first", 0) else 0
    return ops.flip(x, (time,)) if node.attr("direction") == "reverse" else x


def results(node: NodeView, call: Expr, states: int) -> tuple[Expr, ...]:
    """Y, Y_h and, for two states, Y_c, of the layer's (output, state) or (output, (h, c))."""
    y = forwards(node, call[0])
    if not is_module(node):
        y = ops.stack(ops.split(y, hidden_size(node), axis=2), axis=1) if both(node) else y
        y = y if both(node) else ops.expand_dims(y, 1)
    return y, *([call[1]] if states == 1 else [call[1][i] for i in range(states)])


def both(node: NodeView) -> bool:
    return bool(node.attr("direction") == "bidirectional")


def hidden_size(node: NodeView) -> int:
    return int(node.constant(5 if is_module(node) else 2, "R").shape[2])


def is_odd(node: NodeView, activations: Sequence[str]) -> bool:
    """Whether the node is what MindSpore's recurrent layers cannot say."""
    if is_module(node):
        return False
    usual = list(activations) * (2 if both(node) else 1)
    return (
        node.has(4)
        or node.has(7)
        or node.attr("clip") is not None
        or node.attr("layout", 0) != 0
        or node.attr("activations", usual) != usual
        or node.attr("input_forget", 0) != 0
    )


def layers(node: NodeView, kind: Recurrence, rest: Operands, **extra: str) -> Cell:
    """The layer with its weights, gates in MindSpore's order."""
    first, count = (3, int(node.attr("num_layers"))) if is_module(node) else (1, 1)
    weights = {
        name + f"_l{k}" + tail: weight
        for k in range(count)
        for tail, name, weight in layer_weights(node, kind, rest, first + 3 * k)
    }
    w, r = node.constant(first, "W"), node.constant(first + 1, "R")
    options = {
        "has_bias": node.has(first + 2),
        "batch_first": bool(node.attr("batch_first", 0)),
        "bidirectional": both(node),
    }
    return kind.layer(w.shape[2], r.shape[2], count, **options, **extra, weights=weights)


def layer_weights(
    node: NodeView, kind: Recurrence, rest: Operands, first: int
) -> Iterator[tuple[str, str, Weight]]:
    """`_reverse` or "", the parameter, and its weight, from W, R and B at `first`."""
    half = node.constant(first, "W").shape[1]
    parts = [("weight_ih", 0, slice(None)), ("weight_hh", 1, slice(None))]
    if node.has(first + 2):
        parts += [("bias_ih", 2, slice(0, half)), ("bias_hh", 2, slice(half, 2 * half))]
    for direction, tail in enumerate(("", "_reverse")[: 2 if both(node) else 1]):
        for name, index, rows in parts:
            source = rest[first + index - 1]
            array = node.constant(first + index, "WRB"[index])[direction, rows]
            assert isinstance(source, Constant)
            where = f"{direction}" + (f", {rows.start}:{rows.stop}" if index == 2 else "")
            yield tail, name, node.weight(source, kind.reordered(array), kind.change(where))
