"""Small projects that the tests scan, and the command that scans them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

from msconvert.api_mapping.findings.workers import scan_paths
from msconvert.api_mapping.scan.as_json import to_json
from msconvert.api_mapping.scan.outcome import Outcome

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
        timeout=900,
    )


def scanned(*paths: str | Path, cwd: Path) -> dict:
    """What `--json` prints, made without a process of its own."""
    with chdir(cwd):
        return json.loads(to_json(Outcome(scan_paths([Path(path) for path in paths]))))


def uses(report: dict) -> list[dict]:
    return [use for file in report["files"] for use in file["uses"]]


def remarks(report: dict) -> list[dict]:
    return [remark for file in report["files"] for remark in file["remarks"]]
