"""Runs as one HTML page that needs nothing else: curves, settings that differ, both together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...errors import printable
from ...reporting.charts import HEIGHT, WIDTH, Chart, Line, chart_of, colour, figure, scaled
from ...reporting.page import Tile, to_page
from .as_text import shown
from .run import Run, differing, results_of

MOST_CURVES = 12
MOST_AXES = 8
ROOM = 15
"""Letters that stand under an axis."""


@dataclass(frozen=True)
class Axis:
    """An axis of the parallel coordinates."""

    name: str
    x: float
    least: str
    most: str


def to_html(runs: Sequence[Run]) -> str:
    settings, results = differing(runs), results_of(runs)
    losses = {run.loss_name for run in runs}
    every = {tag for run in runs for tag in run.curves}
    tags = sorted(every, key=lambda tag: (tag not in losses, tag))[:MOST_CURVES]
    columns = [(name, [run.settings.get(name) for run in runs]) for name in settings]
    columns += [(name, [run.figures.get(name) for run in runs]) for name in results]
    axes, paths = coordinates(runs, columns[:MOST_AXES])
    facts = {
        "title": f"{len(runs)} runs" if len(runs) != 1 else "1 run",
        "tiles": tiles(runs),
        "charts": [chart(tag, runs) for tag in tags],
        "headings": ["run", "status", *results, *settings],
        "rows": [row(run, results, settings, k) for k, run in enumerate(runs)],
        "same": same(runs, settings),
        "axes": axes, "paths": paths, "width": WIDTH, "height": HEIGHT,
        "problems": [f"{printable(r.name)}: {printable(r.problem)}" for r in runs if r.problem],
    }  # fmt: skip
    return to_page("runs.html.jinja", ["scan.css", "runs.css"], "runs.js", facts)


def tiles(runs: Sequence[Run]) -> list[Tile]:
    ends = [run.loss[-1][1] for run in runs if run.loss and math.isfinite(run.loss[-1][1])]
    best = min(runs, key=lambda run: run.loss[-1][1] if run.loss else math.inf)
    return [
        Tile(str(len(runs)), "runs"),
        Tile(figure(min(ends)) if ends else "-", "least last loss"),
        Tile(printable(best.name, 40) if ends else "-", "has it"),
        Tile(str(len(differing(runs))), "settings that differ"),
    ]


def chart(tag: str, runs: Sequence[Run]) -> Chart:
    """The curves of a tag, by the runs' numbers, as two may have one name."""
    found = chart_of(tag, {str(k): run.curves.get(tag, []) for k, run in enumerate(runs)})
    named = [replace(line, name=printable(runs[line.number].name, 60)) for line in found.lines]
    return replace(found, lines=tuple(named))


def row(run: Run, results: list[str], settings: list[str], number: int) -> dict[str, object]:
    cells = [run.status or "-", *(figure(run.figures.get(name)) for name in results)]
    cells += [shown(run.settings.get(name)) for name in settings]
    return {
        "name": printable(run.name, 80), "colour": colour(number), "number": number,
        "cells": [printable(cell, 60) for cell in cells],
    }  # fmt: skip


def same(runs: Sequence[Run], differ: list[str]) -> list[tuple[str, str]]:
    """The settings that all runs share."""
    first = runs[0].settings
    return [(printable(k), printable(shown(v), 200)) for k, v in first.items() if k not in differ]


def coordinates(
    runs: Sequence[Run], columns: Sequence[tuple[str, Sequence[object]]]
) -> tuple[list[Axis], list[Line]]:
    """Parallel coordinates: an axis for each setting that differs and each result."""
    axes: list[Axis] = []
    heights: list[list[float | None]] = []
    for name, values in columns:
        places, least, most = placed(values)
        heights.append(places)
        axes.append(Axis(short(name), 0.0, least, most))
    gap = WIDTH / max(len(axes) - 1, 1)
    axes = [Axis(a.name, k * gap, a.least, a.most) for k, a in enumerate(axes)]
    lines = []
    for k, run in enumerate(runs):
        spots = [(a.x, h[k]) for a, h in zip(axes, heights, strict=True)]
        points = [f"{x:.1f},{(1 - y) * HEIGHT:.1f}" for x, y in spots if y is not None]
        lines.append(Line(printable(run.name, 60), colour(k), " ".join(points), k))
    return axes, lines


def placed(values: Sequence[object]) -> tuple[list[float | None], str, str]:
    """Where values stand on an axis from 0 to 1: numbers by size, all else by its order."""
    numbers = [float(v) for v in values if isinstance(v, int | float) and math.isfinite(float(v))]
    if len(numbers) == len([v for v in values if v is not None]):
        low, high = min(numbers, default=0.0), max(numbers, default=0.0)
        found = [scaled(float(v), low, high) if v is not None else None  # type: ignore[arg-type]
                 for v in values]  # fmt: skip
        return found, figure(low), figure(high)
    words = sorted({shown(v) for v in values})
    places: list[float | None] = [scaled(words.index(shown(v)), 0, len(words) - 1) for v in values]
    return places, short(words[0]), short(words[-1])


def short(word: str) -> str:
    """Its end, of which two axes have room side by side: commands and paths begin alike."""
    text = printable(word, 200)
    return text if len(text) <= ROOM else "…" + text[1 - ROOM :]
