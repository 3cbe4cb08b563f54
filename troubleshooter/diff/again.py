"""A comparison judged again with other settings, without its data."""

from __future__ import annotations

from dataclasses import replace

from ...errors import UsageError
from ...numerics.tolerance import EXACT, Tolerance
from ..measure.metrics import Metrics
from .comparison import Comparison
from .judgement import all_close, close_again, finite, status_of
from .row import Row
from .settings import Settings

TOLD = "rtol = atol, or an rtol that is 0 or a power of ten from 1e-8 to 0.1"


def judged_again(comparison: Comparison, settings: Settings, where: str) -> Comparison:
    """The comparison with other settings.

    Exact for whole numbers and texts, for rtol = atol, and for each rtol that is 0 or a power of
    ten from 1e-8 to 0.1 with any atol; for others as far as the figures leave no doubt.
    Raises: MS406, about the file `where`, if they do
    """
    rows = [again(row, settings, where) for row in comparison.rows]
    return replace(comparison, rows=tuple(rows), settings=settings)


def again(row: Row, settings: Settings, where: str) -> Row:
    """The row with other settings. Raises: MS406 if its figures do not tell"""
    if row.metrics is None or row.kind_a is None or row.kind_b is None:
        return row
    types = row.kind_a.dtype, row.kind_b.dtype
    tolerance = settings.tolerance((row.a, row.b), *types)
    metrics = row.metrics
    if tolerance != row.tolerance or metrics.close is None:
        is_exact = all(name.startswith(EXACT) for name in types)
        close = close_again(metrics, tolerance, is_exact)
        if close is None:
            raise doubtful(where, row, tolerance)
        metrics = replace(metrics, close=count_again(metrics, tolerance, close))
    else:
        close = all_close(metrics)
    status = status_of(metrics, close, settings, types[0] == types[1])
    return replace(row, status=status, tolerance=tolerance, metrics=metrics)


def count_again(metrics: Metrics, tolerance: Tolerance, close: bool) -> int | None:
    """How many elements are close with another tolerance; None if that is not recorded."""
    if close:
        return finite(metrics) + metrics.inf_same
    if tolerance == Tolerance():
        return metrics.equal
    found = dict(metrics.within).get(tolerance.rtol)
    if found is None or tolerance.rtol != tolerance.atol:
        return None
    return found + metrics.inf_same


def doubtful(where: str, row: Row, tolerance: Tolerance) -> UsageError:
    """The MS406 error about a row whose figures do not tell what another tolerance makes of it."""
    return UsageError(
        "MS406",
        where,
        f"the figures do not tell whether '{row.name}' would be close enough",
        got=f"rtol {tolerance.rtol:g}, atol {tolerance.atol:g}",
        expected=TOLD,
        advice="choose such a tolerance, or compare the files again",
    )
