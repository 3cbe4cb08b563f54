"""Regular expressions whose search takes time that grows with the text, whatever they are.

Python's `re` tries one way after the other: `(a+)+$` takes twice as long with each further
letter. Here all ways are followed at once, as sets of states. What that cannot say (references to
groups, looking ahead) is refused. Source: K. Thompson, Regular expression search algorithm, 1968
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

MOST_STATES = 1000
"""A pattern may need so many: each letter of a text takes as many steps at most."""
DONE = 0
"""The state in which the pattern is found."""
TOKEN = re.compile(
    r"\\(?:x..|u.{4}|U.{8}|N\{[^}]*\}|0[0-7]{0,2}|[0-3][0-7][0-7]|.)"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?:|\?P<\w+>)?|.",
    re.DOTALL,
)
TIMES = re.compile(r"(?:([*+?])|\{(?=[0-9,])([0-9]*)(,?)([0-9]*)\})([?+]?)")
ANCHORS = ("^", "$", r"\A", r"\Z", r"\b", r"\B")
BACK = re.compile(r"\\[1-9]")


class PatternError(ValueError):
    """The pattern is none, or says more than is searched for here."""


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """Goes on to `after` where `test` holds of the next letter, or of the place; None: always."""

    test: re.Pattern[str] | None
    after: tuple[int, ...]
    is_place: bool


@dataclass(frozen=True, eq=False)
class Letter:
    text: str


@dataclass(frozen=True, eq=False)
class Row:
    parts: list[Part]


@dataclass(frozen=True, eq=False)
class Choice:
    rows: list[Row]


@dataclass(frozen=True, eq=False)
class Repeated:
    """`most` None: for ever."""

    part: Part
    least: int
    most: int | None


Part = Letter | Choice | Repeated


@dataclass(frozen=True, eq=False)
class Pattern:
    """A regular expression in Python's syntax. `states[DONE]` is the end, `first` the beginning."""

    pattern: str
    states: tuple[State, ...]
    first: int

    def is_in(self, text: str) -> bool:
        """Whether it is found anywhere in a text."""
        now: Iterable[int] = ()
        for place in range(len(text) + 1):
            reached = self.reached([*now, self.first], text, place)
            if DONE in reached:
                return True
            letter = text[place : place + 1]
            states = [self.states[k] for k in reached]
            now = [
                k for s in states if s.test and not s.is_place and s.test.fullmatch(letter)
                for k in s.after
            ]  # fmt: skip
        return False

    def reached(self, states: Iterable[int], text: str, place: int) -> set[int]:
        """The states to which these lead without a letter."""
        left, found = [*states], set[int]()
        while left:
            k = left.pop()
            if k in found:
                continue
            found.add(k)
            state = self.states[k]
            if state.test is None or (state.is_place and state.test.match(text, place)):
                left += state.after
        return found


@lru_cache(maxsize=1 << 14)
def is_found(pattern: Pattern, text: str) -> bool:
    """Whether the text has the pattern in it; names come again in each iteration."""
    return pattern.is_in(text)


def pattern_of(text: str) -> Pattern:
    """The pattern that a text is. Raises: PatternError"""
    try:
        re.compile(text)
        builder = Builder()
        first = builder.add(Parser(text).choice(), DONE)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"is no regular expression: {error}") from error
    return Pattern(text, tuple(builder.states), first)


class Parser:
    """Reads a pattern that `re` takes."""

    def __init__(self, text: str) -> None:
        self.tokens = [(found[0], found.end()) for found in TOKEN.finditer(text)]
        self.text, self.next = text, 0

    @property
    def token(self) -> str:
        return self.tokens[self.next][0] if self.next < len(self.tokens) else ""

    def take(self) -> str:
        token, self.next = self.token, self.next + 1
        return token

    def choice(self) -> Choice:
        rows = [self.row()]
        while self.token == "|":
            self.take()
            rows.append(self.row())
        return Choice(rows)

    def row(self) -> Row:
        parts: list[Part] = []
        while self.token not in ("", "|", ")"):
            parts.append(self.repeated(self.part()))
        return Row(parts)

    def part(self) -> Part:
        token = self.take()
        if token.startswith("(") and self.token == "?":
            raise PatternError("groups are (...), (?:...) or (?P<name>...) here")
        if token.startswith("("):
            inner = self.choice()
            self.take()
            return inner
        if BACK.fullmatch(token):
            raise PatternError("there are no references to groups here")
        return Letter(token)

    def repeated(self, part: Part) -> Part:
        """A part with what behind it says how often it comes."""
        found = TIMES.match(self.text, self.tokens[self.next - 1][1])
        if found is None:
            return part
        sign, least, comma, most, greed = found.groups()
        if greed == "+":
            raise PatternError(f"{found[0]} takes back nothing, which is not searched for here")
        while self.next < len(self.tokens) and self.tokens[self.next][1] <= found.end():
            self.next += 1
        if sign is not None:
            return Repeated(part, int(sign == "+"), 1 if sign == "?" else None)
        upper = (int(most) if most else None) if comma else int(least)
        return Repeated(part, int(least or 0), upper)


class Builder:
    """Makes states of parts, from the end of the pattern on."""

    def __init__(self) -> None:
        self.states = [State(re.compile("(?!)"), (), True)]

    def state(self, test: str | None, *after: int) -> int:
        if len(self.states) >= MOST_STATES:
            raise PatternError(f"it needs more than {MOST_STATES} states")
        is_place = test in ANCHORS
        self.states.append(State(None if test is None else re.compile(test), after, is_place))
        return len(self.states) - 1

    def add(self, part: Part, after: int) -> int:
        """The first state of a part that goes on to `after`."""
        if isinstance(part, Letter):
            return self.state(part.text, after)
        if isinstance(part, Repeated):
            return self.repeat(part, after)
        firsts = [self.row(row, after) for row in part.rows]
        return firsts[0] if len(firsts) == 1 else self.state(None, *firsts)

    def row(self, row: Row, after: int) -> int:
        for part in reversed(row.parts):
            after = self.add(part, after)
        return after

    def repeat(self, part: Repeated, after: int) -> int:
        end = after
        if part.most is None:
            after = self.state(None, after)
            self.states[after] = State(None, (end, self.add(part.part, after)), False)
        for _ in range((part.most or 0) - part.least):
            after = self.state(None, self.add(part.part, after), end)
        for _ in range(part.least):
            first = self.add(part.part, after)
            if first == after:  # it is empty, however often
                break
            after = first
        return after
