"""Files in training mode: layers that train again, compared in inference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import msconvert.runtime as ms
from msconvert.converter.convert import Options, converted, script_of
from msconvert.tests.converter.in_process import conversion, network_of
from msconvert.tests.converter.small_models import model, saved

RNG = np.random.default_rng(5)


def dropout(ratio: float | None, outputs: str = "y", training: bool = True) -> onnx.ModelProto:
    """Dropout behind a layer; `ratio` None is ONNX's own."""
    names = ["h", "" if ratio is None else "ratio", "training"]
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Dropout", names, outputs.split()),
    ]
    weights: dict[str, Any] = {"w": RNG.standard_normal((4, 50)).astype(np.float32)}
    weights["training"] = np.array(training)
    if ratio is not None:
        weights["ratio"] = np.array(ratio, np.float32)
    return model(nodes, {"x": (3, 4)}, outputs.split(), weights)


def batch_norm(shape: tuple[int, ...], outputs: str, returned: str) -> onnx.ModelProto:
    """BatchNormalization with the statistics of the batch."""
    c = shape[1]
    weights = {name: RNG.random(c).astype(np.float32) + 0.5 for name in ("s", "b", "m", "v")}
    names = ["x", "s", "b", "m", "v"]
    node = helper.make_node("BatchNormalization", names, outputs.split(), training_mode=1)
    return model([node], {"x": shape}, returned.split(), weights)


FILES = {
    "dropout": (dropout(0.3), "nn.Dropout(p=0.3)"),
    "dropout of half": (dropout(None), "nn.Dropout(p=0.5)"),
    "dropout of nothing": (dropout(0.0), "nn.Dropout(p=0.0)"),
    "vectors": (batch_norm((4, 3), "y rm rv", "y"), "nn.BatchNorm1d(3)"),
    "sequences": (batch_norm((4, 3, 5), "y rm rv", "y"), "nn.BatchNorm1d(3)"),
    "images": (batch_norm((4, 3, 5, 6), "y rm rv", "y"), "nn.BatchNorm2d(3)"),
    "volumes": (batch_norm((2, 3, 4, 5, 6), "y rm rv", "y"), "nn.BatchNorm3d(3)"),
    "images, nothing else named": (batch_norm((4, 3, 5, 6), "y", "y"), "nn.BatchNorm2d(3)"),
}


@pytest.mark.parametrize("case", FILES)
def test_it_becomes_a_layer_and_is_equal_in_inference(case: str, tmp_path: Path) -> None:
    proto, layer = FILES[case]
    report = converted(Options(saved(proto, tmp_path), output=tmp_path / "out"), lambda step: None)
    assert report.ok, report.to_text()
    assert layer in (tmp_path / "out" / "model.py").read_text(encoding="utf-8")
    assert report.verification is not None
    assert any("compared in inference" in remark for remark in report.verification.remarks)


def test_dropout_drops_when_the_network_trains(tmp_path: Path) -> None:
    found = conversion(FILES["dropout"][0], tmp_path)
    network = network_of(found, script_of(found, "bundled"), tmp_path)
    x = ms.Tensor(np.ones((3, 4), np.float32))
    assert (network(x).asnumpy() == 0).sum() == 0
    dropped = (network.set_train(True)(x).asnumpy() == 0).mean()
    assert 0.1 < dropped < 0.5


@pytest.mark.parametrize("case", ["vectors", "images", "volumes"])
def test_statistics_run_when_the_network_trains(case: str, tmp_path: Path) -> None:
    found = conversion(FILES[case][0], tmp_path)
    network = network_of(found, script_of(found, "bundled"), tmp_path)
    shape = [d.dim_value for d in FILES[case][0].graph.input[0].type.tensor_type.shape.dim]
    before = {p.name: p.asnumpy().copy() for p in network.get_parameters()}
    network.set_train(True)(ms.Tensor(np.full(shape, 3, np.float32)))
    moved = [p.name for p in network.get_parameters() if not np.array_equal(p, before[p.name])]
    assert len(moved) == 2, "the running mean and variance"


REFUSED = {
    "the mask is read": dropout(0.3, "y mask"),
    "what is dropped is computed": dropout(0.3),
    "whether to drop is computed": dropout(0.3),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_layer_says_is_refused(case: str, tmp_path: Path) -> None:
    proto = onnx.ModelProto()
    proto.CopyFrom(REFUSED[case])
    if "computed" in case:
        name = "ratio" if case.startswith("what") else "training"
        held = {item.name: item for item in proto.graph.initializer}
        kind = held[name].data_type
        proto.graph.initializer.remove(held[name])
        proto.graph.input.append(helper.make_tensor_value_info(name, kind, ()))
    left = conversion(proto, tmp_path).written.traced.left
    assert [item.node.op for item in left] == ["Dropout"]


@pytest.mark.parametrize("returned", ["y rm", "y rv", "y rm rv"])
def test_statistics_that_are_read_are_those_of_the_batch(returned: str, tmp_path: Path) -> None:
    proto = batch_norm((4, 3, 5, 6), "y rm rv", returned)
    report = converted(Options(saved(proto, tmp_path), output=tmp_path / "out"), lambda step: None)
    assert report.ok, report.to_text()
    assert "onnx_train_batch_norm" in (tmp_path / "out" / "model.py").read_text(encoding="utf-8")
