"""The nine models that the onnx package ships, converted and run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from msconvert.converter.proof.verify import CONSTANT
from msconvert.tests.converter.conversion import (
    Conversion,
    converted,
    differences,
    error,
    files,
    imported,
    outputs_of_original,
    outputs_of_script,
    remarks_of_ruff,
)
from msconvert.tests.models.light import LIGHT, NAMES, picture, revived, rounded_otherwise

TOLERANCE = 1e-4


def test_there_are_nine() -> None:
    assert len(NAMES) == 9


@pytest.fixture(scope="module", params=NAMES)
def conversion(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Conversion]:
    """A model as it ships, converted; not run, for what `revived` says."""
    folder = tmp_path_factory.mktemp(request.param)
    yield converted(LIGHT / f"{request.param}.onnx", folder, verify=False)
    for path in folder.iterdir():  # half a gigabyte of weights for one of them
        path.unlink()


def test_every_node_is_converted(conversion: Conversion) -> None:
    assert conversion.report.rate == 1
    assert conversion.report.ok


def test_the_checkpoint_fits_exactly(conversion: Conversion) -> None:
    with imported(conversion.script) as module:
        ms = module.ms
        network = module.load(str(conversion.checkpoint))
        weights = ms.load_checkpoint(str(conversion.checkpoint))
        assert ms.load_param_into_net(network, weights) == ([], [])
        assert {name for name, _ in network.parameters_and_names()} == set(weights)


def test_the_script_is_as_ruff_wants_it(conversion: Conversion) -> None:
    assert remarks_of_ruff(conversion.script) == ""


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_the_originals_in_both_modes(name: str, tmp_path: Path) -> None:
    model = revived(name, tmp_path)
    result = converted(model, tmp_path / "out")
    verification = result.report.verification
    assert verification is not None
    assert verification.problem == ""
    assert {item.mode for item in verification.differences} == {"pynative", "graph"}
    assert max(item.error for item in verification.differences) <= TOLERANCE
    inputs = [picture(seed=1)]
    expected = outputs_of_original(model, inputs)
    with imported(result.script) as module:
        for outputs in outputs_of_script(module, result.checkpoint, inputs):
            assert error(outputs[0], expected[0]) <= TOLERANCE


@pytest.mark.parametrize("name", NAMES)
def test_numbers_tell_faults_and_no_roundings(name: str, tmp_path: Path) -> None:
    """A fault anywhere is far above what is told apart, and far below is the order of sums."""
    model = revived(name, tmp_path)
    (expected,) = outputs_of_original(model, [picture(seed=1)])
    (of_another,) = outputs_of_original(model, [picture(seed=2)])
    (moved,) = outputs_of_original(rounded_otherwise(model), [picture(seed=1)])
    assert error(expected, expected[:, ::-1]) > 0.1
    assert error(of_another, expected) > 30 * TOLERANCE
    assert 0 < error(moved, expected) < TOLERANCE / 30


def test_as_shipped_roundings_would_decide(tmp_path: Path) -> None:
    """Why they are revived: of equal numbers near 7e9, Softmax makes anything."""
    shipped = onnx.load(LIGHT / "light_squeezenet.onnx")
    model = onnx.shape_inference.infer_shapes(shipped)
    shapes = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    for node in [node for node in model.graph.node if node.op_type == "ConstantOfShape"]:
        value = numpy_helper.to_array(node.attribute[0].t)
        array = np.full(shapes[node.input[0]], value, np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, node.output[0]))
        model.graph.node.remove(node)
    (softmax,) = (node for node in model.graph.node if node.op_type == "Softmax")
    model.graph.output.add().name = softmax.input[0]
    path = tmp_path / "squeezenet.onnx"
    onnx.save(model, path)
    _, logits = outputs_of_original(path, [np.abs(picture(seed=1))])
    assert np.ptp(logits) < 1e-5 * np.abs(logits).max()
    assert np.spacing(np.abs(logits).max()) > 1  # one step of rounding more, and e times as likely


def test_equal_weights_are_told(tmp_path: Path) -> None:
    """The one of the nine that ends without a Softmax, as it ships."""
    verification = converted(LIGHT / "light_densenet121.onnx", tmp_path).report.verification
    assert verification is not None
    assert verification.passed
    assert verification.remarks == (CONSTANT,)


@pytest.mark.parametrize("name", ["light_shufflenet", "light_densenet121"])
def test_twice_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        converted(LIGHT / f"{name}.onnx", tmp_path / folder, verify=False)
    first, second = (files(tmp_path / folder) for folder in ("first", "second"))
    assert len(first) == 5
    assert differences(first, second) == []


def test_resnet50_is_short(conversion: Conversion) -> None:
    if conversion.model.stem == "light_resnet50":
        assert len(conversion.script.read_text(encoding="utf-8").splitlines()) <= 160
