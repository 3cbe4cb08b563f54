"""Causes in weights: not loaded, of another layer, transposed, exchanged."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy as np

from ....numerics.distance import same
from ..layers.arrays import Place, arrays, name_of, replaced
from ..layers.layer import Array, Layer
from .case import Case, Cause, Fact, Trial
from .relation import relation

MOST = 4
"""So many names are listed."""


def parameters(layer: Layer, case: Case) -> Iterator[Trial]:
    """The candidate's own numbers in the reference's layer: each alone, then all."""
    off = case.other_weights
    own = arrays(layer)
    told = {place: described(place, layer, case) for place in off}
    for place, theirs in off.items():
        fact = Fact(f"{name_of(place)} is", "the reference's", told[place])
        yield from placed(case, fact, layer, {place: theirs})
    more = {p: a for p, a in (case.weights or {}).items() if p not in own}
    for place, theirs in more.items():
        fact = Fact("there is", f"no {name_of(place)}", summary(theirs))
        yield from placed(case, fact, layer, {place: theirs})
    if len(off) + len(more) > 1:
        facts = "; ".join(gathered(told))
        every = Fact("its weights are", "the reference's", facts)
        yield from placed(case, every, layer, {**off, **more})


def placed(
    case: Case, fact: Fact, layer: Layer, changes: Mapping[Place, Array | None]
) -> Iterator[Trial]:
    """The layer with other arrays; none where it has no place for them, being made otherwise."""
    try:
        for place, array in changes.items():
            layer = replaced(layer, place, array)
    except ValueError:  # of fewer layers or directions, say
        return
    yield case.varied(fact, layer)


def gathered(told: dict[Place, str]) -> Iterator[str]:
    """`weight, bias: never loaded`: what holds for several once."""
    for fact in dict.fromkeys(told.values()):
        names = [name_of(place) for place, other in told.items() if other == fact]
        shown = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if names[MOST:] else "")
        yield f"{shown}: {fact}"


def summary(array: Array) -> str:
    return f"{array.size} numbers from {array.min():.3g} to {array.max():.3g}"


def described(place: Place, layer: Layer, case: Case) -> str:
    """What the candidate's array is: of its own, of others in the layer, of other layers."""
    theirs = (case.weights or {}).get(place)
    own = arrays(layer)
    if theirs is None:
        return "there is none"
    for other, array in own.items():
        if other != place and same(theirs, array):
            return f"the reference's {name_of(other)}"
    for path, weights in (case.others or {}).items():
        if place in weights and same(theirs, weights[place]):
            return f"that of {path}"
    return relation(theirs, own[place])


def weights_of_another(layer: Layer, case: Case) -> Iterator[Trial]:
    own = arrays(layer)
    for path, weights in (case.others or {}).items():
        if shapes(weights) == shapes(own):
            changed = layer
            for place, array in weights.items():
                changed = replaced(changed, place, array)
            yield case.varied(Fact("its weights are", "its own", f"those of {path}"), changed)


def shapes(weights: object) -> dict[Place, tuple[int, ...]]:
    return {place: array.shape for place, array in dict(weights).items()}  # type: ignore[call-overload]  # a mapping


def missing(layer: Layer, case: Case) -> Iterator[Trial]:
    """A bias that is not added, a scale that is not applied."""
    for place, array in arrays(layer).items():
        if "bias" in str(place[-1]) or place[-1] in ("b_ih", "b_hh"):
            fact = Fact(f"{name_of(place)} is", "added", "zero, or not added")
            yield case.varied(fact, replaced(layer, place, np.zeros(array.shape)))
        elif array.ndim == 1 and place[-1] == "weight":
            fact = Fact(f"{name_of(place)} is", "applied", "ones, or not applied")
            yield case.varied(fact, replaced(layer, place, np.ones(array.shape)))


def twice(layer: Layer, case: Case) -> Iterator[Trial]:
    for place, array in arrays(layer).items():
        if place[-1] == "bias":
            fact = Fact(f"{name_of(place)} is", "added once", "twice")
            yield case.varied(fact, replaced(layer, place, 2 * array))


def exchanged(layer: Layer, case: Case) -> Iterator[Trial]:
    """Two arrays of one shape in each other's place."""
    pairs = itertools.combinations(arrays(layer).items(), 2)
    for (first, a), (second, b) in itertools.islice(pairs, 60):
        if a.shape == b.shape:
            changed = replaced(replaced(layer, first, b), second, a)
            fact = Fact(f"{name_of(first)} and {name_of(second)} are", "in place", "exchanged")
            yield case.varied(fact, changed)


def transposed(layer: Layer, case: Case) -> Iterator[Trial]:
    for place, array in arrays(layer).items():
        if array.ndim == 2 and array.shape[0] == array.shape[1] > 1:
            fact = Fact(f"{name_of(place)} is", "applied as it is", "transposed")
            yield case.varied(fact, replaced(layer, place, array.T))


EVERY = (Layer,)

CAUSES = (
    Cause(
        "parameters",
        "weights that are not the reference's: never loaded, transposed, "
        "exchanged, of another layer",
        EVERY,
        parameters,
    ),
    Cause(
        "missing-parameter",
        "a bias that is not added, a scale that is not applied",
        EVERY,
        missing,
        ("bias", "weight"),
        in_weights=True,
    ),
    Cause("transposed-weight", "a square weight transposed", EVERY, transposed, in_weights=True),
    Cause(
        "exchanged-parameters",
        "two parameters exchanged, as gamma and beta",
        EVERY,
        exchanged,
        in_weights=True,
    ),
    Cause(
        "weights-of-another",
        "the weights of another layer",
        EVERY,
        weights_of_another,
        in_weights=True,
    ),
    Cause("bias-twice", "a bias added twice", EVERY, twice, in_weights=True),
)
