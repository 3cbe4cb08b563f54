"""The guard: what it catches, what it lets through, and that the tests see it."""

from __future__ import annotations

import pytest

from msconvert.converter.guard import MALFORMED, guard, reason_of
from msconvert.errors import MsconvertError
from msconvert.tests.converter.conftest import Caught


def refusal(reason: str) -> MsconvertError:
    return MsconvertError("MS104", "node", "it does not fit", got=reason)


@pytest.mark.malformed
@pytest.mark.parametrize("kind", MALFORMED, ids=lambda kind: kind.__name__)
def test_what_malformed_data_raises_is_a_refusal(kind: type[Exception], caught: Caught) -> None:
    with pytest.raises(MsconvertError, match="MS104") as told, guard(refusal):
        raise kind("first line\nsecond")
    assert told.value.got == f"{kind.__name__}: first line"
    assert isinstance(told.value.__cause__, kind)
    assert kind.__name__ in caught.texts[0]


@pytest.mark.parametrize("kind", [OSError, NameError, ImportError, KeyboardInterrupt, SyntaxError])
def test_what_no_data_raises_passes(kind: type[BaseException], caught: Caught) -> None:
    with pytest.raises(kind), guard(refusal):
        raise kind
    assert caught.texts == []


def test_a_refusal_passes_as_it_is(caught: Caught) -> None:
    with pytest.raises(MsconvertError, match="MS101"), guard(refusal):
        raise MsconvertError("MS101", "node", "no handler")
    assert caught.texts == []


@pytest.mark.malformed
def test_an_error_without_text_is_named() -> None:
    assert reason_of(StopIteration()) == "StopIteration"
