"""`msconvert demo`: the first thing that anyone runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.commands import main as cli


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_converts_compares_and_says_what_to_run_next(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["demo"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert "demo.onnx: 100 % of 24 nodes converted (24 verified)" in told.out
    assert "They agree." in told.out
    python, script = told.out.rstrip("\n").split("\n")[-1].split()
    assert script == "demo/demo.py"
    assert Path(python).name.startswith("python")
    done = subprocess.run(
        [sys.executable, script], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == "(1, 5)\n"


def test_an_existing_folder_is_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "demo").mkdir()
    (folder / "demo" / "mine.txt").write_text("mine")
    assert cli.main(["demo"]) == 1
    assert capsys.readouterr().err == (
        "MS107 demo: it exists already\n  try:      --force, or another --output\n"
    )
    assert [path.name for path in (folder / "demo").iterdir()] == ["mine.txt"]
    assert cli.main(["demo", "--force"]) == 0
    assert (folder / "demo" / "mine.txt").read_text() == "mine"
    assert cli.main(["demo", "--output", "elsewhere/deep"]) == 0
    assert (folder / "elsewhere" / "deep" / "demo.ckpt").exists()


def test_flags_of_a_conversion_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--force", "demo"]) == 2
    assert "--force is of no use here: write it after demo" in capsys.readouterr().err
    assert list(folder.iterdir()) == []
