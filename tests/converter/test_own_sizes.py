"""Sizes that a module asks of what it takes, and masks and numbers that say nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from msconvert.converter.modules.own_sizes import _word
from msconvert.converter.recompose import recompose
from msconvert.tests.converter.hand_graphs import FLOAT, graph, inputs_for, node
from msconvert.tests.converter.in_process import assert_agrees
from msconvert.tests.converter.recomposed import assert_same_numbers, graph_of

Convert = Callable[[onnx.ModelProto], str]


@pytest.fixture
def agreed(tmp_path: Path) -> Convert:
    """Converts a model, asserts that the script agrees with ONNX Runtime, returns its text."""
    return lambda model: assert_agrees(model, tmp_path, inputs_for(model))


INPUTS = {"x": (np.int64, ("batch", "length")), "h": (FLOAT, ("batch", "length", 4))}
SHAPES = [
    node("Shape", "x", "b", start=0, end=1),
    node("Shape", "x", "l", start=1, end=2),
    node("Concat", "b l two two", "to", axis=0),
    node("Concat", "b l four", "back", axis=0),
]
SIZES = {"two": np.array([2]), "four": np.array([4])}


def attention(name: str, h: str, y: str) -> list[onnx.NodeProto]:
    return [
        node("Reshape", f"{h} to", f"{y}1", name),
        node("Transpose", f"{y}1", f"{y}2", name, perm=[0, 1, 3, 2]),
        node("Reshape", f"{y}2 back", y, name),
    ]


def network(h: tuple[object, ...] = ("batch", "length", 4)) -> onnx.ModelProto:
    nodes = [*SHAPES, *attention("blocks.0.attn", "h", "a"), *attention("blocks.1.attn", "a", "y")]
    inputs = {**INPUTS, "h": (FLOAT, h)}
    return graph(nodes, inputs, {"y": (FLOAT, ("batch", "length", 4))}, SIZES)


def test_sizes_are_asked_of_what_the_module_takes(agreed: Convert) -> None:
    text = agreed(network())
    assert text.count("batch, length = x.shape[:2]") == 1
    assert "def construct(self, x):" in text.split("class ")[1], "nothing is handed down for them"


@pytest.mark.parametrize("h", [("n", "k", 4), ("n", "length", 4)])
def test_a_size_of_another_name_is_another_size(agreed: Convert, h: tuple[object, ...]) -> None:
    first = agreed(network(h)).split("class ")[1]
    assert "batch, length = " not in first, "of the network's second input they are others"


@pytest.mark.parametrize(
    ("size", "word"),
    [
        ("batch", "batch"),
        ("len", "size"),
        ("for", "size"),
        ("a b", "size"),
        ("Seq", "size"),
        (4, "size"),
    ],
)
def test_a_size_is_called_by_a_plain_word_of_the_file(size: object, word: str) -> None:
    assert _word(size) == word


def masked(least: int, first: int) -> onnx.ModelProto:
    """x plus 0 where "position >= least" and the mask hold, else a low number."""
    nodes = [
        node("Shape", "x", "s", start=2, end=3),
        node("Squeeze", "s", "n"),
        node("Range", "first n one", "r"),
        node("Unsqueeze", "r axes", "p"),
        node("GreaterOrEqual", "p least", "ge"),
        node("And", "ge mask", "both"),
        node("Where", "both zero low", "term"),
        node("Add", "x term", "y"),
    ]
    numbers = {"first": first, "one": 1, "least": least}
    weights = {name: np.array(value) for name, value in numbers.items()}
    weights |= {"axes": np.array([0, 1, 3]), "zero": FLOAT(0), "low": FLOAT(-9)}
    taken = {"x": (FLOAT, (2, 3, "n", "n")), "mask": (np.bool_, (2, 1, 1, "n"))}
    return graph(nodes, taken, {"y": (FLOAT, (2, 3, "n", "n"))}, weights)


@pytest.mark.parametrize(("least", "first", "is_idle"), [(0, 0, True), (1, 0, False)])
def test_a_mask_of_all_positions_is_none(
    least: int, first: int, is_idle: bool, tmp_path: Path
) -> None:
    before = graph_of(masked(least, first), tmp_path)
    done = recompose(before).graph
    assert ([n.op for n in done.nodes] == ["Where", "Add"]) == is_idle
    assert_same_numbers(before, done)


@pytest.mark.parametrize(("table", "is_idle"), [([[7, 7, 7]], True), ([[7, 7, 8]], False)])
def test_elements_of_a_table_of_one_number(
    table: list[list[int]], is_idle: bool, tmp_path: Path
) -> None:
    nodes = [
        helper.make_node("GatherElements", ["table", "i"], ["g"], axis=1),
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Expand", ["g", "s"], ["y"]),
    ]
    values = [
        helper.make_tensor_value_info("i", 7, (1, "length")),
        helper.make_tensor_value_info("x", 1, ("batch", "length")),
    ]
    held = [numpy_helper.from_array(np.array(table), "table")]
    out = [helper.make_tensor_value_info("y", 7, ("batch", "length"))]
    made = helper.make_graph(nodes, "g", values, out, held)
    before = graph_of(
        helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)]), tmp_path
    )
    done = recompose(before).graph
    assert ("GatherElements" not in [n.op for n in done.nodes]) == is_idle
    assert [n.op for n in done.nodes].count("Expand") == 1
