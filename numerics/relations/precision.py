"""Relations of precision: rounded to a narrower type, quantised; no number in some places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import ml_dtypes
import numpy as np

from ..sampling import places
from .channels import rows_of
from .evidence import taken
from .numbers import upright
from .relation import Array, Candidate

NARROW = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
TF32_BITS = 13
"""So many bits of float32's mantissa TF32 has not."""
SAMPLES = 4096
LEVELS = 256
SLACK = 1.5
"""Elements may be so many half steps away from their level: the step itself is an estimate."""
LEAST = 16
"""Fewer elements do not show steps."""
FIRST_SLICES = 4
GREATEST = 127
"""The greatest level of eight bits around zero."""
OFF_GRID = 0.02
SAME_LEVEL = 1e-5


def rounded(a: Array, b: Array) -> Iterator[Candidate]:
    """One of them is the other, rounded to a type of fewer digits and back."""
    if a.shape != b.shape or not is_float(a) or not is_float(b):
        return
    for name, rounding in roundings():
        for x, y, letter in ((a, b, "a"), (b, a, "b")):
            text = f"equal after rounding {letter} to {name}"
            yield Candidate("rounding", text, x, y, rounded=rounding, within=0.0, ways=10)


def is_float(array: Array) -> bool:
    return np.issubdtype(array.dtype, np.floating) or array.dtype.name in NARROW


def roundings() -> Iterator[tuple[str, Callable[[Array], Array]]]:
    yield "float16 or TF32", to_both
    yield "float16", partial(through, NARROW["float16"])
    yield "bfloat16", partial(through, NARROW["bfloat16"])
    yield "TF32", to_tf32
    yield "float8_e4m3", partial(through, NARROW["float8_e4m3"])
    yield "float8_e5m2", partial(through, NARROW["float8_e5m2"])


def through(kind: type, x: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return x.astype(np.float32).astype(kind).astype(np.float64)


def to_tf32(x: Array) -> Array:
    """x with ten bits of mantissa, half to even."""
    with np.errstate(over="ignore", invalid="ignore"):
        bits = x.astype(np.float32).view(np.uint32)
    last = (bits >> TF32_BITS) & 1
    kept = (bits + ((1 << (TF32_BITS - 1)) - 1) + last) >> TF32_BITS << TF32_BITS
    return kept.view(np.float32).astype(np.float64)


def to_both(x: Array) -> Array:
    """x with ten bits of mantissa where float16 and TF32 do not differ, else no number."""
    half = through(NARROW["float16"], x)
    return np.where(half == to_tf32(x), half, np.nan)


def without_numbers(a: Array, b: Array) -> Iterator[Candidate]:
    """They differ only where one of them is infinite or no number."""
    if a.shape != b.shape or not is_float(a) or not is_float(b):
        return
    finite = [np.isfinite(side) for side in (a, b)]
    other = finite[0] != finite[1]
    if not other.any():
        return
    in_a, in_b = (int(np.count_nonzero(other & ~side)) for side in finite)
    counts = [f"{count} in {side}" for side, count in (("a", in_a), ("b", in_b)) if count]
    text = f"equal but for elements that are no number or infinite: {', '.join(counts)}"
    yield Candidate("nan", text, a, np.where(other, a, b), fitted=in_a + in_b)


def quantised(a: Array, b: Array) -> Iterator[Candidate]:
    """One of them holds the other in steps: as integers, or as the numbers that they mean."""
    if a.shape != b.shape or a.size < LEAST:
        return
    for x, y, letter in ((a, b, "a"), (b, a, "b")):
        if is_float(x) and y.dtype.kind in "iu" and y.dtype.itemsize == 1:
            yield from as_integers(x, y, letter)
        elif is_float(x) and is_float(y):
            yield from in_steps(x, y, letter)


def as_integers(x: Array, y: Array, letter: str) -> Iterator[Candidate]:
    """x is y in steps of one size, or of one for each slice, from a zero of its own."""
    for axis in (None, *range(x.ndim)):
        count = 1 if axis is None else x.shape[axis]
        if x.size < LEAST * count or (axis is not None and count == 1):
            continue
        step, zero = steps_of(x, y, axis)
        of = "per tensor" if axis is None else f"per slice of axis {axis}"
        text = f"equal after quantising {letter} to {y.dtype} {of}, {step_text(step)}"
        within = np.abs(step) * (SLACK / 2)
        yield Candidate("quantised", text, y, x, step, zero, within=within, fitted=2 * count)


def steps_of(x: Array, y: Array, axis: int | None) -> tuple[Array, Array]:
    """Size and zero of the steps by least squares, of all elements or of each slice."""
    if axis is None:
        at = places(x.size, SAMPLES)
        p, q = (taken(side, at).astype(np.float64)[None] for side in (x, y))
    else:
        p, q = (
            np.moveaxis(side, axis, 0).reshape(side.shape[axis], -1).astype(np.float64)
            for side in (x, y)
        )
    means = p.mean(axis=1), q.mean(axis=1)
    centred = q - means[1][:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.sum(centred * p, axis=1) / np.sum(centred * centred, axis=1)
    zero = means[0] - step * means[1]
    axis = 0 if axis is None else axis
    return upright(step, x.ndim, axis), upright(zero, x.ndim, axis)


def in_steps(x: Array, y: Array, letter: str) -> Iterator[Candidate]:
    """x is y, each element at the nearest of equally spaced levels."""
    levels = levels_of(y)
    if 2 < len(levels) <= LEVELS:
        step = float(np.diff(levels).min())
        if on_grid(levels - levels[0], step):
            text = f"equal after quantising {letter} per tensor, step {step:.3g}"
            yield Candidate("quantised", text, x, y, within=step * SLACK / 2, fitted=2)
    for axis in range(x.ndim):
        if x.shape[axis] > 1 and x.size >= LEAST * x.shape[axis]:
            steps = steps_around_zero(y, axis)
            if steps is not None:
                text = f"equal after quantising {letter} per slice of axis {axis}, "
                within = upright(steps, x.ndim, axis) * (SLACK / 2)
                found = text + step_text(steps)
                yield Candidate("quantised", found, x, y, within=within, fitted=x.shape[axis])


def steps_around_zero(array: Array, axis: int) -> Array | None:
    """The step of each slice, if all are of eight bits with zero in the middle."""
    slices = np.moveaxis(array, axis, 0)
    probes = rows_of(array, axis)
    for part in (slice(FIRST_SLICES), slice(None)):
        wide = np.abs(slices[part]).max(axis=tuple(range(1, array.ndim)))
        steps: Array = wide.astype(np.float64) / GREATEST
        used = steps > 0
        if not np.isfinite(steps).all() or not on_grid(probes[part][used], steps[used][:, None]):
            return None
    return steps


def levels_of(array: Array) -> Array:
    """The different values of an array, but for rounding; none if there are infinite ones."""
    values = np.unique(taken(array, places(array.size, SAMPLES)).astype(np.float64))
    if not np.isfinite(values).all():
        return values[:0]
    apart = np.diff(values, prepend=-np.inf) > SAME_LEVEL * (values[-1] - values[0])
    return np.asarray(values[apart])


def on_grid(values: Array, step: Array | float) -> bool:
    """Whether values are multiples of a step."""
    counts = values / step
    return counts.size > 0 and bool(np.all(np.abs(counts - np.rint(counts)) < OFF_GRID))


def step_text(step: Array) -> str:
    least, most = float(step.min()), float(step.max())
    return f"step {least:.3g}" if least == most else f"steps {least:.3g} to {most:.3g}"
