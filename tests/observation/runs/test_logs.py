"""Where two logs of losses part: text, CSV, JSON lines and event files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from msconvert.commands.diff import diff
from msconvert.errors import MsconvertError
from msconvert.observation.runs.logs import read_log

STEPS = 40
PART = 25


def loss(k: int, *, parts: bool) -> float:
    """A curve that falls with some noise; from step 25 on the other one stays."""
    noise = 0.01 * math.sin(12.9898 * k)
    return 2.0 * math.exp(-0.05 * (min(k, PART - 1) if parts else k)) + noise


def as_monitor(k: int, value: float) -> str:
    return f"epoch: {k // 10 + 1} step: {k % 10 + 1}, loss is {value:.7f}"


def as_tutorial(k: int, value: float) -> str:
    return f"Epoch [{k // 10 + 1}/4], Step [{k % 10 + 1}/10], Loss: {value:.7f}, lr: 0.1"


def as_words(k: int, value: float) -> str:
    return f"step {k + 1} loss {value:.7f} accuracy {k / 2}%"


def as_bar(k: int, value: float) -> str:
    return f"{k}%|###  | {k}/40 [00:01<00:03, 12.3it/s, train_loss={value:.7f}]"


def as_trainer(k: int, value: float) -> str:
    return str({"loss": round(value, 7), "learning_rate": 0.1, "epoch": k / 10})


def as_object(k: int, value: float) -> str:
    return json.dumps({"step": k + 1, "loss": value, "lr": 0.1})


WAYS: list[tuple[str, str, Callable[[int, float], str]]] = [
    ("run.log", "", as_monitor),
    ("run.txt", "", as_tutorial),
    ("run.log", "Started at 12:00\n", as_words),
    ("run.out", "", as_bar),
    ("run.log", "", as_trainer),
    ("run.jsonl", "", as_object),
    ("run.log", "loading 3 files\n", as_object),
    ("run.csv", "epoch,step,loss\n", lambda k, value: f"0,{k + 1},{value:.7f}"),
    ("run.tsv", "Step\ttrain_loss\n", lambda k, value: f"{k + 1}\t{value:.7f}"),
]


def log(folder: Path, way: int, *, parts: bool) -> Path:
    name, head, line = WAYS[way]
    folder.mkdir(exist_ok=True)
    lines = [line(k, loss(k, parts=parts)) for k in range(STEPS)]
    (folder / name).write_text(head + "\n".join(lines) + "\n")
    return folder / name


def run(*arguments: object) -> tuple[int, str]:
    found = CliRunner().invoke(diff, [str(x) for x in arguments], standalone_mode=False)
    if found.exception is not None:
        raise found.exception
    return found.return_value, found.output


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_every_kind_of_log_is_read(tmp_path: Path, way: int) -> None:
    found = read_log(log(tmp_path, way, parts=False))
    assert [step for step, _ in found.loss] == list(range(1, STEPS + 1))
    assert found.loss[7][1] == pytest.approx(loss(7, parts=False), abs=1e-6)


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_the_step_at_which_they_part_is_told(tmp_path: Path, way: int) -> None:
    one = log(tmp_path / "a", way, parts=False)
    same = log(tmp_path / "b", (way + 1) % len(WAYS), parts=False)
    other = log(tmp_path / "c", (way + 1) % len(WAYS), parts=True)
    status, text = run(one, same)
    assert (status, "do not part" in text) == (0, True)
    status, text = run(one, other, "--json", tmp_path / "found.json")
    assert status == 1
    found = json.loads((tmp_path / "found.json").read_text())
    assert PART <= found["step"] <= PART + 4
    assert f"The curves part at step {found['step']}: losses" in text
    assert text.splitlines()[0].startswith("A ▇") or text.splitlines()[0].startswith("A █")


def test_a_page_has_a_chart(tmp_path: Path) -> None:
    one, other = log(tmp_path / "a", 0, parts=False), log(tmp_path / "b", 0, parts=True)
    run(one, other, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count("<polyline") == 2
    assert '<line x1="' in page
    assert "The curves part at step" in page


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "there is no curve of a loss"),
        ("nothing to see\n" * 20, "there is no curve of a loss"),
        ("accuracy 3\n" * 20, "there is no curve of a loss"),
        ("loss of 3 dollars\n" * 20, "there is no curve of a loss"),
        ("\x00\x01\xff" * 40, "there is no curve of a loss"),
        ("step 1 loss 2.0\nstep 2 loss 1.0\n", "too few steps"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    one, other = tmp_path / "a.log", tmp_path / "b.log"
    one.write_text(text)
    other.write_text(text)
    with pytest.raises(MsconvertError, match=problem) as caught:
        run(one, other)
    assert caught.value.code == "MS406"


def test_losses_that_are_not_finite_part(tmp_path: Path) -> None:
    one = log(tmp_path / "a", 2, parts=False)
    other = tmp_path / "b.log"
    lines = one.read_text().splitlines()
    broken = [line if k < 20 else f"step {k} loss nan" for k, line in enumerate(lines)]
    other.write_text("\n".join(broken))
    status, text = run(one, other)
    assert (status, "The curves part at step 20" in text) == (1, True)
