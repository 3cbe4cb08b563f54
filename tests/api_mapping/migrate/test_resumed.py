"""Every optimizer and schedule goes on from what was saved: by PyTorch, or by converted code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.api_mapping.source.state_map import naming_of_layer
from msconvert.formats.names.renaming import Wishes
from msconvert.troubleshooter.weights import WeightSettings, convert_weights

from .script_sides import convert

pytestmark = pytest.mark.usefixtures("warm")

SCRIPT = Path(__file__).parent / "projects" / "resumed.py"
STEPS = 4
TOLERANCE = 3e-5
"""Of losses of about 0.6; measured: 1e-5, of RAdam."""

SOME = "SGD_cos,NAdam_cos,RMSmomentum_cos,SGD_seq"
"""What MindSpore runs, which compiles the update of an optimizer for seconds each time."""

Losses = dict[str, list[float]]


def losses(folder: Path, script: Path, ending: str, start: int, stop: int) -> Losses:
    command = [sys.executable, str(script), ending, str(start), str(stop)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    found: Losses = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With what PyTorch has saved after some steps, as it is and converted."""
    pytest.importorskip("torch")
    found = tmp_path_factory.mktemp("resumed")
    dense = naming_of_layer("Linear")
    assert dense is not None
    for name in losses(found, SCRIPT, "pth", 0, STEPS):
        settings = WeightSettings(wishes=Wishes({}, [("*", dense)], (), ""))
        convert_weights(found / f"{name}.pth", found / f"{name}.ckpt", settings)
    return found


@pytest.fixture(scope="module")
def of_torch(folder: Path) -> Losses:
    """PyTorch goes on, and leaves what it has saved as it is for the other sides."""
    return losses(folder, SCRIPT, "pth", STEPS, 2 * STEPS)


@pytest.fixture(scope="module", params=["bundled", "mindspore"])
def run(request: pytest.FixtureRequest, folder: Path) -> Callable[[str, int, int], Losses]:
    """`run(ending, start, stop)`: the losses of the converted script for a target."""
    (folder / "original").mkdir(exist_ok=True)
    (folder / "original" / "resumed.py").write_text(SCRIPT.read_text())
    script = convert(folder / "original", request.param, folder / request.param) / "resumed.py"
    if request.param == "bundled":
        return lambda *given: losses(folder, script, *given)
    run_mindspore = request.getfixturevalue("run_mindspore")
    return lambda *given: json.loads(run_mindspore(folder, str(script), *map(str, given), SOME))


def check(found: Losses, wanted: Losses) -> None:
    assert len(found) in (24, SOME.count(",") + 1)
    for name in found:
        values = wanted[name]
        assert len(values) == STEPS
        assert found[name] == pytest.approx(values, abs=TOLERANCE), name


def test_goes_on_where_pytorch_stopped(
    run: Callable[[str, int, int], Losses], of_torch: Losses
) -> None:
    check(run("ckpt", STEPS, 2 * STEPS), of_torch)


def test_goes_on_where_it_stopped_itself(run: Callable[[str, int, int], Losses]) -> None:
    whole = run("whole", 0, 2 * STEPS)
    run("own", 0, STEPS)
    rest = run("own", STEPS, 2 * STEPS)
    check(rest, {name: values[STEPS:] for name, values in whole.items()})
