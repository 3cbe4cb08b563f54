"""Curves over each other, as SVG draws them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import printable

WIDTH, HEIGHT = 760, 260
MOST_POINTS = 500
LINEAR = 1000.0
"""How many times the least value the largest one is at most where the axis is linear."""
COLOURS = ("#2563eb", "#dc2626", "#16a34a", "#9333ea", "#ea580c", "#0891b2", "#be185d", "#4d7c0f")
BLOCKS = "▁▂▃▄▅▆▇█"

Curve = Sequence[tuple[int, float]]


@dataclass(frozen=True)
class Line:
    """A curve as SVG draws it."""

    name: str
    colour: str
    points: str
    number: int


@dataclass(frozen=True)
class Chart:
    """Curves of one tag over each other, with what stands at the ends of the axes.

    `mark`: where on the axis of steps something is to be seen, if anything is.
    """

    title: str
    lines: tuple[Line, ...]
    least: str
    most: str
    first: str
    last: str
    mark: float | None = None


def chart_of(title: str, curves: Mapping[str, Curve], mark: int | None = None) -> Chart:
    """A chart of curves by their names. What is not finite is left out."""
    kept = [finite(curve) for curve in curves.values()]
    points = [point for curve in kept for point in curve]
    steps = [step for step, _ in points] or [0]
    values = [value for _, value in points] or [0.0]
    left, right, low, high = min(steps), max(steps), min(values), max(values)
    logarithmic = low > 0 and high > LINEAR * low
    height = math.log if logarithmic else float
    lines = []
    for k, (name, curve) in enumerate(zip(curves, kept, strict=True)):
        drawn = [
            f"{scaled(step, left, right) * WIDTH:.1f},"
            f"{(1 - scaled(height(v), height(low), height(high))) * HEIGHT:.1f}"
            for step, v in thinned(curve)
        ]
        if drawn:
            lines.append(Line(printable(name, 60), colour(k), " ".join(drawn), k))
    place = None if mark is None else round(scaled(mark, left, right) * WIDTH, 1)
    highest = figure(high) + (" (logarithmic)" if logarithmic else "")
    ends = (figure(low), highest, str(left), str(right))
    return Chart(printable(title, 80), tuple(lines), *ends, place)


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def finite(curve: Curve) -> list[tuple[int, float]]:
    return [(step, value) for step, value in curve if math.isfinite(value)]


def thinned(curve: Curve) -> Curve:
    stride = -(-len(curve) // MOST_POINTS) or 1
    return curve[::stride]


def scaled(value: float, least: float, most: float) -> float:
    return (value - least) / (most - least) if most > least else 0.5


def figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"


def sparkline(curve: Curve, least: float, most: float, width: int = 60) -> str:
    """A curve as a line of text, a blank where it is not finite."""
    if not curve:
        return ""
    count = min(width, len(curve))
    found = ""
    for k in range(count):
        part = [v for _, v in curve[k * len(curve) // count : (k + 1) * len(curve) // count]]
        kept = [v for v in part if math.isfinite(v)]
        place = scaled(sum(kept) / len(kept), least, most) if kept else -1.0
        found += BLOCKS[min(int(place * len(BLOCKS)), len(BLOCKS) - 1)] if kept else " "
    return found
