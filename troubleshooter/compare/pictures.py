"""What a page shows of layers' numbers: errors along depth, histograms, the worst elements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .comparison import LayerRow
from .records import Array, LayerPair

BINS = 48
MOST_ARRAYS = 3
"""So many outputs, buffers or gradients of a layer are shown."""

MOST_ELEMENTS = 5

WIDTH, HEIGHT = 900, 220
"""Of the chart; it is scaled to the page."""

MARGIN = 44
LOWEST = -9.0
"""log10 of the smallest error that has a place of its own."""


@dataclass(frozen=True)
class Histogram:
    """How often values occur in A and B, over the range of both, as points of two lines.

    Counts are shown as square roots, so that rare values are seen.
    """

    name: str
    low: str
    high: str
    ours: str
    theirs: str


@dataclass(frozen=True)
class Worst:
    """An element that is far from its counterpart."""

    name: str
    index: str
    ours: str
    theirs: str
    difference: str


@dataclass(frozen=True)
class Dot:
    """A layer alone, in the chart."""

    x: float
    y: float
    title: str
    is_wrong: bool


@dataclass(frozen=True)
class Chart:
    """Errors along the network: two lines of the plain run, and a dot for each layer alone."""

    width: int
    height: int
    accumulated: str
    floor: str
    dots: tuple[Dot, ...]
    ticks: tuple[tuple[float, str], ...]


def arrays_of(pair: LayerPair) -> list[tuple[str, Array, Array]]:
    """What two layers gave, in the phase in which they part; of equal shapes."""
    one, other = pair.reference, pair.candidate
    if pair.parts_in == "forward":
        both = [
            (f"output {place}", a, b)
            for place, (a, b) in enumerate(zip(one.outputs, other.outputs, strict=False))
        ]
    else:
        ours, theirs = (
            (one.gradients, other.gradients)
            if pair.parts_in == "backward"
            else (one.state_after, other.state_after)
        )
        names = {name: pair.renamed.get(name, name) for name in ours}
        both = [(n, ours[n], theirs[m]) for n, m in names.items() if m in theirs]
    return [item for item in both if item[1].shape == item[2].shape and item[1].size]


def histograms(pair: LayerPair) -> Iterator[Histogram]:
    """The values of both on a common range."""
    for name, ours, theirs in arrays_of(pair)[:MOST_ARRAYS]:
        both = [numbers(ours), numbers(theirs)]
        if not all(values.size for values in both):
            continue
        low = min(float(values.min()) for values in both)
        high = max(float(values.max()) for values in both)
        if not low < high:
            continue
        counts = [np.sqrt(np.histogram(values, BINS, (low, high))[0]) for values in both]
        top = max(float(each.max()) for each in counts)
        lines = [line(each / top) for each in counts]
        yield Histogram(name, f"{low:.4g}", f"{high:.4g}", *lines)


def numbers(array: Array) -> Array:
    """The finite values, as float64."""
    values = np.abs(array) if array.dtype.kind == "c" else array
    flat = values.astype(np.float64).reshape(-1)
    return flat[np.isfinite(flat)]


def line(heights: Array) -> str:
    """The points of a stepped line in a box of 100 by 40."""
    step = 100 / len(heights)
    points = []
    for place, height in enumerate(heights):
        y = 40 * (1 - float(height))
        points += [f"{place * step:.2f},{y:.2f}", f"{(place + 1) * step:.2f},{y:.2f}"]
    return " ".join(points)


def worst_elements(pair: LayerPair) -> Iterator[Worst]:
    """The elements that are farthest from each other."""
    for name, ours, theirs in arrays_of(pair)[:MOST_ARRAYS]:
        kind = np.complex128 if ours.dtype.kind == "c" else np.float64
        away = np.abs(ours.astype(kind) - theirs.astype(kind)).reshape(-1)
        away = np.nan_to_num(away, nan=np.inf)
        count = min(MOST_ELEMENTS, away.size)
        places = np.argpartition(away, -count)[-count:]
        for place in sorted(places.tolist(), key=lambda each: -float(away[each])):
            if away[place] > 0:
                index = tuple(map(int, np.unravel_index(place, ours.shape)))
                one, other = f"{ours[index]:.6g}", f"{theirs[index]:.6g}"
                yield Worst(name, str(index), one, other, f"{away[place]:.3g}")


def error_chart(rows: Sequence[LayerRow]) -> Chart | None:
    """Errors of the layers without others in them, in the order of A's calls; None if few."""
    leaves = [row for row in rows if row.is_leaf and row.mode == rows[0].mode]
    if len(leaves) < 2:
        return None
    step = (WIDTH - 2 * MARGIN) / (len(leaves) - 1)
    xs = [MARGIN + place * step for place in range(len(leaves))]
    dots = [
        Dot(x, height(row.worst.relative), title(row), row.is_wrong)
        for x, row in zip(xs, leaves, strict=True)
        if row.worst is not None
    ]
    accumulated = polyline(xs, [row.accumulated for row in leaves])
    floor = polyline(xs, [row.floor for row in leaves])
    ticks = tuple((height(10.0**power), f"1e{power}") for power in range(-8, 1, 2))
    return Chart(WIDTH, HEIGHT, accumulated, floor, tuple(dots), ticks)


def title(row: LayerRow) -> str:
    worst = row.worst
    share = "" if worst is None or worst.problem else f": {worst.relative:.1e}"
    return f"{row.path or '(the network)'} {row.verdict}{share}"


def height(error: float) -> float:
    """Where an error stands, on a scale of powers of ten."""
    power = 0.5 if not math.isfinite(error) else LOWEST if error <= 0 else math.log10(error)
    share = (min(max(power, LOWEST), 0.5) - LOWEST) / (0.5 - LOWEST)
    return round(HEIGHT - 18 - share * (HEIGHT - 30), 1)


def polyline(xs: Sequence[float], errors: Sequence[float | None]) -> str:
    known = [(x, error) for x, error in zip(xs, errors, strict=True) if error is not None]
    return " ".join(f"{x:.1f},{height(error)}" for x, error in known)
