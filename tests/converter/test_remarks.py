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
