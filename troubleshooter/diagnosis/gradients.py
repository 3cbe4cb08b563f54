"""What the gradients of one side are of the other's."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ...numerics.distance import apart
from ...numerics.limits import OF_GRADIENTS
from ..compare.records import LayerPair
from .causes.precision import ROUNDINGS
from .causes.relation import mirrored
from .hypothesis import Hypothesis
from .layers.layer import Array
from .reading.description import widened

GAIN = 100.0

LOSS_SCALES = {2.0**k for k in range(5, 25)}

Gradients = Mapping[str, Array | None]


@dataclass(frozen=True)
class Change:
    """What became of a gradient: its name among `CAUSES`, in words, and the numbers."""

    cause: str
    text: str
    result: Array


CAUSES = {
    "gradient-missing": "no gradient, or zeros: cut off by stop_gradient or detach",
    "gradient-sign": "the gradient negated",
    "gradient-batch": "the sum over the batch for its mean, or the other way round",
    "gradient-twice": "gradients of two steps, as they are accumulated",
    "gradient-loss-scale": "a loss scale that is not taken back",
    "gradient-scaled": "the gradient times a number",
    "gradient-clipped": "the gradient cut off at a bound",
    "gradient-transposed": "the gradient transposed or mirrored",
    "gradient-rounded": "the gradient in half precision",
}
"""What a gradient can be of the reference's, completing "the candidate has ..."."""


def diagnose_gradients(
    ours: Gradients, theirs: Gradients, batch: int | None = None
) -> tuple[Hypothesis, ...]:
    """What explains the candidate's gradients, by their names; what holds for several once.

    Both have the same names; `batch` is how many samples there are. Empty if all agree.
    """
    found: dict[tuple[str, str], list[tuple[str, float, float]]] = {}
    for name, own in ours.items():
        if own is None:
            continue
        own, other = widened(own), theirs.get(name)
        other = np.zeros(own.shape) if other is None else widened(other)
        before = apart(own, other)
        if before <= OF_GRADIENTS:
            continue
        change = next(explaining(own, other, before, batch), None)
        key = ("", "") if change is None else (change.cause, change.text)
        after = before if change is None else apart(change.result, other)
        found.setdefault(key, []).append((name, before, after))
    every = sum(len(names) for names in found.values())
    return tuple(
        told(cause, text, names, every, len(ours))
        for (cause, text), names in found.items()
        if cause
    )


def told(
    cause: str, text: str, names: list[tuple[str, float, float]], differing: int, count: int
) -> Hypothesis:
    several = len(names) == differing and len(names) == count and count > 1
    who = "all gradients are" if several else subject([name for name, _, _ in names])
    before = max(error for _, error, _ in names)
    after = max(error for _, _, error in names)
    return Hypothesis(f"agrees if {who} as computed (here: {text})", cause, True, before, after)


def subject(names: list[str]) -> str:
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if names[4:] else "")
    return f"the gradient of {shown} is" if len(names) == 1 else f"the gradients of {shown} are"


def explaining(own: Array, other: Array, before: float, batch: int | None) -> Iterator[Change]:
    """The changes that make `own` the candidate's, the likeliest first."""
    for change in changes(own, other, batch):
        error = apart(change.result, other)
        if error <= OF_GRADIENTS and error * GAIN <= before:
            yield change


def changes(own: Array, other: Array, batch: int | None) -> Iterator[Change]:
    if not other.any():
        text = "zero: cut off by stop_gradient or detach, or never reached"
        yield Change("gradient-missing", text, np.zeros(other.shape))
        return
    for axes in itertools.permutations(range(own.ndim)) if own.ndim < 5 else ():
        if list(axes) != sorted(axes):
            yield Change("gradient-transposed", f"transposed by {axes}", own.transpose(axes))
    if own.shape != other.shape:
        return
    yield from scaled(own, other, batch)
    for text in mirrored(other, own):
        yield Change("gradient-transposed", text, other)
    bound = float(np.abs(other).max())
    yield Change("gradient-clipped", f"cut off at {bound:.4g}", np.clip(own, -bound, bound))
    for name, rounded in ROUNDINGS.items():
        yield Change("gradient-rounded", f"rounded to {name}", rounded(own))


def scaled(own: Array, other: Array, batch: int | None) -> Iterator[Change]:
    """By a factor that has a meaning, else by any."""
    size = float((own * own).sum())
    factor = float((own * other).sum()) / size if size else 0.0
    if not factor or own.size < 2:
        return
    named: list[tuple[str, float, str]] = [("gradient-sign", -1.0, "negated")]
    if batch is not None and batch > 1:
        named += [
            ("gradient-batch", batch, f"times {batch}, the batch: its sum for its mean"),
            ("gradient-batch", 1 / batch, f"divided by {batch}, the batch: its mean for its sum"),
        ]
    named.append(("gradient-twice", 2.0, "times 2, as if accumulated twice"))
    named += [
        ("gradient-loss-scale", scale, f"times {scale:g}, a loss scale that is not taken back")
        for scale in LOSS_SCALES
        if math.isclose(scale, factor, rel_tol=1e-3)
    ]
    for cause, number, text in named:
        yield Change(cause, text, number * own)
    yield Change("gradient-scaled", f"times {factor:.6g}", factor * own)


def of_layer(pair: LayerPair) -> tuple[Hypothesis, ...]:
    """Of a layer's parameters and inputs; where the gradient of its output is the same."""
    ours, theirs = pair.reference, pair.candidate
    batch = len(ours.inputs[0]) if ours.inputs and ours.inputs[0].ndim else None
    came = [
        diagnose_gradients({"its output": a}, {"its output": b}, batch)
        for a, b in zip(ours.output_gradients, theirs.output_gradients, strict=False)
    ]
    if any(came):
        return next(found for found in came if found)
    named = dict(ours.gradients)
    other = {name: theirs.gradients.get(pair.renamed.get(name, name)) for name in named}
    own = {**named, **inputs_of(ours.input_gradients)}
    return diagnose_gradients(own, {**other, **inputs_of(theirs.input_gradients)}, batch)


def inputs_of(gradients: tuple[Array | None, ...]) -> dict[str, Array | None]:
    names = ["its input"] if len(gradients) == 1 else [f"input {k}" for k in range(len(gradients))]
    return dict(zip(names, gradients, strict=True))
