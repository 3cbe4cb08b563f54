"""Convolutions and pools whose padding no layer takes: before and after an axis it differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

from msconvert.tests.converter.in_process import assert_agrees
from msconvert.tests.converter.small_models import model

ROWS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "causal": ((2, 4, 9), (6, 4, 3), {"pads": [3, 0]}),
    "ahead": ((2, 4, 9), (6, 4, 3), {"pads": [0, 2]}),
    "even": ((2, 4, 9), (6, 4, 3), {"pads": [1, 1]}),
    "causal, dilated": ((1, 4, 20), (4, 4, 3), {"pads": [8, 0], "dilations": [4]}),
    "in groups": ((2, 4, 9), (4, 1, 2), {"pads": [1, 0], "group": 4}),
    "same": ((2, 4, 10), (6, 4, 4), {"auto_pad": "SAME_UPPER"}),
    "same, lower, in steps": ((2, 4, 10), (6, 4, 4), {"auto_pad": "SAME_LOWER", "strides": [3]}),
    "images": ((2, 4, 9, 8), (6, 2, 3, 3), {"pads": [1, 0, 0, 2], "group": 2}),
    "images, one axis": ((2, 4, 9, 8), (6, 4, 3, 3), {"pads": [0, 1, 0, 1]}),
    "volumes": ((1, 2, 5, 6, 7), (3, 2, 3, 3, 3), {"pads": [1, 0, 0, 2, 1, 0]}),
}


@pytest.mark.parametrize("computed", [False, True])
@pytest.mark.parametrize("row", ROWS)
def test_a_convolution_is_padded_as_the_file_says(row: str, computed: bool, tmp_path: Path) -> None:
    x, w, attrs = ROWS[row]
    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal(w).astype(np.float32)}
    shapes, feeds = {"x": x}, [rng.standard_normal(x).astype(np.float32)]
    nodes = [helper.make_node("Conv", ["x", "w2" if computed else "w"], ["y"], **attrs)]
    if computed:
        shapes["s"] = (1,)
        feeds.append(np.full(1, 2, np.float32))
        nodes.insert(0, helper.make_node("Mul", ["w", "s"], ["w2"]))
    assert_agrees(model(nodes, shapes, ["y"], weights), tmp_path, feeds)


@pytest.mark.parametrize("op", ["AveragePool", "MaxPool"])
@pytest.mark.parametrize("shape", [("n", 2, 7, 6), ("n", "c", 7, 6), (3, 2, 7, 6)])
def test_a_pool_that_hangs_over_the_edge_takes_any_batch(
    op: str, shape: tuple[int | str, ...], tmp_path: Path
) -> None:
    window = {"kernel_shape": [2, 3], "strides": [2, 2], "ceil_mode": 1}
    proto = model([helper.make_node(op, ["x"], ["y"], **window)], {"x": shape}, ["y"], opset=19)
    x = np.random.default_rng(0).standard_normal((3, 2, 7, 6)).astype(np.float32)
    assert_agrees(proto, tmp_path, [x])
