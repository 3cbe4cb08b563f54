"""Patterns as MindSpore's tokenisers take them: ICU's, told in Python's."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

from ...engine.argument import check_type
from ...engine.failure import ShapeError
from .scripts import SCRIPTS, script

PROPERTY = re.compile(r"(?P<not>\\P|\\p)\{(?P<name>[A-Za-z_]+)\}")
CHARACTER = re.compile(r"\\x\{([0-9A-Fa-f]{1,6})\}")
CATEGORIES = frozenset(unicodedata.category(chr(n)) for n in range(0x3000))
CATEGORIES |= {category[0] for category in CATEGORIES}
BRACKETS = re.compile(r"\\.|\[|\]")


def pattern(where: str, name: str, given: object) -> re.Pattern[str]:
    """Raises: TypeError or ValueError (MS304) for what is no pattern."""
    text: str = check_type(where, name, given, str)
    try:
        return re.compile(translated(text))
    except (re.error, ValueError) as error:
        got = f"{text!r}: {error}"
        raise ShapeError(where, f"{name} is no pattern", got=got) from error


def translated(text: str) -> str:
    r"""The pattern with \p{..} and \x{..} as Python's `re` has them."""
    text = CHARACTER.sub(lambda found: re.escape(chr(int(found[1], 16))), text)
    parts, last, depth = [], 0, 0
    for found in re.finditer(rf"{PROPERTY.pattern}|{BRACKETS.pattern}", text):
        parts.append(text[last : found.start()])
        last = found.end()
        if found["name"] is None:
            depth += {"[": 1, "]": -1}.get(found[0], 0)
            parts.append(found[0])
            continue
        inside = ranges(found["name"], found["not"] == r"\P")
        parts.append(inside if depth else f"[{inside}]")
    return "".join([*parts, text[last:]])


def replacement(text: str) -> str:
    """What stands for a match, where `$1` is its first group, as `re` has it."""
    parts = re.findall(r"\\.|\$\d+|[^\\$]+|.", text, re.DOTALL)
    return "".join(
        rf"\g<{part[1:]}>" if part[0] == "$" and len(part) > 1 else literal(part) for part in parts
    )


def literal(part: str) -> str:
    """Text that a match becomes, in which a backslash only keeps what follows as it is."""
    plain = part[1:] if part[0] == "\\" else part
    return plain.replace("\\", r"\\")


@cache
def ranges(name: str, is_without: bool) -> str:
    """The characters of a category or a script of Unicode's, or all others, as ranges of a set.

    Raises: ValueError for a name that is neither.
    """
    if name not in CATEGORIES and name not in SCRIPTS:
        raise ValueError(f"there is no category or script {name}")
    kind = script if name in SCRIPTS else unicodedata.category
    starts: list[list[int]] = []
    for number in range(sys.maxunicode + 1):
        if kind(chr(number)).startswith(name) == is_without:
            continue
        if starts and starts[-1][1] == number - 1:
            starts[-1][1] = number
        else:
            starts.append([number, number])
    return "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in starts)
