"""What code between layers does otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...numerics.distance import apart
from ...numerics.limits import OF_EXPRESSIONS, OF_FACTORS
from .expression import found
from .hypothesis import Hypothesis
from .layers.layer import Array

LARGEST = 20_000
"""Of more elements the first sample is taken, where all values have as many samples."""

TOO_LARGE = 1_000_000
"""Of so many elements no expression is looked for."""


def diagnose_code(
    name: str, ours: Array, theirs: Array, sources: Mapping[str, Array]
) -> tuple[Hypothesis, ...]:
    """What the candidate makes of values that both sides have, and what the reference makes.

    `name` is what `ours` and `theirs` are, "what is handed to pool"; `sources` are the values
    that were there, by names, the latest last. Empty if neither is found or both are the same.
    """
    p = dropped(ours, theirs)
    if p is not None:
        text = f"agrees if nothing of {name} is dropped (here: {p:.3g} of it, as in training)"
        return (Hypothesis(text, "dropout", True, apart(theirs, ours), 0.0),)
    with np.errstate(all="ignore"):  # logarithms of what is negative are tried, too
        ours, theirs, sources = smaller(ours, theirs, sources)
        before = apart(theirs, ours)
        if before <= OF_EXPRESSIONS or max(x.size for x in (ours, *sources.values())) > TOO_LARGE:
            return ()
        wanted, given = found(ours, sources), found(theirs, sources)
    if given is not None:
        after = apart(given.value, theirs)
        text = f"{name} is {given.text} here, and something else on the reference"
        if wanted is not None:
            text = f"agrees if {name} is {wanted.text} (here: {given.text})"
        return (Hypothesis(text, "code", wanted is not None, before, after),)
    if wanted is None:
        return ()
    text = f"{name} is {wanted.text} on the reference, and something else here"
    return (Hypothesis(text, "code", False, before, before),)


def dropped(ours: Array, theirs: Array) -> float | None:
    """The probability with which elements were dropped; None if that is not what differs.

    Of what is dropped with probability p the rest is 1 / (1 - p) times as large.
    """
    if ours.shape != theirs.shape or ours.dtype.kind != "f":
        return None
    kept, whole = theirs != 0, ours != 0
    if not (kept & whole).any() or (kept | ~whole).all():
        return None
    factors = theirs[kept & whole].astype(np.float64) / ours[kept & whole]
    factor = float(np.median(factors))
    if factor <= 1 + OF_FACTORS or np.abs(factors - factor).max() > OF_FACTORS * factor:
        return None
    return 1 - 1 / factor


def smaller(
    ours: Array, theirs: Array, sources: Mapping[str, Array]
) -> tuple[Array, Array, Mapping[str, Array]]:
    """Only the first sample of each, if they are many and large."""
    every = [ours, theirs, *sources.values()]
    samples = {x.shape[0] if x.ndim else 0 for x in every}
    if max(x.size for x in every) <= LARGEST or len(samples) > 1 or samples & {0, 1}:
        return ours, theirs, sources
    return ours[:1], theirs[:1], {name: value[:1] for name, value in sources.items()}
