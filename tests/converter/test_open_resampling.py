"""Images of unknown size, so many times as large, by cubic splines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from msconvert.converter.convert import Options, convert
from msconvert.tests.converter.hand_graphs import FLOAT, graph, inputs_for
from msconvert.tests.converter.in_process import assert_agrees


def resized(factors: list[float], **attrs: object) -> onnx.ModelProto:
    node = helper.make_node("Resize", ["x", "", "factors"], ["y"], mode="cubic", **attrs)
    size = {"x": (FLOAT, ("n", 2, "h", "w"))}
    return graph([node], size, {"y": (FLOAT, None)}, {"factors": np.array(factors, FLOAT)})


@pytest.mark.parametrize("factors", [[1, 1, 3, 3], [1, 1, 2, 4], [1, 1, 1, 2]])
@pytest.mark.parametrize("a", [-0.75, -0.5])
def test_cubic_of_an_unknown_size(factors: list[float], a: float, tmp_path: Path) -> None:
    model = resized(factors, cubic_coeff_a=a)
    text = assert_agrees(model, tmp_path, inputs_for(model))
    assert text.count("= onnx_cubic(") + text.count("return onnx_cubic(") >= 1


@pytest.mark.parametrize(
    ("factors", "attrs"),
    [
        ([1, 1, 1.5, 2], {}),
        ([1, 1, 0.5, 2], {}),
        ([1, 1, 2, 2], {"exclude_outside": 1}),
        ([1, 1, 2, 2], {"coordinate_transformation_mode": "align_corners"}),
    ],
)
def test_other_ways_are_refused(
    factors: list[float], attrs: dict[str, object], tmp_path: Path
) -> None:
    file = tmp_path / "model.onnx"
    onnx.save(resized(factors, **attrs), file)
    report = convert(Options(model_file=file, output=tmp_path / "out"))
    assert not report.ok
    assert "a dynamic output size" in report.to_text()
