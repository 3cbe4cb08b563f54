"""A conversion as one HTML page that needs nothing else: both sources side by side."""

from __future__ import annotations

import difflib
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...errors import printable
from ...reporting.page import Heading, PageTable, Segment, Tile, to_page
from ..analysis.files.reading import notebook_in
from ..findings.wording import VERDICTS as SCAN_VERDICTS
from ..findings.wording import counted, short_names
from ..syntax.notebook import notebook_cells
from .as_markdown import HEADINGS, class_name, figures
from .as_text import next_steps, numbers, told
from .outcome import Outcome, classes_of, counts_of, state
from .tree import Converted

CONTEXT = 3
"""Lines that stay, shown around those that change; the others are folded."""

MOST_LINES = 60_000
"""A page of more changed files has only the changes and what is around them."""


@dataclass(frozen=True)
class Line:
    """A line of both sides: numbers and texts, "" where a side has none; `kind` is its class."""

    kind: str
    left_number: str
    left: str
    right_number: str
    right: str


@dataclass(frozen=True)
class Stretch:
    """Lines that are shown, or folded under a title."""

    lines: tuple[Line, ...]
    title: str = ""


@dataclass(frozen=True)
class Sides:
    """A file that changes: its name, its figures, what stays in it, both texts."""

    name: str
    figures: str
    findings: tuple[str, ...]
    stretches: tuple[Stretch, ...]


def to_html(outcome: Outcome) -> str:
    names = dict(zip(outcome.tree.files, short_names_of(outcome), strict=True))
    total = sum(file.scan.lines for file in outcome.changed)
    facts = {
        "title": ", ".join(printable(path.absolute().name) for path in outcome.tree.roots),
        "tiles": tiles(outcome),
        "shares": segments(outcome),
        "headline": "; ".join(numbers(outcome)),
        "steps": list(next_steps(outcome)),
        "tables": [files_table(outcome, names)],
        "sides": (sides(file, names[file], total <= MOST_LINES) for file in outcome.changed),
    }
    return to_page("source.html.jinja", ["scan.css", "source.css"], "source.js", facts)


def short_names_of(outcome: Outcome) -> list[str]:
    return short_names([file.scan.path for file in outcome.tree.files])


def tiles(outcome: Outcome) -> list[Tile]:
    counts = outcome.counts
    return [
        Tile(f"{len(outcome.changed):,}", "files changed"),
        Tile(f"{len(outcome.unchanged):,}", "files unchanged"),
        Tile(f"{len(outcome.failed):,}", "files failed"),
        Tile(f"{counts.converted:,}", "uses converted"),
        Tile(f"{counts.left + counts.held:,}", "uses that stay PyTorch's"),
        Tile(f"{counts.unknown:,}", "receivers not known"),
    ]


def segments(outcome: Outcome) -> list[Segment]:
    styles = dict(SCAN_VERDICTS)
    return [
        Segment(share.standing, styles[share.standing], share.uses, share.names)
        for share in outcome.totals.shares
        if share.uses
    ]


def files_table(outcome: Outcome, names: dict[Converted, str]) -> PageTable:
    headings = tuple(Heading(text, place > 2) for place, text in enumerate(HEADINGS))
    rows: list[tuple[str, ...]] = []
    for file in outcome.tree.files:
        rows.append((names[file], "", state(file), *figures(counts_of(file))))
        rows += [("", class_name(c), "", *figures(c.counts)) for c in classes_of(file)]
    title = f"Files and classes ({counted(len(outcome.tree.files), 'file')})"
    return PageTable(title, headings, tuple(rows))


def sides(file: Converted, name: str, is_whole: bool) -> Sides:
    assert file.data is not None
    counts = counts_of(file)
    figures = f"{counts.converted} converted, {counts.left} left, {counts.unknown} unknown"
    findings = tuple(told(file, use) for use in (*file.left, *file.unknown))
    before, after = lines_of(file, file.before), lines_of(file, file.data)
    stretches = tuple(stretches_of(before, after, is_whole))
    return Sides(name, figures, findings, stretches)


def lines_of(file: Converted, data: bytes) -> list[str]:
    """The lines of a source; of a notebook, those of its code cells."""
    if file.path.suffix == ".ipynb":
        cells = notebook_cells(notebook_in(data))
        text = "\n".join(f"# cell {cell.number}\n{cell.raw}\n" for cell in cells)
    else:
        text = data.decode(tokenize.detect_encoding(io.BytesIO(data).readline)[0], "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def stretches_of(before: Sequence[str], after: Sequence[str], whole: bool) -> Iterator[Stretch]:
    """Both texts side by side; of lines that stay, most are folded, or left out."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, right_start, right_end in opcodes(matcher):
        pairs = aligned(before[start:end], after[right_start:right_end], start, right_start, tag)
        if tag != "equal" or len(pairs) <= 2 * CONTEXT + 1:
            yield Stretch(pairs)
            continue
        head = CONTEXT if start else 0
        tail = CONTEXT if end < len(before) else 0
        folded = pairs[head : len(pairs) - tail]
        yield Stretch(pairs[:head])
        yield Stretch(folded if whole else (), f"{counted(len(folded), 'line')} as before")
        yield Stretch(pairs[len(pairs) - tail :] if tail else ())


def opcodes(matcher: difflib.SequenceMatcher[str]) -> Iterator[tuple[str, int, int, int, int]]:
    yield from matcher.get_opcodes()


def aligned(
    left: Sequence[str], right: Sequence[str], start: int, right_start: int, kind: str
) -> tuple[Line, ...]:
    """The lines of two stretches, one beside the other as far as both go."""
    found = []
    for place in range(max(len(left), len(right))):
        has_left, has_right = place < len(left), place < len(right)
        found.append(
            Line(
                "same" if kind == "equal" else "changed",
                str(start + place + 1) if has_left else "",
                shown(left[place]) if has_left else "",
                str(right_start + place + 1) if has_right else "",
                shown(right[place]) if has_right else "",
            )
        )
    return tuple(found)


def shown(line: str) -> str:
    """A line as it is, but for what no page shows."""
    return "".join(c if c.isprintable() or c == "\t" else printable(c) for c in line)
