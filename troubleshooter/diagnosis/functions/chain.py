"""Which one change in functions that follow each other gives another result, where that is all that
is known: an ONNX file has a number in the place of what a network's code computes of numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ....numerics.limits import OF_EXPRESSIONS
from ...compare.operators.kinds import RELATED
from ...compare.records import FunctionRecord
from ..hypothesis import Hypothesis
from ..layers.layer import Array
from . import changes
from .differing import BUDGET, CLEAR, MISFIT
from .model import MODELS
from .reading import Call, call_of, shown

MASKED = 9e3
"""Masks make larger numbers of scores: these say nothing of the size of others."""

ROUNDS = 12
"""So often a number is brought nearer to what it must be."""

STEP = 1e-4
DIGITS = 3
"""So many a number has that somebody writes."""

UNTRIED = ("axis", "index", "perm", "shape", "repeats", "dtype", "kernel", "stride", "padding")
"""Options whose numbers are no quantities."""

LACKED = ("neg", "invert", "square", "sqrt", "exp", "log", "reciprocal", "abs", "tanh", "sigmoid")
"""Functions of one value that may have been forgotten."""

JOINING = ("mul", "add", "sub", "div", "maximum", "minimum")
"""Functions of two values of which one may have been forgotten."""

TURNED: dict[tuple[Any, ...], tuple[Any, ...]] = {
    (1, None): (None, -1),
    (None, -1): (1, None),
    (2, None): (None, -2),
    (None, -2): (2, None),
    (None, 2): (2, None),
}
"""Starts and ends of slices, and those that are taken for them."""


@dataclass(frozen=True)
class Link:
    """A function, the values that it takes and gives by their names, and what gave it is called."""

    record: FunctionRecord
    takes: tuple[str, ...]
    gives: str


@dataclass(frozen=True)
class Changed:
    """Which link must be another one, and how."""

    number: int
    hypothesis: Hypothesis


@dataclass(frozen=True)
class Trial:
    """What a link would give, and what is said of that."""

    cause: str
    text: str
    result: Callable[[], Array]


@dataclass(frozen=True, eq=False)
class Chain:
    """Functions in their order; the last one gives what should be `wanted`.

    `others`: further values that the code has, by what they are called.
    """

    links: Sequence[Link]
    wanted: Array
    others: Mapping[str, Array]

    def changed(self) -> Changed | None:
        """The likeliest change with which the result is the wanted one; None if none was found."""
        ends = time.monotonic() + BUDGET
        with np.errstate(all="ignore"):
            for number, trial in self.trials():
                if self.is_right(number, trial):
                    found = Hypothesis(trial.text, trial.cause, True, CLEAR, 0.0)
                    return Changed(number, found)
                if time.monotonic() > ends:
                    return None
        return None

    def trials(self) -> Iterator[tuple[int, Trial]]:
        """The changes of all links, with the numbers of these: from the last, stage by stage."""
        for stage in STAGES:
            for number in reversed(range(len(self.links))):
                yield from ((number, trial) for trial in stage(self, number))

    @cached_property
    def calls(self) -> list[Call | None]:
        """The links in the models' words; None where these do not give what was recorded."""
        return [read(link.record) for link in self.links]

    def is_right(self, number: int, trial: Trial) -> bool:
        try:
            return self.fits(self.result(number, np.asarray(trial.result())))
        except MISFIT:
            return False

    def result(self, number: int, array: Array) -> Array:
        """What the chain gives if a link gives this. Raises: KeyError where that is not known"""
        values = {self.links[number].gives: array}
        for later in range(number + 1, len(self.links)):
            link = self.links[later]
            if not values.keys() & set(link.takes):
                continue
            if self.calls[later] is None:
                raise KeyError(link.record.name)
            given = zip(link.takes, link.record.inputs, strict=True)
            inputs = tuple(values.get(name, x) for name, x in given)
            values[link.gives] = call_of(replace(link.record, inputs=inputs)).compute()
        return values[self.links[-1].gives]

    def fits(self, found: Array) -> bool:
        away = self.away(found)
        return away is not None and bool((np.abs(away) <= OF_EXPRESSIONS * self.sizes).all())

    def away(self, found: Array) -> Array | None:
        """How far off each element is; None where the sizes differ."""
        if found.size == self.wanted.size:
            found = found.reshape(self.wanted.shape)
        try:
            x, y = np.broadcast_arrays(found, self.wanted)
        except ValueError:
            return None
        if x.shape != self.wanted.shape:
            return None
        away = np.nan_to_num(x.astype(np.float64) - y, nan=np.inf, posinf=np.inf, neginf=-np.inf)
        return np.where(x == y, 0.0, away)

    @cached_property
    def sizes(self) -> Array:
        """What each element is compared with: its own size, but no less than what is usual."""
        size = np.abs(self.wanted.astype(np.float64))
        usual = size[size < MASKED]
        return np.maximum(size, float(np.sqrt(np.mean(usual**2))) if usual.size else 0.0)

    def expression(self, number: int) -> str:
        record = self.links[number].record
        return record.expression or record.name


def read(record: FunctionRecord) -> Call | None:
    try:
        call = call_of(record)
        found = call.compute()
    except MISFIT:
        return None
    wanted = record.outputs[0]
    if found.size != wanted.size or found.dtype == object:
        return None
    x, y = found.reshape(-1).astype(np.float64), wanted.reshape(-1).astype(np.float64)
    return call if np.allclose(x, y, rtol=OF_EXPRESSIONS, equal_nan=True) else None


# what is tried, the likeliest first


def other_kinds(chain: Chain, number: int) -> Iterator[Trial]:
    """Another function of the same family, of the same operands."""
    call = chain.calls[number]
    if call is None:
        return
    for family in RELATED:
        for kind in sorted(family) if call.kind in family else ():
            if kind != call.kind and kind in MODELS:
                text = f"agrees if it is {kind} (here: {call.kind}, `{chain.expression(number)}`)"
                yield Trial("operator-other", text, replace(call, kind=kind).compute)


def other_arguments(chain: Chain, number: int) -> Iterator[Trial]:
    """Another order, another option, another mask."""
    call = chain.calls[number]
    if call is None:
        return
    several = (changes.of_operands(call, call), changes.of_settings(call), changes.of_masks(call))
    for change in (x for part in several for x in part):
        text = f"agrees if {change.subject} {change.tried} (here: {change.own})"
        yield Trial(change.cause, text, change.call.compute)
    for index in other_indices(call):
        text = f"agrees if index is {shown(index)} (here: {shown(call.options['index'])})"
        options = {**call.options, "index": index}
        yield Trial("function-index", text, replace(call, options=options).compute)


def other_indices(call: Call) -> Iterator[Any]:
    whole = call.options.get("index")
    if call.kind != "getitem" or whole is None or isinstance(whole, np.ndarray):
        return
    is_one = not isinstance(whole, tuple) or whole[:1] == ("slice",)
    parts = (whole,) if is_one else whole
    for i, part in enumerate(parts):
        for other in other_parts(part):
            new = (*parts[:i], other, *parts[i + 1 :])
            yield other if is_one else new


def other_parts(part: Any) -> Iterator[Any]:
    if isinstance(part, tuple) and part[:1] == ("slice",):
        start, end, step = part[1:]
        if (start, end) in TURNED and step is None:
            yield ("slice", *TURNED[start, end], None)
        if step not in (None, 1):
            yield ("slice", 0 if start else 1, end, step)
    elif isinstance(part, int) and not isinstance(part, bool):
        yield from (x for x in (0, 1, -1, part + 1, part - 1) if x != part)


def likely_numbers(chain: Chain, number: int) -> Iterator[Trial]:
    """Another number in the place of one that is written there, of few digits."""
    for subject, own, given in quantities(chain, number):
        exact = nearer(chain, number, own, given)
        short = () if exact is None else (float(f"{exact:.{DIGITS}g}"),)
        yield from as_trials(subject, own, given, (*near(own), *short))


def other_numbers(chain: Chain, number: int) -> Iterator[Trial]:
    """Any other number."""
    for subject, own, given in quantities(chain, number):
        exact = nearer(chain, number, own, given)
        yield from as_trials(subject, own, given, () if exact is None else (exact,))


Given = Callable[[float], Array]


def quantities(chain: Chain, number: int) -> Iterator[tuple[str, float, Given]]:
    """What the numbers of a function are called, what they are, what it gives with others."""
    call = chain.calls[number]
    if call is None:
        return
    for i, own in enumerate(call.operands):
        if is_quantity(own):
            is_base = call.kind == "pow" and i == 0
            subject = "the base" if is_base else changes.ROLES.get(call.kind, "the number")
            yield subject, float(own), partial_of(call, i)
    for name, own in call.options.items():
        if is_quantity(own) and name not in UNTRIED:
            yield name, float(own), partial_of(call, name)


def is_quantity(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def partial_of(call: Call, place: int | str) -> Given:
    def given(value: float) -> Array:
        if isinstance(place, str):
            return replace(call, options={**call.options, place: value}).compute()
        operands = (*call.operands[:place], value, *call.operands[place + 1 :])
        return replace(call, operands=operands).compute()

    return given


def as_trials(subject: str, own: float, given: Given, numbers: Sequence[float]) -> Iterator[Trial]:
    for value in dict.fromkeys(numbers):
        if value != own:
            text = f"agrees if {subject} is {shown(value)} (here: {shown(own)})"
            yield Trial("function-constant", text, partial(given, value))


def near(own: float) -> tuple[float, ...]:
    """What a slip makes of a number."""
    return (-own, own + 1, own - 1, own * 2, own / 2, own * 4, own / 4)


def nearer(chain: Chain, number: int, own: float, given: Given) -> float | None:
    """The number of the least distance from the wanted, by Newton's steps; None if they fail."""
    value = own
    for _ in range(ROUNDS):
        step = max(abs(value), 1.0) * STEP
        both = distances(chain, number, given, (value, value + step))
        if both is None:
            return None
        slope = (both[1] - both[0]) / step
        size = float((slope * slope).sum())
        value -= float((slope * both[0]).sum()) / size if size else np.inf
        if not np.isfinite(value):
            return None
    return value


def distances(
    chain: Chain, number: int, given: Given, values: tuple[float, float]
) -> tuple[Array, Array] | None:
    """What is missing with each of two numbers; None where that is no number."""
    try:
        found = [chain.away(chain.result(number, np.asarray(given(x)))) for x in values]
    except MISFIT:
        return None
    one, two = found
    if one is None or two is None or not (np.isfinite(one).all() and np.isfinite(two).all()):
        return None
    return one, two


def too_many(chain: Chain, number: int) -> Iterator[Trial]:
    """It is left out: what it takes goes on."""
    record = chain.links[number].record
    kind = getattr(chain.calls[number], "kind", record.name)
    for x in record.inputs if kind != "cast" else ():
        text = f"agrees if {kind} is not done (here: `{chain.expression(number)}`, "
        yield Trial("operator-extra", f"{text}one operator too many)", partial(np.asarray, x))


def lacking(chain: Chain, number: int) -> Iterator[Trial]:
    """A function of what it gives, by itself or with another value, or with a number."""
    given = chain.links[number].record.outputs[0]
    wide = given.astype(np.float64) if given.dtype.kind == "f" else given
    of = f"of `{chain.expression(number)}` is done (here: it is missing)"
    for kind in LACKED:
        yield Trial("operator-missing", f"agrees if {kind} {of}", partial(MODELS[kind], wide))
    for kind in JOINING:
        for name, x in chain.others.items():
            text = f"agrees if {kind} {of[:-1]}, with {name})"
            yield Trial("operator-missing", text, partial(MODELS[kind], wide, x))


def other_values(chain: Chain, number: int) -> Iterator[Trial]:
    """It takes another value that the code has."""
    link = chain.links[number]
    if chain.calls[number] is None:
        return
    for i, own in enumerate(link.record.inputs):
        for name, x in chain.others.items():
            if x is own or x.dtype.kind != own.dtype.kind:
                continue
            inputs = (*link.record.inputs[:i], x, *link.record.inputs[i + 1 :])
            record = replace(link.record, inputs=inputs)
            text = f"agrees if it takes {name} (here: another value, `{chain.expression(number)}`)"
            yield Trial("function-value", text, partial(computed, record))


def computed(record: FunctionRecord) -> Array:
    return call_of(record).compute()


STAGES = (
    *(other_kinds, other_arguments, likely_numbers, too_many, lacking),
    *(other_numbers, other_values),
)
