"""Recomposing what both of PyTorch's exporters write for a layer, with its module's name."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from msconvert.converter.recompose import recompose
from msconvert.converter.recompose.scope import scope
from msconvert.tests.converter.recomposed import check, prepared_file

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch", reason="PyTorch is not installed: it writes these graphs")
nn = torch.nn
functional = torch.nn.functional

LAST = (3, 5, 8)
IMAGE = (3, 4, 6, 6)


class Net(nn.Module):
    """`body`, named so; `call` says how it is called."""

    def __init__(self, body: nn.Module, call: Callable[..., torch.Tensor] | None = None) -> None:
        super().__init__()
        self.body = body
        self.call = call

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x) if self.call is None else self.call(self.body, x)


@dataclass(frozen=True)
class Layer:
    """`old`, `new`: what the exporters' graphs become (older at `opset`, newer at 18 or 20)."""

    name: str
    build: Callable[[], nn.Module]
    shape: tuple[int, ...]
    old: str
    new: str = ""
    opset: int = 16
    newer: int = 20
    dynamic: bool = False
    call: Callable[..., torch.Tensor] | None = None
    scoped: bool = True

    def module(self) -> nn.Module:
        """With weights of which no two are equal: exporters merge equal ones."""
        torch.manual_seed(3)
        module = Net(self.build(), self.call)
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.add_(torch.randn_like(parameter) * 0.1)
        return module.eval()


def export(layer: Layer, is_new: bool, folder: Path) -> Path:
    path = folder / "layer.onnx"
    x = torch.randn(layer.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # exporters warn of their own future
        if is_new:
            batch = ({0: torch.export.Dim("batch")},) if layer.dynamic else None
            torch.onnx.export(
                layer.module(),
                (x,),
                path,
                dynamo=True,
                verbose=False,
                external_data=False,
                opset_version=layer.newer,
                dynamic_shapes=batch,
            )
        else:
            torch.onnx.export(
                layer.module(),
                (x,),
                path,
                dynamo=False,
                opset_version=layer.opset,
                input_names=["x"],
                dynamic_axes={"x": {0: "batch"}} if layer.dynamic else None,
            )
    return path


def output(body: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return body(x)[0]


def flat(body: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return torch.flatten(body(x), 1)


def normalized(body: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return functional.normalize(body(x), dim=-1)


def attention(body: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(x, x, body(x))


ATTENTION = "Transpose Mul MatMul Softmax MatMul"

LAYERS = [
    Layer("gelu", nn.GELU, LAST, "Gelu", newer=18),
    Layer("tanh gelu", lambda: nn.GELU("tanh"), LAST, "Gelu", newer=18),
    Layer("silu", nn.SiLU, LAST, "Swish"),
    Layer("mish", nn.Mish, LAST, "Mish"),
    Layer("hard swish", nn.Hardswish, LAST, "HardSwish", opset=13),
    Layer("softplus", nn.Softplus, LAST, "Softplus"),
    Layer("softsign", nn.Softsign, LAST, "Softsign"),
    Layer("layer norm", lambda: nn.LayerNorm(8), LAST, "LayerNormalization", newer=18),
    Layer("layer norm, two axes", lambda: nn.LayerNorm((5, 8)), LAST, "LayerNormalization"),
    Layer("group norm", lambda: nn.GroupNorm(2, 4), IMAGE, "GroupNormalization", dynamic=True),
    Layer(
        "group norm, plain", lambda: nn.GroupNorm(2, 4, affine=False), IMAGE, "GroupNormalization"
    ),
    Layer("linear", lambda: nn.Linear(8, 3), LAST, "Dense", dynamic=True),
    Layer("linear, 2-D", lambda: nn.Linear(8, 3), (3, 8), "Dense", dynamic=True),
    Layer("linear, no bias", lambda: nn.Linear(8, 3, bias=False), LAST, "Dense"),
    Layer(
        "adaptive mean, flat",
        lambda: nn.AdaptiveAvgPool2d(1),
        IMAGE,
        "ReduceMean",
        dynamic=True,
        call=flat,
        scoped=False,
    ),
    Layer(
        "adaptive maximum, flat",
        lambda: nn.AdaptiveMaxPool2d(1),
        IMAGE,
        "ReduceMax",
        dynamic=True,
        call=flat,
        scoped=False,
    ),
    Layer("adaptive mean, 3 x 3", lambda: nn.AdaptiveAvgPool2d(3), IMAGE, "AveragePool"),
    Layer(
        "normalize",
        nn.Identity,
        LAST,
        "LpNormalization",
        dynamic=True,
        call=normalized,
        scoped=False,
    ),
    Layer("pixel shuffle", lambda: nn.PixelShuffle(2), IMAGE, "DepthToSpace"),
    Layer("attention", nn.Identity, IMAGE, ATTENTION, dynamic=True, call=attention, scoped=False),
    Layer("lstm", lambda: nn.LSTM(8, 4), LAST, "LSTM", call=output),
    Layer(
        "lstm, both ways, two deep",
        lambda: nn.LSTM(8, 4, 2, batch_first=True, bidirectional=True),
        LAST,
        "LSTM",
        dynamic=True,
        call=output,
    ),
    Layer(
        "gru",
        lambda: nn.GRU(8, 4, batch_first=True),
        LAST,
        "GRU",
        dynamic=True,
        call=output,
    ),
]


@pytest.mark.parametrize("is_new", [False, True], ids=["torchscript", "dynamo"])
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_layer(layer: Layer, is_new: bool, tmp_path: Path) -> None:
    before = prepared_file(export(layer, is_new, tmp_path))
    done = check(before, layer.new if is_new and layer.new else layer.old, atol=1e-5)
    scopes = {scope(node) for node in done.graph.nodes}
    assert scopes == ({("", "body")} if layer.scoped else {("",)}), scopes
    assert not recompose(done.graph).changes
    told = [change.origin for change in done.changes] + [n.origin for n in done.graph.nodes]
    known = {label for node in before.nodes for label in node.origin}
    assert {label for origin in told for label in origin} == known


@pytest.mark.parametrize("is_new", [False, True], ids=["torchscript", "dynamo"])
def test_rms_norm(is_new: bool, tmp_path: Path) -> None:
    """The older exporter refuses nn.RMSNorm: written by hand, as in language models."""

    class RMSNorm(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(8))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    layer = Layer("rms norm", RMSNorm, LAST, "RMSNormalization", opset=17)
    check(prepared_file(export(layer, is_new, tmp_path)), layer.old)


@pytest.mark.parametrize("is_new", [False, True], ids=["torchscript", "dynamo"])
def test_transformer_layer(is_new: bool, tmp_path: Path) -> None:
    """The layers around attention come back, named by their modules; attention stays as it is."""
    layer = Layer(
        "encoder",
        lambda: nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", batch_first=True),
        LAST,
        "",
        newer=18,
        dynamic=True,
    )
    done = recompose(prepared_file(export(layer, is_new, tmp_path)))
    ops = [node.op for node in done.graph.nodes]
    kept = {"Dense": 4, "LayerNormalization": 2, "Gelu": 1, "Softmax": 1, "MatMul": 2}
    assert {op: ops.count(op) for op in kept} == kept
    assert not {"Gemm", "Erf", "Sqrt", "Unsqueeze", "Squeeze", "Shape"} & set(ops)
    dense = [scope(node) for node in done.graph.nodes if node.op == "Dense"]
    assert [path[-1].split(".")[-1] for path in dense][-2:] == ["linear1", "linear2"]
