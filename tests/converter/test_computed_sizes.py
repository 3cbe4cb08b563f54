"""Sizes that are computed from shapes: a calculus of sums of products, and code that says them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from msconvert.converter.graph.graph import Dim
from msconvert.converter.graph.prepare import prepare
from msconvert.converter.graph.sizes import floor, is_size, product, quotient, same, total
from msconvert.converter.source.load import load
from msconvert.tests.converter.in_process import assert_agrees
from msconvert.tests.converter.small_models import saved


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (total("past", "seq"), "past + seq"),
        (total("past + seq", "past", -1), "seq"),
        (total("seq + past", "past + seq", -1), 0),
        (total("2*a", 3), "2*a + 3"),
        (total("a", "a - 1", -1), 1),
        (total(None, 1), None),
        (product(["a + b", 4]), "4*a + 4*b"),
        (product(["a - 1", "a + 1"]), "a*a - 1"),
        (quotient(["4*a + 8"], [4]), "a + 2"),
        (quotient(["4*a + 7"], [4]), None),
        (quotient(["a*b + a"], ["a"]), "b + 1"),
        (quotient(["2*a + 2*b"], ["a + b"]), 2),
        (floor("a", 2), "(a//2)"),
        (floor("4*a", 2), "2*a"),
        (floor("a - 1", 2), None),
        (total("(a//2)", "(a//2)"), "2*(a//2)"),
    ],
)
def test_arithmetic(found: Dim, expected: Dim) -> None:
    assert found == expected


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("a + b", "b + a", True),
        ("a", "b", False),
        (None, None, False),
        ("a", None, False),
        ("2*a", "a + a", True),
        ("a - b", "b - a", False),
        (3, 3, True),
        ("not a + size!", "not a + size!", True),
        ("a" * 300, "a" * 299, False),
    ],
)
def test_sizes_are_equal_only_if_that_is_shown(a: Dim, b: Dim, equal: bool) -> None:
    assert same(a, b) is equal


@pytest.mark.parametrize(
    ("size", "shown"), [("a", True), ("a - 1", False), (0, True), (-1, False), (None, False)]
)
def test_what_is_never_negative(size: Dim, shown: bool) -> None:
    assert is_size(size) is shown


def built(
    nodes: Sequence[Any], inputs: dict[str, Sequence[int | str]], opset: int = 17, **constants: Any
) -> ModelProto:
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()]
    held = [numpy_helper.from_array(np.asarray(x), name) for name, x in constants.items()]
    out = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "sizes", infos, out, held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def node(op: str, inputs: str, outputs: str, **attrs: Any) -> Any:
    return helper.make_node(op, inputs.split(), outputs.split(), **attrs)


SIZE = [
    node("Shape", "x", "shape"),
    node("Gather", "shape one", "t"),
    node("Unsqueeze", "t at", "tv"),
]
KNOWN = {"one": 1, "at": [0], "two": 2, "zero": 0}

PROGRAMS: dict[str, list[Any]] = {
    "split": [
        *SIZE,
        node("Div", "t two", "half"),
        node("Sub", "t half", "rest"),
        node("Unsqueeze", "half at", "a"),
        node("Unsqueeze", "rest at", "b"),
        node("Concat", "a b", "sizes", axis=0),
        node("Split", "x sizes", "left right", axis=1),
        node("Concat", "right left", "y", axis=1),
    ],
    "range": [
        *SIZE,
        node("Range", "zero t one", "r"),
        node("Cast", "r", "f", to=1),
        node("Add", "x f", "y"),
    ],
    "expand": [
        *SIZE,
        node("Concat", "at2 tv", "wide", axis=0),
        node("ReduceMean", "x", "m", axes=[1]),
        node("Slice", "m at at1 at", "s"),
        node("Expand", "s wide", "e"),
        node("Add", "x e", "y"),
    ],
    "tile": [
        *SIZE,
        node("ReduceMean", "x", "m", axes=[1]),
        node("Concat", "at1 tv", "times", axis=0),
        node("Tile", "m times", "e"),
        node("Sub", "x e", "y"),
    ],
    "slice": [
        *SIZE,
        node("Div", "tv two", "half"),
        node("Slice", "x half tv at1", "y"),
    ],
    "maximum": [
        *SIZE,
        node("Max", "tv three", "m"),
        node("Min", "m tv", "n"),
        node("Slice", "x at n at1", "y"),
    ],
    "product": [
        node("Shape", "x", "shape"),
        node("ReduceProd", "shape", "all", keepdims=1),
        node("Reshape", "x all", "y"),
    ],
    "kept unless it is -1": [
        *SIZE,
        node("Concat", "minus tv", "target", axis=0),
        node("Equal", "target minus2", "is"),
        node("Where", "is ones target", "wide"),
        node("Expand", "x wide", "y"),
    ],
    "filled": [
        *SIZE,
        node("ConstantOfShape", "shape", "z"),
        node("Add", "x z", "y"),
    ],
    "turned into a vector": [
        *SIZE,
        node("Reshape", "t minus", "v"),
        node("Concat", "minus v", "target", axis=0),
        node("Reshape", "x target", "y"),
    ],
}
OF_UNKNOWN_SIGN = [
    *SIZE,
    node("Sub", "tv five", "d"),
    node("Div", "d two", "before"),
    node("Sub", "d before", "after"),
]
PROGRAMS["padded, or cut off"] = [
    *OF_UNKNOWN_SIGN,
    node("Concat", "at before at after", "sides", axis=0),
    node("Pad", "x sides", "y"),
]
PROGRAMS["a slice whose bounds are tensors of any size"] = [
    node("ReduceMax", "x", "most", keepdims=0),
    node("Sub", "most most", "none"),
    node("Cast", "none", "number", to=7),
    node("Add", "number two", "two_"),
    node("NonZero", "two_", "nz"),
    node("Reshape", "nz minus", "start"),
    node("Reshape", "x minus", "flat"),
    node("Slice", "flat start far", "y"),
]
MORE = {
    "five": [5],
    "fill": np.float32(0.5),
    "far": [2**40],
    "at1": [1],
    "at2": [2],
    "three": [3],
    "minus": [-1],
    "minus2": [-1, -1],
    "ones": [1, 1],
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("sizes", [(2, 4), (2, 7)])
def test_one_script_for_every_size(program: str, sizes: tuple[int, int], tmp_path: Path) -> None:
    proto = built(PROGRAMS[program], {"x": ("n", "t")}, **KNOWN, **MORE)
    x = np.random.default_rng(0).standard_normal(sizes).astype(np.float32)
    assert_agrees(proto, tmp_path, [x])


@pytest.mark.parametrize("size", [4, 7])
def test_one_axis_is_padded_by_computed_sizes(size: int, tmp_path: Path) -> None:
    nodes = [
        *OF_UNKNOWN_SIGN,
        node("Concat", "before after", "sides", axis=0),
        node("Pad", "x sides fill at1", "y"),
    ]
    proto = built(nodes, {"x": ("n", "t")}, opset=18, **KNOWN, **MORE)
    x = np.random.default_rng(0).standard_normal((2, size)).astype(np.float32)
    assert_agrees(proto, tmp_path, [x])


@pytest.mark.parametrize("size", [4, 8, 7])
def test_equal_parts_of_any_size(size: int, tmp_path: Path) -> None:
    """Split in two of an axis whose size no file gives; the second part may be the smaller."""
    nodes = [
        node("Split", "x", "a b", axis=1, num_outputs=2),
        node("ReduceMax", "b at1", "m", keepdims=1),
        node("Add", "a m", "y"),
    ]
    proto = built(nodes, {"x": ("n", "t")}, opset=18, **MORE)
    x = np.random.default_rng(0).standard_normal((2, size)).astype(np.float32)
    assert_agrees(proto, tmp_path, [x])


def test_what_is_joined_and_taken_apart_has_the_sum_of_sizes(tmp_path: Path) -> None:
    nodes = [
        node("Concat", "past x", "all", axis=1),
        node("Shape", "past", "p"),
        node("Gather", "p at1", "start"),
        node("Slice", "all start far at1", "new"),
        node("Neg", "new", "y"),
    ]
    inputs = {"past": ("n", "past", 4), "x": ("n", "seq", 4)}
    proto = built(nodes, inputs, at1=[1], far=[2**40])
    graph = prepare(load(saved(proto, tmp_path))).graph
    assert graph.type_of("all").shape == ("n", "past + seq", 4)
    assert graph.type_of("y").shape == ("n", "seq", 4)


def test_two_unknown_sizes_are_not_one(tmp_path: Path) -> None:
    """`view(-1, 6)` of (?, 2, 3) is not a flattening if what stands first is another size."""
    nodes = [node("Compress", "x c", "k", axis=0), node("Reshape", "k target", "y")]
    proto = built(nodes, {"x": (4, 2, 3)}, c=[True, False, True, True], target=[-1, 2])
    x = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
    text = assert_agrees(proto, tmp_path, [x])
    assert "flatten(start_dim=1)" not in text


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("by", ["sizes", "scales", "another's sizes"])
def test_images_of_any_size_are_resized(mode: str, by: str, tmp_path: Path) -> None:
    nodes = []
    attrs = {"mode": mode, "nearest_mode": "floor"}
    where = "asymmetric" if mode == "nearest" else "pytorch_half_pixel"
    attrs["coordinate_transformation_mode"] = where
    constants: dict[str, Any] = {"scales": np.array([1, 1, 2, 3], np.float32)}
    if by != "scales":
        source = "x" if by == "sizes" else "z"
        nodes = [
            node("Shape", "x", "sx"),
            node("Shape", source, "sz"),
            node("Slice", "sx zero two", "nc"),
            node("Slice", "sz two four", "hw"),
            node("Mul", "hw two", "hw2"),
            node("Concat", "nc hw2", "sizes", axis=0),
        ]
        constants = {"zero": [0], "two": [2], "four": [4]}

    inputs = ["x", "", "scales"] if by == "scales" else ["x", "", "", "sizes"]
    nodes.append(helper.make_node("Resize", inputs, ["r"], **attrs))
    nodes.append(node("ReduceMean", "z", "m", keepdims=0))
    nodes.append(node("Add", "r m", "y"))

    shapes = {"x": ("n", 2, "h", "w"), "z": ("n", 2, "p", "q")}
    proto = built(nodes, shapes, **constants)
    for h, w in ((4, 5), (7, 3)):
        arrays = [np.random.default_rng(h).standard_normal((1, 2, h, w)).astype(np.float32)]
        arrays.append(np.ones((1, 2, 5, 6), np.float32))
        text = assert_agrees(proto, tmp_path, arrays)
    assert "ops.interpolate(" in text
