"""What is said of exports: folded BatchNorm, a frozen batch size; and nothing without cause."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper

from msconvert.converter.graph.prepare import prepare
from msconvert.converter.remarks import remarks
from msconvert.converter.source.load import load
from msconvert.tests.converter.small_models import model, saved


def convolution(weight: str, producer: str, rule: str = "", bias: str = "onnx::Conv_13"):
    node = helper.make_node("Conv", ["x", weight, bias], ["y"], name="conv")
    if rule:
        node.metadata_props.add(key="pkg.onnxscript.rewriter.rule_name", value=rule)
    arrays = {weight: np.ones((2, 3, 1, 1), np.float32), bias: np.ones(2, np.float32)}
    proto = model([node], {"x": ("n", 3, 4, 4)}, ["y"], arrays)
    proto.producer_name = producer
    return proto


def reshaped(batch: int | str, to: tuple[int, ...]):
    node = helper.make_node("Reshape", ["x", "sizes"], ["y"], name="flat")
    return model([node], {"x": (batch, 3, 4)}, ["y"], {"sizes": np.array(to, np.int64)})


@pytest.mark.parametrize(
    ("proto", "shapes", "said"),
    [
        (convolution("onnx::Conv_12", "pytorch"), None, "folded BatchNorm into 1 convolution"),
        (convolution("w", "pytorch", "FuseBatchNormIntoConv"), None, "into 1 convolution"),
        (convolution("conv.weight", "pytorch"), None, None),
        (convolution("onnx::Conv_12", "other"), None, None),
        (convolution("onnx::Conv_12", "pytorch", bias="conv.bias"), None, None),  # weight norm
        (convolution("w", "pytorch", "TransposeTranspose"), None, None),
        (reshaped(4, (4, 12)), None, "frozen to 4: 1 reshape would not take another (export"),
        (reshaped("n", (4, 12)), [(4, 3, 4)], "another (give -1"),
        (reshaped("n", (-1, 12)), None, None),
        (reshaped("n", (0, 12)), None, None),
        (reshaped(4, (2, 24)), None, None),
    ],
)
def test_remarks(proto, shapes, said, tmp_path) -> None:
    original = load(saved(proto, tmp_path))
    found = [finding.text for finding in remarks(original, prepare(original, shapes).graph)]
    assert len(found) == (0 if said is None else 1)
    assert said is None or said in found[0]


def softmax_of(mask: np.ndarray | None, adds: bool = False):
    """Scores that a mask is added to, or chosen by; without one, an input of the model is added."""
    if mask is None or adds:
        nodes = [helper.make_node("Add", ["raw", "mask"], ["scores"])]
    else:
        nodes = [
            helper.make_node("Less", ["raw", "zero"], ["hidden"]),
            helper.make_node("Where", ["hidden", "mask", "raw"], ["scores"]),
        ]
    nodes.insert(0, helper.make_node("MatMul", ["x", "x"], ["raw"]))
    nodes.append(helper.make_node("Softmax", ["scores"], ["y"], name="weights"))
    arrays = {"zero": np.float32(0)} | ({} if mask is None else {"mask": mask})
    inputs = {"x": (2, 3, 3)} | ({"mask": (3, 3)} if mask is None else {})
    return model(nodes, inputs, ["y"], {n: np.asarray(a, np.float32) for n, a in arrays.items()})


def softmax_behind(count: int):
    """Scores to which many finite biases are added."""
    nodes = [helper.make_node("MatMul", ["x", "x"], ["s0"])]
    nodes += [helper.make_node("Add", [f"s{i}", f"b{i}"], [f"s{i + 1}"]) for i in range(count)]
    nodes.append(helper.make_node("Softmax", [f"s{count}"], ["y"], name="weights"))
    arrays = {f"b{i}": np.full(3, i + 1, np.float32) for i in range(count)}
    return model(nodes, {"x": (2, 3, 3)}, ["y"], arrays)


PAST = np.triu(np.full((3, 3), -np.inf), 1)


@pytest.mark.parametrize(
    ("proto", "is_told"),
    [
        (softmax_of(np.float32(-np.inf)), True),
        (softmax_of(np.full((1, 1, 3), -np.inf)), True),
        (softmax_of(None), True),
        (softmax_of(np.float32(-1e9)), False),
        (softmax_of(PAST, adds=True), False),
        (softmax_behind(5), False),
        (softmax_behind(50), True),  # too many to be looked at
        (softmax_of(PAST[::-1] * [[1], [np.nan], [1]], adds=True), False),
    ],
)
def test_rows_that_may_be_masked_whole_are_told_for_mindspore(proto, is_told, tmp_path) -> None:
    original = load(saved(proto, tmp_path))
    graph = prepare(original).graph
    assert list(remarks(original, graph)) == []
    told = [finding.text for finding in remarks(original, graph, "mindspore")]
    assert len(told) == is_told
    assert all("1 softmax may get a row that is masked whole" in text for text in told)


def stepping(axes, steps, weighs=True, rank=3):
    """A slice with steps, of what a weight has scaled or of the input itself."""
    shape = (2, 6, 4, 4)[:rank]
    nodes = [helper.make_node("Mul", ["x", "w"], ["m"])] if weighs else []
    of = "m" if weighs else "x"
    parts = ["first", "last", "axes" if axes else "", "steps"]
    nodes.append(helper.make_node("Slice", [of, *parts], ["y"], name="merge"))
    n = len(steps)
    arrays = {"first": [0] * n, "last": [4] * n, "steps": steps} | ({"axes": axes} if axes else {})
    held = {name: np.asarray(value, np.int64) for name, value in arrays.items()}
    weights = {"w": np.ones(shape[-1], np.float32)} if weighs else {}
    return model(nodes, {"x": shape}, ["y"], held | weights)


@pytest.mark.parametrize(
    ("proto", "is_told"),
    [
        (stepping([1], [2]), True),
        (stepping([-2], [3]), True),
        (stepping([1, 2], [2, 2]), True),
        (stepping([], [1, 2]), True),
        (stepping([1, 2], [2, 1], rank=4), True),
        (stepping([0], [2]), False),
        (stepping([-1], [2]), False),
        (stepping([1], [1]), False),
        (stepping([1], [2], weighs=False), False),  # of images, which nobody trains
        (stepping([1], [2], rank=2), False),
    ],
)
def test_steps_that_mindspore_cannot_train_are_told(proto, is_told, tmp_path) -> None:
    original = load(saved(proto, tmp_path))
    graph = prepare(original).graph
    assert list(remarks(original, graph)) == []
    told = [finding.text for finding in remarks(original, graph, "mindspore")]
    assert len(told) == is_told
    assert all("1 slice with steps along an inner axis" in text for text in told)
