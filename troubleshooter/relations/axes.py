"""Relations of whole axes: transposed, reshaped, flipped."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from ..pairing.sketch import orders
from .relation import Array, Candidate

MOST_AXES = 4


def transposed(a: Array, b: Array) -> Iterator[Candidate]:
    found = list(orders(a.shape, b.shape))
    for axes in found:
        text = f"equal after transpose {axes}"
        yield Candidate("transpose", text, a.transpose(axes), b, ways=len(found))


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
