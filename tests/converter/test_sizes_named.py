"""Sizes that are long expressions are statements, and are what ONNX Runtime computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from msconvert.converter.convert import Options, convert
from msconvert.converter.graph.graph import Graph, Node
from msconvert.converter.graph.shapes import LARGEST, value_of
from msconvert.converter.graph.sizes import product, quotient
from msconvert.tests.bad_models import saved
from msconvert.tests.converter.small_models import model

node = helper.make_node

STEPS = {
    "doubled": [node("Add", [f"s{i}"] * 2, [f"s{i + 1}"]) for i in range(4)],
    "with numbers": [node("Add", [f"s{i}", "one"], [f"s{i + 1}"]) for i in range(4)]
    + [node("Mul", ["s4", "two"], ["s5"]), node("Add", ["s5", "s4"], ["s6"])],
    "less": [node("Add", [f"s{i}"] * 2, [f"s{i + 1}"]) for i in range(3)]
    + [node("Sub", ["s3", "s0"], ["s4"]), node("Sub", ["s4", "s0"], ["s5"])],
    "halved": [node("Add", [f"s{i}"] * 2, [f"s{i + 1}"]) for i in range(4)]
    + [node("Div", ["s4", "two"], ["s5"]), node("Div", ["s5", "two"], ["s6"])],
    "squared": [
        node("Mul", ["s0", "s0"], ["s1"]),
        node("Add", ["s1", "s1"], ["s2"]),
        node("Add", ["s2", "s1"], ["s3"]),
        node("Add", ["s3", "s3"], ["s4"]),
    ],
    "other order": [node("Add", [f"s{i}"] * 2, [f"s{i + 1}"]) for i in range(3)]
    + [node("Gather", ["s3", "turned"], ["s4"]), node("Add", ["s4", "s3"], ["s5"])],
}
NUMBERS = {"one": np.array([1, 1]), "two": np.array([2, 2]), "turned": np.array([1, 0])}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_long_sizes_are_named_and_right(steps: list, tmp_path: Path) -> None:
    last = steps[-1].output[0]
    nodes = [
        node("Shape", ["x"], ["s0"]),
        *steps,
        node("ConstantOfShape", [last], ["zeros"]),
        node("ReduceSum", ["x"], ["sum"], keepdims=0),
        node("Add", ["zeros", "sum"], ["y"]),
    ]
    used = {name: array for name, array in NUMBERS.items() if any(name in s.input for s in steps)}
    path = saved(model(nodes, {"x": ("rows", "columns")}, ["y"], used), tmp_path)
    report = convert(Options(path, output=tmp_path / "out"))
    assert report.ok, report.to_text()
    script = (tmp_path / "out" / "model.py").read_text()
    assert "size = " in script
    assert len(script) < 2500


def test_short_sizes_stay_where_they_are_used(tmp_path: Path) -> None:
    nodes = [
        node("Shape", ["x"], ["s0"]),
        node("Mul", ["s0", "two"], ["s1"]),
        node("ConstantOfShape", ["s1"], ["zeros"]),
        node("ReduceSum", ["x"], ["sum"], keepdims=0),
        node("Add", ["zeros", "sum"], ["y"]),
    ]
    proto = model(nodes, {"x": ("rows", "columns")}, ["y"], {"two": np.array([2, 2])})
    convert(Options(saved(proto, tmp_path), output=tmp_path / "out"))
    script = (tmp_path / "out" / "model.py").read_text()
    assert "x.shape[0] * 2" in script
    assert "size" not in script


@pytest.mark.parametrize("name", ["٣", "9" * 5000, "²", "1_0", "0x3", "1e3"])
def test_a_name_that_looks_like_a_number_is_a_name(name: str) -> None:
    assert product([2, name]) == f"2*{name}"
    assert quotient([f"a*{name}"], [name]) in ("a", None)


@pytest.mark.parametrize(
    ("op", "values"),
    [
        ("Add", (2**62, 2**62)),
        ("Add", (LARGEST, 1)),
        ("Mul", (2**40, 2**40)),
        ("Mul", ("a" * 150, "b" * 150)),
        ("Sub", (-LARGEST, 2)),
        ("Mul", ("*".join("ab" * 60), "*".join("cd" * 60))),
    ],
)
def test_what_grows_without_end_is_unknown(op: str, values: tuple) -> None:
    graph = Graph("g", [], [], [], {})
    known = {}
    for name, value in zip("ab", values, strict=True):
        known[name] = np.empty((), object)
        known[name][()] = value
    made = value_of(Node(op, ["a", "b"], ["c"], version=14), graph, known)
    assert made is not None
    assert made.item() is None
