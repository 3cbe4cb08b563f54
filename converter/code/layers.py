"""The layers that a script may construct, with MindSpore's signatures: `nn` of a handler."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from .expr import Cell, Code, Expr, Literal, Weight, expr

SIGNATURES = """
BatchNorm1d(num_features, *, eps=1e-05, momentum=0.9, affine=True, dtype=None)
BatchNorm2d(num_features, *, eps=1e-05, momentum=0.9, affine=True, dtype=None)
BatchNorm3d(num_features, *, eps=1e-05, momentum=0.9, affine=True, dtype=None)
Conv1d(in_channels, out_channels, kernel_size, stride=1, *, pad_mode="same", padding=0,
    dilation=1, group=1, has_bias=False, dtype=None)
Conv2d(in_channels, out_channels, kernel_size, stride=1, *, pad_mode="same", padding=0,
    dilation=1, group=1, has_bias=False, dtype=None)
Conv3d(in_channels, out_channels, kernel_size, stride=1, *, pad_mode="same", padding=0,
    dilation=1, group=1, has_bias=False, dtype=None)
Conv1dTranspose(in_channels, out_channels, kernel_size, stride=1, *, pad_mode="same", padding=0,
    dilation=1, group=1, has_bias=False, dtype=None)
Conv2dTranspose(in_channels, out_channels, kernel_size, stride=1, *, pad_mode="same", padding=0,
    output_padding=0, dilation=1, group=1, has_bias=False, dtype=None)
Conv3dTranspose(in_channels, out_channels, kernel_size, stride=1, *, pad_mode="same", padding=0,
    dilation=1, group=1, output_padding=0, has_bias=False, dtype=None)
Dense(in_channels, out_channels, *, has_bias=True, dtype=None)
LayerNorm(normalized_shape, *, begin_norm_axis=-1, begin_params_axis=-1, epsilon=1e-07, dtype=None)
GroupNorm(num_groups, num_channels, *, eps=1e-05, affine=True, dtype=None)
Embedding(vocab_size, embedding_size, *, padding_idx=None, dtype=None)
MaxPool1d(kernel_size=1, stride=1, *, pad_mode="valid", padding=0, dilation=1,
    return_indices=False, ceil_mode=False)
MaxPool2d(kernel_size=1, stride=1, *, pad_mode="valid", padding=0, dilation=1,
    return_indices=False, ceil_mode=False)
MaxPool3d(kernel_size=1, stride=1, *, pad_mode="valid", padding=0, dilation=1,
    return_indices=False, ceil_mode=False)
AvgPool1d(kernel_size=1, stride=1, *, pad_mode="valid", padding=0, ceil_mode=False,
    count_include_pad=True)
AvgPool2d(kernel_size=1, stride=1, *, pad_mode="valid", padding=0, ceil_mode=False,
    count_include_pad=True)
AvgPool3d(kernel_size=1, stride=1, *, pad_mode="valid", padding=0, ceil_mode=False,
    count_include_pad=True)
LSTM(input_size, hidden_size, num_layers=1, *, has_bias=True, batch_first=False,
    bidirectional=False, dtype=None)
GRU(input_size, hidden_size, num_layers=1, *, has_bias=True, batch_first=False,
    bidirectional=False, dtype=None)
RNN(input_size, hidden_size, num_layers=1, *, has_bias=True, batch_first=False,
    bidirectional=False, nonlinearity="tanh", dtype=None)
LRN(*, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5)
PReLU(channel=1)
ReLU()
ReLU6()
LeakyReLU(*, alpha=0.2)
ELU(*, alpha=1.0)
CELU(*, alpha=1.0)
GELU(*, approximate=True)
SiLU()
Mish()
HSwish()
HSigmoid()
Sigmoid()
Tanh()
Softmax(axis=-1)
LogSoftmax(axis=-1)
Softsign()
SoftShrink(lambd=0.5)
HShrink(lambd=0.5)
Hardtanh(min_val=-1.0, max_val=1.0)
Identity()
Dropout(*, p=None)
Flatten(start_dim=1, end_dim=-1)
PixelShuffle(upscale_factor)
"""
"""Arguments before `*` are written by position, those after it by name; weights' initialisers are
left to the checkpoint, dtype is that of the weights. Source: mindspore.nn 2.10."""

WRITTEN_SIGNATURES = """
FakeQuantize(low=-128, high=127)
RMSNorm(normalized_shape, *, epsilon=1e-05, dtype=None)
"""
"""Layers that MindSpore lacks: a script that has one gets its class (text/written.py)."""

REQUIRED = object()

FLOAT32 = Code("ms.float32")
"""The element type of a layer's weights unless its argument dtype says another."""


class Signature:
    """The arguments of one layer: name -> default (or `REQUIRED`), and how many go by position."""

    def __init__(self, text: str) -> None:
        call = ast.parse(f"def {text}: ...").body[0]
        assert isinstance(call, ast.FunctionDef)
        plain, named = call.args.args, call.args.kwonlyargs
        first = [REQUIRED] * (len(plain) - len(call.args.defaults))
        first += [ast.literal_eval(d) for d in call.args.defaults]
        rest = [ast.literal_eval(d) for d in call.args.kw_defaults if d is not None]
        self.name = call.name
        self.positional = len(plain)
        names = [a.arg for a in plain + named]
        self.defaults: Mapping[str, Any] = dict(zip(names, first + rest, strict=True))


def _signatures(text: str) -> dict[str, Signature]:
    return {s.name: s for s in map(Signature, re.findall(r"\w+\([^)]*\)", text))}


WRITTEN_LAYERS = _signatures(WRITTEN_SIGNATURES)
LAYERS = _signatures(SIGNATURES) | WRITTEN_LAYERS


class Layers:
    """`nn.Dense(3, 4, weights={"weight": w})` builds a `Cell`, all arguments filled in."""

    def __getattr__(self, kind: str) -> Callable[..., Cell]:
        signature = LAYERS[kind]

        def build(
            *args: Any, weights: Mapping[str, Weight | None] | None = None, **kwargs: Any
        ) -> Cell:
            given = dict(zip(signature.defaults, args, strict=False)) | kwargs
            unknown = given.keys() - signature.defaults.keys()
            if unknown:
                raise TypeError(f"nn.{kind} has no argument {sorted(unknown)}")
            full = {name: given.get(name, d) for name, d in signature.defaults.items()}
            held = tuple((n, w) for n, w in (weights or {}).items() if w is not None)
            if "dtype" in full and held:
                full["dtype"] = Code(f"ms.{held[0][1].array.dtype.name}")
            return Cell(kind, tuple((name, expr(v)) for name, v in full.items()), held)

        return build


nn = Layers()


def layer_class(kind: str) -> str:
    """What a layer's class is called in a script."""
    return f"nn.{kind}" if kind in LAYERS and kind not in WRITTEN_LAYERS else kind


def shown_arguments(
    kind: str, arguments: tuple[tuple[str, Expr], ...]
) -> tuple[list[Expr], list[tuple[str, Expr]]]:
    """What of a layer's arguments is written: by position and by name, defaults left out."""
    if kind not in LAYERS:  # a cell of the script's own
        return [], []
    signature = LAYERS[kind]
    pads_nothing = kind in ("Conv1d", "Conv2d", "Conv3d") and _pads_nothing(dict(arguments))
    idle = ["pad_mode"] if pads_nothing else []
    differs = [n not in idle and not is_default(kind, n, value) for n, value in arguments]
    last = max((i for i in range(signature.positional) if differs[i]), default=-1) + 1
    rest = zip(arguments[last:], differs[last:], strict=True)
    return [value for _, value in arguments[:last]], [pair for pair, shown in rest if shown]


def _pads_nothing(given: Mapping[str, Expr]) -> bool:
    """Whether "same" padding is none: a kernel of 1 moves over each position, at any stride."""
    return given.get("kernel_size") == Literal(1) and given.get("pad_mode") == Literal("valid")


def is_default(cell_kind: str, name: str, value: Expr) -> bool:
    """Whether `value` is what the layer takes for `name` if nothing is written."""
    default = LAYERS[cell_kind].defaults[name]
    if name == "dtype":
        return value == FLOAT32
    return default is not REQUIRED and isinstance(value, Literal) and value == expr(default)
