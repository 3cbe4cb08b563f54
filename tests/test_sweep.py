"""The share of a sweep: every feature is in it, it is the same each time, and all where asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CASES = """
import pytest

class Row:
    def __init__(self, op): self.op = op

ROWS = [Row(op) for op in "abcde" for _ in range(4)]

@pytest.mark.sweep(each=("row.op", "mode"))
@pytest.mark.parametrize("mode", ["graph", "pynative", "both"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_swept(row, mode): print(f"swept {row.op} {mode}")

@pytest.mark.sweep(each="mode", one_in=4)
@pytest.mark.parametrize("number", range(400))
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_fourth(number, mode): print(f"fourth {mode}")

@pytest.mark.parametrize("number", range(40))
def test_always(number): print("always")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "test_cases.py"
    path.write_text(CASES)
    hooks = "from msconvert.tests.conftest import pytest_addoption, pytest_configure\n"
    (tmp_path / "conftest.py").write_text(hooks)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return path


def ran(*arguments: object) -> tuple[list[str], str]:
    """What the tests printed, and what pytest said last."""
    command = [sys.executable, "-m", "pytest", "-rP", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kinds = ("swept ", "fourth ", "always")
    lines = done.stdout.splitlines()
    return sorted(x for x in lines if x.startswith(kinds)), "\n".join(lines[-6:])


def count(lines: list[str], kind: str) -> int:
    return sum(line.startswith(kind) for line in lines)


def test_every_feature_keeps_a_case_and_what_is_no_sweep_runs(file: Path) -> None:
    lines, told = ran(file)
    assert count(lines, "always") == 40
    swept = {tuple(line.split()[1:]) for line in lines if line.startswith("swept")}
    assert {op for op, _ in swept} == set("abcde")
    assert {mode for _, mode in swept} == {"graph", "pynative", "both"}
    assert 5 <= count(lines, "swept") <= 7
    assert 150 <= count(lines, "fourth") <= 250
    left_out = 60 + 800 - count(lines, "swept") - count(lines, "fourth")
    assert f"{left_out} cases of sweeps were left out" in told
    assert "`pytest --whole` runs them all" in told
    assert ran(file)[0] == lines


def test_processes_take_the_same_and_one_says_it(file: Path) -> None:
    lines, told = ran(file, "-n0")
    parted, told_parted = ran(file, "-n2")
    assert parted == lines
    (line,) = [x for x in told.splitlines() if "left out" in x]
    assert line in told_parted


def test_all_runs_where_it_is_asked_for(file: Path) -> None:
    for asked in (["--whole"], ["-k", "swept or fourth or always"], ["--renew-golden"]):
        lines, told = ran(file, *asked)
        assert len(lines) == 60 + 800 + 40
        assert "left out" not in told
    lines, told = ran(f"{file}::test_swept")
    assert (len(lines), "left out" in told) == (60, False)
