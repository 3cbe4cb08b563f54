"""Operators of com.microsoft become operators of ONNX, and no weight is lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import msconvert.runtime as ms
from msconvert.converter.code.expr import Ref, Weight
from msconvert.converter.code.layers import nn
from msconvert.converter.code.statement import Statement
from msconvert.converter.convert import script_of
from msconvert.converter.graph.expansion import EXPANSIONS
from msconvert.converter.graph.graph import Node
from msconvert.converter.graph.prepare import prepare
from msconvert.converter.modules.blocks import Block
from msconvert.converter.modules.homes import Home
from msconvert.converter.source.load import load
from msconvert.converter.weights import Parameter, check_kept, parameters
from msconvert.tests.converter.in_process import (
    assert_agrees,
    conversion,
    network_of,
    original_outputs,
)
from msconvert.tests.converter.small_models import saved

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)
MICROSOFT = "com.microsoft"


def drawn(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Array],
    weights: Mapping[str, Array],
    outputs: Sequence[str] = ("y",),
    opset: int = 17,
) -> onnx.ModelProto:
    """A model with inputs like these arrays, and outputs of unknown type."""
    kinds = {name: helper.np_dtype_to_tensor_dtype(x.dtype) for name, x in inputs.items()}
    infos = [helper.make_tensor_value_info(n, kinds[n], x.shape) for n, x in inputs.items()]
    graph = helper.make_graph(
        nodes,
        "expanded",
        infos,
        [helper.make_value_info(name, onnx.TypeProto()) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def fused(op: str, inputs: Sequence[str], **attrs: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs, ["y"], domain=MICROSOFT, **attrs)


def of_integers(*shape: int) -> Array:
    return RNG.integers(0, 255, shape).astype(np.uint8)


SCALE, ZERO = np.float32(0.02), np.uint8(128)
UNARY = {"xs": SCALE, "xz": ZERO, "ys": np.float32(0.01), "yz": np.uint8(3)}


def unary(op: str, **attrs: Any) -> onnx.ModelProto:
    node = fused(op, ["x", "xs", "xz", "ys", "yz"], **attrs)
    return model([node], {"x": of_integers(1, 3, 4, 6)}, UNARY)


def binary(op: str) -> onnx.ModelProto:
    names = ["a", "xs", "xz", "b", "xs", "xz", "ys", "yz"]
    return model([fused(op, names)], {"a": of_integers(2, 5), "b": of_integers(2, 5)}, UNARY)


def qgemm(columns: int = 1, bias: bool = True, real: bool = False, **attrs: int) -> onnx.ModelProto:
    b = RNG.integers(-127, 127, (4, 6) if attrs.get("transB") else (6, 4)).astype(np.int8)
    scale = (RNG.random(columns).astype(np.float32) + 1) / 50
    weights = {"xs": SCALE, "xz": ZERO, "b": b, "bs": scale, "bz": np.zeros(columns, np.int8)}
    weights |= {"c": RNG.integers(-99, 99, 4).astype(np.int32), "ys": SCALE, "yz": ZERO}
    names = ["x", "xs", "xz", "b", "bs", "bz", "c" if bias else "", "ys", "yz"]
    node = fused("QGemm", names[:7] if real else names, **attrs)
    return model([node], {"x": of_integers(3, 6)}, weights)


def attention(mask: Array | None, causal: int = 0) -> onnx.ModelProto:
    inputs = {"x": drawn(2, 5, 8)} | ({} if mask is None else {"mask": mask})
    names = ["x", "w", "b"] + ([] if mask is None else ["mask"])
    node = fused("Attention", names, num_heads=2, unidirectional=causal)
    return model([node], inputs, {"w": drawn(8, 24), "b": drawn(24)})


def heads(**attrs: Any) -> onnx.ModelProto:
    names, shapes = "qkv", ((2, 5, 8), (2, 6, 8), (2, 6, 8))
    inputs = {name: drawn(*shape) for name, shape in zip(names, shapes, strict=True)}
    node = fused("MultiHeadAttention", [*names, "b"], num_heads=4, **attrs)
    return model([node], inputs, {"b": drawn(24)})


def packed(bits: int, rows: int, with_zeros: bool) -> onnx.ModelProto:
    blocks, columns, size = -(-rows // 16), 5, 16
    each = size * bits // 8
    weights = {
        "b": RNG.integers(0, 255, (columns, blocks, each)).astype(np.uint8),
        "s": drawn(columns * blocks),
        "z": RNG.integers(0, 255, columns * -(-blocks * bits // 8)).astype(np.uint8),
    }
    names = ["x", "b", "s"] + (["z"] if with_zeros else [])
    sizes = {"K": rows, "N": columns, "bits": bits, "block_size": size}
    return model([fused("MatMulNBits", names, **sizes)], {"x": drawn(2, 3, rows)}, weights)


def rotary(interleaved: int, width: int = 0) -> onnx.ModelProto:
    inputs = {"x": drawn(2, 3, 4, 8), "at": RNG.integers(0, 9, (2, 4))}
    size = (width or 8) // 2
    options = {"interleaved": interleaved, "rotary_embedding_dim": width, "num_heads": 3}
    node = fused("RotaryEmbedding", ["x", "at", "c", "s"], **options)
    return model([node], inputs, {"c": drawn(9, size), "s": drawn(9, size)})


def embedded(segments: bool, mask: bool) -> onnx.ModelProto:
    inputs = {"ids": RNG.integers(0, 9, (2, 5)).astype(np.int32)}
    weights = {"w": drawn(9, 4), "p": drawn(7, 4), "g": drawn(4), "b": drawn(4)}
    if segments:
        inputs["seg"] = RNG.integers(0, 2, (2, 5)).astype(np.int32)
        weights["t"] = drawn(2, 4)
    if mask:
        inputs["m"] = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    names = ["ids", "seg" * segments, "w", "p", "t" * segments, "g", "b", "m" * mask]
    node = helper.make_node(
        "EmbedLayerNormalization", names, ["y", "n"], domain=MICROSOFT, epsilon=1e-5
    )
    return model([node], inputs, weights, ("y", "n") if mask else ("y",))


CASES: dict[str, Callable[[], onnx.ModelProto]] = {
    "add": lambda: binary("QLinearAdd"),
    "mul": lambda: binary("QLinearMul"),
    "sigmoid": lambda: unary("QLinearSigmoid"),
    "leaky": lambda: unary("QLinearLeakyRelu", alpha=0.2),
    "softmax": lambda: unary("QLinearSoftmax", axis=-1, opset=13),
    "mean": lambda: unary("QLinearGlobalAveragePool", channels_last=0),
    "pool": lambda: unary("QLinearAveragePool", kernel_shape=[2, 2], strides=[2, 2]),
    "qgemm": qgemm,
    "qgemm of columns": lambda: qgemm(4, transB=1),
    "qgemm without bias": lambda: qgemm(bias=False),
    "qgemm in floats": lambda: qgemm(4, real=True),
    "qgemm of floats, turned": lambda: qgemm(real=True, transB=1),
    "attention": lambda: attention(None),
    "attention with a mask": lambda: attention(np.array([[1, 1, 1, 0, 0], [1] * 5], np.int32)),
    "attention with lengths": lambda: attention(np.array([3, 5], np.int32)),
    "attention that is causal": lambda: attention(None, 1),
    "attention of whole masks": lambda: attention(np.tril(np.ones((2, 5, 5), np.int32))),
    "heads": heads,
    "heads with a scale": lambda: heads(scale=0.3),
    "four bits": lambda: packed(4, 32, True),
    "four bits without zeros": lambda: packed(4, 64, False),
    "four bits, a block not full": lambda: packed(4, 40, True),
    "eight bits": lambda: packed(8, 32, True),
    "eight bits without zeros": lambda: packed(8, 48, False),
    "rotary": lambda: rotary(0),
    "rotary, interleaved": lambda: rotary(1),
    "rotary of a part": lambda: rotary(0, 4),
    "embedding": lambda: embedded(True, True),
    "embedding without segments": lambda: embedded(False, True),
    "embedding without mask": lambda: embedded(True, False),
}


@pytest.mark.parametrize("case", CASES)
def test_what_it_becomes_computes_the_same(case: str, tmp_path: Path) -> None:
    proto = CASES[case]()
    draws = {item.name: item for item in proto.graph.input}
    inputs = [value_of(item) for item in draws.values()]
    expected = original_outputs(proto, inputs)[0]
    if expected.dtype.kind == "f":
        assert_agrees(proto, tmp_path, inputs)
        return
    found = conversion(proto, tmp_path)
    network = network_of(found, script_of(found, "bundled"), tmp_path)
    got = network(*[ms.Tensor(x) for x in inputs]).asnumpy()
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    away = np.abs(got.astype(int) - expected.astype(int))
    assert away.max() <= 1, "a number that lies between two may be rounded either way"
    assert (away == 0).mean() > 0.6


def value_of(item: onnx.ValueInfoProto) -> Array:
    """Numbers for an input: masks and lengths are of zeros and ones, indices small."""
    kind = helper.tensor_dtype_to_np_dtype(item.type.tensor_type.elem_type)
    shape = [d.dim_value for d in item.type.tensor_type.shape.dim]
    if kind == np.uint8:
        return of_integers(*shape)
    if kind.kind == "f":
        return drawn(*shape)
    most = {"mask": 2, "m": 2, "seg": 2}.get(item.name, 7)
    values = RNG.integers(0, most, shape).astype(kind)
    return np.maximum(values, 1) if len(shape) == 1 else values | (np.arange(shape[-1]) == 0)


@pytest.mark.parametrize("op", ["Erf", "Tanh", "Relu", "Sigmoid", "LeakyRelu", "Clip"])
def test_a_fused_convolution_in_a_list_keeps_its_weights(op: str, tmp_path: Path) -> None:
    params = {"LeakyRelu": [0.1], "Clip": [-0.5, 0.5]}.get(op, [])
    attrs: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    if op != "Erf":
        attrs |= {"activation": op} | ({"activation_params": params} if params else {})
    nodes = [
        helper.make_node(
            "FusedConv",
            ["x" if i == 0 else "h", f"net.{i}.weight", f"net.{i}.bias"],
            ["h" if i == 0 else "y"],
            name=f"/net/net.{i}/Conv",
            domain=MICROSOFT,
            **attrs,
        )
        for i in (0, 2)[: 1 + (op != "Erf")] or (0,)
    ]
    if op == "Erf":
        nodes.append(helper.make_node("Erf", ["h"], ["y"], name="/net/net.1/Erf"))
    weights = {f"net.{i}.weight": drawn(3, 3, 3, 3) for i in (0, 2)}
    weights |= {f"net.{i}.bias": drawn(3) for i in (0, 2)}
    read = {name for node in nodes for name in node.input}
    kept = {name: array for name, array in weights.items() if name in read}
    proto = model(nodes, {"x": drawn(1, 3, 6, 6)}, kept)
    text = assert_agrees(proto, tmp_path, [drawn(1, 3, 6, 6)])
    assert text.count("nn.Conv2d") == len(nodes) - (op == "Erf")
    found = conversion(proto, tmp_path)
    names = {p.name for p in parameters(found.written.root, found.written.homes)}
    assert len(names) == len(kept)


@pytest.mark.parametrize("opset", [11, 12, 13, 15, 17, 18, 20])
def test_a_later_operator_of_the_optimiser_has_a_shape(opset: int, tmp_path: Path) -> None:
    """ONNX Runtime writes LayerNormalization and others whatever the opset of the file is."""
    nodes = [
        helper.make_node(
            "SkipLayerNormalization", ["x", "x", "g", "b"], ["n"], domain=MICROSOFT, epsilon=1e-5
        ),
        helper.make_node("BiasGelu", ["n", "b"], ["m"], domain=MICROSOFT),
        helper.make_node("FusedMatMul", ["m", "m"], ["s"], domain=MICROSOFT, transB=1, alpha=0.5),
        helper.make_node("QuickGelu", ["s"], ["q"], domain=MICROSOFT, alpha=1.0),
        helper.make_node("Softmax", ["q"], ["y"], axis=-1),
    ]
    proto = model(nodes, {"x": drawn(2, 3, 4)}, {"g": drawn(4), "b": drawn(4)}, opset=opset)
    graph = prepare(load(saved(proto, tmp_path))).graph
    assert graph.type_of("y").shape == (2, 3, 3)
    assert_agrees(proto, tmp_path, [drawn(2, 3, 4)])


REFUSED = {
    "a past": fused("Attention", ["x", "w", "", "", "p"], num_heads=2),
    "an activation": fused("FusedConv", ["c", "k"], activation="Softplus"),
    "a mean": helper.make_node(
        "SkipSimplifiedLayerNormalization", ["x", "x", "g"], ["y", "m"], domain=MICROSOFT
    ),
    "two bits": fused("MatMulNBits", ["x", "q", "g"], K=8, N=1, bits=2, block_size=32),
    "channels last": fused("QLinearGlobalAveragePool", ["u", "g"], channels_last=1),
    "computed weights": fused("Attention", ["x", "v"], num_heads=2),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_known_stays_and_is_refused(case: str, tmp_path: Path) -> None:
    inputs = {"x": drawn(2, 5, 8), "v": drawn(8, 24), "p": drawn(2, 2, 2, 3, 4)}
    inputs |= {"c": drawn(1, 2, 4, 4), "u": of_integers(1, 2, 3, 3)}
    weights = {"w": drawn(8, 24), "k": drawn(2, 2, 3, 3), "g": drawn(8)}
    weights["q"] = of_integers(1, 1, 8)
    node = REFUSED[case]
    read = {name: x for name, x in inputs.items() if name in node.input}
    held = {name: x for name, x in weights.items() if name in node.input}
    found = conversion(model([node], read, held), tmp_path)
    assert [item.error.code for item in found.written.traced.left] == ["MS101"]
    assert (node.domain, node.op_type) in EXPANSIONS


@pytest.mark.parametrize("names", [("w",), ("w", "b"), ("a", "b", "c")])
def test_a_lost_weight_is_noticed(names: tuple[str, ...]) -> None:
    held = {name: Weight(drawn(2, 2), (name,)) for name in names}
    statement = Statement("y", nn.Dense(2, 2, weights=held)(Ref("x")), Node("Gemm", ["x"], ["y"]))
    kept = [Parameter(name, weight) for name, weight in held.items()]
    check_kept([statement], kept)
    with pytest.raises(RuntimeError, match="lost"):
        check_kept([statement], kept[:-1])


@pytest.mark.parametrize("shape", [(2, 2), (2, 3)])
def test_two_weights_of_one_name_are_noticed(shape: tuple[int, int]) -> None:
    first, second = Weight(drawn(2, 2), ("w",)), Weight(drawn(*shape), ("v",))
    homes = {str(i): Home((), "w", weight, True) for i, weight in enumerate((first, second))}
    with pytest.raises(RuntimeError, match="two weights are called w"):
        parameters(Block((), []), homes)
    equal = replace(homes["1"], weight=Weight(first.array.copy(), ("v",)))
    assert len(parameters(Block((), []), {"0": homes["0"], "1": equal})) == 1


def test_a_call_of_attention_says_no_more_than_the_node(tmp_path: Path) -> None:
    """Of twelve operands and options, those that it has."""
    shapes = {"q": (2, 2, 3, 4), "k": (2, 2, 5, 4), "v": (2, 2, 5, 4), "m": (3, 5)}
    infos = [helper.make_tensor_value_info(name, 1, shape) for name, shape in shapes.items()]
    made = helper.make_tensor_value_info("y", 1, (2, 2, 3, 4))
    node = helper.make_node("Attention", [*shapes], ["y"])
    graph = helper.make_graph([node], "graph", infos, [made])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    text = assert_agrees(proto, tmp_path, [drawn(*shape) for shape in shapes.values()])
    assert "onnx_attention(q, k, v, mask=m)[0]" in text
