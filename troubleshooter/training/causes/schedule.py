"""Causes in learning rates: what makes one row of rates the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from ...compare.records import Array
from ..comparison import Reason

CLOSE = 1e-5
OF_CURVES = 5e-3
"""So far, of their range, interpolated rates may be off."""
SHIFTS = (1, -1, 2, -2)


def of_rates(a: Sequence[float], b: Sequence[float], epoch: int) -> list[Reason]:
    """What explains B's rates of each step by A's, the likeliest first."""
    ours, theirs = np.array(a), np.array(b)
    count = min(len(ours), len(theirs))
    found = list(tried(ours[:count], theirs[:count], epoch))
    return found[:1] or [Reason("schedule", f"A's rates are {shown(ours)}, B's {shown(theirs)}")]


def same(a: Array, b: Array) -> bool:
    return len(a) == len(b) and bool(
        np.all(np.abs(a - b) <= CLOSE * np.maximum(np.abs(a), np.abs(b)))
    )


def tried(a: Array, b: Array, epoch: int) -> Iterator[Reason]:
    if is_flat(a) and is_flat(b):
        yield Reason("learning-rate", f"agrees if the rate is {a[0]:g} (here: {b[0]:g})")
        return
    yield from of_flat(a, b)
    yield from of_shifts(a, b)
    yield from of_epochs(a, b, epoch)
    if np.all(a > 0) and np.all(b > 0) and is_flat(b / a):
        text = (
            f"agrees if all rates are {a[0] / b[0]:.4g} times as large (here: {b[0]:g} at first, "
        )
        yield Reason("learning-rate", f"{text}A's {a[0]:g})")
    yield from of_warm_up(a, b)
    shared = shared_start(a, b)
    yield from of_length(a[shared:], b[shared:])
    yield from of_steps(a, b)
    yield from of_floor(a[shared:], b[shared:])


def shared_start(a: Array, b: Array) -> int:
    """The place of the last rate that both have before they part, as at the end of a warm-up."""
    apart = np.flatnonzero(np.abs(a - b) > CLOSE * np.maximum(np.abs(a), np.abs(b)))
    return max(int(apart[0]) - 1, 0) if len(apart) else 0


def is_flat(row: Array) -> bool:
    return bool(np.ptp(row) <= CLOSE * np.abs(row).max(initial=0.0))


def of_flat(a: Array, b: Array) -> Iterator[Reason]:
    if is_flat(b):
        told = f"agrees if the rate follows the schedule {shown(a)} (here: it stays {b[0]:g})"
        yield Reason("no-schedule", told)
    elif is_flat(a):
        yield Reason("schedule", f"agrees if the rate stays {a[0]:g} (here: {shown(b)})")


def of_shifts(a: Array, b: Array) -> Iterator[Reason]:
    for shift in SHIFTS:
        one, other = (a[shift:], b[:-shift]) if shift > 0 else (a[:shift], b[-shift:])
        if len(one) > 2 and not is_flat(one) and same(one, other):
            by = f"{abs(shift)} step{'s' if abs(shift) > 1 else ''} too "
            told = "early" if shift > 0 else "late"
            advice = "its rates are those of one step further" if shift > 0 else "it begins behind"
            yield Reason("schedule-off-by-one", f"the schedule is {by}{told} in B: {advice}")


def of_epochs(a: Array, b: Array, epoch: int) -> Iterator[Reason]:
    """Whether one side goes on in each step, and the other in each epoch."""
    places = np.arange(len(a))
    for slow, fast, told in ((a, b, "epoch (here: each step)"), (b, a, "step (here: each epoch)")):
        for first in (0, 1):
            rows = (places + first) // epoch
            if epoch > 1 and rows.max() < len(fast) and same(slow, fast[rows]):
                yield Reason("per-step", f"agrees if the schedule goes on after each {told}")
                return


def of_warm_up(a: Array, b: Array) -> Iterator[Reason]:
    """Where only the first rates differ, or both rise from other beginnings."""
    apart = np.abs(a - b) > CLOSE * np.maximum(np.abs(a), np.abs(b))
    last = int(np.flatnonzero(apart).max(initial=-1))
    rises = [bool(np.all(np.diff(row[: max(last + 1, 2)]) >= 0)) for row in (a, b)]
    if 0 <= last < len(a) - 1 and all(rises) and not (is_flat(a) and is_flat(b)):
        told = f"agrees if the warm-up is {shown(a[: last + 2])} (here: {shown(b[: last + 2])})"
        yield Reason("warm-up", told)
    elif a[0] < a[1] and b[0] < b[1] and all(np.all(np.diff(row[:3]) > 0) for row in (a, b)):
        steps = [row[1] - row[0] for row in (a, b)]
        if abs(steps[0] - steps[1]) > CLOSE * max(map(abs, steps)):
            told = f"agrees if the warm-up rises by {steps[0]:.4g} each step (here: {steps[1]:.4g})"
            yield Reason("warm-up", told)


def of_steps(a: Array, b: Array) -> Iterator[Reason]:
    """Rates that fall in jumps: their places, or by how much."""
    ours, theirs = jumps(a), jumps(b)
    if ours and theirs and len(ours) < len(a) - 1 and len(theirs) < len(a) - 1:
        if [k for k, _ in ours] != [k for k, _ in theirs]:
            places = [", ".join(str(k + 1) for k, _ in row) for row in (ours, theirs)]
            told = f"agrees if the rate falls before step {places[0]} (here: before {places[1]})"
            yield Reason("milestones", told)
        else:
            factors = [np.array([by for _, by in row]) for row in (ours, theirs)]
            if is_flat(factors[0]) and is_flat(factors[1]):
                told = f"agrees if gamma is {factors[0][0]:.4g} (here: {factors[1][0]:.4g})"
                yield Reason("gamma", told)
    elif ours and theirs:
        ratios = [row[1:] / row[:-1] for row in (a, b) if np.all(row > 0)]
        if len(ratios) == 2 and is_flat(ratios[0]) and is_flat(ratios[1]):
            told = f"agrees if gamma is {ratios[0][0]:.5g} (here: {ratios[1][0]:.5g})"
            yield Reason("gamma", told)
    elif theirs or ours:
        places = [", ".join(str(k + 1) for k, _ in row) or "no step" for row in (ours, theirs)]
        told = f"agrees if the rate falls before step {places[0]} (here: before {places[1]})"
        yield Reason("milestones", told)


def of_length(a: Array, b: Array) -> Iterator[Reason]:
    """One curve, which one side goes through faster: rates between A's steps are interpolated."""
    span = float(np.ptp(a))
    places = np.arange(len(a))
    if len(a) < 5 or not np.all(np.diff(a) < 0) or np.ptp(a[1:] / a[:-1]) < CLOSE:
        return
    curve = CubicSpline(places, a)
    for ratio in sorted({p / q for p in range(1, 13) for q in range(1, 13) if p != q}):
        known = places * ratio <= places[-1]
        between = curve(places[known] * ratio)
        if known.sum() > 3 and np.abs(between - b[known]).max() <= OF_CURVES * span:
            text = f"agrees if the schedule takes {ratio:.4g} times as many steps to its end"
            yield Reason("schedule-length", f"{text} (here: {shown(b)}; A's {shown(a)})")
            return


def of_floor(a: Array, b: Array) -> Iterator[Reason]:
    """One curve, which ends at another rate."""
    if len(a) > 3 and abs(a[0] - b[0]) <= CLOSE * a[0] and np.ptp(a):
        slope = (b[-1] - b[0]) / (a[-1] - a[0])
        if same(b, b[0] + slope * (a - a[0])) and slope < 1:
            floor = b[0] - slope * a[0]
            yield Reason("schedule-floor", f"agrees if the lowest rate is A's (here: {floor:.4g} "
                         "higher, if A's is 0)")  # fmt: skip
        elif same(b, b[0] + slope * (a - a[0])):
            yield Reason("schedule-floor", f"agrees if the rate falls as in A, {shown(a)} (here: "
                         f"{slope:.4g} times as much, {shown(b)})")  # fmt: skip


def jumps(row: Array) -> list[tuple[int, float]]:
    """The places at which rates change, and by which factor."""
    return [
        (k, float(row[k] / row[k - 1]) if row[k - 1] else 0.0)
        for k in range(1, len(row))
        if abs(row[k] - row[k - 1]) > CLOSE * abs(row[k - 1])
    ]


def shown(row: Array) -> str:
    """The first rates, and the last."""
    texts = [f"{x:.4g}" for x in row]
    return ", ".join(texts if len(texts) <= 6 else [*texts[:4], "...", texts[-1]])
