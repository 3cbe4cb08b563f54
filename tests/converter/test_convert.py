"""Whole conversions: what is said when a script's numbers differ from the original's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from msconvert.converter.code.expr import Expr, ops
from msconvert.converter.convert import Options, convert, understood
from msconvert.converter.onnx_ops import registry
from msconvert.tests.converter.small_models import model


def chain(folder: Path) -> Path:
    """y = Relu(Sigmoid(Tanh(x W))), every value named."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"], name="first"),
        helper.make_node("Tanh", ["product"], ["bent"], name="second"),
        helper.make_node("Sigmoid", ["bent"], ["squashed"], name="third"),
        helper.make_node("Relu", ["squashed"], ["y"], name="fourth"),
    ]
    weights = {"w": np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)}
    path = folder / "chain.onnx"
    onnx.save(model(nodes, {"x": (2, 4)}, ["y"], weights), path)
    return path


def wrong_sigmoid(node: registry.NodeView, x: Expr) -> Expr:
    return ops.tanh(x)


def test_a_wrong_handler_is_found_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers = registry.load_handlers()
    monkeypatch.setitem(handlers, ("", "Sigmoid"), (wrong_sigmoid, (13,)))
    report = convert(Options(chain(tmp_path), output=tmp_path / "out"))
    (finding,) = [f for f in report.findings if f.code == "MS108"]
    assert not report.ok
    assert "the first intermediate that differs is squashed" in finding.message
    assert "Sigmoid 'third'" in finding.message


def test_a_right_conversion_says_nothing_of_differences(tmp_path: Path) -> None:
    report = convert(Options(chain(tmp_path), output=tmp_path / "out"))
    assert report.ok
    assert not [f for f in report.findings if f.code == "MS108"]
    assert {n.status for n in report.nodes} == {"verified"}


LARGE = np.full((3, 3), 3e38, np.float32)
NUMBERS = {
    "infinite alpha, zero weight": ("Gemm", {"alpha": np.inf}, [np.zeros((3, 3), np.float32)]),
    "alpha that overflows": ("Gemm", {"alpha": 1e30}, [LARGE]),
    "beta that overflows": ("Gemm", {"beta": 1e30}, [LARGE, LARGE[0]]),
    "NaN alpha": ("Gemm", {"alpha": np.nan}, [LARGE]),
    "infinite weights": ("Gemm", {"alpha": 0.0}, [np.full((3, 3), np.inf, np.float32)]),
    "variance below zero": ("BatchNormalization", {}, [LARGE[0]] * 3 + [-LARGE[0]]),
    "variance of NaN": (
        "BatchNormalization",
        {},
        [LARGE[0]] * 3 + [np.full(3, np.nan, np.float32)],
    ),
}


@pytest.mark.parametrize("row", NUMBERS)
def test_numbers_that_are_none_say_nothing_of_our_lines(row: str, tmp_path: Path) -> None:
    """A warning of NumPy is an error here, and a line of ours on a user's terminal."""
    op, attributes, arrays = NUMBERS[row]
    weights = {f"w{i}": array for i, array in enumerate(arrays)}
    node = helper.make_node(op, ["x", *weights], ["y"], **attributes)
    onnx.save(model([node], {"x": (2, 3)}, ["y"], weights), tmp_path / "m.onnx")
    options = Options(tmp_path / "m.onnx", output=tmp_path / "out", verify=False)
    assert understood(options).is_complete
