"""Runs folders of training scripts, each on the side that it is for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RUNNER = Path(__file__).with_name("script_runner.py")

Curves = dict[str, dict[str, list[float]] | str]


def convert(source: Path, target: str, output: Path) -> Path:
    """The folder with what the command makes of another one, all of it converted."""
    command = [sys.executable, "-m", "msconvert", "source", str(source), "--output", str(output)]
    done = subprocess.run(
        [*command, "--target", target], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return output


def curves(printed: str) -> Curves:
    found: Curves = json.loads(printed.splitlines()[-1])
    return found


def arguments(folder: Path, side: str, scripts: Path, names: str = "names.json") -> list[str]:
    return [str(RUNNER), side, str(scripts), str(folder), str(folder / names)]


def run(folder: Path, side: str, scripts: Path) -> Curves:
    """The lists that the scripts keep, by this Python."""
    command = [sys.executable, *arguments(folder, side, scripts)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return curves(done.stdout)
