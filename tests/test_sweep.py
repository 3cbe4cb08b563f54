"""The share of a sweep: every feature is in it, it is the same each time, and all where asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CASES = """
import pytest

from msconvert.tests.sweep import chosen

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

@pytest.mark.sweep
@pytest.mark.parametrize("letter", "abcdef")
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_each(letter, mode): print(f"each {letter} {mode}")

@pytest.fixture(scope="module")
def made(request): return chosen(request, "letter", "test_third")

@pytest.mark.sweep(each=(), one_in=3)
@pytest.mark.parametrize("letter", "abcdefghijklmnopqrstuvwxyz")
def test_third(letter, made): print(f"third {letter} of {''.join(made)}")

@pytest.mark.sweep(each=(), one_in=100_000)
@pytest.mark.parametrize("letter", "ab")
def test_one(letter): print("one")

@pytest.mark.parametrize("number", range(40))
def test_always(number): print("always")
"""


ALL = 60 + 800 + 12 + 26 + 2 + 40


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
    kinds = ("swept ", "fourth ", "always", "each ", "third ", "one")
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
    each = [line.split()[1:] for line in lines if line.startswith("each ")]
    assert sorted({letter for letter, _ in each}) == [*"abcdef"]
    assert {mode for _, mode in each} == {"graph", "pynative"}
    assert len(each) <= 7
    assert count(lines, "one") == 1
    third = [line.split()[1::2] for line in lines if line.startswith("third")]
    assert 3 <= len(third) <= 15
    assert {of for _, of in third} == {"".join(letter for letter, _ in third)}
    left_out = ALL - len(lines)
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
    for asked in (["--whole"], ["-k", "test_"], ["--renew-golden"]):
        lines, told = ran(file, *asked)
        assert len(lines) == ALL
        assert "left out" not in told
    lines, told = ran(f"{file}::test_swept")
    assert (len(lines), "left out" in told) == (60, False)
