"""What layers hold before anything is loaded or learned: known by its distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np

from .sampling import places

Array = np.ndarray[Any, Any]

LEAST = 32
"""Fewer numbers show no distribution."""

SURE = 128
"""So many show it whatever their bound is."""

MOST = 20_000
"""As many elements are looked at."""

CRITICAL = 1.63
"""The largest distance of two distributions, times the root of the count, of one in a hundred.
Source: Kolmogorov's distribution"""

BELOW = 12.0
"""The largest of n uniform numbers is below the bound by at most so much of its n-th part."""

UNCORRELATED = 4.0
"""Standard deviations that chance alone does not reach."""

PLAIN_SPREADS = (1.0, 0.02, 0.01, 0.05)
PLAIN_BOUNDS = (1.0, 0.1, 0.07, 0.05, 0.01)


def initial_values(x: Array) -> str:
    """`all ones`, `uniform within 0.125`, if that is what new layers hold; else ""."""
    if x.dtype.kind != "f" or x.size < 2:
        return ""
    flat = np.sort(x.reshape(-1)[places(x.size, MOST)].astype(np.float64))
    if not np.isfinite(flat).all():
        return ""
    if flat[0] == flat[-1]:
        constant = {0.0: "all zeros", 1.0: "all ones"}.get(float(flat[0]), "")
        return constant if x.ndim == 1 else ""
    return "" if flat.size < LEAST else uniform(flat, x) or normal(flat, x)


def uniform(flat: Array, x: Array) -> str:
    bound = float(max(-flat[0], flat[-1]))
    shares = (flat + bound) / (2 * bound)
    if not fits(shares):
        return ""
    least = bound * (1 - 1e-6)
    known = [known for known in bounds(x) if least <= known <= bound / (1 - BELOW / flat.size)]
    if not known and flat.size < SURE:
        return ""
    return f"uniform within {min(known, default=bound):.3g}"


def normal(flat: Array, x: Array) -> str:
    spread = float(np.sqrt((flat @ flat) / flat.size))
    slack = UNCORRELATED / math.sqrt(2 * flat.size)
    for known in spreads(x):
        for cut, actual in ((math.inf, 1.0), (2.0, 0.8796)):
            is_near = abs(spread / (known * actual) - 1) < slack
            if is_near and fits(cumulative(flat / known, cut)):
                return f"normal with a spread of {known:.3g}"
    return ""


def cumulative(x: Array, cut: float) -> Array:
    """The share of normal numbers below each, where those beyond `cut` are drawn again."""
    normal_below = NormalDist().cdf
    outside = 0.0 if math.isinf(cut) else normal_below(-cut)
    below = np.array([normal_below(float(value)) for value in x])
    return np.asarray(np.clip((below - outside) / (1 - 2 * outside), 0.0, 1.0))


def fits(shares: Array) -> bool:
    """Whether the shares below sorted numbers are those of the distribution.

    Source: Kolmogorov and Smirnov's test
    """
    count = len(shares)
    steps = np.arange(count + 1) / count
    away = max(np.abs(shares - steps[1:]).max(), np.abs(shares - steps[:-1]).max())
    return bool(away * math.sqrt(count) < CRITICAL)


def fans(x: Array) -> tuple[int, int]:
    """How many numbers an output is made of, and in how many outputs a number has a part."""
    rest = math.prod(x.shape[2:]) if x.ndim > 1 else 1
    return (x.shape[1] * rest, x.shape[0] * rest) if x.ndim > 1 else (x.size, x.size)


def bounds(x: Array) -> Iterator[float]:
    """Of layers that are made by the rules of He, of Glorot and of frameworks."""
    ins, outs = fans(x)
    yield from (math.sqrt(k / n) for n in {ins, outs} for k in (1, 3, 6))
    yield math.sqrt(6 / (ins + outs))
    yield from (math.sqrt(1 / (x.shape[0] // gates)) for gates in (3, 4) if x.shape[0] >= gates)
    yield from PLAIN_BOUNDS


def spreads(x: Array) -> Iterator[float]:
    ins, outs = fans(x)
    yield from PLAIN_SPREADS
    yield from (math.sqrt(k / n) for n in {ins, outs} for k in (1, 2))
    yield math.sqrt(2 / (ins + outs))


def has_nothing_of(x: Array, other: Array) -> bool:
    """Whether the numbers of one array do not follow those of another of its shape."""
    if x.shape != other.shape or x.dtype.kind != "f" or x.size < 2:
        return False
    at = places(x.size, MOST)
    one, two = (side.reshape(-1)[at].astype(np.float64) for side in (x, other))
    one, two = one - one.mean(), two - two.mean()
    size = float(np.sqrt((one @ one) * (two @ two)))
    return not size or abs(float(one @ two)) / size < UNCORRELATED / math.sqrt(len(at))
