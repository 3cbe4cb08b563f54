"""Writes the rows of the API table to the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...errors import printable

if TYPE_CHECKING:
    from .card import Card

COLOURS = {
    "exact": "green",
    "renamed": "green",
    "differs": "yellow",
    "composite": "yellow",
    "platform-limited": "magenta",
    "missing": "red",
}
"""By verdict, as in all that is shown."""

WIDTH = len("MindSpore")
"""Of the longest label."""


def write_cards(cards: Sequence[Card]) -> None:
    """Prints cards with a blank line between them; lines are not wrapped where nobody reads."""
    console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    for number, card in enumerate(cards):
        (name, verdict), *rest = card.lines()
        if number:
            console.print()
        console.print(Text.assemble((name, "bold"), "  ", (verdict, f"bold {COLOURS[verdict]}")))
        if console.soft_wrap:
            console.print(Text("\n".join(plain(rest))))
        else:
            console.print(grid(rest))


def plain(lines: Sequence[tuple[str, str]]) -> Iterator[str]:
    for label, text in lines:
        for number, line in enumerate(text.split("\n")):
            yield f"  {'' if number else label:<{WIDTH}}  {printable(line, limit=2000)}"


def grid(lines: Sequence[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in lines:
        shown = "\n".join(printable(line, limit=2000) for line in text.split("\n"))
        table.add_row(Text("  " + label, "dim"), Text(shown))
    return table
