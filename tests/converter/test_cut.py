"""--input_nodes, --output_nodes and --shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from msconvert.converter.graph.prepare import Prepared, prepare
from msconvert.converter.source.load import load
from msconvert.errors import MsconvertError
from msconvert.tests.converter.small_models import model, run, saved


def chain() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Relu", ["data"], ["v1"], name="first"),
        helper.make_node("Neg", ["v1"], ["v2"], name="second"),
        helper.make_node("Add", ["v2", "mask"], ["prob"], name="third"),
        helper.make_node("Split", ["prob"], ["left", "right"], name="halves", axis=1),
    ]
    return model(nodes, {"data": ("n", 4), "mask": ("n", 4)}, ["prob", "right"], opset=13)


def cut(folder: Path, **options: Sequence[object]) -> Prepared:
    return prepare(load(saved(chain(), folder)), **options)


@pytest.mark.parametrize("name", ["v2", "second"])
def test_outputs_by_value_or_node(name: str, tmp_path: Path) -> None:
    result = cut(tmp_path, inputs=["data"], outputs=[name])
    assert (result.graph.inputs, result.graph.outputs) == (["data"], ["v2"])
    assert [node.name for node in result.graph.nodes] == ["first", "second"]
    assert result.simplified == ()  # what was cut away is not what was simplified
    x = np.float32([[-1, 2, 0, 1]])
    np.testing.assert_array_equal(run(result.graph, {"data": x})[0], -np.maximum(x, 0))


@pytest.mark.parametrize("name", ["v1", "first"])
def test_inputs_in_the_middle(name: str, tmp_path: Path) -> None:
    graph = cut(tmp_path, inputs=[name, "mask"], outputs=["prob"], shapes=[(2, 4), (2, 4)]).graph
    assert graph.inputs == ["v1", "mask"]
    assert [node.name for node in graph.nodes] == ["second", "third"]
    assert graph.type_of("prob").shape == (2, 4)
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(run(graph, {"v1": x, "mask": 3 * x})[0], 2 * x)


def test_a_node_with_several_outputs_gives_those_that_are_read(tmp_path: Path) -> None:
    assert cut(tmp_path, outputs=["halves"]).graph.outputs == ["right"]


def test_shapes_follow_the_order_of_the_inputs_named(tmp_path: Path) -> None:
    graph = cut(tmp_path, inputs=["mask", "data"], shapes=[(1, 4), (7, 4)]).graph
    assert graph.inputs == ["mask", "data"]
    assert graph.type_of("data").shape == (7, 4)
    assert graph.type_of("v1").shape == (7, 4)


def test_minus_one_leaves_a_size_dynamic(tmp_path: Path) -> None:
    graph = cut(tmp_path, shapes=[(-1, 4), (3, -1)]).graph
    assert graph.type_of("data").shape == ("n", 4)
    assert graph.type_of("mask").shape == (3, 4)


WRONG = {
    "unknown output": ({"outputs": ["probb"]}, "--output_nodes", "'prob'"),
    "unknown input": ({"inputs": ["dat"]}, "--input_nodes", "'data'"),
    "nothing like it": ({"inputs": ["zzzzzzzz"]}, "--input_nodes", "'data' (n,4)"),
    "an input too few": ({"inputs": ["data"]}, "--input_nodes", "add 'mask'"),
    "too few shapes": ({"shapes": [(1, 4)]}, "--shape", "2: 'data' (n,4), 'mask' (n,4)"),
    "too many shapes": ({"shapes": [(1, 4)] * 3}, "--shape", "3 shapes"),
    "wrong rank": ({"shapes": [(1, 3, 224, 224), (1, 4)]}, "--shape", "4 sizes: 1,3,224,224"),
    "a fixed size": ({"shapes": [(1, 5), (1, 4)]}, "--shape", "n,4"),
    "zero": ({"shapes": [(0, 4), (1, 4)]}, "--shape", "not positive"),
    "negative": ({"shapes": [(-2, 4), (1, 4)]}, "--shape", "not positive"),
}


@pytest.mark.parametrize("case", WRONG)
def test_refusals(case: str, tmp_path: Path) -> None:
    options, flag, said = WRONG[case]
    with pytest.raises(MsconvertError) as caught:
        cut(tmp_path, **options)
    assert (caught.value.code, caught.value.where) == ("MS105", flag)
    assert said in caught.value.text()


def test_a_name_of_several_nodes_is_refused(tmp_path: Path) -> None:
    proto = chain()
    for node in proto.graph.node:
        node.name = "same"
    with pytest.raises(MsconvertError, match="4 nodes have the name 'same'"):
        prepare(load(saved(proto, tmp_path)), outputs=["same"])
