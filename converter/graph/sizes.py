"""Sizes of which some are named, as sums of products: "4*batch" over 4 is "batch".

A name that is arithmetic, as exporters write ("past + 2*seq"), is read as such; what else stands in
it is one name. Two sizes are equal only if their sums are: what is unknown equals nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from .graph import Dim

ATOM = re.compile(r"[?A-Za-z_][A-Za-z0-9_.]*|[0-9]+")
"""A name or a number."""

MOST_DIGITS = 18
"""Of a number in a name: what has more is no size, but a name."""

MOST_TERMS = 16
"""Terms of a sum; a longer one is not told from others."""

LONGEST = 200
"""Characters of a name that is read as arithmetic."""

Sum = dict[tuple[str, ...], int]
"""The names of each product, sorted, and how often it is counted; () are plain numbers."""


def product(sizes: Sequence[Dim]) -> Dim:
    """The number of elements; None if a size is unknown."""
    total = _multiplied(sizes)
    return None if total is None else _text(total)


def quotient(sizes: Sequence[Dim], by: Sequence[Dim]) -> Dim:
    """The product of `sizes` over that of `by`; None if it is unknown or not whole."""
    above, below = _multiplied(sizes), _multiplied(by)
    if above is None or below is None or not below:
        return None
    if len(below) == 1:
        return _over(above, *next(iter(below.items())))
    first = next(iter(below))
    factor, rest = divmod(above.get(first, 0), below[first])
    return factor if rest == 0 and _scaled(below, factor) == above else None


def total(a: Dim, b: Dim, sign: int = 1) -> Dim:
    """a + b, or a - b; None if one is unknown."""
    left, right = _read(a), _read(b)
    if left is None or right is None:
        return None
    return _text(_added(left, _scaled(right, sign)))


def floor(a: Dim, b: Dim) -> Dim:
    """a over b, rounded down, where neither can be negative: a name of its own if it is not whole.

    None if it is unknown.
    """
    whole = quotient([a], [b])
    if whole is not None:
        return whole
    above, below = _read(a), _read(b)
    if above is None or not below or not is_size(a) or not is_size(b):
        return None
    return f"({a}//{b})" if len(below) == 1 else f"({a}//({b}))"


def same(a: Dim, b: Dim) -> bool:
    """Whether the sizes are equal whatever the names stand for."""
    return total(a, b, -1) == 0


def is_size(a: Dim) -> bool:
    """Whether it is shown never to be negative: nothing is subtracted in it."""
    found = _read(a)
    return found is not None and all(count >= 0 for count in found.values())


def _over(above: Sum, names: tuple[str, ...], number: int) -> Dim:
    found: Sum = {}
    for term, count in above.items():
        left = Counter(term)
        left.subtract(names)
        if number == 0 or count % number or any(n < 0 for n in left.values()):
            return None
        found[tuple(sorted(left.elements()))] = count // number
    return _text(found)


def _multiplied(sizes: Sequence[Dim]) -> Sum | None:
    result: Sum = {(): 1}
    for size in sizes:
        factor = _read(size)
        if factor is None or len(result) * len(factor) > MOST_TERMS**2:
            return None
        parts = [
            {tuple(sorted(a + b)): m * n} for a, m in result.items() for b, n in factor.items()
        ]
        result = {}
        for part in parts:
            result = _added(result, part)
    return result if len(result) <= MOST_TERMS else None


def _read(size: Dim) -> Sum | None:
    if size is None:
        return None
    if isinstance(size, int):
        return {(): int(size)} if size else {}
    found = _parsed(size.replace(" ", "")) if len(size) <= LONGEST else None
    return {(size,): 1} if found is None else found


def _parsed(text: str) -> Sum | None:
    """The sum that the text writes; None if it is a name and no arithmetic."""
    result: Sum = {}
    for sign, term in _terms(text):
        names: list[str] = []
        number = sign
        for part in _split(term, "*"):
            if part.isascii() and part.isdecimal() and len(part) <= MOST_DIGITS:
                number *= int(part)
            elif ATOM.fullmatch(part) or (part[:1] == "(" and part[-1:] == ")" and "//" in part):
                names.append(part)
            else:
                return None
        result = _added(result, {tuple(sorted(names)): number})
    return result if len(result) <= MOST_TERMS else None


def _terms(text: str) -> Iterator[tuple[int, str]]:
    """The terms of a sum with their signs."""
    for added in _split(text, "+"):
        for i, term in enumerate(_split(added, "-")):
            yield (-1 if i else 1), term


def _split(text: str, mark: str) -> list[str]:
    """The text at each mark that stands in no parentheses."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == mark and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def _added(a: Sum, b: Sum) -> Sum:
    terms = {term: a.get(term, 0) + b.get(term, 0) for term in (*a, *b)}
    return {term: count for term, count in terms.items() if count}


def _scaled(a: Sum, factor: int) -> Sum:
    return {term: count * factor for term, count in a.items() if factor}


def _text(found: Sum) -> Dim:
    if not found:
        return 0
    if set(found) == {()}:
        return found[()]
    terms = sorted((term for term in found if term), key=lambda term: (len(term), term))
    text = ""
    for term in [*terms, *([()] if () in found else [])]:
        count = found[term]
        number = [] if abs(count) == 1 and term else [str(abs(count))]
        word = "*".join([*number, *term])
        sign = ("-" if not text else " - ") if count < 0 else (" + " if text else "")
        text += sign + word
    return text
