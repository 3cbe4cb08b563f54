"""What is known of a pair of arrays once it is measured: enough to judge it again without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Scalar: TypeAlias = bool | int | float | str
"""An element as JSON has it: exact; a complex number and a text as text."""

RTOLS = (0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
"""The relative tolerances for which `Metrics.bounds` says the absolute one that is needed."""

ERRORS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""The errors for which `Metrics.within` counts the elements that have at most these."""


@dataclass(frozen=True)
class Side:
    """What is counted of one array. Units: `rms` is the root mean square of finite elements"""

    nan: int = 0
    inf: int = 0
    zero: int = 0
    rms: float = 0.0


@dataclass(frozen=True)
class Ulps:
    """How many steps of the coarser type the elements are apart.

    `max` is exact; a quantile is the upper end of its bucket (`ulp.LIMITS`), at most `max`.
    """

    p50: int
    p90: int
    p99: int
    max: int


@dataclass(frozen=True)
class Worst:
    """The element with the largest error: where, and what both arrays have there."""

    index: tuple[int, ...]
    a: Scalar
    b: Scalar


@dataclass(frozen=True)
class Metrics:
    """Array `b` against the reference `a`, of the same shape.

    `equal` and `close` count elements; close is what is at most rtol * |a| + atol * rms(a) away
    (`steps` of whole numbers); None: judging again does not tell. `error` is the least t that could
    stand for rtol and for atol with all elements close. Figures of differences are of the elements
    that are finite in both arrays; NaN is equal to nothing, an infinity to itself. `max_rel` and
    `mean_rel` are of the elements whose reference is not zero; `max_abs` of whole numbers is exact.

    With `record`, of what need not be equal: `within` is (error, how many elements have at most
    it); `bounds` is (rtol, the least atol with which all elements are close).
    """

    size: int
    equal: int
    close: int | None
    error: float = 0.0
    max_abs: int | float = 0.0
    mean_abs: float = 0.0
    max_rel: float = 0.0
    mean_rel: float = 0.0
    rel_l2: float = 0.0
    cosine: float = 1.0
    sign_changes: int = 0
    nan_both: int = 0
    inf_same: int = 0
    a: Side = Side()
    b: Side = Side()
    ulp: Ulps | None = None
    worst: Worst | None = None
    within: tuple[tuple[float, int], ...] = ()
    bounds: tuple[tuple[float, float], ...] = ()


def scalar(element: Any) -> Scalar:
    """An element of an array as JSON has it."""
    value = element.item() if isinstance(element, np.generic) else element
    if isinstance(value, bytes):
        return value.decode("latin1")
    if isinstance(value, bool | int | float | str):
        return value
    return str(value) if isinstance(value, complex) else float(value)
