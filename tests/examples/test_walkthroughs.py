"""The examples that are told as stories: every command of their pages runs, as they say."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("warm")

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
RUNNER = ROOT / "tests" / "api_mapping" / "migrate" / "run_with_torchvision.py"
NAMES = ("lenet_mnist", "resnet50_migration")
TOLERANCE = 1e-3
"""Of losses while they are compared; measured: 4e-6."""
RATE = 3e-4
STEPS = 6
"""A tenth of the script's rate and its first steps: weights nudged by 1e-6 of their size move the
sixth loss by 1e-3 at most, and at the script's own rate by 1e-1 (on which side of a ReLU a number
falls), so there no two processors agree for longer than three steps."""


def commands(name: str) -> list[str]:
    """The commands of the page in their order, one a line."""
    page = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```bash\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def executed(command: str, folder: Path) -> str:
    """What a command prints; a torchvision whose operators cannot be loaded is helped."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = command.replace("python pytorch/", f"python {RUNNER} pytorch/")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, dict[str, str]]]:
    """`told(name)`: where the commands of a page were run, and what each has printed."""
    pytest.importorskip("torch", reason="PyTorch runs the originals")
    if importlib.util.find_spec("torchvision") is None:
        pytest.skip("no torchvision here")
    known: dict[str, tuple[Path, dict[str, str]]] = {}

    def tell(name: str) -> tuple[Path, dict[str, str]]:
        if name not in known:
            folder = tmp_path_factory.mktemp(name) / name
            left_out = shutil.ignore_patterns("migrated", "__pycache__")
            shutil.copytree(EXAMPLES / name, folder, ignore=left_out)
            known[name] = folder, {line: executed(line, folder) for line in commands(name)}
        return known[name]

    return tell


def accuracies(printed: dict[str, str], command: str) -> list[str]:
    """The figures behind the word in what the commands have printed that hold a text."""
    found = [text for line, text in printed.items() if command in line]
    assert found, command
    return [figure for text in found for figure in re.findall(r"accuracy (\d+\.\d+)", text)]


@pytest.mark.parametrize("name", NAMES)
def test_migrated_is_what_the_tool_writes(
    name: str, tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    shutil.copytree(EXAMPLES / name / "pytorch", tmp_path / "pytorch")
    executed("msconvert source pytorch --output migrated --target mindspore", tmp_path)
    written = {path.name for path in (tmp_path / "migrated").iterdir()} - {"__pycache__"}
    kept = EXAMPLES / name / "migrated"
    assert written == {path.name for path in kept.iterdir()} - {"__pycache__"}
    for file in written:
        golden(kept / file, (tmp_path / "migrated" / file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_both_are_the_same_network(
    name: str, told: Callable[[str], tuple[Path, dict[str, str]]]
) -> None:
    (said,) = [text for line, text in told(name)[1].items() if line.startswith("msconvert compare")]
    for what in ("outputs in eval", "gradients", "a training step"):
        assert f"{what}: the same" in said


def test_lenet_keeps_its_accuracy_and_learns(
    told: Callable[[str], tuple[Path, dict[str, str]]],
) -> None:
    _, printed = told("lenet_mnist")
    (original,) = accuracies(printed, "python pytorch/train.py --data data --save")
    assert accuracies(printed, "--evaluate lenet") == [original, original]
    (again,) = accuracies(printed, "--save again.ckpt")
    assert min(float(original), float(again)) > 0.95
    (course,) = [text for line, text in printed.items() if "course.py" in line]
    memory, file = re.findall(r"'accuracy': (\d\.\d+)", course)
    assert memory == file
    assert float(file) > 0.95


def test_resnet_goes_on_where_pytorch_stopped(
    told: Callable[[str], tuple[Path, dict[str, str]]],
) -> None:
    _, printed = told("resnet50_migration")
    (original,) = accuracies(printed, "python pytorch/eval.py")
    assert accuracies(printed, "migrated/eval.py") == [original]
    (resumed,) = [text for line, text in printed.items() if "--resume" in line]
    assert re.findall(r"epoch (\d+):", resumed) == ["7", "8"]
    (trained,) = [text for line, text in printed.items() if "runtime train.py" in line]
    (evaluated,) = [text for line, text in printed.items() if "runtime eval.py" in line]
    figure = r"'top_1_accuracy': (\d\.\d+)"
    assert re.findall(figure, trained) == re.findall(figure, evaluated)
    assert len(re.findall(figure, trained)) == 1


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_mindspore_trains_the_resnet_alike(
    mode: str,
    told: Callable[[str], tuple[Path, dict[str, str]]],
    run_mindspore: Callable[..., str],
) -> None:
    folder, _ = told("resnet50_migration")
    flags = (
        "--size 32 --width 8 --epochs 2 --no_chance --start checkpoints/last.ckpt "
        f"--lr {RATE} --mode {mode}"
    )
    found = executed(f"python -m msconvert.runtime train.py --output here_{mode} {flags}", folder)
    script = str(folder / "train.py")
    wanted = run_mindspore(folder, script, "--output", f"there_{mode}", *flags.split())
    losses = [
        [float(value) for value in re.findall(r"loss is (\S+)", text)] for text in (found, wanted)
    ]
    assert [len(values) for values in losses] == [16, 16]
    assert losses[0][:STEPS] == pytest.approx(losses[1][:STEPS], abs=TOLERANCE)
    names = [sorted(os.listdir(folder / f"{side}_{mode}")) for side in ("here", "there")]
    assert names[0] == [name for name in names[1] if not name.endswith(".meta")]


def test_mindspore_takes_the_course(
    told: Callable[[str], tuple[Path, dict[str, str]]], run_mindspore: Callable[..., str]
) -> None:
    folder, _ = told("lenet_mnist")
    script = str(folder / "course.py")
    printed = run_mindspore(folder, script, "data", "there", "1")
    memory, file = re.findall(r"'accuracy': (\d\.\d+)", printed)
    assert memory == file
    assert float(file) > 0.5  # of one epoch: a step takes MindSpore's CPU ten times as long
