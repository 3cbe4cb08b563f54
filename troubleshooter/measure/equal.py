"""Two small arrays that are the same bit by bit: their figures without a pass over both.

A file may have a hundred thousand of them, and a pass makes some thirty arrays and lists.
"""

from __future__ import annotations

import numpy as np

from ...numerics.tolerance import is_whole
from .counting import Count, OutOfRange
from .elements import Elements, same_bytes
from .metrics import ERRORS, RTOLS, Metrics, Ulps
from .passes import fill, zeros_in
from .ulp import unit_of

NO_STEPS = Ulps(0, 0, 0, 0)
NO_BOUNDS = tuple((rtol, 0.0) for rtol in RTOLS)


def measure_equal(a: Elements, b: Elements, record: bool) -> Metrics | None:
    """What a pass would find of two arrays of numbers; None if they are large, or not the same.

    None, too, for numbers that float64 cannot square.
    """
    if a.whole is None or b.whole is None or a.dtype != b.dtype:
        return None
    if not same_bytes(a.whole, b.whole):
        return None
    count = Count()
    try:
        wide = np.empty(a.size, np.complex128 if a.dtype.kind == "c" else np.float64)
        count.add(fill(wide, a.whole))
        count.zero = zeros_in(a.whole)
        count.refuse_vanishing()
    except OutOfRange:
        return None
    finite, side, records = count.finite, count.side(), record and not is_whole(a.dtype)
    return Metrics(
        size=a.size,
        equal=finite + count.inf,
        close=finite + count.inf,
        max_abs=0,
        nan_both=count.nan,
        inf_same=count.inf,
        a=side,
        b=side,
        ulp=None if unit_of(a.dtype, a.dtype) is None else NO_STEPS,
        within=tuple((error, finite) for error in ERRORS) if records else (),
        bounds=NO_BOUNDS if records else (),
    )
