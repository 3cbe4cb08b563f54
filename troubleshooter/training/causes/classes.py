"""What a loss of classes makes of them: their weights, which of them count, label smoothing.

All of it is in the gradient of the network's output, in which it is linear: of a sample of class t
with the shares p of all classes it is `(sum(u) + v[t]) p - u - v[t] e[t]`, where `u` is each
class's part of the smoothing, and `v` what is left for the sample's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from ...compare.records import Array

APART = 1e-3
"""So far apart, relative to the largest, two weights of a class are two."""
SMALLEST = 1e-4
"""Less smoothing than this is rounding."""
MOST_CLASSES = 256
"""Of more the numbers are not looked for: a system of twice as many unknowns for each batch."""


@dataclass(frozen=True)
class Classes:
    """The weights, the largest 1; the smoothing; the classes that give no gradient at all."""

    weights: tuple[float, ...]
    smoothing: float
    ignored: tuple[int, ...]

    @property
    def are_even(self) -> bool:
        kept = [w for k, w in enumerate(self.weights) if k not in self.ignored]
        return not kept or max(kept) - min(kept) < APART


@dataclass(frozen=True)
class Rows:
    """The samples of one batch, a row each: shares, gradients, classes."""

    p: Array
    pull: Array
    classes: Array


def classes_of(output: Array, pull: Array, target: Array) -> Rows | None:
    """The samples of a batch, if its gradient is of its output and its targets are classes."""
    if pull.shape != output.shape or output.ndim < 2 or output.shape[1] > MOST_CLASSES:
        return None
    count = output.shape[1]
    numbers = target.reshape(-1).astype(np.int64)
    p = np.moveaxis(special.softmax(output.astype(float), axis=1), 1, -1).reshape(-1, count)
    rows = np.moveaxis(pull.astype(float), 1, -1).reshape(-1, count)
    return Rows(p, rows, numbers) if len(numbers) == len(p) else None


def found(batches: Sequence[Rows]) -> Classes | None:
    """What all batches together say; None if they do not agree, or it is no such loss."""
    if not batches:
        return None
    count = batches[0].p.shape[1]
    seen, silent, smoothings = np.full(count, np.nan), set(range(count)), []
    named: set[int] = set()
    for rows in batches:
        is_silent = ~rows.pull.any(axis=1)
        named |= {int(c) for c in rows.classes}
        silent -= {int(c) for c in rows.classes[~is_silent]}
        kept = Rows(rows.p[~is_silent], rows.pull[~is_silent], rows.classes[~is_silent])
        if not len(kept.p):
            continue
        if kept.classes.min() < 0 or kept.classes.max() >= count:
            return None
        fitted = fit(kept)
        if fitted is None:
            return None
        weights, smoothing = fitted
        smoothings.append(smoothing)
        shared = np.isfinite(seen) & np.isfinite(weights)
        if np.isfinite(seen).any() and not shared.any():
            continue  # no class that leads from one batch's scale to the other's
        ratio = float(np.median(seen[shared] / weights[shared])) if shared.any() else 1.0
        away = np.abs(seen[shared] - ratio * weights[shared])
        if away.max(initial=0.0) > APART * seen[shared].max(initial=0.0):
            return None
        seen = np.where(np.isfinite(seen), seen, ratio * weights)
    if not smoothings or np.ptp(smoothings) > 10 * APART:
        return None
    ignored = tuple(sorted(silent & named))
    weights = np.where(np.isfinite(seen), seen / np.nanmax(seen), 1.0)
    smoothing = float(np.median(smoothings))
    return Classes(
        tuple(float(f"{w:.6g}") for w in weights),
        round(smoothing, 4) if smoothing > SMALLEST else 0.0,
        ignored,
    )


def fit(rows: Rows) -> tuple[Array, float] | None:
    """The weights of a batch's classes, up to a factor, and the smoothing."""
    n, count = rows.p.shape
    own = np.zeros((n, count))
    own[np.arange(n), rows.classes] = 1.0
    eye = np.eye(count)
    of_spread = rows.p[:, :, None] - eye[None]
    of_own = own[:, None, :] * (rows.p - own)[:, :, None]
    size = float(np.abs(rows.pull).max())
    for system in (of_own, np.concatenate([of_own, of_spread], axis=-1)):
        matrix = system.reshape(n * count, -1)
        wanted = rows.pull.reshape(-1)
        solution = np.linalg.lstsq(matrix, wanted, rcond=1e-10)[0]
        if np.abs(matrix @ solution - wanted).max() <= APART / 10 * size:
            return weights_of(rows, solution[:count], solution[count:])
    return None


def weights_of(rows: Rows, own: Array, spread: Array) -> tuple[Array, float] | None:
    count = rows.p.shape[1]
    present = np.unique(rows.classes)
    if not np.all(own[present] > 0):
        return None
    weights = np.full(count, np.nan)
    weights[present] = own[present]
    if not len(spread):
        return weights, 0.0
    ratios = spread[present] / own[present]
    if np.ptp(ratios) > APART * np.abs(ratios).max() or ratios[0] <= 0:
        return None
    ratio = float(np.median(ratios))
    return np.where(np.isfinite(weights), weights, spread / ratio), count * ratio / (
        1 + count * ratio
    )
