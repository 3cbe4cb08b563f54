"""Sizes of which some are named, multiplied and divided: "4*batch" over 4 is "batch"."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from .graph import Dim

PLAIN = re.compile(r"[A-Za-z0-9_.]+(\*[A-Za-z0-9_.]+)*")
"""A name that is read as a product; any other is one factor."""

MOST_DIGITS = 18
"""Of a number in a name: what has more is no size, but a name."""

Factors = tuple[int, Counter[str]]


def product(sizes: Sequence[Dim]) -> Dim:
    """The number of elements; None if a size is unknown."""
    return quotient(sizes, ())


def quotient(sizes: Sequence[Dim], by: Sequence[Dim]) -> Dim:
    """The product of `sizes` over that of `by`; None if it is unknown or not whole."""
    above, below = _factors(sizes), _factors(by)
    if above is None or below is None or below[0] == 0 or above[0] % below[0]:
        return None
    names = Counter(above[1])
    names.subtract(below[1])
    if any(count < 0 for count in names.values()):
        return None
    return _text(above[0] // below[0], names)


def _factors(sizes: Sequence[Dim]) -> Factors | None:
    numbers: list[int] = []
    names: Counter[str] = Counter()
    for size in sizes:
        if size is None:
            return None
        parts = size.split("*") if isinstance(size, str) and PLAIN.fullmatch(size) else [size]
        numbers += [int(part) for part in parts if _is_number(part)]
        names.update(str(part) for part in parts if not _is_number(part))
    return math.prod(numbers), names


def _is_number(part: int | str) -> bool:
    if isinstance(part, int):
        return True
    return part.isascii() and part.isdecimal() and len(part) <= MOST_DIGITS


def _text(number: int, names: Counter[str]) -> Dim:
    factors = sorted(names.elements())
    if not factors or number == 0:
        return number
    return "*".join(factors if number == 1 else [str(number), *factors])
