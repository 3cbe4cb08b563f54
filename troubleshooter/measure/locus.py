"""Where in a tensor the elements are that are not close: said only if it holds for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .elements import BLOCK, Array, Elements, ranges
from .tolerance import Tolerance, is_whole

EVERYWHERE = 0.9
"""From this share of elements on there is no place to be named."""
SAMPLE = 1 << 16
"""So many elements suggest a place; then all of them are counted."""
MOST_NAMED = 8
"""So many places along an axis are listed."""
WIDEST_BORDER = 3
AXES = {2: ("row", "column"), 3: ("matrix", "row", "column")}
AXES[4] = ("item", "channel", "row", "column")
"""What the axes of tensors usually are, by their number."""

Region = tuple[slice, ...]


@dataclass(frozen=True)
class Criterion:
    """What is close: see `Tolerance`; `rms` is that of the reference."""

    tolerance: Tolerance
    rms: float

    def failing(self, a: Array, b: Array) -> Array:
        """Which elements are not close."""
        if a.dtype.kind in "US" or b.dtype.kind in "US":
            return np.asarray(a.astype(str) != b.astype(str))
        if is_whole(a.dtype) and is_whole(b.dtype):
            from .whole import distances, widest

            return distances(widest(a), widest(b)) > np.uint64(self.tolerance.steps)
        wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
        x, y = a.astype(wide), b.astype(wide)
        allowed = self.tolerance.rtol * np.abs(x) + self.tolerance.atol * self.rms
        close = np.abs(x - y) <= allowed
        return ~(close & np.isfinite(x) & np.isfinite(y) | (x == y))


@dataclass(frozen=True)
class Guess:
    """A place: its text, and the regions that it is made of; or all but the one region."""

    text: str
    regions: tuple[Region, ...]
    is_outside: bool = False


def locate(a: Array, b: Array, criterion: Criterion) -> str:
    """Where the elements are that are not close: "only the last column (axis 3)"; "" if nowhere.

    Shapes: a, b the same
    """
    with np.errstate(all="ignore"):
        places, count = sampled(a, b, criterion)
        if count == 0:
            return ""
        if count == 1:
            return "one element"
        if count > EVERYWHERE * a.size:
            return "everywhere"
        indices = np.unravel_index(places, a.shape)
        for guess in guesses(a.shape, indices):
            if count == len(places) or holds(guess, a, b, criterion, count):
                return f"only {guess.text}"
    return f"scattered, {count} of {a.size} elements"


def sampled(a: Array, b: Array, criterion: Criterion) -> tuple[Array, int]:
    """Places in C order of some of the elements that are not close, and the number of all."""
    x, y = Elements(a), Elements(b)
    share = max(1, SAMPLE * BLOCK // max(a.size, 1))
    parts, count = [], 0
    for start, stop in ranges(0, a.size):
        found = np.flatnonzero(criterion.failing(x.block(start, stop), y.block(start, stop)))
        count += found.size
        if a.size > SAMPLE:
            found = found[:: -(-found.size // share) or 1]
        parts.append(found + start)
    return np.concatenate(parts) if parts else np.empty(0, int), count


def holds(guess: Guess, a: Array, b: Array, criterion: Criterion, count: int) -> bool:
    """Whether all the elements that are not close lie there."""
    inside = 0
    for region in guess.regions:
        x, y = Elements(a[region]), Elements(b[region])
        for start, stop in ranges(0, x.size):
            failing = criterion.failing(x.block(start, stop), y.block(start, stop))
            inside += int(np.count_nonzero(failing))
    return inside == (0 if guess.is_outside else count)


def guesses(shape: tuple[int, ...], indices: tuple[Array, ...]) -> Iterator[Guess]:
    """The places that the sample lies in, the smallest first."""
    found: list[tuple[float, Guess]] = []
    for axis, (size, index) in enumerate(zip(shape, indices, strict=True)):
        if size > 1:
            found += along(axis, np.unique(index), shape)
    found += border(shape, indices)
    found.sort(key=lambda entry: entry[0])
    yield from (guess for _share, guess in found)


def along(axis: int, used: Array, shape: tuple[int, ...]) -> Iterator[tuple[float, Guess]]:
    """The places of the sample along one axis, if they are few or a stretch; with their share."""
    size, first, last = shape[axis], int(used[0]), int(used[-1])
    names = AXES.get(len(shape))
    name = names[axis] if names else "index"
    before = (slice(None),) * axis
    if len(used) == 1:
        which = {0: f"the first {name}", size - 1: f"the last {name}"}.get(first, f"{name} {first}")
        yield 1 / size, Guess(f"{which} (axis {axis})", ((*before, slice(first, first + 1)),))
    elif last - first + 1 == len(used) and len(used) <= 0.75 * size:
        text = f"{plural(name)} {first} to {last} of {size} (axis {axis})"
        yield len(used) / size, Guess(text, ((*before, slice(first, last + 1)),))
    elif len(used) <= min(MOST_NAMED, size // 2):
        text = f"{plural(name)} {', '.join(map(str, used.tolist()))} of {size} (axis {axis})"
        regions = tuple((*before, slice(place, place + 1)) for place in used.tolist())
        yield len(used) / size, Guess(text, regions)


def plural(name: str) -> str:
    return {"index": "indices", "matrix": "matrices"}.get(name, f"{name}s")


def border(shape: tuple[int, ...], indices: tuple[Array, ...]) -> Iterator[tuple[float, Guess]]:
    """The border of the last two axes, if the sample lies on its sides."""
    if len(shape) < 2 or min(shape[-2:]) < 3:
        return
    height, width = shape[-2:]
    rows, columns = indices[-2:]
    depth = np.minimum.reduce([rows, height - 1 - rows, columns, width - 1 - columns])
    wide = int(depth.max()) + 1
    touched = (rows < wide, rows >= height - wide, columns < wide, columns >= width - wide)
    sides = sum(bool(side.any()) for side in touched)
    inside = (height - 2 * wide) * (width - 2 * wide)
    if wide <= WIDEST_BORDER and inside > 0 and sides >= 3:
        axes = f"axes {len(shape) - 2} and {len(shape) - 1}"
        text = f"the border, {wide} wide ({axes})"
        inner = (..., slice(wide, height - wide), slice(wide, width - wide))
        yield 1 - inside / (height * width), Guess(text, (inner,), is_outside=True)  # type: ignore[arg-type]
