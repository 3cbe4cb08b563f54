"""Relations of arrays of different sizes: a part, padding."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from .channels import MOST_ROLLED, rows_of
from .evidence import Judge
from .relation import Array, Candidate

MOST_PLACES = 8
MOST_STEP = 4
MOST_AXES = 4


def parts(a: Array, b: Array, judge: Judge) -> Iterator[Candidate]:
    """b as a part of a, or a within b, with a constant around it."""
    for where in places_in(a, b, judge):
        yield Candidate("slice", f"equal to {shown(where, a)} of a", a[where], b, ways=64)
    for where in places_in(b, a, judge):
        rest = constant_around(b, where)
        around = "" if rest is None else f", with {rest:g} around it"
        kind = "slice" if rest is None else "pad"
        yield Candidate(kind, f"a is {shown(where, b)} of b{around}", a, b[where], ways=64)


def places_in(whole: Array, part: Array, judge: Judge) -> Iterator[tuple[slice, ...]]:
    """Where a part could be: anywhere along one axis, at the ends and the middle of several."""
    if whole.ndim != part.ndim or whole.ndim > MOST_AXES or not part.size:
        return
    pairs = list(zip(whole.shape, part.shape, strict=True))
    shorter = [axis for axis, (n, m) in enumerate(pairs) if m < n]
    if not shorter or any(m > n for n, m in pairs):
        return
    starts: list[list[int]] = [[0] for _ in pairs]
    for axis in shorter:
        n, m = pairs[axis]
        starts[axis] = list(dict.fromkeys((0, n - m, (n - m) // 2)))
    if len(shorter) == 1:
        starts[shorter[0]] = along(whole, part, shorter[0], judge)
    for start in itertools.product(*starts):
        yield tuple(slice(at, at + m) for at, (_, m) in zip(start, pairs, strict=True))


def along(whole: Array, part: Array, axis: int, judge: Judge) -> list[int]:
    """Where the first and the last slice of the part stand in the whole."""
    if whole.shape[axis] > MOST_ROLLED:
        return []
    ours, theirs = rows_of(whole, axis), rows_of(part, axis)
    last = len(ours) - len(theirs)
    first = judge.close(ours[: last + 1], theirs[0]).all(axis=1)
    end = judge.close(ours[len(theirs) - 1 :], theirs[-1]).all(axis=1)
    return [int(start) for start in np.flatnonzero(first & end)[:MOST_PLACES]]


def shown(where: tuple[slice, ...], whole: Array) -> str:
    """`[:, 3:67]`, and which part of equal ones that is."""
    texts = [
        ":" if part.stop - part.start == size else f"{part.start}:{part.stop}"
        for part, size in zip(where, whole.shape, strict=True)
    ]
    cut = [axis for axis, text in enumerate(texts) if text != ":"]
    found = f"[{', '.join(texts)}]"
    if len(cut) == 1:
        n, m = whole.shape[cut[0]], where[cut[0]].stop - where[cut[0]].start
        if n % m == 0 and where[cut[0]].start % m == 0:
            found += f" (part {where[cut[0]].start // m + 1} of {n // m})"
    return found


def constant_around(whole: Array, where: tuple[slice, ...]) -> float | None:
    """The value of everything outside of a part; None if there are several."""
    found: list[Array] = []
    for axis, part in enumerate(where):
        for edge in (slice(0, part.start), slice(part.stop, None)):
            outside = whole[(*where[:axis], edge)]
            if outside.size:
                found.append(outside)
    value = found[0].reshape(-1)[0]
    return float(value) if all(bool(np.all(side == value)) for side in found) else None


def stepped(a: Array, b: Array) -> Iterator[Candidate]:
    """b as every second, third or fourth element of axes of a, or the other way round."""
    for x, y, text in ((a, b, "equal to {} of a"), (b, a, "a is {} of b")):
        if x.ndim != y.ndim or x.ndim > MOST_AXES:
            continue
        for where in steps_in(x, y):
            left, right = (x[where], y) if x is a else (a, b[where])
            yield Candidate("slice", text.format(shown_steps(where)), left, right, ways=64)


def steps_in(whole: Array, part: Array) -> Iterator[tuple[slice, ...]]:
    """With one step for all axes that are shorter, from the first or a later element."""
    pairs = list(zip(whole.shape, part.shape, strict=True))
    for step in range(2, MOST_STEP + 1):
        for start in range(step):
            found = [slice(None) if n == m else slice(start or None, None, step) for n, m in pairs]
            lengths = [
                len(range(*cut.indices(n))) for cut, n in zip(found, whole.shape, strict=True)
            ]
            if lengths == list(part.shape) and whole.shape != part.shape:
                yield tuple(found)


def shown_steps(where: tuple[slice, ...]) -> str:
    texts = [":" if cut.step is None else f"{cut.start or ''}::{cut.step}" for cut in where]
    return f"[{', '.join(texts)}]"
