"""Constants computed from weights: folded, unless weight and constant would both be kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from msconvert.converter.graph.graph import Graph
from msconvert.converter.graph.prepare import prepare
from msconvert.converter.source.load import load
from msconvert.tests.converter.in_process import assert_agrees
from msconvert.tests.converter.small_models import run, saved

RNG = np.random.default_rng(0)
W, V = (RNG.standard_normal(shape).astype(np.float32) for shape in ((20, 4), (4, 300)))
X = RNG.standard_normal((3, 4)).astype(np.float32)


def node(op: str, inputs: str, output: str, **attrs: object) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), [output], **attrs)


NORM = [node("Pow", "w two", "q"), node("ReduceSum", "q last", "s", keepdims=1)]
LAST = node("Gemm", "x c", "y", transB=1)

STAY = {
    "a weight beside its norms": [
        *NORM,
        node("Concat", "w s", "c", axis=1),
        node("ReduceSum", "x last", "r", keepdims=1),
        node("Concat", "x r", "x5", axis=1),
        node("Gemm", "x5 c", "y", transB=1),
    ],
    "a weight that is read as well": [
        node("Exp", "w", "c"),
        node("Gemm", "x w", "z", transB=1),
        node("Gemm", "x c", "v", transB=1),
        node("Add", "z v", "y"),
    ],
    "what is computed in several steps": [
        node("Concat", "w w", "d", axis=1),
        node("Tanh", "d", "e"),
        node("Slice", "e start end last", "c"),
        node("Gemm", "x w", "z", transB=1),
        node("Gemm", "x c", "v", transB=1),
        node("Add", "z v", "y"),
    ],
}

FOLDED = {
    "a normalised weight": [*NORM, node("Div", "w s", "c"), LAST],
    "a transpose of what is read as well": [
        node("Transpose", "w", "t", perm=[1, 0]),
        node("MatMul", "x t", "z"),
        node("Gemm", "x w", "v", transB=1),
        node("Add", "z v", "y"),
    ],
    "what no script computes as well": [
        node("Erf", "w", "c"),
        node("Gemm", "x w", "z", transB=1),
        node("Gemm", "x c", "v", transB=1),
        node("Add", "z v", "y"),
    ],
    "a hundredth of what there is": [
        node("Slice", "w zero last zero", "k"),
        node("Exp", "k", "e"),
        node("Gemm", "x w", "z", transB=1),
        node("MatMul", "x wide", "l"),
        node("ReduceSum", "l last", "n", keepdims=1),
        node("Mul", "z n", "o"),
        node("Gemm", "x e", "f", transB=1),
        node("Add", "o f", "y"),
    ],
}


def model(nodes: list[onnx.NodeProto]) -> onnx.ModelProto:
    held = {
        "w": W,
        "wide": V,
        "two": np.array(2.0, np.float32),
        "last": np.array([1]),
        "zero": np.array([0]),
        "start": np.array([0]),
        "end": np.array([4]),
    }
    read = {name for one in nodes for name in one.input}
    constants = [numpy_helper.from_array(x, name) for name, x in held.items() if name in read]
    x, y = (
        helper.make_tensor_value_info(name, 1, shape)
        for name, shape in (("x", (3, 4)), ("y", (3, 20)))
    )
    graph = helper.make_graph(nodes, "g", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def floats(graph: Graph) -> int:
    return sum(x.size for x in graph.constants.values() if x.dtype.kind == "f" and x.size > 1)


@pytest.mark.parametrize("case", STAY)
def test_what_would_be_kept_twice_stays(case: str, tmp_path: Path) -> None:
    proto = model(STAY[case])
    graph = prepare(load(saved(proto, tmp_path))).graph
    assert floats(graph) == W.size
    np.testing.assert_allclose(run(graph, {"x": X})[0], run(proto, {"x": X})[0], rtol=1e-5)
    assert_agrees(proto, tmp_path, [X])


@pytest.mark.parametrize("case", FOLDED)
def test_the_rest_is_folded(case: str, tmp_path: Path) -> None:
    proto = model(FOLDED[case])
    graph = prepare(load(saved(proto, tmp_path))).graph
    kept = {one.op for one in graph.nodes}
    assert kept.isdisjoint({"Div", "Erf", "Exp", "Pow", "Slice", "Transpose"})
    assert_agrees(proto, tmp_path, [X])
