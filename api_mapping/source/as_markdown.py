"""A conversion as Markdown: for a merge request, or to be read next to the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...errors import printable
from ..findings.model import Finding, order
from .as_text import next_steps, numbers
from .outcome import ClassCounts, Counts, Outcome, classes_of, counts_of, state
from .tree import Converted

Findings = Callable[[Converted], Sequence[Finding]]
HEADINGS = ("file", "class", "", "uses", "converted", "left", "held", "unknown")


def to_markdown(outcome: Outcome) -> str:
    return "\n".join(lines_of(outcome)) + "\n"


def lines_of(outcome: Outcome) -> Iterator[str]:
    yield "# Converted by msconvert\n"
    yield from (f"- {line}" for line in numbers(outcome))
    yield "\n## Verdicts\n"
    yield from table(("verdict", "uses"), ((name, str(n)) for name, n in outcome.counts.verdicts))
    yield "\n## Files and classes\n"
    yield from table(HEADINGS, (row for file in outcome.tree.files for row in rows(file)))
    yield from section("What stays PyTorch's", outcome, lambda file: file.left)
    yield from section("Receivers that are not known", outcome, lambda file: file.unknown)
    yield from section("Limits and problems", outcome, remarks_of)
    if outcome.refused:
        yield "\n## Not written\n"
        yield from (f"- {code(r.path)}: {escaped(r.problem)}" for r in outcome.refused)
    yield "\n## What to do next\n"
    yield from (f"{number}. {step}" for number, step in enumerate(next_steps(outcome), 1))


def remarks_of(file: Converted) -> list[Finding]:
    return sorted(file.scan.remarks, key=order)


def rows(file: Converted) -> Iterator[tuple[str, ...]]:
    """A row for a file, and one for each of its classes."""
    if not file.scan.uses and not file.failed:
        return
    yield code(file.scan.path), "", state(file), *figures(counts_of(file))
    for found in classes_of(file):
        yield "", class_name(found), "", *figures(found.counts)


def class_name(found: ClassCounts) -> str:
    return code(found.name) if found.line else found.name


def figures(counts: Counts) -> tuple[str, ...]:
    found = counts.uses, counts.converted, counts.left, counts.held, counts.unknown
    return tuple(map(str, found))


def section(title: str, outcome: Outcome, of: Findings) -> Iterator[str]:
    """A list of findings, under their files."""
    files = [file for file in outcome.tree.files if of(file)]
    if not files:
        return
    yield f"\n## {title}"
    for file in files:
        yield f"\n{code(file.scan.path)}\n"
        for finding in of(file):
            place = f"cell {finding.place.cell}, " if finding.place.cell else ""
            advice = f"; {finding.advice}" if finding.advice else ""
            told = escaped(f"{finding.message}{advice}")
            yield f"- {place}line {finding.place.line}: {finding.code} {told}"


def table(headings: Iterable[str], found: Iterable[Iterable[str]]) -> Iterator[str]:
    headings = tuple(headings)
    yield row(headings)
    yield row("---" for _ in headings)
    yield from map(row, found)


def row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def code(text: str) -> str:
    """A name as code, whatever is in it."""
    shown = printable(text).replace("|", "\\|").replace("`", "'")
    return f"`{shown}`"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", printable(text, limit=1000))
