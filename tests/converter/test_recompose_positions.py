"""Recomposing reads of every position: moves around the end, masks read one by one, strides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from msconvert.converter.recompose import recompose
from msconvert.tests.converter.recomposed import (
    Case,
    assert_same_numbers,
    check,
    graph_of,
    model_of,
)

ROLLS = [
    Case(
        "over one axis",
        "a = Slice(x, @0, @3, @1)\nb = Slice(x, @3, @9, @1)\ny = Concat<axis = 1>(b, a)",
        "Roll",
        "2,8",
    ),
    Case(
        "over two axes, both ways",
        "a = Slice(x, @0, @1, @1)\nb = Slice(x, @1, @4, @1)\nc = Concat<axis = 1>(b, a)\n"
        "d = Slice(c, @0, @-2, @2, @1)\ne = Slice(c, @-2, @6, @-1)\ny = Concat<axis = -1>(e, d)",
        "Roll",
        "2,4,6",
    ),
    Case(
        "a position is lost",
        "a = Slice(x, @0, @3, @1)\nb = Slice(x, @4, @9, @1)\ny = Concat<axis = 1>(b, a)",
        "Slice Slice Concat",
        "2,8",
    ),
    Case(
        "in their order",
        "a = Slice(x, @0, @3, @1)\nb = Slice(x, @3, @9, @1)\ny = Concat<axis = 1>(a, b)",
        "Slice Slice Concat",
        "2,8",
    ),
    Case(
        "along another axis",
        "a = Slice(x, @0, @4, @0)\nb = Slice(x, @4, @9, @0)\ny = Concat<axis = 1>(b, a)",
        "Slice Slice Concat",
        "8,8",
    ),
    Case(
        "by twos",
        "a = Slice(x, @0, @3, @1, @2)\nb = Slice(x, @3, @9, @1, @2)\ny = Concat<axis = 1>(b, a)",
        "Slice Slice Concat",
        "2,8",
    ),
]


CUTS = [
    Case(
        "every second position of two axes",
        "a = Slice(x, @0, @9, @1, @2)\nb = Slice(a, @1, @9, @-1, @2)\ny = Neg(b)",
        "Slice Neg",
        "2,4,6",
    ),
    Case(
        "the first cut is read again",
        "a = Slice(x, @0, @2, @0)\nb = Slice(a, @1, @3, @1)\nc = Slice(a, @0, @2, @1)\n"
        "y = Concat<axis = 0>(b, c)",
        "Slice Slice Concat",
        "3,4",
    ),
    Case(
        "one axis, cut twice",
        "a = Slice(x, @1, @9, @1)\nb = Slice(a, @1, @9, @1)\ny = Neg(b)",
        "Slice Slice Neg",
        "2,4",
    ),
    Case(
        "channels last, averaged",
        "a = Transpose<perm = [0, 3, 1, 2]>(x)\ny = ReduceMean<axes = [2, 3], keepdims = 0>(a)",
        "ReduceMean",
        "2,3,4,5",
    ),
    Case(
        "channels last, averaged, kept",
        "a = Transpose<perm = [0, 3, 1, 2]>(x)\ny = ReduceMean<axes = [2, 3], keepdims = 1>(a)",
        "Transpose ReduceMean",
        "2,3,4,5",
    ),
    Case(
        "what is left is turned",
        "a = Transpose<perm = [3, 0, 1, 2]>(x)\ny = ReduceMax<axes = [2, 3], keepdims = 0>(a)",
        "Transpose ReduceMax",
        "2,3,4,5",
    ),
]


@pytest.mark.parametrize("case", [*ROLLS, *CUTS], ids=lambda case: case.name)
def test_moves_and_cuts(case: Case, tmp_path: Path) -> None:
    check(graph_of(model_of(case), tmp_path), case.ops)


MASK = """s = Shape<start = 0, end = 1>(x)
t = Shape<start = 1, end = 2>(x)
n = Squeeze(s)
m = Squeeze(t)
r = Range(%zero, n, %one)
q = Range(%first, m, %one)
u = Unsqueeze(r, @1:2:3)
v = Unsqueeze(q, @0:1:2)
w = Max(u, v)
e = Shape(w)
f = Expand(u, e)
g = Expand(v, e)
h = Unsqueeze(f, @4)
i = Unsqueeze(g, @4)
j = Concat<axis = -1>(%order)
y = GatherND(x, j)"""


def limits_as_scalars(model: onnx.ModelProto) -> None:
    """Range takes no vectors of one."""
    ranges = {n for node in model.graph.node if node.op_type == "Range" for n in node.input}
    for tensor in model.graph.initializer:
        if tensor.name in ranges:
            del tensor.dims[:]


@pytest.mark.parametrize(
    ("order", "first", "is_whole"), [("h, i", 0, True), ("i, h", 0, False), ("h, i", 1, False)]
)
def test_a_mask_that_is_read_position_by_position(
    order: str, first: int, is_whole: bool, tmp_path: Path
) -> None:
    text = MASK.replace("%order", order).replace("%first", f"@{first}")
    text = text.replace("%zero", "@0").replace("%one", "@1")
    model = model_of(Case("mask", text, "", "4,4" if order == "i, h" else "n,k"))
    limits_as_scalars(model)
    before = graph_of(model, tmp_path)
    done = recompose(before)
    assert any(node.op == "GatherND" for node in done.graph.nodes) != is_whole
    if is_whole:
        assert [node.op for node in done.graph.nodes] == ["Unsqueeze"]
    assert_same_numbers(before, done.graph)


@pytest.mark.parametrize(("each", "is_whole"), [(6, True), (5, False)])
def test_elements_that_are_read_by_their_numbers(each: int, is_whole: bool, tmp_path: Path) -> None:
    text = """a = Reshape(x, @-1)
s = Shape<start = 0, end = 1>(x)
n = Squeeze(s)
r = Range(@0, n, @1)
m = Mul(r, @%each)
u = Unsqueeze(m, @1:2)
i = Add(u, within)
b = Gather<axis = 0>(a, i)
y = Neg(b)""".replace("%each", str(each))
    model = model_of(Case("strides", text, "", "n,3,2"))
    within = np.arange(6).reshape(1, 3, 2)
    model.graph.initializer.append(numpy_helper.from_array(within, "within"))
    limits_as_scalars(model)
    before = graph_of(model, tmp_path)
    done = recompose(before)
    assert ([node.op for node in done.graph.nodes] == ["Neg"]) == is_whole
    assert_same_numbers(before, done.graph)
