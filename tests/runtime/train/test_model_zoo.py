"""A model zoo as MindSpore's users have them trains unchanged, here and on MindSpore alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ZOO = Path(__file__).with_name("model_zoo")
PLAIN = ("--ckpt_path", "init-0_0.ckpt", "--shuffle", "False", "--plain", "True")
WEIGHTS = ("--ckpt_path", "init-0_0.ckpt")
TOLERANCE = 1e-3
"""Of losses of about 1.1; measured: 4e-7 in float32, 2e-5 in O2 by graph."""
STOPPING = """
import runpy
import sys

from zoo.callbacks import StateMonitor

saved = StateMonitor.on_train_epoch_end


def stop(self, run_context):
    saved(self, run_context)
    run_context.request_stop()


StateMonitor.on_train_epoch_end = stop
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a script whose training stops behind its first epoch."""
STEPS = 10
"""Of two epochs: 60 pictures in batches of 12."""

SAME = {
    "momentum": ("train.py", *PLAIN),
    "average, clipped": ("train.py", *PLAIN, "--ema", "True", "--clip_grad", "True"),
    "accumulated": ("train.py", *PLAIN, "--gradient_accumulation_steps", "2", "--opt", "adamw"),
    "O2": ("train.py", *PLAIN, "--amp_level", "O2", "--loss_scale", "1024"),
    "lion": ("train.py", *PLAIN, "--mode", "1", "--opt", "lion", "--lr", "0.001"),
    "function": ("train_with_func.py", *WEIGHTS, "--mode", "1"),
    "function, accumulated": (
        *("train_with_func.py", *WEIGHTS, "--mode", "1", "--accumulate", "2"),
        *("--loss_scale", "64", "--opt", "momentum"),
    ),
}
DROPPING = ("--ema", "True", "--drop_overflow_update", "True", "--loss_scale", "256")
RANDOM = {
    "randaug": ("--auto_augment", "randaug", "--re_prob", "0.5"),
    "autoaug, repeated": ("--auto_augment", "autoaug", "--aug_repeats", "2"),
    "dropped paths": (
        *("--auto_augment", "trivialaugwide", "--model", "tinynet_m"),
        *("--drop_rate", "0.1", "--drop_path_rate", "0.2"),
    ),
    "mixed": ("--mixup", "0.8", "--cutmix", "1.0", "--loss", "BCE"),
    "the best": ("--ckpt_save_policy", "top_k", "--keep_checkpoint_max", "1"),
    "the last": ("--keep_checkpoint_max", "1", "--opt", "sgd", "--use_nesterov", "True"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With 60 pictures of three kinds of waves, 18 to validate, and weights to start from."""
    image = pytest.importorskip("PIL.Image")
    found = tmp_path_factory.mktemp("zoo")
    numbers = np.random.RandomState(3)
    for part, count in (("train", 20), ("val", 6)):
        for kind in range(3):
            place = found / "data" / part / f"c{kind}"
            place.mkdir(parents=True)
            for n in range(count):
                image.fromarray(wave(numbers, kind)).save(place / f"{n}.jpg", quality=92)
    code = (
        "import mindspore as ms\nfrom zoo.models import create_model\nms.set_seed(7)\n"
        "ms.save_checkpoint(create_model('tinynet_s', num_classes=3), 'init-0_0.ckpt')\n"
    )
    (found / "begin.py").write_text(code)
    here(found, str(found / "begin.py"))
    return found


def wave(numbers: np.random.RandomState, kind: int) -> np.ndarray:
    height, width = numbers.randint(40, 64, 2)
    y, x = np.mgrid[:height, :width] / 8
    crests = [np.sin(x + numbers.rand()), np.sin(y + numbers.rand()), np.sin(x + y)][kind]
    bright = 127 + 60 * crests[..., None] * (0.5 + numbers.rand(3))
    noise = numbers.randint(-30, 30, (height, width, 3))
    return (bright + noise).clip(0, 255).astype(np.uint8)


def here(folder: Path, *arguments: str) -> str:
    """What the runtime prints for a script of MindSpore's."""
    command = [sys.executable, "-m", "msconvert.runtime", *arguments]
    path = os.pathsep.join(filter(None, [str(ZOO), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def trained(run: Callable[..., str], folder: Path, arguments: tuple[str, ...]) -> Any:
    script, *rest = arguments
    saved = {"train.py": "--ckpt_save_dir", "train_with_func.py": "--save"}[script]
    printed = run(folder, str(ZOO / script), *rest, saved, f"saved{len(list(folder.iterdir()))}")
    return json.loads(printed.splitlines()[-1])


@pytest.mark.sweep(each=(), one_in=3)
@pytest.mark.parametrize("row", SAME)
def test_the_losses_are_mindspores(
    row: str, folder: Path, run_mindspore: Callable[..., str]
) -> None:
    found = trained(here, folder, SAME[row])
    wanted = trained(run_mindspore, folder, SAME[row])
    assert found.keys() == wanted.keys()
    assert len(found["losses"]) == STEPS
    assert found["losses"] == pytest.approx(wanted["losses"], abs=TOLERANCE)
    assert found.get("files") == wanted.get("files")


@pytest.fixture(scope="module")
def plain(folder: Path) -> Any:
    return trained(here, folder, ("train.py", *PLAIN, "--ema", "True"))


@pytest.mark.parametrize("mode", ["0", "1"])
def test_steps_that_drop_overflows_learn_alike(folder: Path, plain: Any, mode: str) -> None:
    """MindSpore's CPU has no kernel for these; without an overflow they are the others."""
    found = trained(here, folder, ("train.py", *PLAIN, *DROPPING, "--mode", mode))
    assert found["losses"] == pytest.approx(plain["losses"], abs=1e-5)


@pytest.mark.parametrize("row", RANDOM)
def test_trains_with_chance(row: str, folder: Path) -> None:
    found = trained(here, folder, ("train.py", *RANDOM[row]))
    assert len(found["losses"]) == STEPS
    assert np.isfinite(found["losses"]).all()
    kept = [name for name in found["files"] if name.startswith("tinynet") and "best" not in name]
    assert len(kept) == (1 if "keep" in " ".join(RANDOM[row]) else 2)


def test_resumes_from_its_checkpoint(folder: Path) -> None:
    steady = (*PLAIN, "--scheduler", "constant", "--warmup_epochs", "0")
    whole = trained(here, folder, ("train.py", *steady))["losses"]
    script, saved = str(ZOO / "train.py"), ("--ckpt_save_dir", "resumed")
    (folder / "stopping.py").write_text(STOPPING)
    here(folder, str(folder / "stopping.py"), script, *steady, *saved)
    last = ("--ckpt_path", "resumed/tinynet_s-1_5.ckpt", "--resume_opt", "True")
    printed = here(folder, script, *steady, *last, *saved)
    assert json.loads(printed.splitlines()[-1])["losses"] == pytest.approx(whole[5:], abs=1e-6)
    printed = here(folder, script, *steady, *last[:2], *saved)  # without the momentum
    assert json.loads(printed.splitlines()[-1])["losses"][:5] != pytest.approx(whole[5:], abs=1e-4)
