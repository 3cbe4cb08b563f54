"""Every row of `rows/`: the runtime against the real MindSpore, in both modes.

    pytest tests/runtime/train -k callbacks        one family

What MindSpore gave for a row is kept in pytest's cache, by the row's text and the runner's.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from msconvert.tests.runtime.train.table import BOTH, Row, groups

pytestmark = pytest.mark.usefixtures("warm")

RUNNER = Path(__file__).with_name("runner.py")
GROUPS = groups()
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?|-?\d+")
TIMES = re.compile(r"\d+\.\d+ ms")

Outcome = dict[str, Any]
Outcomes = dict[str, dict[str, Outcome]]
"""By mode and code."""


def chosen(request: pytest.FixtureRequest) -> list[Row]:
    """The rows of the families that are asked for."""
    families = {
        item.callspec.params["family"]
        for item in request.session.items
        if getattr(item, "module", None) is request.module and hasattr(item, "callspec")
    }
    return [row for family in GROUPS for row in GROUPS[family] if family in families]


def codes(rows: list[Row], mode: str) -> list[str]:
    return [row.code for row in rows if mode in row.modes]


@pytest.fixture(scope="module")
def of_mindspore(
    request: pytest.FixtureRequest,
    run_mindspore: Callable[..., str],
    kept_of_mindspore: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Outcomes:
    """What the real MindSpore gives for the rows that are asked for."""
    kept = Kept(kept_of_mindspore)
    for mode in BOTH:
        wanted = codes(chosen(request), mode)
        missing = [code for code in wanted if code not in kept.found[mode]]
        if missing:
            folder = tmp_path_factory.mktemp("mindspore")
            (folder / "rows.json").write_text(json.dumps(missing))
            run_mindspore(folder, str(RUNNER), "rows.json", "found.json", mode)
            kept.add(mode, json.loads((folder / "found.json").read_text()))
    return kept.found


class Kept:
    """Outcomes of MindSpore that hold while the runner is the same."""

    def __init__(self, folder: Path) -> None:
        runner = hashlib.sha256(RUNNER.read_bytes()).hexdigest()[:16]
        self.file = folder / f"train-{runner}.json"
        held = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.found: Outcomes = {mode: held.get(mode, {}) for mode in BOTH}

    def add(self, mode: str, outcomes: dict[str, Outcome]) -> None:
        self.found[mode] |= outcomes
        beside = self.file.with_suffix(".new")
        beside.write_text(json.dumps(self.found))
        beside.replace(self.file)


@pytest.fixture(scope="module")
def of_runtime(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Outcomes:
    """What the runtime gives for the same rows, in a process for each mode."""
    found: Outcomes = {}
    for mode in BOTH:
        folder = tmp_path_factory.mktemp("runtime")
        (folder / "rows.json").write_text(json.dumps(codes(chosen(request), mode)))
        program = [sys.executable, "-m", "msconvert.runtime", str(RUNNER)]
        done = subprocess.run(
            [*program, "rows.json", "found.json", mode],
            cwd=folder, capture_output=True, text=True, timeout=900,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found[mode] = json.loads((folder / "found.json").read_text())
    return found


def differences(got: Any, expected: Any, tolerance: float, place: str = "") -> list[str]:
    """Where two outcomes differ; numbers by more than the tolerance."""
    if isinstance(got, dict) and isinstance(expected, dict):
        if sorted(got) != sorted(expected):
            return [f"{place}: {sorted(got)} and {sorted(expected)}"]
        pairs = [(key, got[key], expected[key]) for key in expected]
    elif isinstance(got, list) and isinstance(expected, list) and len(got) == len(expected):
        pairs = list(zip(map(str, range(len(got))), got, expected, strict=True))
    elif isinstance(got, str) and isinstance(expected, str):
        return text_differences(got, expected, tolerance, place)
    else:
        return [] if same(got, expected, tolerance) else [f"{place}: {got!r} and {expected!r}"]
    return [
        line
        for key, a, b in pairs
        for line in differences(a, b, tolerance, f"{place}.{key}" if place else key)
    ]


def same(got: Any, expected: Any, tolerance: float) -> bool:
    """Whether two numbers are equal, NaN to NaN; anything else must be to the letter."""
    plain = (int, float)
    if isinstance(got, bool) or isinstance(expected, bool) or type(got) not in plain:
        return bool(got == expected and type(got) is type(expected))
    if type(expected) not in plain:
        return False
    if math.isnan(got) or math.isnan(expected):
        return math.isnan(got) and math.isnan(expected)
    return got == expected or abs(got - expected) <= tolerance * max(1.0, abs(expected))


def text_differences(got: str, expected: str, tolerance: float, place: str) -> list[str]:
    """Two texts: the same but for numbers with a point, which may differ by the tolerance."""
    got, expected = TIMES.sub("TIME", got), TIMES.sub("TIME", expected)
    numbers = [list(map(float, NUMBER.findall(text))) for text in (got, expected)]
    if NUMBER.sub("#", got) != NUMBER.sub("#", expected):
        return [f"{place}: {got!r} and {expected!r}"]
    return differences(*numbers, tolerance, place)


def compared(row: Row, got: Outcome, expected: Outcome) -> list[str]:
    """Where the runtime's outcome is not the one that the row says."""
    named = [None if found["error"] is None else found["error"][0] for found in (got, expected)]
    a, b = ({**found, "error": name} for found, name in zip((got, expected), named, strict=True))
    found = differences(a, b | row.here, row.tolerance)
    if (named[0] is not None) is not (row.refused or row.here.get("error") is not None):
        found.append("it is refused, or is not, against what the row says")
    if row.here and not differences(a, b, row.tolerance):
        found.append("the row says that the runtime differs, and it does not")
    return [f"{line}   {got['error'] or ''} {expected['error'] or ''}" for line in found]


@pytest.mark.parametrize("family", GROUPS)
@pytest.mark.parametrize("mode", BOTH)
def test_runtime_is_mindspores_equal(
    family: str, mode: str, of_mindspore: Outcomes, of_runtime: Outcomes
) -> None:
    wrong = []
    for row in GROUPS[family]:
        if mode in row.modes:
            got, expected = of_runtime[mode][row.code], of_mindspore[mode][row.code]
            wrong += [f"{row.code}\n    {line}" for line in compared(row, got, expected)]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("family", GROUPS)
def test_refusals_have_a_code(family: str, of_runtime: Outcomes) -> None:
    """What MindSpore's users would catch is an error of msconvert's, with its code."""
    told = [
        of_runtime[mode][row.code]["error"]
        for row in GROUPS[family]
        for mode in row.modes
        if "raise " not in row.code
    ]
    bare = [error for error in told if error is not None and not error[1].startswith("MS")]
    assert bare == []
    assert not [error for error in told if error is not None and error[1].startswith("MS901")]


@pytest.mark.parametrize("family", GROUPS)
def test_refusals_read_well(
    family: str, of_runtime: Outcomes, golden: Callable[[Path, str], None]
) -> None:
    """What a user reads: `refusals/FAMILY.txt` is for reviewers."""
    parts = []
    for row in GROUPS[family]:
        error = of_runtime[row.modes[0]][row.code]["error"]
        if error is not None:
            shown = f"{error[0]}: {error[1]}".replace("\n", "\n    ")
            parts.append(f"{row.code}\n\n    {shown}\n")
    golden(RUNNER.with_name("refusals") / f"{family}.txt", "\n".join(parts))


def test_rows_are_rows_once() -> None:
    every = [row.code for rows in GROUPS.values() for row in rows]
    assert len(set(every)) == len(every)


def test_differences_are_found() -> None:
    assert differences({"a": [1.0, "x 2.5"]}, {"a": [1.0, "x 2.5"]}, 1e-6) == []
    for other in ({"a": [1.1, "x 2.5"]}, {"a": [1.0, "x 2.6"]}, {"a": [1.0, "y 2.5"]}, {"b": []}):
        assert differences({"a": [1.0, "x 2.5"]}, other, 1e-6) != []
    assert differences([True], [1], 1e-6) != []
    assert differences([None], [0.0], 1e-6) != []
    assert differences("1.5 ms", "2.5 ms", 1e-6) == []
