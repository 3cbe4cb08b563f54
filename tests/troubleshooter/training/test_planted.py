"""Healthy training scripts in two styles, and faults that are planted into one of them."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from msconvert.tests.troubleshooter.training.planted import (
    AGAIN,
    FAULTS,
    FURTHER,
    FURTHER_PAIRS,
    LATER,
    PAIRS,
    Planted,
)
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of
from msconvert.troubleshooter.training import TrainingComparison, TrainingSettings
from msconvert.troubleshooter.training.comparer import trained_by

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

SCRIPTS = Path(__file__).with_name("scripts")
CLASSES = {"accumulated": "Accumulator", "averaged": "Ema", "gathered": "Gathering"}
"""The classes that functions of B's script use."""

TRIED_ON_MINDSPORE = ("momentum", "scaled", "averaged")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for side, end in (("a", "torch"), ("b", "mindspore")):
        (tmp_path / side).mkdir()
        shutil.copy(SCRIPTS / f"nets_{end}.py", tmp_path / side / "net.py")
        for name in ("train", "further"):
            shutil.copy(SCRIPTS / f"{name}_{end}.py", tmp_path / side / f"{name}.py")
    return tmp_path


def file_of(pair: str) -> str:
    return "further.py" if pair in FURTHER_PAIRS else "train.py"


def batch(shapes: Sequence[str], numbers: np.random.Generator) -> tuple[np.ndarray, ...]:
    found = []
    for text in shapes:
        if text.endswith(":uniform"):
            sizes = tuple(map(int, text.partition(":")[0].split(",")))
            found.append(numbers.random(sizes).astype(np.float32))
            continue
        wanted = shape_of(text)
        is_float = wanted.dtype == "float32"
        drawn = (
            numbers.standard_normal(wanted.shape)
            if is_float
            else numbers.integers(0, wanted.below, wanted.shape)
        )
        found.append(drawn.astype(wanted.dtype))
    return tuple(found)


def trained(
    comparer: NetworkComparer, folder: Path, pair: str, python: Path | None = None
) -> TrainingComparison:
    call, shapes, epoch = {**PAIRS, **FURTHER_PAIRS}[pair]
    numbers = np.random.default_rng(7)
    network = NetworkSettings(
        call,
        target="bundled" if python is None else "mindspore",
        python_b=None if python is None else str(python),
    )
    settings = TrainingSettings(
        network,
        (f"{folder / 'a' / file_of(pair)}:{pair}", None),
        epoch=epoch,
        batches=[batch(shapes, numbers) for _ in range(12)],
    )
    return trained_by(comparer, folder / "a" / "net.py", folder / "b" / "net.py", settings)


def plant(folder: Path, fault: Planted) -> None:
    """Writes B's script with the fault in the function of its pair, or in the class it uses."""
    file = folder / "b" / file_of(fault.pair)
    text = file.read_text()
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        name = getattr(node, "name", "")
        if name in (fault.pair, CLASSES.get(fault.pair)):
            part = "".join(lines[node.lineno - 1 : node.end_lineno])
            if fault.old in part:
                changed = part.replace(fault.old, fault.new)
                lines[node.lineno - 1 : node.end_lineno] = [changed]
                file.write_text("".join(lines))
                return
    raise AssertionError(f"{fault.name}: its text is not there")


@pytest.mark.parametrize("pair", [*PAIRS, *FURTHER_PAIRS])
def test_healthy_scripts_are_the_same(comparer: NetworkComparer, folder: Path, pair: str) -> None:
    found = trained(comparer, folder, pair)
    assert found.ok, str(found)
    assert found.batches == 12
    assert found.steps[0] == found.steps[1] > 0


@pytest.mark.sweep(each=("fault.pair", "fault.causes"), one_in=4)
@pytest.mark.parametrize(
    "fault", [*FAULTS[::2], *LATER, *FURTHER, *AGAIN], ids=lambda fault: fault.name
)
def test_faults_are_named(comparer: NetworkComparer, folder: Path, fault: Planted) -> None:
    plant(folder, fault)
    first = trained(comparer, folder, fault.pair).first
    assert first is not None
    assert first.stage in fault.stages
    assert first.reasons[0].cause in fault.causes


def test_each_fault_is_in_the_script(folder: Path) -> None:
    for fault in (*FAULTS, *LATER, *FURTHER, *AGAIN):
        file = folder / "b" / file_of(fault.pair)
        text = file.read_text()
        plant(folder, fault)
        assert file.read_text() != text
        file.write_text(text)
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) == 50


@pytest.mark.parametrize("pair", TRIED_ON_MINDSPORE)
def test_mindspore_itself_trains_the_same(
    comparer: NetworkComparer, folder: Path, pair: str, mindspore_python: Path
) -> None:
    found = trained(comparer, folder, pair, mindspore_python)
    assert found.ok, str(found)
    assert found.sides == ("torch", "mindspore")


def test_a_fault_is_named_in_mindspore_itself(
    comparer: NetworkComparer, folder: Path, mindspore_python: Path
) -> None:
    fault = next(one for one in FAULTS if one.name == "momentum-0.95")
    plant(folder, fault)
    first = trained(comparer, folder, fault.pair, mindspore_python).first
    assert first is not None
    assert first.reasons[0].cause == "optimizer-momentum"
