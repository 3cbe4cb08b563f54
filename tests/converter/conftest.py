"""Malformed models only may make the converter's guard work: for a valid one it hides a defect."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from msconvert.converter import guard


class Caught(logging.Handler):
    """Keeps what the guard logs."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))


@pytest.fixture(autouse=True)
def caught(request: pytest.FixtureRequest) -> Iterator[Caught]:
    """What the guard caught; a test that is not marked `malformed` fails if that is anything."""
    handler = Caught()
    guard.LOG.addHandler(handler)
    before = guard.LOG.level
    guard.LOG.setLevel(logging.DEBUG)
    yield handler
    guard.LOG.setLevel(before)
    guard.LOG.removeHandler(handler)
    if request.node.get_closest_marker("malformed") is None and handler.texts:
        pytest.fail(f"the guard caught what it must not see here:\n{handler.texts[0]}")
