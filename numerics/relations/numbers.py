"""Relations of values: the sign, a factor, an offset, for all elements or for each slice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ..sampling import places
from .channels import rows_of
from .evidence import taken
from .relation import Array, Candidate

SAMPLES = 4096
LEAST_OF_SLICE = 4
"""Fewer elements of a slice do not show a factor of its own."""
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "its square root": np.sqrt,
    "1 / its square root": lambda x: 1 / np.sqrt(x),
    "1 / its square root with an epsilon of 1e-5": lambda x: 1 / np.sqrt(x + 1e-5),
    "its square": np.square,
    "1 / it": np.reciprocal,
    "its exponential": np.exp,
    "its logarithm": np.log,
    "the logarithm of its square root": lambda x: np.log(x) / 2,
    "its absolute value": np.abs,
}
"""Of elements, by what is said of them."""

LEAST_SPREAD = 0.01
"""Slices whose elements are all the same fit any other such, by a factor."""


def of_numbers(a: Array, b: Array) -> Iterator[Candidate]:
    if a.shape != b.shape or a.dtype.kind in "bc" or b.dtype.kind in "bc":
        return
    at = places(a.size, SAMPLES)
    x, y = (taken(side, at).astype(np.float64) for side in (a, b))
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    if len(x) < 2:
        return
    yield Candidate("sign", "equal after a change of sign", a, b, scale=-1.0)
    scale = ratio(x, y)
    yield Candidate("scale", f"equal after scaling by {scale:g}", a, b, scale=scale, fitted=1)
    offset = float(np.median(y - x))
    yield Candidate("offset", f"equal after adding {offset:g}", a, b, offset=offset, fitted=1)
    scale, offset = line(x, y)
    text = f"equal after scaling by {scale:g} and adding {offset:g}"
    yield Candidate("affine", text, a, b, scale=scale, offset=offset, fitted=2)


def of_functions(a: Array, b: Array) -> Iterator[Candidate]:
    """What frameworks keep in another form: a variance as its root, or one over that."""
    if a.shape == b.shape and a.dtype.kind == "f" and b.dtype.kind == "f":
        for text, function in FUNCTIONS.items():
            ways = float(len(FUNCTIONS))
            yield Candidate("function", f"equal after {text}", a, b, rounded=function, ways=ways)


def ratio(x: Array, y: Array) -> float:
    """The factor that makes x y, by least squares."""
    square = float(x @ x)
    return float(x @ y) / square if square else math.nan


def line(x: Array, y: Array) -> tuple[float, float]:
    """The factor and the offset that make x y, by least squares."""
    scale = ratio(x - x.mean(), y - y.mean())
    return scale, float(y.mean() - scale * x.mean())


def of_slices(a: Array, b: Array) -> Iterator[Candidate]:
    """A factor for each slice of an axis, as of a BatchNorm that was folded into weights."""
    if a.shape != b.shape or a.ndim < 2 or a.dtype.kind != "f" or b.dtype.kind != "f":
        return
    for axis in range(a.ndim):
        if a.size // max(1, a.shape[axis]) < LEAST_OF_SLICE or a.shape[axis] < 2:
            continue
        x, y = rows_of(a, axis), rows_of(b, axis)
        if np.median(x.std(axis=1)) <= LEAST_SPREAD * np.median(np.abs(x).max(axis=1)):
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.sum(x * y, axis=1) / np.sum(x * x, axis=1)
        factors[~np.isfinite(factors)] = 1.0
        text = f"equal after scaling each slice of axis {axis} ({extent(factors)})"
        yield Candidate(
            "scale", text, a, b, scale=upright(factors, a.ndim, axis), fitted=len(factors)
        )
        offsets = np.mean(y - x, axis=1)
        text = f"equal after adding to each slice of axis {axis} ({extent(offsets)})"
        yield Candidate(
            "offset", text, a, b, offset=upright(offsets, a.ndim, axis), fitted=len(offsets)
        )


def extent(values: Array) -> str:
    return f"{values.min():.3g} to {values.max():.3g}"


def upright(values: Array, rank: int, axis: int) -> Array:
    """A number for each slice, in a shape that broadcasts."""
    return values.reshape([-1 if place == axis else 1 for place in range(rank)])
