"""A project of several files: scanned, converted, with its weights, evaluated, trained, resumed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .script_sides import convert

pytestmark = pytest.mark.usefixtures("warm")

HERE = Path(__file__).parent
PROJECT = HERE / "projects" / "glyphs"
STAND_INS = HERE / "projects" / "stand_ins"
PLAIN = ("--no-aug", "--no-shuffle")
LOSSES = 1e-4
"""Of losses of about 1.4; measured: 1e-6 on the runtime and on MindSpore."""

Run = Callable[..., str]


@dataclass(frozen=True)
class Side:
    """A framework: the folder with its scripts, and what runs one of them in a folder."""

    scripts: Path
    run: Run

    def __call__(self, folder: Path, script: str, *arguments: str) -> str:
        return self.run(folder, str(self.scripts / script), *arguments)

    def log(self, folder: Path, *arguments: str) -> list[dict[str, float]]:
        """What a training into a new folder has logged, epoch by epoch."""
        into = folder / f"run{len(list(folder.glob('run*')))}_{self.scripts.name}"
        data = ("--data", str(folder / "data"), "--output", str(into))
        self(folder, "train.py", *data, *arguments)
        return [json.loads(line) for line in (into / "log.jsonl").read_text().splitlines()]

    def evaluated(self, folder: Path, checkpoint: str) -> dict[str, float]:
        data = ("--data", str(folder / "data" / "val"))
        printed = self(folder, "evaluate.py", *data, "--checkpoint", checkpoint)
        found: dict[str, float] = json.loads(printed.splitlines()[-1])
        return found


def by_this_python(*first: str) -> Run:
    def run(folder: Path, *arguments: str) -> str:
        command = [sys.executable, *first, *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def draw(folder: Path) -> None:
    """Noisy pictures of discs, rings, bars and crosses, of many sizes: a PNG folder."""
    image = pytest.importorskip("PIL.Image")
    numbers = np.random.RandomState(0)
    for part, count in (("train", 12), ("val", 9)):
        for shape in ("bar", "cross", "disc", "ring"):
            (folder / part / shape).mkdir(parents=True)
            for n in range(count):
                picture = pixels(numbers, shape)
                image.fromarray(picture).save(folder / part / shape / f"{n:03d}.png")


def pixels(numbers: np.random.RandomState, shape: str) -> np.ndarray:
    height, width = numbers.randint(24, 40, 2)
    y, x = np.mgrid[:height, :width] - np.array([height, width])[:, None, None] / 2
    distance, radius = np.hypot(y, x), numbers.randint(6, 10)
    bar = (abs(y) < 2) & (abs(x) < radius)
    drawn = {
        "bar": bar,
        "cross": bar | ((abs(x) < 2) & (abs(y) < radius)),
        "disc": distance < radius,
        "ring": abs(distance - radius) < 1.5,
    }[shape]
    picture = numbers.randint(0, 90, (height, width, 3)).astype(np.uint8)
    picture[drawn] = numbers.randint(60, 256, 3)
    return picture


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("glyphs")
    draw(found / "data")
    return found


def scripts(folder: Path, target: str) -> Path:
    """The project converted for a target, with what stands in for tqdm."""
    found = convert(PROJECT, target, folder / target)
    shutil.copy(STAND_INS / "tqdm.py", found)
    return found


@pytest.fixture(scope="module")
def of_torch(folder: Path) -> Side:
    pytest.importorskip("torch", reason="PyTorch runs the original")
    pytest.importorskip("PIL")
    original = shutil.copytree(PROJECT, folder / "torch")
    shutil.copy(STAND_INS / "tqdm.py", original)
    return Side(original, by_this_python(str(HERE / "run_with_torchvision.py")))


@pytest.fixture(scope="module")
def of_runtime(folder: Path) -> Side:
    return Side(scripts(folder, "bundled"), by_this_python())


@pytest.fixture(scope="module")
def of_mindspore(folder: Path, run_mindspore: Run) -> Side:
    return Side(scripts(folder, "mindspore"), run_mindspore)


@pytest.fixture(params=["runtime", "mindspore"])
def side(request: pytest.FixtureRequest) -> Side:
    found: Side = request.getfixturevalue(f"of_{request.param}")
    return found


@pytest.fixture(scope="module")
def trained(folder: Path, of_torch: Side, of_runtime: Side) -> Path:
    """The folder with what PyTorch has saved behind the second epoch, last.pth and last.ckpt."""
    of_torch.log(folder, *PLAIN, "--epochs", "4", "--stop-after", "1")
    shutil.copy(folder / "run0_torch" / "last.pth", folder)
    names = str(of_runtime.scripts / "weight_map_of_model.json")
    weights = ("weights", "last.pth", "--map", names, "-o", "last.ckpt")
    by_this_python("-m", "msconvert")(folder, *weights)
    return folder


def check(found: Any, wanted: Any) -> None:
    """Asserts the same accuracies to the digit, and losses but for rounding."""
    assert len(found) == len(wanted)
    for here, there in zip(found, wanted, strict=True):
        assert here.keys() == there.keys()
        for name, value in there.items():
            if "acc" in name or name == "epoch":
                assert here[name] == value, (name, here, there)
            else:
                assert here[name] == pytest.approx(value, abs=LOSSES), (name, here, there)


def test_scan_finds_nothing_left() -> None:
    command = [sys.executable, "-m", "msconvert", "scan", str(PROJECT), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert (found["totals"]["uses"], found["totals"]["convertible"]) == (120, 1.0)


def test_evaluates_to_the_digit(trained: Path, of_torch: Side, side: Side) -> None:
    wanted = of_torch.evaluated(trained, "last.pth")
    check([side.evaluated(trained, "last.ckpt")], [wanted])
    assert wanted["epoch"] == 1


def test_trains_from_the_weights(trained: Path, of_torch: Side, side: Side) -> None:
    wanted = of_torch.log(trained, *PLAIN, "--epochs", "2", "--init", "last.pth")
    check(side.log(trained, *PLAIN, "--epochs", "2", "--init", "last.ckpt"), wanted)


def test_resumes_what_pytorch_saved(trained: Path, of_torch: Side, side: Side) -> None:
    wanted = of_torch.log(trained, *PLAIN, "--epochs", "4", "--resume", "last.pth")
    found = side.log(trained, *PLAIN, "--epochs", "4", "--resume", "last.ckpt")
    check(found, wanted)
    assert [line["epoch"] for line in found] == [2, 3]


def test_resumes_what_it_saved_itself(trained: Path, side: Side) -> None:
    begin = (*PLAIN, "--epochs", "3", "--init", "last.ckpt")
    whole = side.log(trained, *begin)
    first = side.log(trained, *begin, "--stop-after", "0")
    saved = max(trained.glob(f"run*_{side.scripts.name}"), key=lambda run: run.stat().st_ctime_ns)
    rest = side.log(trained, *PLAIN, "--epochs", "3", "--resume", str(saved / "last.pth"))
    check([*first, *rest], whole)


def test_trains_with_augmentation(trained: Path, side: Side) -> None:
    arguments = ("--epochs", "1", "--init", "last.ckpt", "--dropout", "0.1", "--workers", "1")
    (line,) = side.log(trained, *arguments)
    assert 0.5 < line["train_loss"] < 3
