"""Recurrence: LSTM with its weights in one Tensor."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.argument import check_float, check_int
from ..engine.failure import ShapeError
from ..engine.tensor import Tensor
from ..primitives import layer as p
from .operation import operation

ORDER = (0, 3, 1, 2)
"""Where ONNX's gates (i, o, f, c) are among MindSpore's (i, f, c, o)."""


def check_lstm(**attrs: Any) -> None:
    for name in ("input_size", "hidden_size", "num_layers"):
        check_int("LSTM", name, attrs[name], 1)
    check_float("LSTM", "dropout", attrs["dropout"], 0.0, 1.0)


@operation("LSTM", check_lstm)
def lstm(
    x: Tensor,
    h: Tensor,
    c: Tensor,
    w: Tensor,
    *,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    dropout: float,
    proj_size: int = 0,
) -> Any:
    """(t, n, c) -> (t, n, directions * h), the last states, and two Tensors of no use here.

    `w` has all weights of inputs, then those of states, then the biases: layer by layer, by
    direction and gate.
    """
    if x.ndim != 3 or x.shape[2] != input_size:
        raise ShapeError("LSTM", "x must be (t, n, input_size)", got=str(x.shape))
    packed = Packed(w, (num_layers, 1 + bidirectional, 4 * hidden_size))
    parts = [packed.take(input_size), packed.take(hidden_size)]
    biases = packed.take(1) if has_bias else None
    directions = 1 + bidirectional
    states = [ops.split(state, directions, 0) for state in (h, c)]
    y, finals = x, []
    for layer in range(num_layers):
        weights = [arranged(part[layer], hidden_size) for part in parts]
        bias = None
        if biases is not None:
            flat = ops.reshape(arranged(biases[layer], hidden_size), (directions, -1))
            bias = ops.concat((flat, ops.zeros_like(flat)), 1)
        y, *last = p.lstm(
            y, *weights, bias, None, states[0][layer], states[1][layer],
            hidden_size=hidden_size,
            direction="bidirectional" if bidirectional else "forward", outputs=3,
        )  # fmt: skip
        t, _, n, _ = y.shape
        y = ops.reshape(ops.swapaxes(y, 1, 2), (t, n, directions * hidden_size))
        finals.append(last)
    ends = [ops.concat(states_, 0) for states_ in zip(*finals, strict=True)]
    unused = ops.zeros((1, 1), x.dtype)
    return y, *ends, unused, unused


def arranged(weight: Tensor, hidden_size: int) -> Any:
    """(directions, 4 * h, n) with the gates in ONNX's order."""
    gates = ops.split(weight, hidden_size, 1)
    return ops.concat([gates[k] for k in ORDER], 1)


class Packed:
    """Parameters one behind the other; each has `shape` rows of so many numbers."""

    def __init__(self, values: Tensor, shape: tuple[int, int, int]) -> None:
        self.values = ops.reshape(values, (-1,))
        self.shape = shape
        self.start = 0

    def take(self, width: int) -> Any:
        layers, directions, rows = self.shape
        count = layers * directions * rows * width
        left = self.values.size - self.start - count
        if left < 0:
            raise ShapeError("LSTM", "there are too few weights", got=str(self.values.size))
        part = ops.split(self.values, (self.start, count, left), 0)[1]
        self.start += count
        return ops.reshape(part, (layers, directions, rows, width))
