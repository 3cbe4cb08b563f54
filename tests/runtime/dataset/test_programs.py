"""Programs about data sets: each prints the same with the real MindSpore and with the runtime."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_program(program: Path, run_mindspore: Callable[..., str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "msconvert.runtime", str(program)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert done.stdout == run_mindspore(tmp_path, str(program))
