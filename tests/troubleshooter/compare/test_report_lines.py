"""Lines of the report about operators and errors, by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.troubleshooter.compare.as_text import operator_lines
from msconvert.troubleshooter.compare.operators.difference import (
    Operation,
    OperatorDifference,
    Tensor,
)
from msconvert.troubleshooter.compare.session import failed
from msconvert.troubleshooter.compare.subject import Subject
from msconvert.troubleshooter.sides.child.messages import Failure

X = Tensor("the input", (2, 4), "float32")
ADD = Operation("add", "net.py", 8, 8, "y = x + 1", inputs=(X,), outputs=(X,))
RESULT = Operation("", inputs=(X,))


def test_a_result_is_no_operator() -> None:
    """It has no name and no line, which were printed all the same."""
    lines = operator_lines(OperatorDifference("value", RESULT, ADD, off_by=0.5))
    assert lines[1] == "A: what it gives: the input float32[2, 4]"
    assert lines[2] == "B: net.py:8: y = x + 1"
    assert lines[-1] == "what it gives is off by 0.5 of its largest element"


def test_what_goes_on_is_said_once() -> None:
    lines = operator_lines(OperatorDifference("missing", ADD, None, ADD))
    assert lines[3] == "B: goes on with net.py:8: y = x + 1"
    assert lines[4].startswith("B:    add: the input")


def test_nothing_is_off_by_nothing() -> None:
    """The same layer, given something else, and replayed with what A's is given."""
    assert not any(
        "off by" in x for x in operator_lines(OperatorDifference("value", ADD, ADD, None, 0.0))
    )


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("ValueError", "--shape or --inputs"),
        ("Timeout", "--timeout"),
        ("Crash", "ends the process"),
        ("SystemExit", "ends the process"),
    ],
)
def test_advice_is_of_what_has_happened(kind: str, advice: str) -> None:
    subject = Subject(Path("net.py"), "torch")
    assert advice in str(failed(subject, "record", Failure(kind, "x"), is_reference=True))
