"""When a condition holds: of a call, of weights, of gradients, of losses, of data."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...runtime.engine.observation import Arrays, Called, Predicted
from ...runtime.nn.basic import ChannelDropout, Dropout
from ...runtime.profiler.layers import LOSS
from .history import History, digest

APPEARS = {
    "nan": "{op} gives NaN, and none came in",
    "overflow": "{op} gives infinity, and only finite numbers came in",
}

ADVICE = {
    "Log": "ops.log(x + eps), or a loss that takes logits (nn.CrossEntropyLoss)",
    "Div": "look for a divisor of 0: x / (y + eps)",
    "Sqrt": "ops.sqrt(x + eps): at 0 its gradient is infinite",
    "Pow": "look for a negative base, or 0 to a negative power",
    "Exp": "subtract the maximum first, or take ops.softmax or ops.logsumexp",
    "Cast": "the number is too large for the element type: keep this layer in float32",
}
"""What to try where an operator makes a value that is not finite."""

DEAD = 0.99
"""The part of the units that must be off, or at an end."""
USUALLY_KEPT = 0.5
"""The part of the units that a Dropout keeps at least, as a rule."""
LARGEST_CHANGE = 0.3
"""Of a weight in one step, as a part of its size, that is still ordinary."""
WINDOW = 5
GROWTH = 1000.0
"""How many times as large as at the start gradients may become."""
FAR = 10.0
"""Mean and spread of inputs up to which they count as normalised."""
FEWEST_LOSSES = 20
BOTH_SIGNS = 0.1
"""The part of the losses that must have the rarer sign, where they have both."""
SIGMOIDS = 16
"""Results of sigmoids that are remembered, of those before a loss."""
LIKELY = 2.0
SURE = 3.5
MOST_HITS = 100_000
IGNORED = -100
"""The label that losses leave out if nothing else is said."""
"""Slopes that are so many times their error: most likely, and surely, no chance."""


def is_finite(array: np.ndarray) -> bool:
    return array.dtype.kind not in "fV" or bool(np.isfinite(array.astype(np.float32)).all())


def appearing(call: Called, outputs: Sequence[np.ndarray]) -> Iterator[str]:
    """Which values that are not finite come out of a call and did not go in."""
    wide = [y if y.dtype.kind == "f" else y.astype(np.float32) for y in outputs]
    if all(bool(np.isfinite(y).all()) for y in wide):
        return
    given = [x for x in call.inputs if x is not None and x.dtype.kind in "fV"]
    inputs = [x if x.dtype.kind == "f" else x.astype(np.float32) for x in given]
    if any(np.isinf(y).any() for y in wide) and all(np.isfinite(x).all() for x in inputs):
        yield "overflow"
    if any(np.isnan(y).any() for y in wide) and not any(np.isnan(x).any() for x in inputs):
        yield "nan"


def advice_for(op: str, kind: str) -> str:
    usual = "look at the figures of what came in: they are too large, or 0"
    return ADVICE.get(op, usual)


def dead(call: Called) -> str | None:
    """What is wrong with the units of an activation; "" if nothing, None for other calls."""
    y = call.outputs[0] if call.outputs else None
    if y is None or call.op not in ("Relu", "Sigmoid", "Tanh") or y.size < 2:
        return None
    wide = y.astype(np.float32)
    if call.op == "Relu":
        share = float(np.mean(wide == 0))
        return f"{share:.1%} of the units give 0" if share >= DEAD else ""
    least = 0.0 if call.op == "Sigmoid" else -1.0
    share = float(np.mean((wide < least + 1e-3) | (wide > 1 - 1e-3)))
    return f"{share:.1%} of the units are at an end of {call.op}" if share >= DEAD else ""


def dropped(cell: Any) -> tuple[str, bool]:
    """What is odd in what a cell drops in training, "" if nothing; and whether it may be meant."""
    if not isinstance(cell, Dropout | ChannelDropout) or not cell.training:
        return "", False
    if cell.p >= DEAD:
        return f"it drops {cell.p:.1%} of the units", False
    by_keeping = isinstance(cell, Dropout) and cell.by_keep_prob
    if by_keeping and 1 - cell.p < USUALLY_KEPT:
        return f"it drops {cell.p:.0%} of the units: keep_prob is {1 - cell.p:.2g}", True
    return "", False


def exploding_weight(history: History, name: str, before: np.ndarray, array: np.ndarray) -> str:
    """How a weight changes too much in most of the first steps; "" if it does not."""
    wide = before.astype(np.float64)
    size = float(np.linalg.norm(wide.reshape(-1)))
    change = float(np.linalg.norm((array.astype(np.float64) - wide).reshape(-1)))
    ratios = history.ratios.setdefault(name, deque(maxlen=WINDOW))
    if not np.isfinite(change):
        return ""  # what is not finite is a condition of its own
    ratios.append(change / size if size > 0 else 0.0)
    if len(ratios) < WINDOW or is_small(array):
        return ""
    middle = float(np.median(ratios))
    if middle <= LARGEST_CHANGE:
        return ""
    return f"each step changes it by {middle:.0%} of its size"


def is_small(weight: np.ndarray) -> bool:
    """Whether a weight is no larger than layers begin with: then it grows to its size.

    Tables of words begin with 0.01, last layers with 0.
    """
    inputs = weight.size / weight.shape[0]
    squares = np.square(weight.astype(np.float64))
    return bool(squares.mean() * inputs <= 1.0)


def exploding_gradients(history: History, arrays: Arrays) -> str:
    """How gradients have grown since the first steps; "" if they have not, or are not finite."""
    squares = [np.square(g.astype(np.float64)).sum() for g in arrays if g is not None]
    norm = float(np.sqrt(np.sum(squares)))
    norms = history.norms
    if len(norms) < WINDOW:
        norms.append(norm)
        return ""
    usual = float(np.median(norms))
    if not np.isfinite(norm) or norm <= max(GROWTH * usual, GROWTH * 1e-3):
        return ""
    return f"the gradients' norm is {norm:.3g}, in the first steps it was {usual:.3g}"


def not_normalised(array: np.ndarray) -> str:
    if array.dtype.kind != "f" or array.size < 2:
        return ""
    mean, spread = float(np.mean(array, dtype=np.float64)), float(np.std(array, dtype=np.float64))
    if abs(mean) <= FAR and spread <= FAR:
        return ""
    return f"the inputs are not normalised: mean {mean:.4g}, spread {spread:.4g}"


def stuck(losses: Sequence[float]) -> str:
    """How the losses do not fall; "" if they do, or there are too few to say."""
    finite = np.array([x for x in losses if np.isfinite(x)])
    if len(finite) < FEWEST_LOSSES:
        return ""
    first, last, trend = trend_of(finite)
    if trend > SURE and last > first:
        return f"the loss rises from {first:.4g} to {last:.4g}"
    if trend < -LIKELY or abs(last) < 1e-3:
        return ""
    return f"the loss stays at {last:.4g} (it was {first:.4g})"


def about_zero(losses: Sequence[float]) -> bool:
    """Whether losses are of both signs, as those of a policy's gradient: their size says nothing.

    A distance or a likelihood of classes has one sign.
    """
    positive = float(np.mean(np.array(losses) > 0)) if losses else 1.0
    return BOTH_SIGNS <= positive <= 1 - BOTH_SIGNS


def trend_of(values: np.ndarray) -> tuple[float, float, float]:
    """Means of the first and last quarter, and the slope of all as a multiple of its error."""
    quarter = max(len(values) // 4, 5)
    steps = np.arange(len(values)) - (len(values) - 1) / 2
    slope = float(steps @ values / (steps @ steps))
    left = values - values.mean() - slope * steps
    error = float(np.sqrt((left @ left) / (len(values) - 2) / (steps @ steps)))
    trend = slope / error if error > 0 else float(np.sign(slope)) * np.inf
    return float(values[:quarter].mean()), float(values[-quarter:].mean()), float(trend)


def worse(hits: Sequence[float]) -> str:
    """How the share of right predictions falls; "" if it does not."""
    if len(hits) < FEWEST_LOSSES:
        return ""
    first, last, trend = trend_of(np.array(hits))
    if trend > -LIKELY or last >= first:
        return ""
    return (
        f"the part of right predictions falls from {first:.0%} to {last:.0%}, whatever the loss "
        "does: it, or its sign, is not what is meant"
    )


def is_loss(cell: Any, path: str) -> bool:
    return path.startswith(LOSS)


def ignored_by(cell: Any) -> int:
    """The label that a loss leaves out."""
    found = getattr(cell, "ignore_index", IGNORED)
    return found if isinstance(found, int) else IGNORED


def not_for_the_loss(given: Predicted) -> str:
    """How predictions are not what their loss takes them for; "" if they may be."""
    x = given.predictions.astype(np.float64)
    if given.kind == "binary logits" or given.predictions.dtype.kind not in "fV" or not x.size:
        return ""
    if not np.isfinite(x).all() or x.shape[given.axis] < 2:
        return ""
    if given.kind == "logits":
        sums = x.sum(given.axis)
        is_softmax = x.min() >= 0 and float(np.abs(sums - 1).max()) < 1e-2
        return (
            "what the loss takes as logits are probabilities already, which sum to 1: "
            "a softmax is before it, and the loss has its own"
        ) if is_softmax else ""  # fmt: skip
    sums = np.exp(np.minimum(x, 700.0)).sum(given.axis)
    middle = float(np.median(sums))
    return (
        "the loss takes logarithms of probabilities, and those of a row sum to "
        f"{middle:.3g}, not 1"
    ) if abs(middle - 1) > 0.1 else ""  # fmt: skip


def not_a_probability(given: Predicted) -> str:
    """How the targets of a binary loss are none; "" if they may be."""
    y = given.labels
    if given.kind != "binary logits" or y.dtype.kind not in "fiuV" or not y.size:
        return ""
    wide = y.astype(np.float64)
    least, most = float(wide.min()), float(wide.max())
    if least >= 0 and most <= 1:
        return ""
    return f"the targets of a binary loss go from {least:.4g} to {most:.4g}, not from 0 to 1"


@dataclass(eq=False)
class Sigmoids:
    """What sigmoids have given of late, told by its bytes."""

    given: deque[bytes] = field(default_factory=lambda: deque(maxlen=SIGMOIDS))

    def saw(self, call: Called) -> None:
        if call.op == "Sigmoid":
            self.given.extend(digest(y) for y in call.outputs if y is not None)

    def before(self, given: Predicted) -> str:
        """Whether the logits of a binary loss are of a sigmoid, whatever its range."""
        if given.kind != "binary logits" or digest(given.predictions) not in self.given:
            return ""
        return "what the loss takes as logits comes out of a sigmoid, and the loss has its own"


@dataclass(eq=False)
class Labels:
    """The labels that a loss has seen."""

    hits: list[float] = field(default_factory=list)
    """The share of right predictions of each call."""

    def saw(self, arrays: Arrays, ignored: int = IGNORED) -> str:
        """What is wrong with the labels of a call (logits, labels); "" if nothing.

        `ignored` is the label that the loss leaves out.
        """
        logits, labels = arrays if len(arrays) == 2 else (None, None)
        if (
            logits is None
            or labels is None
            or logits.dtype.kind not in "fV"
            or labels.dtype.kind not in "iu"
        ):
            return ""
        if logits.ndim < 2 or not labels.size:
            return ""
        classes = logits.shape[1]
        counted = labels[labels != ignored]
        least, most = (int(counted.min()), int(counted.max())) if counted.size else (0, 0)
        if most < classes and least >= 0:
            if logits.ndim == 2 and len(self.hits) < MOST_HITS:
                wide = logits.astype(np.float32)
                self.hits.append(float(np.mean(wide.argmax(1) == labels.reshape(-1)[: len(wide)])))
            return ""
        return (
            f"labels go from {least} to {most}, and the network has {classes} outputs (from 0 on)"
        )
