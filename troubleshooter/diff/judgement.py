"""Whether measured arrays are the same, with the tolerance they were measured with or another."""

from __future__ import annotations

import math

from ...numerics.tolerance import Tolerance
from ..measure.metrics import Metrics
from .row import Status
from .settings import Settings


def status_of(metrics: Metrics, close: bool, settings: Settings, same_type: bool) -> Status:
    """What becomes of a pair whose finite elements are `close`, of the same type or not."""
    a, b = metrics.a, metrics.b
    if (a.nan or b.nan) and not (settings.equal_nan and metrics.nan_both == a.nan == b.nan):
        return "nan"
    if not metrics.inf_same == a.inf == b.inf:
        return "inf"
    if not close:
        return "mismatch"
    return "ok" if same_type or settings.any_dtype else "dtype"


def all_close(metrics: Metrics) -> bool:
    """Whether all elements that are finite in both arrays are close."""
    return metrics.close == finite(metrics) + metrics.inf_same


def finite(metrics: Metrics) -> int:
    """How many elements are finite in both arrays, if they are where one is."""
    a, b = metrics.a, metrics.b
    return metrics.size - max(a.nan + a.inf, b.nan + b.inf)


def close_again(metrics: Metrics, tolerance: Tolerance, is_exact: bool) -> bool | None:
    """Whether all would be close with another tolerance; None if the figures do not tell.

    They do for whole numbers and texts (`is_exact`), for rtol = atol, and for each rtol of
    `metrics.bounds`; between these, the least atol that is needed is a convex function of rtol.
    """
    if is_exact:
        return metrics.max_abs <= tolerance.steps
    rtol, atol = tolerance.rtol, tolerance.atol
    if rtol == atol or not math.isfinite(metrics.error):
        return metrics.error <= min(rtol, atol)
    least, most = needed(metrics, rtol)
    if atol >= most:
        return True
    return False if atol < least else None


def needed(metrics: Metrics, rtol: float) -> tuple[float, float]:
    """Between which numbers the least atol lies for which all elements are close.

    It is the largest of |a - b| - rtol * |a|, relative to rms(a): of straight lines in rtol, so
    it is convex, and never rises.
    """
    known = sorted({metrics.error: metrics.error, **dict(metrics.bounds)}.items())
    for place, (x, y) in enumerate(known):
        if x == rtol:
            return y, y
        if x > rtol:
            return between(known, place, rtol)
    return 0.0, known[-1][1]


def between(known: list[tuple[float, float]], right: int, x: float) -> tuple[float, float]:
    """Bounds of a convex function at x, left of the known point `right`."""
    if right == 0:
        return known[0][1], math.inf
    most = line(known[right - 1], known[right], x)
    least = known[right][1]
    if right >= 2:
        least = max(least, line(known[right - 2], known[right - 1], x))
    if right + 1 < len(known):
        least = max(least, line(known[right], known[right + 1], x))
    return min(least, most), most


def line(left: tuple[float, float], right: tuple[float, float], x: float) -> float:
    """The straight line through two points, at x."""
    slope = (right[1] - left[1]) / (right[0] - left[0])
    return left[1] + slope * (x - left[0])
