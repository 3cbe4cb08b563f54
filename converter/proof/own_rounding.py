"""How far the original is from itself: what rounding alone makes of its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...numerics.limits import OWN_ROUNDING
from ...numerics.rounding import is_real, step_of
from .difference import difference
from .original import Original

Array = np.ndarray[Any, Any]

ROUNDS = 4
"""So often the inputs are changed: one change may happen to do little."""


def own_errors(
    original: Original,
    other: Original,
    names: Sequence[str],
    feeds: Sequence[Array],
    outputs: Sequence[Array],
) -> list[float]:
    """How far each of the `outputs` moves, relative to its maximum, when nothing but rounding does.

    `other` is the original with or without ONNX Runtime's optimisations, and sums in another order;
    the floating-point inputs are changed by half a step of their type, up or down at random.
    """
    worst = [0.0] * len(outputs)
    tries = [(other, feeds), *((original, changed) for changed in _changed(feeds))]
    for session, fed in tries:
        run = session.run(dict(zip(names, fed, strict=True)))
        for place, (got, expected) in enumerate(zip(run, outputs, strict=True)):
            if is_real(expected.dtype) and got.shape == expected.shape:
                error = difference("", "", got, expected, 1.0).error
                worst[place] = max(worst[place], error if np.isfinite(error) else 0.0)
    return worst


def allowed(own: float, most: float) -> float:
    """What an output may be off that is so far from itself."""
    return min(OWN_ROUNDING * own, most)


def _changed(feeds: Sequence[Array]) -> Iterator[list[Array]]:
    if not any(is_real(x.dtype) for x in feeds):
        return
    for seed in range(ROUNDS):
        signs = np.random.default_rng(seed)
        yield [_moved(x, signs) if is_real(x.dtype) else x for x in feeds]


def _moved(x: Array, signs: np.random.Generator) -> Array:
    """Each element half a step of its type away, rounded to the type: some stay, some move."""
    by = signs.choice([-0.5, 0.5], x.shape) * step_of(x.dtype)
    return np.asarray(np.asarray(x, np.float64) * (1 + by)).astype(x.dtype)
