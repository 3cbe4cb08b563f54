"""What MindSpore runs and the bundled runtime does not, by the record of the rows."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from . import registry
from .rule import Rule

FILE = Path(__file__).parent / "rows" / "verified.json"
"""Which rows were seen to be right, on which sides: written by the run that saw it."""

OWN_HOMES = re.compile(r"\b(?:ds|compat|ms\.profiler|ms\.utils)\.")
"""What stands in the code of rows that the runtime may lack names for."""


@cache
def recorded() -> dict[str, dict[str, str]]:
    """The versions of the last run, and the sides on which each row was right, by its signature."""
    if not FILE.exists():
        return {"versions": {}, "rows": {}}
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


@cache
def is_on_mindspore_only(api: str) -> bool:
    """Whether each row of a name that has code was right on MindSpore, and not on the runtime."""
    rules = [rule for rule in registry.find(api) if rule.target]
    return bool(rules) and all(map(is_alone, rules))


def is_alone(rule: Rule) -> bool:
    seen = recorded()["rows"].get(rule.signature, "").split(", ")
    return "MindSpore" in seen and "runtime" not in seen and bool(OWN_HOMES.search(rule.target))
