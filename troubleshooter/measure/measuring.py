"""Two arrays of one shape against each other, each kind of element in its way."""

from __future__ import annotations

import numpy as np

from .counting import OutOfRange
from .elements import Array, Elements, Passed
from .floats import FloatPass
from .metrics import Metrics
from .tolerance import Tolerance, is_whole

EXACT = Tolerance()


def measure(
    a: Array,
    b: Array,
    tolerance: Tolerance = EXACT,
    *,
    record: bool = False,
    passed: Passed = lambda _bytes: None,
) -> Metrics:
    """The figures of `b` against the reference `a`, both read block by block.

    `record` adds what judging with other tolerances needs; `passed` is told how many bytes have
    been read, so that the caller can let go of the pages of a mapped file.
    Shapes: a, b the same
    Raises: ValueError if the shapes differ, TypeError for elements that are no numbers or text
    """
    if a.shape != b.shape:
        raise ValueError(f"shapes {a.shape} and {b.shape}")
    with np.errstate(all="ignore"):
        if is_whole(a.dtype) and is_whole(b.dtype):
            from .whole import WholePass

            return WholePass(Elements(a), Elements(b), tolerance, record, passed).run()
        if a.dtype.kind in "USO" or b.dtype.kind in "USO":
            from .text import measure_text

            return measure_text(a, b)
        return measure_floats(Elements(a), Elements(b), tolerance, record, passed)


def measure_floats(
    a: Elements, b: Elements, tolerance: Tolerance, record: bool, passed: Passed
) -> Metrics:
    """Of numbers that float64 cannot square, those of all elements times a power of two."""
    try:
        return FloatPass(a, b, tolerance, record, passed).run()
    except OutOfRange as error:
        return FloatPass(a, b, tolerance, record, passed, error.scale).run()
