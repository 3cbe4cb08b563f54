"""Two folders of .npy files with a pair of each kind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

A = np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype("f4")


def changed(place: object, value: float) -> np.ndarray:
    """A with another value at a place."""
    b = A.copy()
    b[place] = value  # type: ignore[index]
    return b


PAIRS: dict[str, tuple[np.ndarray | None, np.ndarray | None]] = {
    "same": (A, A),
    "noise": (A, A * np.float32(1 + 2e-7)),
    "channel": (A, np.where(np.arange(3)[:, None, None] == 1, A + 1, A).astype("f4")),
    "gradient": (A * np.float32(1e-6), np.zeros_like(A)),
    "small": (A * np.float32(1e-6), (A * 1e-6 * 1.001).astype("f4")),
    "turned": (A[0, 0], A[0, 0].T),
    "shape": (A, A[:, :2]),
    "type": (A, A.astype("f8")),
    "nan": (A, changed((0, 0, 0, 0), np.nan)),
    "inf": (A, changed((1, 2, 7, 7), np.inf)),
    "mask": (changed((0, 0), -np.inf), changed((0, 0), -np.inf)),
    "empty": (A[:0], A[:0]),
    "whole": (np.array([1 << 60, 5]), np.array([(1 << 60) + 1, 5])),
    "left": (np.arange(7.0), None),
    "right": (None, np.arange(9.0)),
}
STATUSES = {
    **dict.fromkeys(["same", "noise", "mask"], "ok"),
    **dict.fromkeys(["channel", "gradient", "small", "turned", "whole"], "mismatch"),
    **dict.fromkeys(["left", "right"], "missing"),
    **{name: name for name in ("shape", "nan", "inf", "empty")},
    "type": "dtype",
    "bad": "unreadable",
}


def rough() -> tuple[np.ndarray, np.ndarray]:
    """Arrays whose errors are partly relative, partly absolute."""
    numbers = np.random.default_rng(0)
    a, x, y = numbers.standard_normal((3, 5000))
    return a, a + 1e-3 * a * x + 1e-5 * y


def write_sides(folder: Path) -> None:
    """Writes the folders a and b; a/bad.npy is no .npy."""
    for side in "ab":
        (folder / side).mkdir()
    for name, pair in PAIRS.items():
        for side, array in zip("ab", pair, strict=True):
            if array is not None:
                np.save(folder / side / f"{name}.npy", array)
    (folder / "a" / "bad.npy").write_bytes(b"no array at all, but text")
    np.save(folder / "b" / "bad.npy", A)


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`msconvert diff` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "msconvert", "diff", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
