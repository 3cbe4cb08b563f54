"""Rows of code that MindSpore and the runtime both run, and how far their results may be apart."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

RUNNER = Path(__file__).with_name("row_runner.py")


@dataclass(frozen=True)
class Row:
    """An expression; how far numbers may be apart, and why if at all."""

    code: str
    level: float = 0.0
    because: str = ""


def rows_of(text: str, level: float = 0.0, because: str = "") -> list[Row]:
    """A row for each line."""
    return [Row(line.strip(), level, because) for line in text.splitlines() if line.strip()]


class Outcomes:
    """What both sides give for rows, each side run once."""

    def __init__(self, rows: list[Row], folder: Path, run_mindspore: Callable[..., str]) -> None:
        codes = folder / "rows.json"
        codes.write_text(json.dumps([row.code for row in rows]), encoding="utf-8")
        here, there = folder / "here.pickle", folder / "there.pickle"
        command = [sys.executable, str(RUNNER), "msconvert.runtime", str(codes), str(here)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=900, env=environment, check=False
        )
        assert done.returncode == 0, done.stderr
        run_mindspore(folder, str(RUNNER), "mindspore", str(codes), str(there))
        sides = [pickle.loads(path.read_bytes()) for path in (here, there)]
        self.found = dict(zip([row.code for row in rows], zip(*sides, strict=True), strict=True))

    def difference(self, row: Row) -> str:
        """What the two sides differ in, in words; nothing if it is no more than the row allows."""
        here, there = self.found[row.code]
        return difference(here, there, row.level)


def difference(here: Any, there: Any, level: float) -> str:
    """What two outcomes differ in."""
    if isinstance(here, str) or isinstance(there, str):
        return "" if equal_names(here, there) else f"got {shown(here)}, MindSpore {shown(there)}"
    if len(here) != len(there):
        return f"got {len(here)} values, MindSpore {len(there)}"
    for x, y in zip(here, there, strict=True):
        if x.shape != y.shape or x.dtype.kind != y.dtype.kind or kind(x) != kind(y):
            return f"got {x.dtype} {x.shape}, MindSpore {y.dtype} {y.shape}"
        if x.dtype.kind in "US":
            if x.tolist() != y.tolist():
                return f"got {x.tolist()}, MindSpore {y.tolist()}"[:300]
            continue
        far = np.abs(x.astype(np.float64) - y.astype(np.float64))
        most = level or (
            1e-5 * max(1.0, float(np.abs(y).max(initial=0))) if x.dtype.kind == "f" else 0
        )
        if far.size and not float(np.nanmax(far)) <= most:
            return f"up to {far.max()} apart in {np.mean(far > most):.4f} of the places"
    return ""


def kind(x: np.ndarray) -> str:
    return "text" if x.dtype.kind in "US" else x.dtype.name


def equal_names(here: Any, there: Any) -> bool:
    return isinstance(here, str) and isinstance(there, str) and here == there


def shown(outcome: Any) -> str:
    if isinstance(outcome, str):
        return outcome
    return "; ".join(f"{x.dtype} {x.shape}" for x in outcome)
