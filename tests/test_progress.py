"""What is shown while a command works: names from files in it do nothing."""

from __future__ import annotations

import io
import sys

import pytest

from msconvert.reporting import progress
from msconvert.reporting.progress import Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_hostile_names_are_shown_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    with Progress() as tell:
        tell("reading [/other]")
        tell._timer.join()
        tell("writing [/bold] \x1b[2Jgone [red]x")
    assert r"writing [/bold] \x1b[2Jgone [red]x" in terminal.getvalue()
    assert "\x1b[2Jgone" not in terminal.getvalue()


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    with Progress() as tell:
        tell("a step")
    assert stream.getvalue() == ""
