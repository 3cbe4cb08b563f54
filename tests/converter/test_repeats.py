"""Blocks of files that name none: found by what repeats, their numbers the original's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from msconvert.tests.converter.hand_graphs import FLOAT, graph, inputs_for, node
from msconvert.tests.converter.in_process import assert_agrees

IMAGE = (FLOAT, (1, 4, 5, 5))


def residuals(kinds: list[str]) -> onnx.ModelProto:
    """Blocks conv-relu-conv-add without a name; "p" has a convolution in its shortcut, "m"
    multiplies in place of the sum.
    """
    rng = np.random.default_rng(0)
    nodes, weights, value = [], {}, "x"

    def conv(source: str, made: str) -> None:
        weights[f"w_{made}"] = (rng.standard_normal((4, 4, 1, 1)) / 3).astype(FLOAT)
        nodes.append(node("Conv", f"{source} w_{made}", made))

    for i, kind in enumerate(kinds):
        conv(value, f"a{i}")
        nodes.append(node("Relu", f"a{i}", f"b{i}"))
        conv(f"b{i}", f"c{i}")
        around = value
        if kind == "p":
            around = f"s{i}"
            conv(value, around)
        nodes.append(node("Mul" if kind == "m" else "Add", f"c{i} {around}", f"d{i}"))
        nodes.append(node("Relu", f"d{i}", f"y{i}"))
        value = f"y{i}"
    return graph(nodes, {"x": IMAGE}, {value: IMAGE}, weights)


@pytest.mark.parametrize(
    ("kinds", "classes"),
    [("aaaa", 1), ("paaa", 1), ("papa", 1), ("amam", 1), ("aaamm", 2), ("appm", 1), ("a", 0)],
)
def test_repeated_pieces_are_blocks(kinds: str, classes: int, tmp_path: Path) -> None:
    model = residuals(list(kinds))
    text = assert_agrees(model, tmp_path, inputs_for(model))
    assert text.count("\nclass ") >= classes + 1


def test_a_projection_is_an_optional_member(tmp_path: Path) -> None:
    model = residuals(list("papa"))
    text = assert_agrees(model, tmp_path, inputs_for(model))
    assert text.count("\nclass ") == 2
    assert "if downsample:" in text
