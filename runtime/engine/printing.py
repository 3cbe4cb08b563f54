"""How a Tensor's elements look in its `repr`, to the character as in MindSpore."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .dtype import Array

LONGEST_ROW = 1000
"""A single row of more elements is shown by its ends."""
SHOWN = 3
"""How many elements are shown of each end; longer axes of two or more are cut."""
PER_LINE = {"b": 12, "f": 12}
"""Elements on a line of a single row; 24 of other kinds."""


def written(array: Array) -> Callable[[Any], str]:
    """How one element of `array` is written."""
    if array.dtype.kind == "f":
        digits, width = (4, 11) if array.dtype.itemsize == 2 else (8, 15)
        return lambda x: f"{x:.{digits}e}".rjust(width)
    if array.dtype.kind == "b":
        return lambda x: str(bool(x)).rjust(5)
    return plain


def plain(x: Any) -> str:
    """A number as it stands alone."""
    if x.dtype.kind in "biu":
        return str(x.item())
    if x.dtype.kind == "c":
        return f"{x.real:g}{x.imag:+g}j"
    return f"{float(x):g}"


def elements(array: Array) -> str:
    """All that stands behind `value=`."""
    if not array.ndim:
        return f" {plain(array[()])}"
    start = " " if array.ndim == 1 else "\n"
    if not array.size:
        return start
    limit = LONGEST_ROW if array.ndim == 1 else 2 * SHOWN
    is_cut = tuple([n > limit for n in array.shape])
    for axis in np.flatnonzero(is_cut):
        array = np.take(array, [*range(SHOWN), *range(-SHOWN, 0)], axis)
    texts = [written(array)(x) for x in array.flat]
    width = 0 if array.dtype.kind == "c" else max(map(len, texts))
    shown = np.array([text.rjust(width) for text in texts], object).reshape(array.shape)
    return start + nested(shown, PER_LINE.get(array.dtype.kind, 24), is_cut)


def numpy_elements(array: Array) -> str:
    """All that stands behind `value=` of a Tensor whose memory is an array's: NumPy writes it."""
    start = "\n" if array.ndim > 1 else " "
    return start + np.array2string(array, separator=", ")


def nested(texts: Any, per_line: int, is_cut: tuple[bool, ...]) -> str:
    """The brackets around `texts`; where an axis `is_cut`, its ends are there."""
    if texts.ndim == 1:
        if is_cut[-1]:
            return f"[{', '.join(texts[:SHOWN])} ... {', '.join(texts[-SHOWN:])}]"
        return f"[{lines(texts, per_line)}]"
    axis = len(is_cut) - texts.ndim
    gap = "\n" + " " * (axis + 1)
    parts = [nested(part, per_line, is_cut) for part in texts]
    if is_cut[axis]:
        ends = [f",{gap}".join(end) for end in (parts[:SHOWN], parts[-SHOWN:])]
        return f"[{ends[0]},{gap}...{gap}{ends[1]}]"
    return f"[{f',{gap}'.join(parts)}]"


def lines(texts: Any, count: int) -> str:
    """The elements of one row, `count` on a line."""
    rows = [", ".join(texts[k : k + count]) for k in range(0, len(texts), count)]
    whole = len(texts) % count == 0 and len(texts) > 0
    return ", \n ".join(rows) + ("\n " if whole else "")
