"""Relations of whole axes: transposed, reshaped, flipped."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ..sampling import orders
from .relation import Array, Candidate

MOST_AXES = 4
PREFIX = "equal after "


def transposed(a: Array, b: Array) -> Iterator[Candidate]:
    found = list(orders(a.shape, b.shape))
    for axes in found:
        text = f"equal after transpose {axes}"
        yield Candidate("transpose", text, a.transpose(axes), b, ways=len(found))


def turned(
    a: Array, b: Array, *changes: Callable[[Array, Array], Iterator[Candidate]]
) -> Iterator[Candidate]:
    """Transposed, and something else besides: scaled, or rounded to another type."""
    for first in transposed(a, b):
        for change in changes:
            for second in change(first.a, b):
                text = f"{first.text}, then {second.text.removeprefix(PREFIX)}"
                yield replace(second, text=text, ways=first.ways * second.ways)


def reshaped(a: Array, b: Array) -> Iterator[Candidate]:
    """The same elements in another shape: in the same order, or transposed before."""
    if a.size != b.size or a.shape == b.shape:
        return
    text = f"equal after reshape to {b.shape}"
    yield Candidate("reshape", text, a.reshape(b.shape), b)
    dense = a.squeeze()
    if dense.ndim > MOST_AXES:
        return
    for axes in list(itertools.permutations(range(dense.ndim)))[1:]:
        turned = dense.transpose(axes)
        of = "" if dense.ndim == a.ndim else f" of {dense.shape}"
        text = f"equal after transpose {axes}{of} and reshape to {b.shape}"
        yield Candidate("transpose", text, turned, b.reshape(turned.shape), ways=24)


def flipped(a: Array, b: Array) -> Iterator[Candidate]:
    """Axes the other way round; all of a kernel's, as of a convolution that is no correlation."""
    if a.shape != b.shape or a.ndim > MOST_AXES:
        return
    long = [axis for axis in range(a.ndim) if a.shape[axis] > 1]
    for count in range(1, len(long) + 1):
        for axes in itertools.combinations(long, count):
            which = f"axis {axes[0]}" if count == 1 else f"axes {axes}"
            yield Candidate("flip", f"equal after flipping {which}", np.flip(a, axes), b, ways=15)


def rolled_together(a: Array, b: Array) -> Iterator[Candidate]:
    """Several axes rolled at once, as windows are shifted: each by what its own sums say.

    The sums over all other axes do not change when those are rolled.
    """
    are_real = {a.dtype.kind, b.dtype.kind} <= set("fiu")
    if a.shape != b.shape or not 1 < a.ndim <= MOST_AXES or not are_real:
        return
    shifts = {axis: shift for axis in range(a.ndim) if (shift := shift_of(a, b, axis))}
    if len(shifts) < 2:
        return
    axes, by = tuple(shifts), tuple(shifts.values())
    moved = np.roll(a, by, axes)
    ways = float(a.size)
    yield Candidate("roll", f"{PREFIX}rolling axes {axes} by {by}", moved, b, ways=ways)


def shift_of(a: Array, b: Array, axis: int) -> int:
    """By how much an axis was rolled, at the most half its length; 0 if it is not known."""
    others = tuple(other for other in range(a.ndim) if other != axis)
    x, y = (side.sum(others, np.float64) for side in (a, b))
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return 0
    likeness = np.fft.irfft(np.fft.rfft(y) * np.fft.rfft(x).conj(), len(x))
    shift = int(likeness.argmax())
    return shift if 2 * shift <= len(x) else shift - len(x)
