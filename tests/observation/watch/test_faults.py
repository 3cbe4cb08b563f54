"""The planted faults, each in both modes: named with its place; healthy runs: nothing named."""

from __future__ import annotations

import json
import linecache
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert report.exists(), done.stderr
    return json.loads(report.read_text()), done.stdout, done.returncode


def text_of(found: dict) -> str:
    path, _, number = found["line"].rpartition(":")
    line = linecache.getline(path, int(number)).strip() if number else ""
    return " ".join([found["layer"], *found["others"], line])


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


@MODES
@pytest.mark.parametrize("run", HEALTHY, ids=[run.name for run in HEALTHY])
def test_nothing_is_named_of_a_healthy_run(run: Run, mode: str, tmp_path: Path) -> None:
    found, text, status = watched(run, mode, tmp_path)
    assert [one for one in found["findings"] if not one["note"]] == []
    assert (status, found["steps"]) == (0, 40), text


def test_every_run_can_be_named() -> None:
    assert len(FAULTS) == len({run.name for run in FAULTS}) == 20
    assert len(HEALTHY) == 10
    assert len(MISSED) <= 4, "at least 18 of 20, over both modes"
