"""docs/corpora.md: made of the records of real runs, and what these have shown at least."""

from __future__ import annotations

import re

import pytest

from msconvert.benchmarks.corpora_page import PAGE, TARGETS, page, read
from msconvert.benchmarks.migrate_corpora import LEFT_OUT

LEAST = {
    ("torchvision", "bundled"): (40, 35),
    ("torchvision", "mindspore"): (8, 8),
    ("timm", "bundled"): (50, 50),
    ("timm", "mindspore"): (12, 12),
}
"""How many architectures are equal in eval, and after a training step, by library and target."""

ROW = re.compile(r"^\| (\w+) \| ([\d,/ and]+) \| ([\d ]+) \|(.*)\|$", re.MULTILINE)


def test_the_page_is_that_of_the_records() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize(("library", "target"), LEAST)
def test_so_many_are_equal(library: str, target: str) -> None:
    record = read(library, target)
    equal, step = len(record.passed("equal")), len(record.passed("step"))
    assert equal >= LEAST[library, target][0]
    assert step >= LEAST[library, target][1]
    assert all(one.inputs and one.seconds >= 0 for one in record.results.values())


@pytest.mark.parametrize("library", LEFT_OUT)
def test_the_table_tells_what_the_counts_say(library: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition(f"## {library}\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in row[4].split("|")] for row in ROW.finditer(section)]
    assert len(rows) >= LEAST[library, "bundled"][0]
    for place, name in enumerate(TARGETS.values()):
        told = re.search(rf"^\| {name}, of (\d+) \| (.*) \|$", section, re.MULTILINE)
        assert told is not None
        counts = [int(count) for count in told[2].split(" | ")]
        signs = [[cell.split()[place] for cell in row] for row in rows]
        assert counts == [column.count("✓") for column in zip(*signs, strict=True)]
        assert int(told[1]) == len([row for row in signs if row[0] != "·"])
