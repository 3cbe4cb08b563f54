"""Tables and conditions that exporters folded into constants, taken apart again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from msconvert.converter.recompose.spreading import spread
from msconvert.tests.converter.hand_graphs import FLOAT, Array, graph, inputs_for, node
from msconvert.tests.converter.in_process import assert_agrees

Convert = Callable[[onnx.ModelProto], str]
RNG = np.random.default_rng(5)
N = 9
INDEX = np.arange(N)[:, None] - np.arange(N) + N - 1
"""As in Swin: each pair of places takes the number of its distance."""

SHAPE = (2, 3, N, N)
X = {"x": (FLOAT, SHAPE)}
Y = {"y": (FLOAT, SHAPE)}


@pytest.fixture
def agreed(tmp_path: Path) -> Convert:
    """Converts a model, asserts that the script agrees with ONNX Runtime, returns its text."""
    return lambda model: assert_agrees(model, tmp_path, inputs_for(model))


def bias() -> Array:
    table = RNG.standard_normal((3, 2 * N - 1)).astype(FLOAT)
    return table[:, INDEX][None]


def added(array: Array, name: str = "unsqueeze_7", op: str = "Add") -> onnx.ModelProto:
    nodes = [node("Relu", "x", "r", "attn"), node(op, f"r {name}", "y", "attn")]
    return graph(nodes, X, Y, {name: array})


def test_a_bias_by_distance_is_a_table_again(agreed: Convert) -> None:
    text = agreed(added(bias()))
    assert "self.bias_table = ms.Parameter(ops.zeros((3, 17), ms.float32))" in text, "it is trained"
    assert "ops.zeros((9, 9), ms.int64)" in text
    assert "ops.gather(self.bias_table, self.index, 1)" in text


def test_a_bias_that_was_made_as_often_as_the_batch_is_large(agreed: Convert) -> None:
    text = agreed(added(np.repeat(bias(), 2, axis=0), "add_3"))
    assert "self.bias_table = ms.Parameter(ops.zeros((3, 17), ms.float32))" in text


@pytest.mark.parametrize("heads", [1, 3])
def test_a_mask_of_two_numbers_is_a_condition_again(agreed: Convert, heads: int) -> None:
    mask = np.where(RNG.random((1, heads, N, N)) < 0.5, -100, 0).astype(FLOAT)
    text = agreed(added(mask))
    assert "ops.where(self.mask, -100.0, 0.0)" in text
    assert f"ops.zeros((1, {heads}, 9, 9), ms.bool_)" in text
    assert "bias_table" not in text


NOT_EQUAL = RNG.standard_normal((1, 3, N, N)).astype(FLOAT)
LEFT: dict[str, onnx.ModelProto] = {
    "all numbers differ": added(NOT_EQUAL),
    "a parameter of the user's": added(bias(), "attn.bias"),
    "few numbers, as a mask of three": added(np.sign(NOT_EQUAL).round() * (NOT_EQUAL > -1)),
    "few numbers, for all heads": added(np.clip(INDEX, 6, 8)[None, None].astype(FLOAT)),
    "more than a sum": added(bias(), op="Mul"),
    "small": graph(
        [node("Add", "x unsqueeze", "y", "attn")],
        {"x": (FLOAT, (1, 3, 3))},
        {"y": (FLOAT, (1, 3, 3))},
        {"unsqueeze": INDEX[None, :3, :3].astype(FLOAT)},
    ),
    "a sum with more axes": graph(
        [node("Add", "x unsqueeze", "y", "attn")],
        {"x": (FLOAT, (N, N))},
        {"y": (FLOAT, (1, 3, N, N))},
        {"unsqueeze": bias()},
    ),
    "what is added has another batch": graph(
        [node("Add", "x unsqueeze", "y", "attn")],
        {"x": (FLOAT, (1, 3, N, N))},
        {"y": (FLOAT, SHAPE)},
        {"unsqueeze": np.repeat(bias(), 2, axis=0)},
    ),
    "an output, too": graph(
        [node("Add", "x unsqueeze", "y", "attn"), node("Identity", "unsqueeze", "z")],
        X,
        {**Y, "z": (FLOAT, (1, 3, N, N))},
        {"unsqueeze": bias()},
    ),
}


@pytest.mark.parametrize("case", LEFT)
def test_what_is_no_table_stays(agreed: Convert, case: str) -> None:
    text = agreed(LEFT[case])
    assert "bias_table" not in text
    assert "mask" not in text


def test_modules_that_share_a_mask_are_one_class(agreed: Convert) -> None:
    mask = np.where(RNG.random((1, 3, N, N)) < 0.5, -100, 0).astype(FLOAT)
    nodes = [
        *(node("Relu", "x", "a", "blocks.0.attn"), node("Add", "a where", "b", "blocks.0.attn")),
        *(node("Relu", "b", "c", "blocks.1.attn"), node("Add", "c where", "y", "blocks.1.attn")),
    ]
    text = agreed(graph(nodes, X, Y, {"where": mask}))
    assert text.count("ops.where(") == 1
    assert "for _ in range" in text or text.count("M1()") == 2


@pytest.mark.parametrize(("first", "is_loop"), [(1, True), (2, False)])
def test_the_rest_of_a_list_is_a_loop(agreed: Convert, first: int, is_loop: bool) -> None:
    """What stands between the first elements keeps them apart; three or more at the end loop."""
    nodes, value = [], "x"
    for i in range(4):
        place = f"layers.{i}"
        nodes += [node("Relu", value, f"r{i}", place), node("Mul", f"r{i} r{i}", f"m{i}", place)]
        value = f"m{i}"
        if i < first:
            nodes.append(node("Neg", value, f"n{i}"))
            value = f"n{i}"
    nodes.append(node("Exp", value, "y"))
    text = agreed(graph(nodes, X, Y))
    assert ("in range(1, len(self.layers)):" in text) == is_loop


def read(array: Array, name: str = "view_4") -> onnx.ModelProto:
    """A constant that something else than a sum reads."""
    x = {"x": (FLOAT, array.shape)}
    nodes = [node("Relu", "x", "r", "m"), node("Mul", f"r {name}", "y", "m")]
    return graph(nodes, x, {"y": (FLOAT, array.shape)}, {name: array})


def coordinates(height: int, width: int) -> Array:
    """As torch's affine_grid has them: x, y and 1 of each place."""
    rows, columns = np.meshgrid(
        np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij"
    )
    planes = (columns, rows, np.ones((height, width)))
    return np.stack(planes, -1).reshape(-1, 3, 1).astype(FLOAT)


def test_a_grid_of_coordinates_keeps_each_once(agreed: Convert) -> None:
    text = agreed(read(coordinates(32, 24)))
    assert "ops.zeros((1, 24, 1, 1), ms.float32)" in text
    assert "ops.zeros((32, 1, 1, 1), ms.float32)" in text
    assert "ops.ones((32, 24, 1, 1), ms.float32)" in text
    assert text.count("requires_grad=False") == 2, "it is not trained"


def test_what_was_made_as_often_as_the_batch_is_large_is_kept_once(agreed: Convert) -> None:
    text = agreed(read(np.tile(RNG.standard_normal((4, 8, 40)).astype(FLOAT), (2, 1, 1))))
    assert "ops.zeros((1, 4, 8, 40), ms.float32)" in text


@pytest.mark.parametrize("name", ["view_4", "layer.weight"])
def test_other_tables_stay(agreed: Convert, name: str) -> None:
    """Its own numbers, halves that are alike, or a weight with a name."""
    own = RNG.standard_normal((64, 32)).astype(FLOAT)
    halves = np.concatenate([own, own], 1)
    table = halves if name == "view_4" else coordinates(32, 24)
    assert "broadcast_to" not in agreed(read(table, name))
    assert "broadcast_to" not in agreed(read(own, name))


def test_no_spread_is_found_where_none_is() -> None:
    for shape in ((1024,), (4, 300), (0, 5), ()):
        assert spread(RNG.standard_normal(shape).astype(FLOAT)) is None
        assert spread(np.ones(shape, FLOAT)) is None
    nan = coordinates(32, 24)
    nan[0] = np.nan
    assert spread(nan) is None
    prime = np.repeat(RNG.standard_normal((1, 1031)).astype(FLOAT), 8, 0)
    found = spread(prime)
    assert found is not None
    assert [part.shape for part in found.parts] == [(1, 1031)]
