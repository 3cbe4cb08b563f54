"""The planted faults, each in both modes: named with its place; healthy runs: nothing named."""

from __future__ import annotations

import json
import linecache
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from msconvert.observation.watch.conditions import IGNORED, Labels
from msconvert.tests.observation.watch import further_faults, other_networks
from msconvert.tests.observation.watch.faults import FAULTS, HEALTHY, Run

MODES = pytest.mark.parametrize("mode", ["graph", "pynative"])
MISSED: dict[tuple[str, str], str] = {}
"""What is not named, and why."""


def watched(run: Run, mode: str, folder: Path, *flags: str) -> tuple[dict, str, int]:
    """The findings, the output and the status of `msconvert watch` on a run."""
    script, report = folder / "train.py", folder / "found.json"
    script.write_text(run.script)
    program = [sys.executable, "-m", "msconvert", "watch", *flags, "--json", str(report)]
    done = subprocess.run(
        [*program, "--output", str(folder / "watched"), str(script), mode],
        cwd=folder, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert report.exists(), done.stderr
    return json.loads(report.read_text()), done.stdout, done.returncode


def text_of(found: dict) -> str:
    path, _, number = found["line"].rpartition(":")
    line = linecache.getline(path, int(number)).strip() if number else ""
    return " ".join([found["layer"], *found["others"], line])


@pytest.mark.sweep
@MODES
@pytest.mark.parametrize("run", FAULTS, ids=[run.name for run in FAULTS])
def test_a_fault_is_named_with_its_place(run: Run, mode: str, tmp_path: Path) -> None:
    found, text, status = watched(run, mode, tmp_path)
    named = [one for one in found["findings"] if not one["note"]]
    hits = [
        one
        for one in named
        if one["condition"] in run.conditions and re.search(run.place, text_of(one))
    ]
    if (run.name, mode) in MISSED:
        assert not hits, "it is named now: take it off the list"
        return
    assert hits, text
    assert status == 1
    assert f"{hits[0]['condition']}, step {hits[0]['step']}, " in text


@pytest.mark.sweep
@MODES
@pytest.mark.parametrize("run", HEALTHY, ids=[run.name for run in HEALTHY])
def test_nothing_is_named_of_a_healthy_run(run: Run, mode: str, tmp_path: Path) -> None:
    found, text, status = watched(run, mode, tmp_path)
    assert [one for one in found["findings"] if not one["note"]] == []
    assert (status, found["steps"]) == (0, run.steps), text


def in_turn(runs: tuple[Run, ...]) -> list[tuple[Run, str]]:
    """Each run in one of the modes: the figures of docs/tuning.md are of both."""
    return [(run, ("graph", "pynative")[k % 2]) for k, run in enumerate(runs)]


def names_of(runs: tuple[Run, ...]) -> list[str]:
    return [run.name for run in runs]


MORE_FAULTS = (*further_faults.FAULTS, *other_networks.FAULTS)
MORE_HEALTHY = (*further_faults.HEALTHY, *other_networks.HEALTHY)


@pytest.mark.sweep(each=("run.conditions", "mode"), one_in=4)
@pytest.mark.parametrize(("run", "mode"), in_turn(MORE_FAULTS), ids=names_of(MORE_FAULTS))
def test_a_further_fault_is_named(run: Run, mode: str, tmp_path: Path) -> None:
    test_a_fault_is_named_with_its_place(run, mode, tmp_path)


@pytest.mark.sweep(each="mode", one_in=3)
@pytest.mark.parametrize(("run", "mode"), in_turn(MORE_HEALTHY), ids=names_of(MORE_HEALTHY))
def test_nothing_is_named_of_a_further_healthy_run(run: Run, mode: str, tmp_path: Path) -> None:
    test_nothing_is_named_of_a_healthy_run(run, mode, tmp_path)


LABELS = {
    "right": ([0, 3, 1], IGNORED, ""),
    "left out": ([0, IGNORED, 1], IGNORED, ""),
    "all left out": ([IGNORED, IGNORED, IGNORED], IGNORED, ""),
    "left out by another number": ([0, -1, 255], 255, "labels go from -1 to 0"),
    "another number alone": ([0, 255, 1], 255, ""),
    "from minus one": ([-1, 0, 2], IGNORED, "labels go from -1 to 2"),
    "from one": ([1, 4, 2], IGNORED, "labels go from 1 to 4"),
    "far below": ([-7, 0, 1], IGNORED, "labels go from -7 to 1"),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels(name: str) -> None:
    labels, ignored, told = LABELS[name]
    problem = Labels().saw((np.zeros((3, 4), np.float32), np.array(labels)), ignored)
    assert problem.startswith(told)
    assert bool(problem) == bool(told)


def test_every_run_can_be_named() -> None:
    assert len(FAULTS) == len({run.name for run in FAULTS}) == 20
    assert len(HEALTHY) == 10
    further = {run.name for run in (*MORE_FAULTS, *MORE_HEALTHY)}
    assert len(further) == 60
    assert not further & {run.name for run in (*FAULTS, *HEALTHY)}
    assert len(MISSED) <= 4, "at least 18 of 20, over both modes"
