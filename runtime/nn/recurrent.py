"""Recurrent layers and cells: LSTM, GRU, RNN."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_range, check_type
from ..engine.initializer import Uniform, UniformOfNumpy, initializer, of_numpy
from ..engine.parameter import Parameter
from ..engine.primitive import Primitive, convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops import activation
from ..ops.arithmetic import add, mul, sub
from ..ops.reduction import dense
from ..ops.shaping import (
    broadcast_to,
    concat,
    reshape,
    split,
    stack,
    swapaxes,
)
from ..primitives import layer as p

KINDS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class Recurrent(Cell):
    """Layers of one kind of recurrence. Abstract: LSTM, GRU and RNN are final.

    Shapes: x (t, n, c), or (n, t, c) if `batch_first`; states (layers * directions, n, h);
            output (t, n, directions * h)
    Source: mindspore.nn.LSTM, GRU, RNN 2.10; weights in the order of MindSpore's gates
    """

    primitive: Primitive
    gates = 1
    order: tuple[int, ...] = (0,)
    """Where ONNX's gates are among MindSpore's."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        sizes = {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}
        for name, size in sizes.items():
            check_int(self.cls_name, name, size, 1)
        for flag in (has_bias, batch_first, bidirectional):
            check_type(self.cls_name, "has_bias, batch_first or bidirectional", flag, bool)
        check_type(self.cls_name, "dropout", dropout, int, float)
        check_range(self.cls_name, "dropout", dropout, 0, 1, "left")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.has_bias, self.batch_first, self.dropout = has_bias, batch_first, float(dropout)
        self.bidirectional = bidirectional
        self.directions = 2 if bidirectional else 1
        self.attrs: dict[str, Any] = {}
        kinds = KINDS if has_bias else KINDS[:2]
        drawn = {
            name: p for layer in range(num_layers) for name, p in self.drawn(layer, kinds, dtype)
        }
        for kind in kinds:
            for name in [name for name in drawn if name.startswith(kind)]:
                self.insert_param_to_cell(name, drawn[name])

    def drawn(
        self, layer: int, kinds: tuple[str, ...], dtype: dtypes.DType
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters of a layer, in the order in which MindSpore asks NumPy for them."""
        width = self.directions * self.hidden_size if layer else self.input_size
        widths = {"weight_ih": (width,), "weight_hh": (self.hidden_size,)}
        for suffix in self.suffixes(layer):
            for kind in kinds:
                shape = (self.gates * self.hidden_size, *widths.get(kind, ()))
                init = UniformOfNumpy(1 / math.sqrt(self.hidden_size))
                name = f"{kind}_{suffix}"
                yield name, Parameter(initializer(init, shape, dtype), name=name)

    def suffixes(self, layer: int) -> list[str]:
        return [f"l{layer}", f"l{layer}_reverse"][: self.directions]

    def arranged(self, parameter: Tensor) -> Tensor:
        """MindSpore's gates in ONNX's order."""
        parts = split(parameter, self.hidden_size, 0)
        return concat([parts[k] for k in self.order], 0) if len(parts) > 1 else parameter

    def weights(self, layer: int) -> tuple[Tensor, Tensor, Tensor | None]:
        """W, R and B of one layer as ONNX wants them, directions first."""
        kinds = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if self.has_bias else [])
        w, r, *biases = [
            [self.arranged(getattr(self, f"{kind}_{s}")) for s in self.suffixes(layer)]
            for kind in kinds
        ]
        b = [concat(pair, 0) for pair in zip(*biases, strict=True)] if biases else None
        return stack(w), stack(r), None if b is None else stack(b)

    def construct(self, x: Tensor, hx: Any = None, seq_length: Tensor | None = None) -> Any:
        y = swapaxes(x, 0, 1) if self.batch_first else x
        lengths = None if seq_length is None else convert(seq_length, dtypes.int32)
        states = self.states(y, hx)
        finals = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                y = activation.dropout(y, self.dropout, self.training)
            y, last = self.run_layer(layer, y, [pieces[layer] for pieces in states], lengths)
            finals.append(last)
        y = swapaxes(y, 0, 1) if self.batch_first else y
        ends = tuple(concat(parts, 0) for parts in zip(*finals, strict=True))
        return y, ends if len(ends) > 1 else ends[0]

    def states(self, x: Tensor, hx: Any) -> list[tuple[Tensor, ...]]:
        """The initial states, each as one piece per layer; zeros if `hx` is None."""
        if hx is None:
            shape = (self.num_layers * self.directions, x.shape[1], self.hidden_size)
            given = [broadcast_to(constant(0, x.dtype), shape)] * (2 if self.gates == 4 else 1)
        else:
            check_type(self.cls_name, "hx", hx, *((tuple, list) if self.gates == 4 else (Tensor,)))
            given = list(hx) if isinstance(hx, (tuple, list)) else [hx]
        return [split(state, self.directions, 0) for state in given]

    def run_layer(
        self, layer: int, x: Tensor, states: list[Tensor], lengths: Tensor | None
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        w, r, b = self.weights(layer)
        y, *last = self.primitive(
            x, w, r, b, lengths, *states,
            hidden_size=self.hidden_size,
            direction="bidirectional" if self.bidirectional else "forward",
            outputs=1 + len(states),
            **self.attrs,
        )  # fmt: skip
        t, _, n, _ = y.shape
        return reshape(swapaxes(y, 1, 2), (t, n, self.directions * self.hidden_size)), tuple(last)


class LSTM(Recurrent):
    """(x, (h, c)) -> (output, (h', c'))."""

    primitive = p.lstm
    gates = 4
    order = (0, 3, 1, 2)


class GRU(Recurrent):
    """(x, h) -> (output, h')."""

    primitive = p.gru
    gates = 3
    order = (1, 0, 2)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.attrs = {"linear_before_reset": 1}


class RNN(Recurrent):
    """(x, h) -> (output, h'); `nonlinearity` is tanh or relu."""

    primitive = p.rnn

    def __init__(self, *args: Any, nonlinearity: str = "tanh", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = {"tanh": "Tanh", "relu": "Relu"}
        check_choice(self.cls_name, "nonlinearity", nonlinearity, names)
        self.attrs = {"activations": (names[nonlinearity],) * self.directions}


class RecurrentCell(Cell):
    """One step of a recurrence. Abstract: LSTMCell, GRUCell and RNNCell are final."""

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        check_int(self.cls_name, "input_size", input_size, 1)
        check_int(self.cls_name, "hidden_size", hidden_size, 1)
        self.input_size, self.hidden_size = input_size, hidden_size
        self.has_bias = check_type(self.cls_name, "has_bias", has_bias, bool)
        rows = self.gates * hidden_size
        shapes = [(rows, input_size), (rows, hidden_size), *[(rows,)] * (2 * has_bias)]
        for shape in shapes:  # MindSpore fills them so first, and then anew
            of_numpy().randn(*shape)
        draw = Uniform(1 / math.sqrt(hidden_size))
        made = [Parameter(initializer(draw, shape, dtype)) for shape in shapes]
        self.weight_ih, self.weight_hh = made[:2]
        self.bias_ih: Parameter | None
        self.bias_hh: Parameter | None
        self.bias_ih, self.bias_hh = made[2:] if has_bias else (None, None)

    def products(self, x: Tensor, h: Tensor) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """The gates' parts of input and state."""
        of_input = dense(x, self.weight_ih, self.bias_ih)
        of_state = dense(h, self.weight_hh, self.bias_hh)
        return split(of_input, self.hidden_size, -1), split(of_state, self.hidden_size, -1)


class LSTMCell(RecurrentCell):
    """(x, (h, c)) -> (h', c')."""

    gates = 4

    def construct(self, x: Tensor, hx: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        check_type(self.cls_name, "hx", hx, tuple, list)
        i, g, c, o = (add(a, b) for a, b in zip(*self.products(x, hx[0]), strict=True))
        kept = mul(activation.sigmoid(g), hx[1])
        state = add(kept, mul(activation.sigmoid(i), activation.tanh(c)))
        return mul(activation.sigmoid(o), activation.tanh(state)), state


class GRUCell(RecurrentCell):
    """(x, h) -> h'."""

    gates = 3

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        (ir, iz, inew), (hr, hz, hnew) = self.products(x, hx)
        reset, update = activation.sigmoid(add(ir, hr)), activation.sigmoid(add(iz, hz))
        new = activation.tanh(add(inew, mul(reset, hnew)))
        return add(new, mul(update, sub(hx, new)))


class RNNCell(RecurrentCell):
    """(x, h) -> h'; `nonlinearity` is tanh or relu."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, dtype)
        check_choice(self.cls_name, "nonlinearity", nonlinearity, ("tanh", "relu"))
        self.nonlinearity = nonlinearity

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        (a,), (b,) = self.products(x, hx)
        return (
            activation.tanh(add(a, b))
            if self.nonlinearity == "tanh"
            else activation.relu(add(a, b))
        )
