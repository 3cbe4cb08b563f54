"""Networks whose layers ONNX Runtime's optimiser has fused are written as they were before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.converter.graph.expansion import name_of_maker
from msconvert.converter.graph.graph import Node
from msconvert.converter.modules.scopes import node_path
from msconvert.tests.converter.in_process import assert_agrees, text_of

Array = np.ndarray[Any, Any]
MICROSOFT = "com.microsoft"
WIDTH, WIDE, HEADS, WORDS = 8, 16, 2, 30


class Encoder:
    """What `onnxruntime.transformers` makes of a BERT that PyTorch's older exporter wrote."""

    def __init__(self, layers: int, opset: int, **options: Any) -> None:
        self.rng = np.random.default_rng(0)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, Array] = {}
        self.opset = opset
        self.fuse("Cast", ["ids"], ["ids_int32"], to=TensorProto.INT32)
        self.fuse("Cast", ["mask"], ["mask_int32"], to=TensorProto.INT32)
        tables = [self.weight(n, (WORDS, WIDTH)) for n in ("word.weight", "position.weight")]
        norm = [self.weight(f"norm.{part}", (WIDTH,)) for part in ("weight", "bias")]
        inputs = ["ids_int32", "", tables[0], tables[1], "", *norm, "mask_int32"]
        self.fuse("EmbedLayerNormalization", inputs, ["embedded", "lengths"], MICROSOFT)
        x = "embedded"
        for i in range(layers):
            x = self.layer(i, x, options, last=i + 1 == layers)

    def layer(self, i: int, x: str, options: dict[str, Any], *, last: bool) -> str:
        at, name = f"/layer.{i}", f"layer.{i}"
        weights = [
            self.weight(f"Attention_{i}_qkv_weight", (WIDTH, 3 * WIDTH)),
            self.weight(f"Attention_{i}_qkv_bias", (3 * WIDTH,)),
        ]
        seen = f"{at}/attention/Reshape_3_output_0"
        inputs = [x, *weights, "lengths"]
        self.fuse("Attention", inputs, [seen], MICROSOFT, num_heads=HEADS, **options)
        out = self.product(f"{at}/out/MatMul", seen, (WIDTH, WIDTH))
        normed = f"{at}/ln1/Add_1_output_0"
        self.skip([out, x], f"{name}.ln1", f"{name}.out.bias", normed)
        inner = self.product(f"{at}/inter/MatMul", normed, (WIDTH, WIDE))
        bias, made = self.weight(f"{name}.inter.bias", (WIDE,)), f"{at}/Mul_1_output_0"
        self.fuse("BiasGelu", [inner, bias], [made], MICROSOFT)
        out = self.product(f"{at}/dense/MatMul", made, (WIDE, WIDTH))
        y = "y" if last else f"{at}/ln2/Add_1_output_0"
        self.skip([out, normed], f"{name}.ln2", f"{name}.dense.bias", y)
        return y

    def skip(self, inputs: list[str], norm: str, bias: str, y: str) -> None:
        held = [f"{norm}.weight", f"{norm}.bias", bias]
        given = [*inputs, *(self.weight(name, (WIDTH,)) for name in held)]
        self.fuse("SkipLayerNormalization", given, [y], MICROSOFT, epsilon=1e-12)

    def product(self, name: str, x: str, shape: tuple[int, int]) -> str:
        weight = self.weight(f"onnx::MatMul_{len(self.weights)}", shape)
        self.nodes.append(helper.make_node("MatMul", [x, weight], [f"{name}_output_0"], name))
        return f"{name}_output_0"

    def fuse(
        self, op: str, ins: list[str], outs: list[str], domain: str = "", **attrs: Any
    ) -> None:
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, ins, outs, name, domain=domain, **attrs))

    def weight(self, name: str, shape: tuple[int, ...]) -> str:
        self.weights[name] = (self.rng.standard_normal(shape) / 2).astype(np.float32)
        return name

    def model(self) -> onnx.ModelProto:
        ends = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ("batch", "seq"))
            for name in ("ids", "mask")
        ]
        made = helper.make_tensor_value_info("y", TensorProto.FLOAT, ("batch", "seq", WIDTH))
        held = [numpy_helper.from_array(array, name) for name, array in self.weights.items()]
        graph = helper.make_graph(self.nodes, "encoder", ends, [made], held)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def without_names(model: onnx.ModelProto) -> onnx.ModelProto:
    graph = model.graph
    kept = {item.name for item in (*graph.input, *graph.output)} | {""}
    made = [name for node in graph.node for name in node.output if name not in kept]
    new = {name: f"v{i}" for i, name in enumerate(made)}
    new |= {item.name: f"c{i}" for i, item in enumerate(graph.initializer)}
    for item in graph.initializer:
        item.name = new[item.name]
    for node in graph.node:
        node.name = ""
        node.input[:] = [new.get(name, name) for name in node.input]
        node.output[:] = [new.get(name, name) for name in node.output]
    return model


def fed(batch: int = 2, length: int = 5) -> list[Array]:
    ids = np.random.default_rng(1).integers(0, WORDS, (batch, length))
    mask = np.ones((batch, length), np.int64)
    mask[0, length // 2 :] = 0
    return [ids, mask]


def classes(text: str) -> list[str]:
    return re.findall(r"^class (\w+)", text, re.MULTILINE)


@pytest.mark.parametrize("opset", [11, 14, 17])
def test_fused_layers_are_one_class(opset: int, tmp_path: Path) -> None:
    text = assert_agrees(Encoder(3, opset).model(), tmp_path, fed())
    assert classes(text) == ["Attention", "EncoderLayer", "Model"]
    assert "nn.CellList([EncoderLayer() for _ in range(3)])" in text
    assert "onnx_" not in text
    assert text.count("ops.arange(") == 1  # the mask is made once


def test_fused_layers_without_names_are_one_class(tmp_path: Path) -> None:
    text = assert_agrees(without_names(Encoder(3, 17).model()), tmp_path, fed())
    assert classes(text) == ["TransformerBlock", "Model"]
    assert "[TransformerBlock() for _ in range(3)]" in text


@pytest.mark.parametrize("lowest", [-10000.0, -100.0, float(np.finfo(np.float32).min)])
def test_what_a_mask_hides_is_as_the_file_says(lowest: float, tmp_path: Path) -> None:
    """Where hidden scores may become -inf ONNX's own operator says what becomes of the row."""
    model = Encoder(2, 17, mask_filter_value=lowest).model()
    text = assert_agrees(model, tmp_path, fed())
    assert ("onnx_attention(" in text) == (lowest < -1e30)


@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_a_scale_of_its_own_is_kept(scale: float, tmp_path: Path) -> None:
    assert_agrees(Encoder(1, 17, scale=scale).model(), tmp_path, fed())


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/h.0/proj/MatMul/MatMulScaleFusion/", ("h", "0", "proj")),
        ("/h.0/MatMul/MatMulScaleFusion/", ("h", "0")),
        ("/h.0/proj/MatMul", ("h", "0", "proj")),
        ("Attention_0", None),
    ],
)
def test_a_fusion_is_no_module(name: str, path: tuple[str, ...] | None) -> None:
    assert node_path(Node("MatMul", ["x", "w"], ["y"], name=name)) == path


@pytest.mark.parametrize(
    ("output", "name"),
    [
        ("/layer.0/ln1/Add_1_output_0", "/layer.0/ln1/Add_1"),
        ("/layer.0/ln1/Add_1_output_0/0.0", ""),
        ("layer_output_0", ""),
        ("/" + "a" * 600 + "_output_0", ""),
        ("", ""),
    ],
)
def test_an_output_tells_who_made_it(output: str, name: str) -> None:
    assert name_of_maker(Node("Add", ["x", "w"], [output])) == name


SCALED = """<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
agraph (float[n, 4] x) => (float[n, 3] y)
<float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}>
{ y = com.microsoft.FusedMatMul<alpha = 0.5>(x, w) }"""


def test_a_scaled_product_is_a_layer(tmp_path: Path) -> None:
    model = onnx.parser.parse_model(SCALED)
    text = assert_agrees(model, tmp_path, [np.ones((2, 4), np.float32)])
    assert "nn.Dense(4, 3, has_bias=False)" in text
    assert "* 0.5" in text


def turned(layers: int) -> onnx.ModelProto:
    """Unnamed blocks that all turn by the same angles, which the first has made on the way."""
    rng = np.random.default_rng(0)
    weights = {name: rng.standard_normal((4, 4)).astype(np.float32) for name in "vw"}
    nodes, x = [helper.make_node("MatMul", ["x", "v"], ["stem"])], "stem"
    for i in range(layers):
        for part in "ab":
            weights[f"{part}{i}"] = (rng.standard_normal((4, 4)) / 2).astype(np.float32)
        nodes.append(helper.make_node("MatMul", [x, f"a{i}"], [f"p{i}"]))
        if i == 0:
            nodes.append(helper.make_node("MatMul", ["at", "w"], ["angle"]))
            nodes.append(helper.make_node("Cos", ["angle"], ["cos"]))
        nodes.append(helper.make_node("Mul", [f"p{i}", "cos"], [f"q{i}"]))
        nodes.append(helper.make_node("Relu", [f"q{i}"], [f"r{i}"]))
        nodes.append(helper.make_node("MatMul", [f"r{i}", f"b{i}"], [f"s{i}"]))
        nodes.append(helper.make_node("Add", [f"s{i}", x], [f"x{i}"]))
        x = f"x{i}"
    nodes.append(helper.make_node("Identity", [x], ["y"]))
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ("n", 4)) for n in ("x", "at", "y")]
    held = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "turned", ends[:2], ends[2:], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("layers", [4, 5, 6])
def test_what_all_blocks_read_stands_before_the_first(layers: int, tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    text = assert_agrees(turned(layers), tmp_path, list(x))
    assert len(classes(text)) == 2
    assert f"for _ in range({layers})" in text


@pytest.mark.parametrize("name", ["val_12", "constant_3", "tensor_7", "onnx::MatMul_9"])
def test_a_numbered_word_names_no_layer(name: str, tmp_path: Path) -> None:
    model = onnx.parser.parse_model(
        SCALED.replace("w =", f'"{name}" =').replace(", w)", f', "{name}")')
    )
    assert "self.fc = " in text_of(model, tmp_path)
