"""Where in a tensor the elements are that are not close: said only if it holds for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...numerics.tolerance import Tolerance, is_whole
from .elements import Array, Elements, both
from .measuring import TEXTS, Source

EVERYWHERE = 0.9
"""From this share of elements on there is no place to be named."""
STRETCH = 0.75
"""A stretch along an axis is named if it is at most this part of it."""
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
        close = np.abs(x - y) <= self.tolerance.within(np.abs(x), self.rms)
        same: Array = close & np.isfinite(x) & np.isfinite(y) | (x == y)
        return ~same


@dataclass(frozen=True)
class Place:
    """Where all elements are that are not close, and how much of the tensor that is."""

    text: str
    share: float


def locate(a: Source, b: Source, criterion: Criterion, failing: int) -> str:
    """Where the `failing` elements are that are not close: "only the last column (axis 3)".

    "" if there are none. Shapes: a, b the same
    """
    if failing <= 1:
        return "one element" if failing else ""
    if failing > EVERYWHERE * a.size:
        return "everywhere"
    x, y = Elements(a), Elements(b)
    candidates: list[Along | Border] = [
        *(Along(x.shape, axis) for axis in range(len(x.shape))),
        Border(x.shape),
    ]
    with np.errstate(all="ignore"):
        for start, u, v in both(x, y):
            places = np.flatnonzero(criterion.failing(u, v)) + start
            candidates = [one for one in candidates if one.takes(places)]
            if not candidates:
                break
    found = [place for one in candidates for place in one.places()]
    if found:
        return f"only {min(found, key=lambda place: place.share).text}"
    return f"scattered, {failing} of {x.size} elements"


class Along:
    """Some places along one axis."""

    def __init__(self, shape: tuple[int, ...], axis: int) -> None:
        self.axis, self.size = axis, shape[axis]
        self.step = math.prod(shape[axis + 1 :])
        self.name = AXES.get(len(shape), ("index",) * len(shape))[axis]
        self.used = np.zeros(self.size, bool)

    def takes(self, places: Array) -> bool:
        """Adds places in C order; whether there is still something to be said."""
        self.used[places // self.step % self.size] = True
        return bool(np.count_nonzero(self.used) <= STRETCH * self.size)

    def places(self) -> Iterator[Place]:
        """What they are called, if they are few or a stretch."""
        used = np.flatnonzero(self.used)
        first, last = int(used[0]), int(used[-1])
        if len(used) == 1:
            ends = {0: f"the first {self.name}", self.size - 1: f"the last {self.name}"}
            text = ends.get(first, f"{self.name} {first}")
        elif last - first + 1 == len(used):
            text = f"{plural(self.name)} {first} to {last} of {self.size}"
        elif len(used) <= min(MOST_NAMED, self.size // 2):
            named = ", ".join(map(str, used.tolist()))
            text = f"{plural(self.name)} {named} of {self.size}"
        else:
            return
        yield Place(f"{text} (axis {self.axis})", len(used) / self.size)


class Border:
    """The outermost rows and columns of the last two axes."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.depth = 0
        self.sides = [False] * 4

    def takes(self, places: Array) -> bool:
        """Adds places in C order; whether there is still something to be said."""
        if len(self.shape) < 2:
            return False
        height, width = self.shape[-2:]
        rows, columns = places // width % height, places % width
        from_sides = (rows, height - 1 - rows, columns, width - 1 - columns)
        nearest = np.minimum.reduce(from_sides)
        self.depth = max(self.depth, int(nearest.max(initial=-1)) + 1)
        for side, distance in enumerate(from_sides):
            self.sides[side] |= bool((distance < WIDEST_BORDER).any())
        return self.depth <= min(WIDEST_BORDER, (min(height, width) - 1) // 2)

    def places(self) -> Iterator[Place]:
        """What it is called, if at least three of its sides are touched."""
        if sum(self.sides) < 3:
            return
        height, width = self.shape[-2:]
        inside = (height - 2 * self.depth) * (width - 2 * self.depth)
        axes = f"axes {len(self.shape) - 2} and {len(self.shape) - 1}"
        yield Place(f"the border, {self.depth} wide ({axes})", 1 - inside / (height * width))


def plural(name: str) -> str:
    return {"index": "indices", "matrix": "matrices"}.get(name, f"{name}s")
