"""A comparison of trainings as an HTML page: what differs first, the losses, the rates."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import printable
from ...reporting.charts import HEIGHT, WIDTH, Chart, chart_of
from ...reporting.page import Tile, to_page
from .as_text import WORDS, summary, told
from .comparison import TrainingComparison

Pairs = Sequence[tuple[float | None, float | None]]


def to_html(found: TrainingComparison) -> str:
    first = found.first
    facts = {
        "title": "Two trainings",
        "tiles": tiles(found),
        "summary": printable(summary(found), 400),
        "first": [printable(line, 400) for line in told(first)] if first is not None else [],
        "sides": [printable(name, 200) for name in found.names],
        "charts": [
            chart
            for title, pairs, mark in (
                ("loss", found.curves.losses, None if first is None else first.batch),
                ("rate", found.curves.rates, None if first is None else first.step),
            )
            for chart in charts(title, pairs, mark)
        ],
        "notes": [printable(note, 400) for note in found.notes],
        "width": WIDTH,
        "height": HEIGHT,
    }
    return to_page("training.html.jinja", ["scan.css", "runs.css"], "", facts)


def tiles(found: TrainingComparison) -> list[Tile]:
    first = found.first
    return [
        Tile(str(found.batches), "batches"),
        Tile(str(found.steps[0]), "steps of A's optimiser"),
        Tile(WORDS[first.stage] if first is not None else "nothing", "differs first"),
        Tile(str(first.batch) if first is not None else "-", "in this batch"),
    ]


def charts(title: str, pairs: Pairs, mark: int | None) -> list[Chart]:
    rows = [[(k + 1, y) for k, pair in enumerate(pairs) for y in (pair[i],) if y is not None]
            for i in (0, 1)]  # fmt: skip
    return [chart_of(title, dict(zip(("A", "B"), rows, strict=True)), mark)] if any(rows) else []
