"""The scan on a terminal: a summary with bars on stdout, findings by file on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...errors import CODES, printable
from ..findings.model import Finding, ScannedUse, Standing
from ..findings.totals import FeatureRow, Row, Totals
from ..findings.urgency import SAID, FileUrgency, by_file, totals_of
from ..findings.wording import counted, emptiness
from ..reference.card_text import COLOURS
from .outcome import Outcome, Told

PIPED_WIDTH = 100
"""How wide a summary is that no terminal shows."""
BAR = 24
MOST_ROWS = 10
"""So many APIs of a kind are shown; the other outputs have them all."""

STYLES = COLOURS | {
    Standing.UNKNOWN: "cyan",
    Standing.UNLISTED: "red",
    Standing.DYNAMIC: "magenta",
    Standing.FOREIGN: "red",
    "error": "red",
    "warning": "yellow",
    "note": "cyan",
}
MOST_CODE = 44
"""So many characters of MindSpore's code are shown."""
RANKS = {"error": 0, "warning": 1, "note": 2, "": 3}


def write_summary(outcome: Outcome) -> None:
    """Prints what the scan comes to."""
    width = None if sys.stdout.isatty() else PIPED_WIDTH
    console = Console(highlight=False, width=width)
    totals = outcome.totals
    console.print(Text(headline(totals), "bold"))
    if totals.uses:
        console.print(shares(totals, bar_of(console)))
        console.print(Text("\n".join(effort(totals))))
        for part in tables(totals):
            console.print()
            console.print(part)
    for line in closing(outcome):
        console.print(Text(line, "bold"))


def headline(totals: Totals) -> str:
    files, lines = counted(totals.file_count, "file"), counted(totals.lines, "line")
    uses, names = counted(totals.uses, "use"), counted(totals.names, "API")
    return f"{files}, {lines}: {uses} of {names} of PyTorch"


def bar_of(console: Console) -> str:
    """The character of a bar, as far as the output can show it."""
    try:
        "█".encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return "#"
    return "█"


def shares(totals: Totals, bar: str) -> Table:
    table = plain_table("verdict", "uses>", "share>", "", "APIs>")
    most = max(share.uses for share in totals.shares)
    for share in (share for share in totals.shares if share.uses):
        style = STYLES[share.standing]
        length = max(1, round(BAR * share.uses / most))
        percent = f"{100 * share.uses / totals.uses:.1f} %"
        cells = [Text(share.standing, style), Text(f"{share.uses:,}"), Text(percent)]
        table.add_row(*cells, Text(bar * length, style), Text(f"{share.names:,}"))
    return table


def plain_table(*headings: str, title: str = "") -> Table:
    """A table without lines; a heading that ends in `>` is of numbers."""
    table = Table(box=None, title=title or None, title_justify="left", title_style="bold")
    for heading in headings:
        justify: Literal["left", "right"] = "right" if heading.endswith(">") else "left"
        table.add_column(heading.rstrip(">"), justify=justify, header_style="dim", overflow="fold")
    return table


def effort(totals: Totals) -> Iterator[str]:
    figures = totals.effort
    yield f"{100 * totals.convertible:.1f} % of the uses have MindSpore code that msconvert writes"
    yield (
        f"Effort: {counted(figures.by_hand, 'line')} to change by hand, {figures.to_check:,} to "
        f"check, {figures.converted:,} that msconvert converts"
    )
    lines = totals_of(by_file(totals.files))
    if any(lines.values()):
        told = (f"{count:,} {SAID[urgency]}" for urgency, count in lines.items())
        yield f"Of the lines to change or check: {', '.join(told)}"


def tables(totals: Totals) -> Iterator[Table]:
    """What stops the project, the guide's two tables, MindSpore's limits; those with rows."""
    if totals.blockers:
        yield api_table(f"What stops it ({counted(len(totals.blockers), 'API')})", totals.blockers)
    if totals.operators:
        yield api_table(f"Operators ({len(totals.operators)})", totals.operators)
    if totals.features:
        yield feature_table(totals.features)
    files = [file for file in by_file(totals.files) if file.open]
    if len(files) > 1:
        yield file_table(files)
    if totals.remarks:
        table = plain_table("code", "found>", "", title="Limits and problems")
        for remark in totals.remarks:
            table.add_row(remark.code, f"{remark.count:,}", CODES[remark.code])
        yield table


def api_table(title: str, rows: Sequence[Row]) -> Table:
    """The most used APIs; of MindSpore's code what a line holds, advice as a whole."""
    table = plain_table("API", "uses>", "files>", "verdict", "MindSpore, or instead", title=title)
    for row in rows[:MOST_ROWS]:
        instead = shortened(printable(row.target)) if row.target else printable(row.note)
        verdict = Text(row.standing, STYLES[row.standing])
        table.add_row(
            Text(printable(row.api)), f"{row.uses:,}", f"{row.files:,}", verdict, Text(instead)
        )
    if len(rows) > MOST_ROWS:
        table.add_row(Text(f"and {len(rows) - MOST_ROWS} more", "dim"))
    return table


def file_table(files: Sequence[FileUrgency]) -> Table:
    """Where the work is: the most urgent files."""
    columns = ("file", "stops>", "silent>", "look>", "converted>")
    table = plain_table(*columns, title=f"Lines to change or check ({counted(len(files), 'file')})")
    for file in files[:MOST_ROWS]:
        table.add_row(Text(printable(file.path)), *(f"{count:,}" for count in file.weight))
    if len(files) > MOST_ROWS:
        table.add_row(Text(f"and {len(files) - MOST_ROWS} more", "dim"))
    return table


def shortened(text: str) -> str:
    """The text as far as it fits beside the other columns."""
    return text if len(text) <= MOST_CODE else text[: MOST_CODE - 3] + "..."


def feature_table(rows: Sequence[FeatureRow]) -> Table:
    table = plain_table("feature", "APIs>", "uses>", "converted>", "left", title="Features")
    for row in rows:
        share = f"{100 * row.converted / row.uses:.0f} %"
        left = ", ".join(row.open_names[:3]) + (", ..." if len(row.open_names) > 3 else "")
        table.add_row(row.feature, f"{row.names:,}", f"{row.uses:,}", share, Text(printable(left)))
    return table


def closing(outcome: Outcome) -> Iterator[str]:
    """What does not show in the tables: what is hidden, what could not be read."""
    known = sum(told.known for told in outcome.told)
    if known or outcome.totals.ignored:
        yield f"Not told: {known:,} in the baseline, {outcome.totals.ignored:,} ignored by comments"
    if outcome.totals.unread:
        yield f"{counted(outcome.totals.unread, 'path')} could not be analysed whole"
    if outcome.scan.excluded:
        yield f"Left out by exclude: {counted(outcome.scan.excluded, 'file or folder')}"


def write_findings(outcome: Outcome, most: int | None, notes: bool) -> None:
    """Prints the new findings to stderr: by file on a terminal, else one on each line.

    Of more than `most`, the gravest; what is only a note if `notes` says so. The thresholds that
    are passed come last.
    """
    levels = ("error", "warning", "note") if notes else ("error", "warning")
    found = [told for told in outcome.new if told.finding.level in levels]
    shown = gravest(found, most)
    if sys.stderr.isatty():
        write_by_file(shown)
    else:
        lines = (f"{line_of(told)}\n" for told in shown)
        sys.stderr.writelines(lines)
    if len(shown) < len(found):
        rest = counted(len(found) - len(shown), "more finding")
        sys.stderr.write(f"and {rest}: --show all, --html FILE or --json\n")
    sys.stderr.writelines(f"FAILED: {printable(str(breach))}\n" for breach in outcome.breaches)
    if not outcome.scan.files:
        sys.stderr.write(f"Nothing was scanned: {emptiness(outcome.scan.excluded)}\n")


def gravest(found: Sequence[Told], most: int | None) -> list[Told]:
    """At most so many, in the order in which they are found."""
    if most is None or len(found) <= most:
        return list(found)
    ranked = sorted(range(len(found)), key=lambda i: RANKS[found[i].finding.level])
    return [found[i] for i in sorted(ranked[:most])]


def line_of(told: Told) -> str:
    """`file:line:column: MS201 what (what to do)`, harmless to a terminal."""
    path = printable(told.file.path)
    return f"{path}:{spot(told.finding)}: {told.finding.code} {said(told.finding)}"


def spot(finding: Finding) -> str:
    """`line:column`, with the cell before it in a notebook."""
    place = finding.place
    cell = f"cell {place.cell}:" if place.cell else ""
    return f"{cell}{place.line}:{place.column}"


def said(finding: Finding) -> str:
    """The message with its advice or the code that is suggested, on one line."""
    more = finding.advice
    if not more and isinstance(finding, ScannedUse) and finding.edit:
        more = f"write {finding.edit}"
    return printable(f"{finding.message} ({more})" if more else finding.message, limit=1000)


def write_by_file(shown: Iterable[Told]) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for path, group in groupby(shown, key=lambda told: told.file.path):
        console.print(Text(printable(path), f"bold {link_style(path, 0)}"))
        for told in group:
            finding = told.finding
            where = Text(f"  {spot(finding):>9}", link_style(path, finding.place.line))
            code = Text(f"  {finding.code}  ", STYLES.get(finding.level, ""))
            console.print(Text.assemble(where, code, said(finding)))


def link_style(path: str, line: int) -> str:
    """A style of rich's that links to a line of a file; none for names that would break it."""
    address = Path(os.path.abspath(path)).as_uri() if printable(path) == path else ""
    return f"link {address}{f'#{line}' if line else ''}" if address else ""
