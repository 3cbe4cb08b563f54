"""The scan as one HTML page that needs nothing else: filter, sort, source with marked lines."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...errors import CODES, printable
from ...reporting.page import Heading, PageTable, Segment, Tile, embedded, to_page
from ..findings.model import UNREAD, FileScan, Finding, ScannedUse
from ..findings.totals import FeatureRow, Row, Totals
from ..findings.urgency import SAID, FileUrgency, by_file, totals_of
from ..findings.wording import LIMIT, PROBLEM, VERDICTS, counted, short_names
from .as_text import headline
from .outcome import Outcome
from .source_text import SourceText

MOST_BARS = 60
"""So many files have a bar; the list below has them all."""

NUMBERS = {name: number for number, (name, _) in enumerate(VERDICTS)}
GRAVE = {"error": 3, "warning": 2, "note": 1, "": 0}


@dataclass(frozen=True)
class FileBar:
    """A file's bar: its name on the page, its lines by urgency, what is missing to the longest."""

    name: str
    lines: FileUrgency
    rest: int


ReadText = Callable[[FileScan], SourceText | None]


def to_html(outcome: Outcome, title: str, read: ReadText) -> str:
    """The page. `read` gives the text of a file that has findings."""
    totals = outcome.totals
    facts = {
        "title": printable(title),
        "headline": headline(totals),
        "tiles": tiles(totals),
        "shares": segments(totals),
        "tables": tables(totals),
        "bars": bars(outcome),
        "data": embedded(data_of(outcome, read)),
    }
    return to_page("scan.html.jinja", ["scan.css"], "scan.js", facts)


def tiles(totals: Totals) -> list[Tile]:
    figures, lines = totals.effort, totals_of(by_file(totals.files))
    return [
        Tile(f"{100 * totals.convertible:.1f} %", "of uses converted"),
        Tile(f"{figures.by_hand:,}", "lines to change by hand"),
        Tile(f"{figures.to_check:,}", "lines to check"),
        *(Tile(f"{count:,}", f"of these {SAID[level]}") for level, count in lines.items()),
        Tile(f"{figures.converted:,}", "lines msconvert converts"),
        Tile(f"{len(totals.blockers):,}", "APIs without a counterpart"),
        Tile(f"{sum(c.count for c in totals.remarks):,}", "limits and problems"),
    ]


def bars(outcome: Outcome) -> list[FileBar]:
    """The files with most to do; a file's bar is as long as its lines, beside the longest."""
    files = by_file(outcome.totals.files)
    scanned = [file.path for file in outcome.scan.files]
    names = dict(zip(scanned, short_names(scanned), strict=True))
    most = max((sum(file.weight) for file in files), default=1)
    return [FileBar(names[f.path], f, most - sum(f.weight)) for f in files[:MOST_BARS]]


def segments(totals: Totals) -> list[Segment]:
    styles = dict(VERDICTS)
    return [
        Segment(share.standing, styles[share.standing], share.uses, share.names)
        for share in totals.shares
        if share.uses
    ]


def tables(totals: Totals) -> list[PageTable]:
    found = [
        api_table("What stops it", totals.blockers),
        api_table("Operators", totals.operators),
        feature_table(totals.features),
        PageTable(
            "Limits of MindSpore, and problems",
            (Heading("code"), Heading("meaning"), Heading("found", True)),
            tuple((c.code, CODES[c.code], f"{c.count:,}") for c in totals.remarks),
        ),
    ]
    return [table for table in found if table.rows]


def api_table(title: str, rows: Sequence[Row]) -> PageTable:
    headings = (
        Heading("API"),
        Heading("uses", True),
        Heading("files", True),
        Heading("refused", True),
        Heading("verdict"),
        Heading("MindSpore"),
        Heading("note"),
    )
    cells = tuple(
        (r.api, str(r.uses), str(r.files), str(r.refused), r.standing.value, r.target, r.note)
        for r in rows
    )
    return PageTable(f"{title} ({counted(len(rows), 'API')})", headings, cells)


def feature_table(rows: Sequence[FeatureRow]) -> PageTable:
    headings = (
        Heading("feature"),
        Heading("APIs", True),
        Heading("uses", True),
        Heading("converted", True),
        Heading("left"),
    )
    cells = tuple(
        (r.feature, str(r.names), str(r.uses), str(r.converted), ", ".join(r.open_names))
        for r in rows
    )
    return PageTable(f"Features ({len(rows)})", headings, cells)


class Strings:
    """Texts, each kept once and told by its number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def data_of(outcome: Outcome, read: ReadText) -> dict[str, object]:
    """What the page's script reads: a column for each fact, so that 50,000 rows stay small."""
    strings = Strings()
    sources: dict[int, str] = {}
    rows = []
    for number, file in enumerate(outcome.scan.files):
        source = read(file) if file.findings else None
        if source is not None:
            sources[number] = packed(source.text)
        shifts = source.shifts if source is not None else {}
        for finding in file.everything:
            rows.append((number, *cells(finding, strings, shifts.get(finding.place.cell, 0))))
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    data: dict[str, object] = dict(zip(COLUMNS, columns, strict=True))
    return data | {
        "files": short_names([file.path for file in outcome.scan.files]),
        "verdicts": [{"name": name, "style": style} for name, style in VERDICTS],
        "strings": list(strings.numbers),
        "sources": sources,
    }


COLUMNS = (
    *("file", "cell", "line", "column", "endLine", "endColumn", "shift"),
    *("verdict", "api", "code", "note", "edit", "told", "grave"),
)
"""The facts of a row, in the order of `cells`."""


def cells(finding: Finding, strings: Strings, shift: int) -> tuple[object, ...]:
    place = finding.place
    if isinstance(finding, ScannedUse):
        verdict: str = finding.standing
        api, note, edit = finding.api, finding.refusal or finding.note, finding.edit
    else:
        verdict = PROBLEM if finding.code == UNREAD else LIMIT
        api, note, edit = finding.api or finding.code, finding.message, finding.advice
    return (
        *(place.cell, place.line, place.column, place.end_line, place.end_column, shift),
        NUMBERS[verdict],
        strings.number(api),
        finding.code,
        strings.number(note),
        strings.number(edit),
        int(bool(finding.code) and not finding.ignored),
        GRAVE[finding.level],
    )


def packed(text: str) -> str:
    """Compressed, in base64: sources are most of a large page."""
    return base64.b64encode(zlib.compress(text.encode(errors="replace"), 6)).decode()
