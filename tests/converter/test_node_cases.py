"""ONNX's own node cases: each one loads, and computes the same after it was prepared."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from onnx import ModelProto
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.case.test_case import TestCase
from onnxruntime.capi import onnxruntime_pybind11_state as failures

from msconvert.converter.graph.prepare import prepare
from msconvert.converter.graph.proto import to_model
from msconvert.converter.source.load import load
from msconvert.errors import MsconvertError
from msconvert.tests.converter.small_models import saved

TOO_OLD = {"test_not_2d", "test_not_3d", "test_not_4d"}
"""ONNX writes these at opset 1."""

RANGE_OF_VECTORS = {
    "test_affine_grid_2d_expanded",
    "test_affine_grid_2d_align_corners_expanded",
}
"""Range of vectors, which ONNX Runtime refuses once their rank is known, as it then is."""

REFUSALS = (
    failures.Fail,
    failures.InvalidArgument,
    failures.InvalidGraph,
    failures.NotImplemented,
    failures.RuntimeException,
    RuntimeError,
)
"""What ONNX Runtime raises for cases that it does not support."""


@pytest.fixture(scope="module")
def cases() -> list[TestCase]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ONNX's references divide by zero and overflow
        return collect_testcases(None)


def _session(model: ModelProto) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model.SerializeToString(), options)


def _same(a: object, b: object) -> bool:
    if not isinstance(a, np.ndarray) or a.dtype.kind == "O":
        return str(a) == str(b)
    assert isinstance(b, np.ndarray)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype == np.float16:  # computed in float32, and not rounded where a chain is whole
        return np.allclose(a, b, rtol=2e-3, atol=2e-3, equal_nan=True)
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def test_every_case_loads_or_is_refused_for_its_opset(
    cases: list[TestCase], tmp_path: Path
) -> None:
    refused: set[tuple[str, str]] = set()
    compared = 0
    for case in cases:
        try:
            prepared = to_model(prepare(load(saved(case.model, tmp_path))).graph)
        except MsconvertError as error:
            refused.add((case.name, error.code))
            continue
        try:
            original = _session(case.model)
            names = [item.name for item in original.get_inputs()]
            feeds = dict(zip(names, case.data_sets[0][0], strict=False))
            expected = original.run(None, feeds)
        except REFUSALS:
            continue
        if case.name in RANGE_OF_VECTORS:
            continue
        session = _session(prepared)
        got = session.run(None, {item.name: feeds[item.name] for item in session.get_inputs()})
        assert all(map(_same, expected, got)), case.name
        compared += 1
    assert refused == {(name, "MS106") for name in TOO_OLD}
    assert compared > 1000
