"""Small files do not become large ones, and long ones are converted in time: one child for all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from msconvert.tests.converter.growth import ROWS
from msconvert.tests.converter.wide_graphs import WIDE

SHORT = (
    "shapes added",
    "shapes multiplied",
    "shapes joined",
    "shapes subtracted",
    "shapes divided",
)
"""Rows of few nodes that double what they have at each."""

COUNTS = {name: 300 if name in SHORT else 3000 for name in ROWS}
COUNTS |= {"a cycle": 30_000, "many": 300_000, "unfoldable": 1500}
COUNTS |= {"a chain of sums": 10_000, "tensors": 10_000, "blocks in blocks": 10_000}
COUNTS |= dict.fromkeys(WIDE, 800)
COUNTS |= {"texts": 10_000, "long names": 10_000, "metadata": 30_000, "domains": 30_000}
COUNTS |= {"declared": 6000, "inputs put together": 6000, "weights put together": 6000}
COUNTS |= {"choices in choices": 25}  # protobuf reads no messages that are deeper
COUNTS |= {"unread weights": 30_000, "unused nodes": 30_000, "inputs": 20_000}

REFUSED = {"a cycle": "MS104", "many": "MS104"}

PER_NODE = 1000
"""Characters of a script for each node of the file: a placeholder takes 500."""


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """What the child says of each row."""
    rows = [f"{name}={count}" for name, count in COUNTS.items()]
    command = [sys.executable, "-m", "msconvert.tests.converter.growth", *rows]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-500:]}\n{done.stderr[-2000:]}"
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", ROWS)
def test_a_graph_is_converted_or_refused_within_limits(name: str, told: dict[str, str]) -> None:
    said = told[f"{name}={COUNTS[name]}"]
    if name in REFUSED:
        assert said == REFUSED[name]
        return
    *codes, length = said.split()
    assert "MS901" not in codes
    assert int(length) < PER_NODE * COUNTS[name] + 20_000
