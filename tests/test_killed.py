"""A command that is killed leaves all of its files old or all new, whenever it is killed.

A sample of the points, of each command; `benchmarks/killed.py` has them all.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from msconvert.tests.killing import CASES

STEP = 9
"""Each so manieth call; of those, every second one is seen from both sides."""


@pytest.fixture(scope="module")
def swept() -> dict[str, dict[str, Any]]:
    """What was found of each command, in one process, which forks before it has threads."""
    done = subprocess.run(
        [sys.executable, "-m", "msconvert.tests.killing", str(STEP)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["case"]: row for row in found}


@pytest.mark.parametrize("case", CASES)
def test_a_killed_command_leaves_a_whole_set(swept: dict[str, dict[str, Any]], case: str) -> None:
    found = swept[case]
    assert found["wrong"] == []
    assert found["points"] >= 2


def test_points_are_on_both_sides_of_the_commit(swept: dict[str, dict[str, Any]]) -> None:
    """Else the sample would show nothing."""
    several = ("three files", "convert", "weights, shards", "source, force", "source, write")
    for case in several:
        assert swept[case]["old"] >= 1
        assert swept[case]["new"] >= 1
        assert swept[case]["told"].get("a write that was cut off is finished now", 0) >= 1
