"""Small projects that the tests scan, and the command that scans them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SAMPLE = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = F.relu(x)
        return F.leaky_relu(x)


def odd(x, name):
    torch.not_there(x)
    return x.view(3), getattr(torch, name)
"""


def run_scan(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`msconvert scan` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "msconvert", "scan", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def scanned(*arguments: str | Path, cwd: Path) -> dict:
    """What `--json` prints."""
    done = run_scan(*arguments, "--json", cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def uses(report: dict) -> list[dict]:
    return [use for file in report["files"] for use in file["uses"]]


def remarks(report: dict) -> list[dict]:
    return [remark for file in report["files"] for remark in file["remarks"]]
