"""Files as others write them, converted whole and executed: rows' examples, variants, snippets.

What is random is compared by shape and element type, and what differs counts. Here it is a sample;
`python benchmarks/snippets.py` does all of them and prints the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

import pytest

from msconvert.tests.api_mapping.verification import mindspore_python

from .snippets import Fate, Judged, Snippet, judged, of_rows, of_variants, written

pytest.importorskip("torch")

SHARE = 0.01
"""Of the forms of each example; `of_variants` takes the same ones each time."""

ONE_IN = 3
"""Of the rows' examples and of what was written by hand: every third, so some of each API."""


def variants() -> Iterable[Snippet]:
    return of_variants(SHARE)


SETS: dict[str, tuple[Callable[[], Iterable[Snippet]], int]] = {
    "rows": (lambda: islice(of_rows(), 0, None, ONE_IN), 1300),
    "variants": (variants, 1000),
    "written": (lambda: islice(written(), 0, None, ONE_IN), 1330),
}
"""Where snippets come from, and how many there must be at least."""

EQUAL_ON_RUNTIME, EQUAL_ON_MINDSPORE = 0.9, 0.8
SILENT = 0.01
"""The share that may give other values and say nothing of it: each is a defect."""


@pytest.fixture(scope="module", params=SETS)
def results(request: pytest.FixtureRequest) -> tuple[list[Judged], int]:
    make, least = SETS[request.param]
    return judged(list(make()), mindspore_python()), least


def share(results: list[Judged], side: int, fate: Fate) -> float:
    return sum(r.fates[side] is fate for r in results) / len(results)


def test_they_are_equal_to_pytorch_on_the_runtime(results: tuple[list[Judged], int]) -> None:
    found, least = results
    assert len(found) >= least
    run = [r for r in found if r.fates[0] is not Fate.NOT_RUN]
    assert share(run, 0, Fate.EQUAL) >= EQUAL_ON_RUNTIME
    assert share(found, 0, Fate.SILENT) <= SILENT


@pytest.mark.skipif(mindspore_python() is None, reason="needs MindSpore")
def test_they_are_equal_to_pytorch_on_mindspore(results: tuple[list[Judged], int]) -> None:
    found, _ = results
    assert share(found, 1, Fate.EQUAL) >= EQUAL_ON_MINDSPORE
    assert share(found, 1, Fate.SILENT) <= SILENT


def test_what_is_refused_is_marked(results: tuple[list[Judged], int]) -> None:
    found, _ = results
    refused = [r for r in found if r.fates[0] is Fate.REFUSED]
    assert [r.snippet.id for r in refused if "# MS2" not in r.migrated.text] == []
