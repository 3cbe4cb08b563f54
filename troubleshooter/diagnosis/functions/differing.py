"""Why an operator gives something else than the reference's, or is where that has none."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ....numerics.distance import apart
from ....numerics.limits import OF_EXPRESSIONS
from ...compare.operators.kinds import are_related, kind_of, plain_kind
from ...compare.records import FunctionRecord
from ..attempts import MISFITS
from ..hypothesis import Hypothesis
from ..layers.layer import Array
from ..reading.description import widened
from . import changes, composites, elementwise, making, reducing, sampling, shaping
from .changes import Change
from .constants import held
from .reading import LARGEST, Call, as_index, call_of, in_words_of, sizes_of

BUDGET = 3.0
"""So long causes of one place are tried. Units: seconds"""

LIMIT = 10 * OF_EXPRESSIONS
HERE = (elementwise, making, reducing, shaping, sampling, composites)
"""The models are known when their modules are imported."""

MASKING = ("masked_fill", "where")
CUTTING = ("detach", "data")
SCALING = ("mul", "div")
CLEAR = 1.0
MISFIT = (*MISFITS, KeyError, AttributeError, AssertionError, OverflowError)
"""What is raised where arguments are not as a model takes them."""


@dataclass(frozen=True)
class FunctionPair:
    """The operators of both sides; None where one has none. `verdict` as of the difference.

    `labels`: where each side takes another value for the same, what these are; `values`: the
    values, where they were kept. `several`: whether the candidate lacks more than one operator.
    `is_weight`: whether what is taken is one parameter of both.
    """

    verdict: str
    reference: FunctionRecord | None
    candidate: FunctionRecord | None
    labels: tuple[str, str] = ("", "")
    values: tuple[Array | None, Array | None] = (None, None)
    several: bool = False
    is_weight: bool = False


def diagnose_function(pair: FunctionPair) -> tuple[Hypothesis, ...]:
    """What explains the candidate's operator, the likeliest first."""
    with np.errstate(all="ignore"):
        if pair.verdict == "value":
            return of_value(pair)
        if pair.verdict == "missing" and pair.reference is not None:
            return of_lacking(pair.reference, several=pair.several)
        if pair.verdict == "extra" and pair.candidate is not None:
            return of_added(pair.candidate)
        if pair.reference is not None and pair.candidate is not None:
            return of_both(pair.reference, pair.candidate)
    return ()


def of_value(pair: FunctionPair) -> tuple[Hypothesis, ...]:
    wanted, here = pair.labels
    own, other = pair.values
    if wanted and here and wanted != here:
        text = f"agrees if it takes {wanted} (here: {here})"
        return (Hypothesis(text, "function-value", True, CLEAR, 0.0),)
    if own is None or other is None:
        return ()
    text = f"agrees if {wanted or 'what is made for it'} is {' (here: '.join(held(own, other))})"
    cause = "parameters" if pair.is_weight else "function-made"
    return (Hypothesis(text, cause, True, CLEAR, 0.0),)


def of_lacking(own: FunctionRecord, *, several: bool) -> tuple[Hypothesis, ...]:
    kind = kind_of(own.name)
    if kind in CUTTING:
        text = f"agrees if the gradient is cut off at `{own.expression}` (here: it goes on)"
        return (Hypothesis(text, "function-gradient", True, CLEAR, 0.0),)
    cause, what = "operator-missing", kind
    if kind in MASKING:
        cause, what = "function-mask-missing", f"the mask ({kind})"
    elif kind in SCALING and not several:
        cause, what = "function-scale", f"the scaling ({kind})"
    text = f"agrees if {what} of `{own.expression or own.name}` is done (here: it is missing)"
    return (Hypothesis(text, cause, True, CLEAR, 0.0),)


def of_added(other: FunctionRecord) -> tuple[Hypothesis, ...]:
    kind = kind_of(other.name)
    if kind in CUTTING:
        text = f"agrees if the gradient goes on (here: cut off at `{other.expression}`)"
        return (Hypothesis(text, "function-gradient", True, CLEAR, 0.0),)
    cause = "function-mask-inverted" if kind == "invert" else "operator-extra"
    what = "the mask is not inverted" if kind == "invert" else f"{kind} is not done"
    text = f"agrees if {what} (here: `{other.expression or other.name}`, one operator too many)"
    return (Hypothesis(text, cause, True, CLEAR, 0.0),)


def of_both(own: FunctionRecord, other: FunctionRecord) -> tuple[Hypothesis, ...]:
    try:
        plain = call_of(other)
        ours = as_index(call_of(own), plain)
        theirs = in_words_of(ours, plain)
    except MISFIT:
        return of_kinds(own, other)
    wanted = widened(other.outputs[0])
    given = widened(own.outputs[0])
    is_other = ours.is_modelled and plain.kind != ours.kind and are_related(plain.kind, ours.kind)
    if is_other and computed(replace(plain, kind=ours.kind), given) <= LIMIT:
        return of_kinds(own, other)
    before = away(given, wanted)
    ends = time.monotonic() + BUDGET
    if ours.is_modelled and sizes_of(ours) <= LARGEST and computed(ours, given) <= LIMIT:
        for change in tried(ours, theirs):
            after = computed(change.call, wanted)
            if after <= LIMIT and after < before:
                return (hypothesis(change, True, before, after),)
            if time.monotonic() > ends:
                text = f"no cause was found within {BUDGET:g} s"
                return (*of_kinds(own, other), Hypothesis(text, "budget", False, before, before))
    return of_kinds(own, other) or of_differences(ours, theirs, before) or of_results(given, wanted)


def tried(ours: Call, theirs: Call) -> Iterator[Change]:
    """The likeliest first."""
    yield from changes.of_options(ours, theirs)
    yield from changes.of_operands(ours, theirs)
    yield from changes.of_shapes(ours, theirs)
    yield from changes.of_masks(ours)
    if ours.kind == theirs.kind or not theirs.is_modelled:
        yield from changes.of_settings(ours)


def of_kinds(own: FunctionRecord, other: FunctionRecord) -> tuple[Hypothesis, ...]:
    """Where they are not the same function."""
    kinds = plain_kind(own.name), plain_kind(other.name)
    if kinds[0] == kinds[1]:
        return ()
    ours, theirs = (
        f"{kind}, `{one.expression}`" if one.expression else kind
        for kind, one in zip(kinds, (own, other), strict=True)
    )
    text = f"agrees if it is {ours} (here: {theirs})"
    return (Hypothesis(text, "operator-other", True, CLEAR, 0.0),)


def of_differences(ours: Call, theirs: Call, before: float) -> tuple[Hypothesis, ...]:
    """Arguments that differ, where what they make of the result was not computed."""
    names = dict.fromkeys((*ours.others, *theirs.others))
    found = [
        Change(
            "function-constant" if name.isdigit() else "function-option",
            "what it is given is" if name.isdigit() else f"{name} is",
            *changes.told(ours.others.get(name), theirs.others.get(name)),
            ours,
        )
        for name in names
        if name in ours.others
        and name in theirs.others
        and not changes.equal(ours.others[name], theirs.others[name])
    ]
    found += [*changes.of_options(ours, theirs), *changes.numbers(ours, theirs)]
    return tuple(hypothesis(change, len(found) == 1, before, math.nan) for change in found[:3])


def of_results(given: Array, wanted: Array) -> tuple[Hypothesis, ...]:
    """What the one result is of the other."""
    if given.size != wanted.size or not given.size or given.dtype.kind != "f":
        return ()
    x, y = given.reshape(-1), wanted.reshape(-1).astype(np.float64)
    size = float((x * x).sum())
    factor = float((x * y).sum()) / size if size else 0.0
    if factor and math.isfinite(factor) and away(factor * x, y) <= LIMIT:
        text = f"agrees if the result is as it is there (here: {factor:.6g} times that)"
        return (Hypothesis(text, "function-scale", True, away(x, y), away(factor * x, y)),)
    return ()


def hypothesis(change: Change, agrees: bool, before: float, after: float) -> Hypothesis:
    text = f"agrees if {change.subject} {change.own} (here: {change.tried})"
    return Hypothesis(text, change.cause, agrees, before, after)


def computed(call: Call, wanted: Array) -> float:
    """How far what it gives is from the result; infinite where it cannot be computed."""
    try:
        return away(np.asarray(call.compute()), wanted)
    except MISFIT:
        return math.inf


def away(found: Array, wanted: Array) -> float:
    """Elements in their order, whatever the shapes are."""
    if found.size != wanted.size or found.dtype == object:
        return math.inf
    a, b = (
        x.reshape(-1).astype(np.float64) if x.dtype.kind in "bui" else x.reshape(-1)
        for x in (found, wanted)
    )
    return apart(a, b)
