"""Which rows were seen to be right, on which sides: read from verified.json.

That file is written only by the run that saw it (tests/api_mapping/test_verified.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ..table.bundled import recorded
from ..table.rule import Rule

RUNTIME, MINDSPORE = "runtime", "MindSpore"
"""The two sides that are compared with PyTorch; `mint` before one: by the row's mint target."""


@dataclass(frozen=True)
class Record:
    """What the last run saw: the versions, and by signature the sides on which a row is right."""

    versions: Mapping[str, str]
    sides: Mapping[str, tuple[str, ...]]


@cache
def record() -> Record:
    """The record that ships."""
    kept = recorded()
    sides = {signature: tuple(of_row.split(", ")) for signature, of_row in kept["rows"].items()}
    return Record(kept["versions"], sides)


def sides(rule: Rule) -> tuple[str, ...]:
    """The sides on which every example of the row gave PyTorch's values and element types."""
    return record().sides.get(rule.signature, ())
