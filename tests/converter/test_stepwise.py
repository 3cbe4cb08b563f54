"""Recurrent nodes that no layer says: lengths, peepholes, clipping, layout, other activations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from msconvert.tests.converter.in_process import assert_agrees

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STEPS, BATCH, WIDTH, SIZE = 5, 3, 4, 6
RNG = np.random.default_rng(11)


def drawn(*shape: int) -> np.ndarray[Any, Any]:
    return (RNG.standard_normal(shape) * 0.5).astype(np.float32)


def recurrent(op: str, given: str, **attrs: Any) -> tuple[onnx.ModelProto, list[Any]]:
    """A node with those of "b lengths h c p" that are given, and its inputs."""
    ways = 2 if attrs.get("direction") == "bidirectional" else 1
    swapped = attrs.get("layout", 0) == 1
    rows = GATES[op] * SIZE
    weights = {"w": drawn(ways, rows, WIDTH), "r": drawn(ways, rows, SIZE)}
    x = drawn(*((BATCH, STEPS) if swapped else (STEPS, BATCH)), WIDTH)
    feeds = {"x": x}
    states = (BATCH, ways, SIZE) if swapped else (ways, BATCH, SIZE)
    if "b" in given:
        weights["b"] = drawn(ways, 2 * rows)
    if "p" in given:
        weights["p"] = drawn(ways, 3 * SIZE)
    if "l" in given:
        feeds["l"] = np.array([2, 5, 3], np.int32)
    feeds |= {name: drawn(*states) for name in "hc" if name in given}
    names = [name if name in {*weights, *feeds} else "" for name in "xwrblhcp"]
    while not names[-1]:
        names.pop()
    outputs = ["y", "yh", "yc"][: 3 if op == "LSTM" else 2]
    node = helper.make_node(op, names, outputs, hidden_size=SIZE, **attrs)
    graph = helper.make_graph(
        [node],
        "recurrent",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in feeds.items()
        ],
        [helper.make_value_info(name, onnx.TypeProto()) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), list(feeds.values())


WAYS = ["forward", "reverse", "bidirectional"]


@pytest.mark.parametrize("given", ["l", "bl", "blh"])
@pytest.mark.parametrize("direction", WAYS)
@pytest.mark.parametrize("op", GATES)
def test_each_row_has_its_length(op: str, direction: str, given: str, tmp_path: Path) -> None:
    assert_agrees(*_placed(recurrent(op, given, direction=direction), tmp_path))


def _placed(made: tuple[onnx.ModelProto, list[Any]], folder: Path) -> tuple[Any, Path, list[Any]]:
    return made[0], folder, made[1]


ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("LSTM", "bp", {}),
    ("LSTM", "bhcp", {"direction": "bidirectional"}),
    ("LSTM", "p", {"direction": "reverse"}),
    ("LSTM", "blhcp", {"clip": 0.3}),
    ("LSTM", "b", {"clip": 0.2}),
    ("LSTM", "b", {"activations": ["Sigmoid", "Relu", "Softsign"]}),
    ("LSTM", "bl", {"input_forget": 1}),
    ("GRU", "b", {"clip": 0.3}),
    ("GRU", "b", {}),
    ("GRU", "bh", {"direction": "bidirectional"}),
    ("GRU", "", {"linear_before_reset": 0}),
    ("GRU", "bl", {"linear_before_reset": 1}),
    ("GRU", "b", {"activations": ["Sigmoid", "Relu"]}),
    ("RNN", "b", {"clip": 0.25}),
    ("RNN", "bh", {"activations": ["Sigmoid"]}),
    ("RNN", "b", {"activations": ["Tanh", "Relu"], "direction": "bidirectional"}),
]


@pytest.mark.parametrize(("op", "given", "attrs"), ROWS)
def test_what_no_layer_says(op: str, given: str, attrs: dict[str, Any], tmp_path: Path) -> None:
    assert_agrees(*_placed(recurrent(op, given, **attrs), tmp_path))


@pytest.mark.parametrize("op", GATES)
def test_an_activation_with_numbers_of_its_own_is_refused(op: str, tmp_path: Path) -> None:
    names = ["ScaledTanh"] * (3 if op == "LSTM" else 2 if op == "GRU" else 1)
    proto, inputs = recurrent(op, "b", activations=names)
    with pytest.raises(NotImplementedError, match="an activation"):
        assert_agrees(proto, tmp_path, inputs)
