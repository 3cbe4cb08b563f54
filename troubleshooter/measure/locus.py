"""Where in a tensor the elements are that are not close: said only if it holds for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .elements import BLOCK, Array, Elements, both
from .measuring import TEXTS, Source
from .tolerance import Tolerance, is_whole

EVERYWHERE = 0.9
"""From this share of elements on there is no place to be named."""
SAMPLE = 1 << 16
"""So many elements suggest a place; then all of them are looked at."""
MOST_NAMED = 8
"""So many places along an axis are listed."""
WIDEST_BORDER = 3
AXES = {
    2: ("row", "column"),
    3: ("matrix", "row", "column"),
    4: ("item", "channel", "row", "column"),
}
"""What the axes of tensors usually are, by their number."""


@dataclass(frozen=True)
class Criterion:
    """What is close: see `Tolerance`; `rms` is that of the reference."""

    tolerance: Tolerance
    rms: float

    def failing(self, a: Array, b: Array) -> Array:
        """Which elements are not close."""
        if a.dtype.kind in TEXTS or b.dtype.kind in TEXTS:
            return np.asarray(a.astype(str) != b.astype(str))
        if is_whole(a.dtype) and is_whole(b.dtype):
            from .whole import distances, widest

            return np.asarray(distances(widest(a), widest(b)) > np.uint64(self.tolerance.steps))
        wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
        x, y = (np.asarray(part.astype(wide)) for part in (a, b))
        allowed = self.tolerance.rtol * np.abs(x) + self.tolerance.atol * self.rms
        close = np.abs(x - y) <= allowed
        same: Array = close & np.isfinite(x) & np.isfinite(y) | (x == y)
        return ~same


@dataclass(frozen=True)
class Along:
    """Some places along one axis; `used` says which."""

    text: str
    axis: int
    used: Array
    share: float

    def holds(self, places: Array, shape: tuple[int, ...]) -> bool:
        """Whether all the places (in C order) of an array of this shape lie there."""
        return bool(self.used[coordinate(places, shape, self.axis)].all())


@dataclass(frozen=True)
class Border:
    """The outermost rows and columns of the last two axes."""

    text: str
    wide: int
    share: float

    def holds(self, places: Array, shape: tuple[int, ...]) -> bool:
        """Whether all the places (in C order) of an array of this shape lie there."""
        return bool((depth(places, shape) < self.wide).all())


Guess = Along | Border


def locate(a: Source, b: Source, criterion: Criterion) -> str:
    """Where the elements are that are not close: "only the last column (axis 3)"; "" if nowhere.

    Shapes: a, b the same
    """
    x, y = Elements(a), Elements(b)
    with np.errstate(all="ignore"):
        places, count = sampled(x, y, criterion)
        if count == 0:
            return ""
        if count == 1:
            return "one element"
        if count > EVERYWHERE * x.size:
            return "everywhere"
        found = guesses(x.shape, places)
        if count > len(places):
            found = proved(found, x, y, criterion)
    if found:
        return f"only {min(found, key=lambda guess: guess.share).text}"
    return f"scattered, {count} of {x.size} elements"


def failing_places(a: Elements, b: Elements, criterion: Criterion) -> Iterator[Array]:
    """The places in C order of the elements that are not close, block by block."""
    for start, x, y in both(a, b):
        yield np.flatnonzero(criterion.failing(x, y)) + start


def sampled(a: Elements, b: Elements, criterion: Criterion) -> tuple[Array, int]:
    """Some of the places of elements that are not close, and the number of all."""
    most = BLOCK if a.size <= SAMPLE else max(1, SAMPLE * BLOCK // a.size)
    parts, count = [np.empty(0, np.int64)], 0
    for places in failing_places(a, b, criterion):
        count += places.size
        parts.append(places[:: -(-places.size // most) or 1])
    return np.concatenate(parts), count


def proved(found: list[Guess], a: Elements, b: Elements, criterion: Criterion) -> list[Guess]:
    """Those of the guesses that hold for all elements that are not close."""
    for places in failing_places(a, b, criterion):
        found = [guess for guess in found if guess.holds(places, a.shape)]
        if not found:
            break
    return found


def guesses(shape: tuple[int, ...], places: Array) -> list[Guess]:
    """The kinds of places that the sample lies in."""
    found: list[Guess] = []
    for axis, size in enumerate(shape):
        if size > 1:
            found += along(axis, np.unique(coordinate(places, shape, axis)), shape)
    return [*found, *border(shape, places)]


def coordinate(places: Array, shape: tuple[int, ...], axis: int) -> Array:
    """Where places in C order are along an axis."""
    return np.asarray(places // math.prod(shape[axis + 1 :]) % shape[axis])


def depth(places: Array, shape: tuple[int, ...]) -> Array:
    """How many rows or columns of the last two axes lie between each place and the nearest edge."""
    rows, columns = (coordinate(places, shape, len(shape) - back) for back in (2, 1))
    nearest: Array = np.minimum.reduce(
        [rows, shape[-2] - 1 - rows, columns, shape[-1] - 1 - columns]
    )
    return nearest


def along(axis: int, used: Array, shape: tuple[int, ...]) -> Iterator[Along]:
    """The places of the sample along one axis, if they are few or a stretch."""
    size, first, last = shape[axis], int(used[0]), int(used[-1])
    names = AXES.get(len(shape))
    name = names[axis] if names else "index"
    if len(used) == 1:
        text = {0: f"the first {name}", size - 1: f"the last {name}"}.get(first, f"{name} {first}")
    elif last - first + 1 == len(used) and len(used) <= 0.75 * size:
        text = f"{plural(name)} {first} to {last} of {size}"
    elif len(used) <= min(MOST_NAMED, size // 2):
        text = f"{plural(name)} {', '.join(map(str, used.tolist()))} of {size}"
    else:
        return
    is_used = np.zeros(size, bool)
    is_used[used] = True
    yield Along(f"{text} (axis {axis})", axis, is_used, len(used) / size)


def plural(name: str) -> str:
    return {"index": "indices", "matrix": "matrices"}.get(name, f"{name}s")


def border(shape: tuple[int, ...], places: Array) -> Iterator[Border]:
    """The border of the last two axes, if the sample lies on at least three of its sides."""
    if len(shape) < 2:
        return
    wide = int(depth(places, shape).max()) + 1
    height, width = shape[-2:]
    inside = (height - 2 * wide) * (width - 2 * wide)
    if wide > WIDEST_BORDER or 2 * wide >= min(height, width):
        return
    rows, columns = (coordinate(places, shape, len(shape) - back) for back in (2, 1))
    sides = (rows < wide, rows >= height - wide, columns < wide, columns >= width - wide)
    if sum(bool(side.any()) for side in sides) >= 3:
        text = f"the border, {wide} wide (axes {len(shape) - 2} and {len(shape) - 1})"
        yield Border(text, wide, 1 - inside / (height * width))
