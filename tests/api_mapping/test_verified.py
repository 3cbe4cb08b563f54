"""The examples of the table on three sides, and the record of all that ships: verified.json.

    pytest tests/api_mapping/test_verified.py --whole            all examples, not a share
    pytest tests/api_mapping/test_verified.py --renew-golden     writes the record and the page
    python -m msconvert.tests.api_mapping.verification NAME      the examples of some names

Without the real MindSpore its side is left out; the rest is held against the record all the same.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import version

import pytest

import msconvert
from msconvert.api_mapping.reference import verification
from msconvert.api_mapping.reference.examples import Example, examples
from msconvert.api_mapping.table import bundled
from msconvert.tests.api_mapping.verification import (
    NOT_RUN,
    Outcome,
    mindspore_python,
    verify,
)
from msconvert.tests.sweep import Sweeps

MINDSPORE_VERSION = "2.10.0"
"""What tests/make_mindspore_env.sh installs."""

REFUSED = re.compile(r"\w+(Error|Exception)?: |refused: ")
"""How an outcome begins that is no value."""


@pytest.fixture(scope="module")
def outcomes(sweeps: Sweeps) -> list[Outcome]:
    """All examples; what differs on MindSpore's side is asked again in a process of its own.

    A share of them, if not --whole: one of each row and target, a fourth of the others, and all of
    a row that is not right everywhere, of which the others alone might be.
    """
    every = sweeps.rows("examples of the table", list(examples()), lambda e: e.id, features, 4)
    found = verify(every, mindspore_python())
    doubtful = [o.example for o in found if is_wrong(o)]
    again = {o.example.id: o for o in verify(doubtful, mindspore_python())} if doubtful else {}
    return [again.get(o.example.id, o) for o in found]


def features(example: Example) -> list[str]:
    """What no share of the examples is without."""
    signature = example.rule.signature
    sides = verification.record().sides.get(signature, ())
    mint = "mint " if example.mint else ""
    is_right = {f"{mint}{verification.RUNTIME}", f"{mint}{verification.MINDSPORE}"} <= {*sides}
    return [f"{mint}{signature}" if is_right else example.id]


def is_wrong(outcome: Outcome) -> bool:
    """Whether a side gives something else than PyTorch that no row speaks of.

    `mint` is for Ascend: what the CPU build refuses is not seen, and so not verified; what it
    computes must be right.
    """
    if outcome.example.mint:
        return outcome.mindspore not in ("", NOT_RUN) and not REFUSED.match(outcome.mindspore)
    if outcome.runtime not in ("", NOT_RUN):
        return True
    is_refused = outcome.example.rule.platform and REFUSED.match(outcome.mindspore)
    return outcome.mindspore not in ("", NOT_RUN) and not is_refused


def test_every_example_gives_what_pytorch_gives(outcomes: list[Outcome]) -> None:
    wrong = [(o.example.id, o.runtime, o.mindspore) for o in outcomes if is_wrong(o)]
    assert wrong == []


def test_the_record_says_what_was_seen(
    outcomes: list[Outcome], request: pytest.FixtureRequest
) -> None:
    seen = {signature: ", ".join(sides) for signature, sides in right_sides(outcomes) if sides}
    if request.config.getoption("--renew-golden"):
        bundled.FILE.write_text(written(seen), encoding="utf-8")
        bundled.recorded.cache_clear()
        verification.record.cache_clear()
    kept = {signature: ", ".join(sides) for signature, sides in verification.record().sides.items()}
    if mindspore_python() is None:
        kept = {signature: without_mindspore(sides) for signature, sides in kept.items()}
        kept = {signature: sides for signature, sides in kept.items() if sides}
    assert seen == kept, "renew it: pytest tests/api_mapping/test_verified.py --renew-golden"


def right_sides(outcomes: list[Outcome]) -> Iterator[tuple[str, list[str]]]:
    """For each signature, the sides on which all examples of its rows are right."""
    by_signature: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_signature[outcome.example.rule.signature].append(outcome)
    for signature, of_rule in by_signature.items():
        classic = [o for o in of_rule if not o.example.mint]
        mint = [o for o in of_rule if o.example.mint]
        sides = {
            verification.RUNTIME: [o.runtime for o in classic],
            verification.MINDSPORE: [o.mindspore for o in classic],
            f"mint {verification.RUNTIME}": [o.runtime for o in mint],
            f"mint {verification.MINDSPORE}": [o.mindspore for o in mint],
        }
        yield signature, [side for side, said in sides.items() if said and not any(said)]


def without_mindspore(sides: str) -> str:
    return ", ".join(s for s in sides.split(", ") if not s.endswith(verification.MINDSPORE))


def written(seen: dict[str, str]) -> str:
    """The record as JSON, a row on a line."""
    versions = {
        "PyTorch": version("torch"),
        "torchvision": version("torchvision"),
        verification.RUNTIME: msconvert.__version__,
        verification.MINDSPORE: MINDSPORE_VERSION,
    }
    rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(seen.items()))
    return f'{{"versions": {json.dumps(versions)},\n "rows": {{\n{rows}\n}}}}\n'
