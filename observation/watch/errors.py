"""How far off the predictions of a loss are, whatever the training makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...runtime.engine.observation import Predicted
from .conditions import FEWEST_LOSSES, SURE, trend_of

MOST_ERRORS = 100_000
CHANCE = 1.2
"""How many times the error of a guess is worse than guessing: 1 is a network that knows nothing."""


@dataclass(eq=False)
class Errors:
    """The mean error of each loss, call by call, as a multiple of that of a guess."""

    of: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """By the layer and the line of the loss."""

    def saw(self, layer: str, given: Predicted) -> None:
        error = error_of(given)
        series = self.of.setdefault((layer, given.place.line), [])
        if error is not None and np.isfinite(error) and len(series) < MOST_ERRORS:
            series.append(error)

    def rising(self) -> str:
        """How predictions become worse than guesses; "" if they do not.

        Where there are several losses one may rise for another's sake: nothing is said of them.
        """
        if len(self.of) != 1:
            return ""
        (series,) = self.of.values()
        return rising(series)


def rising(series: Sequence[float]) -> str:
    if len(series) < FEWEST_LOSSES:
        return ""
    first, last, trend = trend_of(np.array(series))
    if trend < SURE or last < CHANCE or last < first:
        return ""
    return (
        f"the predictions come to be {last:.3g} times as far off as a guess is (they were "
        f"{first:.3g} times), whatever the loss does: it, or its sign, is not what is meant"
    )


def error_of(given: Predicted) -> float | None:
    """The mean cross entropy of predictions, where that of a guess is 1; None if it has none."""
    x, y = given.predictions.astype(np.float64), given.labels
    if given.predictions.dtype.kind not in "fV" or not x.size or not np.isfinite(x).all():
        return None
    if given.kind == "binary logits":
        if x.shape != y.shape:
            return None
        return float(np.mean(np.logaddexp(0.0, x) - x * y.astype(np.float64)) / np.log(2.0))
    classes = x.shape[given.axis]
    if classes < 2 or y.dtype.kind not in "iu":
        return None
    scores = np.moveaxis(x, given.axis, -1).reshape(-1, classes)
    numbers = y.reshape(-1)
    kept = (numbers != given.ignored) & (numbers >= 0) & (numbers < classes)
    if len(numbers) != len(scores) or not kept.any():
        return None
    scores, numbers = scores[kept], numbers[kept].astype(np.int64)
    own = scores[np.arange(len(scores)), numbers]
    if given.kind == "logits":
        own = own - np.logaddexp.reduce(scores, -1)
    return float(-own.mean() / np.log(classes))
