"""Recurrent layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..expr import Cell, Constant, Expr, Weight, ops
from ..layers import nn
from .registry import NodeView, onnx_op

Array = np.ndarray[Any, Any]


@onnx_op("LSTM", 1, 7, 14, 22)
def lstm(node: NodeView, x: Expr, w: Constant, r: Constant, *rest: Expr | None) -> tuple[Expr, ...]:
    """LSTM(X, W, R, B, sequence_lens, initial_h, initial_c, P) -> Y, Y_h, Y_c; gates i o f c."""
    supported(node, ["Sigmoid", "Tanh", "Tanh"], count=8)
    cell = recurrent(node, nn.LSTM, gates=(0, 2, 3, 1))
    h, c = (*rest, None, None, None, None)[2:4]
    y = cell(x) if h is None or c is None else cell(x, (h, c))
    return layout(node, y[0]), y[1][0], y[1][1]


@onnx_op("GRU", 1, 3, 7, 14, 22)
def gru(node: NodeView, x: Expr, w: Constant, r: Constant, *rest: Expr | None) -> tuple[Expr, ...]:
    """GRU(X, W, R, B, sequence_lens, initial_h) -> Y, Y_h; gates z r h."""
    supported(node, ["Sigmoid", "Tanh"], count=6)
    if not node.attr("linear_before_reset", 0):
        raise node.refuse("linear_before_reset=0", expected="1, as PyTorch's and MindSpore's GRU")
    y = stepped(recurrent(node, nn.GRU, gates=(1, 0, 2)), x, *rest)
    return layout(node, y[0]), y[1]


@onnx_op("RNN", 1, 7, 14, 22)
def rnn(node: NodeView, x: Expr, w: Constant, r: Constant, *rest: Expr | None) -> tuple[Expr, ...]:
    """RNN(X, W, R, B, sequence_lens, initial_h) -> Y, Y_h."""
    kind = node.attr("activations", ["Tanh"])[0]
    supported(node, [kind], count=6)
    if kind not in ("Tanh", "Relu"):
        raise node.refuse("this activation", got=kind, expected="Tanh or Relu")
    y = stepped(recurrent(node, nn.RNN, gates=(0,), nonlinearity=kind.lower()), x, *rest)
    return layout(node, y[0]), y[1]


def stepped(cell: Cell, x: Expr, *rest: Expr | None) -> Expr:
    """The call of a GRU or RNN, with its initial state if one is given."""
    h = (*rest, None, None, None)[2]
    return cell(x) if h is None else cell(x, h)


def supported(node: NodeView, activations: list[str], count: int) -> None:
    """Refuses what MindSpore's recurrent layers cannot say."""
    default = activations * (2 if node.attr("direction") == "bidirectional" else 1)
    odd = {
        "sequence_lens": node.has(4),
        "peepholes": count == 8 and node.has(7),
        "clip": node.attr("clip") is not None,
        "layout": node.attr("layout", 0) != 0,
        "direction": node.attr("direction", "forward") == "reverse",
        "activations": node.attr("activations", default) != default,
        "input_forget": node.attr("input_forget", 0) != 0,
    }
    found = [name for name, present in odd.items() if present]
    if found:
        raise node.refuse(f"{', '.join(found)} of {node.node.op}", expected="PyTorch's own layer")


def recurrent(
    node: NodeView, layer: Callable[..., Cell], gates: tuple[int, ...], **extra: str
) -> Cell:
    """The layer with its weights, gates reordered from ONNX's order to MindSpore's."""
    w, r = node.constant(1, "W"), node.constant(2, "R")
    b = node.array(3)
    weights: dict[str, Weight] = {}
    for direction in range(w.shape[0]):
        tail = "_l0_reverse" if direction else "_l0"
        parts = [("weight_ih", 1, w[direction]), ("weight_hh", 2, r[direction])]
        if b is not None:
            half = b.shape[1] // 2
            parts += [("bias_ih", 3, b[direction, :half]), ("bias_hh", 3, b[direction, half:])]
        for name, index, part in parts:
            source = (node.node.inputs[index],)
            change = f"direction {direction}, gates in order {gates}"
            weights[name + tail] = Weight(reordered(part, gates), source, change)
    options: dict[str, Any] = {"has_bias": b is not None, "bidirectional": w.shape[0] == 2}
    return layer(w.shape[2], r.shape[2], **options, **extra, weights=weights)


def reordered(array: Array, gates: tuple[int, ...]) -> Array:
    """The blocks of the first axis in the order `gates`."""
    blocks = np.split(array, len(gates))
    return np.concatenate([blocks[g] for g in gates])


def layout(node: NodeView, y: Expr) -> Expr:
    """MindSpore's output (seq, batch, dirs * hidden) in ONNX's (seq, dirs, batch, hidden)."""
    if node.attr("msconvert_layout") == "merged":
        return y
    if node.attr("direction", "forward") != "bidirectional":
        return ops.expand_dims(y, 1)
    hidden = node.attr("hidden_size") or node.constant(2, "R").shape[2]
    seq, batch = (d if isinstance(d, int) else -1 for d in node.shape()[:2])
    if (seq, batch) == (-1, -1):
        raise node.refuse("two unknown sizes of a bidirectional layer", advice="give --shape")
    return y.method("reshape", (seq, batch, 2, hidden)).method("swapaxes", 1, 2)
