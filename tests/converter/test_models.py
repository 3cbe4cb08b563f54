"""The nine models that the onnx package ships, converted and run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from msconvert.converter.verify import CONSTANT
from msconvert.tests.converter.conversion import (
    Conversion,
    converted,
    differences,
    error,
    files,
    imported,
    outputs_of_original,
    outputs_of_script,
    random_inputs,
    remarks_of_ruff,
)
from msconvert.tests.models.light import LIGHT, NAMES, revived

TOLERANCE = 1e-4
LARGE = "light_vgg19"
"""574 MB of weights: converted only once; its operators are those of alexnet."""


def test_there_are_nine() -> None:
    assert len(NAMES) == 9


@pytest.fixture(scope="module", params=NAMES)
def conversion(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Conversion]:
    """A model as it ships, converted and verified."""
    folder = tmp_path_factory.mktemp(request.param)
    yield converted(LIGHT / f"{request.param}.onnx", folder)
    for path in folder.iterdir():  # half a gigabyte of weights for one of them
        path.unlink()


def test_every_node_is_converted(conversion: Conversion) -> None:
    assert conversion.report.rate == 1
    assert conversion.report.ok


def test_numbers_are_the_originals_in_both_modes(conversion: Conversion) -> None:
    verification = conversion.report.verification
    assert verification is not None
    assert verification.problem == ""
    assert {item.mode for item in verification.differences} == {"pynative", "graph"}
    assert max(item.error for item in verification.differences) <= TOLERANCE
    assert verification.remarks == (CONSTANT,)


def test_the_checkpoint_fits_exactly(conversion: Conversion) -> None:
    with imported(conversion.script) as module:
        ms = module.ms
        network = module.load(str(conversion.checkpoint))
        weights = ms.load_checkpoint(str(conversion.checkpoint))
        assert ms.load_param_into_net(network, weights) == ([], [])
        assert {name for name, _ in network.parameters_and_names()} == set(weights)


def test_the_script_is_as_ruff_wants_it(conversion: Conversion) -> None:
    assert remarks_of_ruff(conversion.script) == ""


@pytest.mark.parametrize("name", [name for name in NAMES if name != LARGE])
def test_with_weights_that_mean_something(name: str, tmp_path: Path) -> None:
    model = revived(name, tmp_path)
    result = converted(model, tmp_path / "out", verify=False)
    inputs = random_inputs(model)
    expected = outputs_of_original(model, inputs)
    assert error(expected[0], expected[0][:, ::-1]) > 0.1
    with imported(result.script) as module:
        for outputs in outputs_of_script(module, result.checkpoint, inputs):
            assert error(outputs[0], expected[0]) <= TOLERANCE


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
