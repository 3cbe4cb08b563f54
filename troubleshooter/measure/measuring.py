"""Two arrays of one shape against each other, each kind of element in its way."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ...formats.stored import StoredTensor
from ...numerics.tolerance import Tolerance, is_whole
from .counting import OutOfRange
from .elements import Array, Elements
from .equal import measure_equal
from .floats import FloatPass
from .metrics import Metrics

EXACT = Tolerance()
TEXTS = "US"
Source: TypeAlias = Array | StoredTensor


def measure(a: Source, b: Source, tolerance: Tolerance = EXACT, *, record: bool = False) -> Metrics:
    """The figures of `b` against the reference `a`, both read block by block.

    `record` adds what judging with other tolerances needs.
    Shapes: a, b as many elements in C order; indices are a's
    Raises: ValueError if the sizes differ, TypeError for texts against numbers
    """
    if a.size != b.size:
        raise ValueError(f"shapes {a.shape} and {b.shape}")
    x, y = Elements(a), Elements(b)
    with np.errstate(all="ignore"):
        if x.dtype.kind in TEXTS or y.dtype.kind in TEXTS:
            from .text import measure_text

            return measure_text(x, y)
        equal = measure_equal(x, y, record)
        if equal is not None:
            return equal
        if is_whole(x.dtype) and is_whole(y.dtype):
            from .whole import WholePass

            return WholePass(x, y, tolerance, record=False).run()
        return measure_floats(x, y, tolerance, record)


def measure_floats(a: Elements, b: Elements, tolerance: Tolerance, record: bool) -> Metrics:
    """Of numbers that float64 cannot square, those of all elements times a power of two."""
    try:
        return FloatPass(a, b, tolerance, record).run()
    except OutOfRange as error:
        return FloatPass(a, b, tolerance, record, error.scale).run()
