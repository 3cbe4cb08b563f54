"""LSTM, GRU and RNN: whole layers and single steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .activation import sigmoid
from .layer import Array, Layer, Outputs

GATES = {"LSTM": "ifgo", "GRU": "rzn", "RNN": "h"}
"""The gates of each mode in the order of PyTorch's and MindSpore's weights."""


@dataclass(frozen=True, eq=False)
class Recurrence:
    """The weights of one layer in one direction, gates in the order of `GATES`.

    Shapes: w_ih (gates * h, c), w_hh (gates * h, h), b_ih, b_hh (gates * h), projection (p, h)
    """

    w_ih: Array
    w_hh: Array
    b_ih: Array | None = None
    b_hh: Array | None = None
    projection: Array | None = None

    @property
    def input_bias(self) -> Array:
        return np.zeros(len(self.w_ih)) if self.b_ih is None else self.b_ih

    @property
    def state_bias(self) -> Array:
        return np.zeros(len(self.w_hh)) if self.b_hh is None else self.b_hh


@dataclass(frozen=True, eq=False)
class Step(Layer):
    """One step of a recurrence: (x, h) -> h', or (x, h, c) -> (h', c').

    `reset_first`: GRU's reset gate multiplies the state, not the state's product with its weight.
    """

    mode: str
    recurrence: Recurrence
    relu: bool = False
    reset_first: bool = False
    forget_bias: float = 0.0

    def outputs(self, *inputs: Array) -> Outputs:
        x, *states = inputs
        width = len(self.recurrence.w_hh) // len(GATES[self.mode])
        none = np.zeros((*x.shape[:-1], width))
        return self.step(x, tuple(states) or (none, none))

    def step(self, x: Array, states: Outputs) -> Outputs:
        own = self.recurrence
        of_input = x @ own.w_ih.T + own.input_bias
        count = len(GATES[self.mode])
        if self.mode == "GRU":
            return (self.gru(np.split(of_input, count, -1), states[0]),)
        gates = of_input + states[0] @ own.w_hh.T + own.state_bias
        if self.mode == "LSTM":
            return self.lstm(np.split(gates, count, -1), states[1])
        return (np.maximum(gates, 0.0) if self.relu else np.tanh(gates),)

    def lstm(self, gates: list[Array], c: Array) -> Outputs:
        i, f, g, o = gates
        c = sigmoid(f + self.forget_bias) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        projection = self.recurrence.projection
        return (h if projection is None else h @ projection.T), c

    def gru(self, of_input: list[Array], h: Array) -> Array:
        own = self.recurrence
        (wr, wz, wn), (br, bz, bn) = np.split(own.w_hh, 3), np.split(own.state_bias, 3)
        r = sigmoid(of_input[0] + h @ wr.T + br)
        z = sigmoid(of_input[1] + h @ wz.T + bz)
        inner = (r * h) @ wn.T + bn if self.reset_first else r * (h @ wn.T + bn)
        return np.asarray((1 - z) * np.tanh(of_input[2] + inner) + z * h)


@dataclass(frozen=True, eq=False)
class Recurrent(Layer):
    """Layers of one recurrence: (x, h, c) -> (output, h', c'), or without c; states default to 0.

    `layers` holds for each layer one recurrence, or two with the second from the end on. The input
    is (t, n, c), (n, t, c) if `batch_first`, or (t, c); states are (layers * directions, n, h).
    The output is (t, n, directions * h), or as ONNX has it (t, directions, n, h).
    """

    mode: str
    layers: tuple[tuple[Recurrence, ...], ...]
    batch_first: bool = False
    relu: bool = False
    reset_first: bool = False
    forget_bias: float = 0.0
    backwards: bool = False
    directions_apart: bool = False

    def outputs(self, *inputs: Array) -> Outputs:
        x, *states = inputs
        alone = x.ndim == 2
        y = x[:, None] if alone else np.swapaxes(x, 0, 1) if self.batch_first else x
        given = [s[:, None] if alone else s for s in states] or self.zeros(y.shape[1])
        ends: list[Outputs] = []
        for layer in self.layers:
            y = self.through(layer, y, given, ends)
        if self.directions_apart:
            y = np.moveaxis(y.reshape(*y.shape[:2], len(self.layers[0]), -1), 2, 1)
        y = y[:, 0] if alone else np.swapaxes(y, 0, 1) if self.batch_first else y
        last = [np.stack(parts) for parts in zip(*ends, strict=True)]
        return (y, *(s[:, 0] if alone else s for s in last))

    def zeros(self, batch: int) -> list[Array]:
        """The states that all layers start with; of an LSTM both."""
        first = self.layers[0][0]
        hidden = len(first.w_ih) // len(GATES[self.mode])
        widths = [first.w_hh.shape[1], hidden][: 2 if self.mode == "LSTM" else 1]
        count = sum(len(layer) for layer in self.layers)
        return [np.zeros((count, batch, width)) for width in widths]

    def through(
        self, layer: tuple[Recurrence, ...], x: Array, given: list[Array], ends: list[Outputs]
    ) -> Array:
        """The outputs of all directions side by side; the last states are put into `ends`."""
        parts = []
        for direction, recurrence in enumerate(layer):
            turned = bool(direction) != self.backwards
            states = tuple(s[len(ends)] for s in given)
            steps, last = self.run(recurrence, x[::-1] if turned else x, states)
            parts.append(steps[::-1] if turned else steps)
            ends.append(last)
        return np.concatenate(parts, -1)

    def run(self, recurrence: Recurrence, x: Array, states: Outputs) -> tuple[Array, Outputs]:
        step = Step(self.mode, recurrence, self.relu, self.reset_first, self.forget_bias)
        seen = []
        for one in x:
            states = step.step(one, states)
            seen.append(states[0])
        return np.stack(seen), states
