"""What becomes of gradients before the optimiser has them: joined, scaled, clipped.

Found in the numbers, whatever code does it: gradients of the backward passes on one hand, what
the optimiser was given on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..compare.records import Array
from .courses import Course, Tensors

SAME = 1e-4
"""So far apart factors, and norms, are the same."""

Join = Literal["sum", "last", "all", "unknown"]
"""Which gradients: of all passes since the last step, the last pass, of all passes ever."""

Clip = Literal["none", "norm", "each", "value", "unknown"]
"""By the norm of all, by each parameter's, by value."""


@dataclass(frozen=True)
class Handled:
    """One step: what was joined; `factor` by which it was multiplied; how it was clipped.

    `before`, `after`: norms of all. `limit`: the largest element or norm behind it.
    """

    join: Join
    passes: int
    factor: float
    clip: Clip
    before: float
    after: float
    limit: float


@dataclass(frozen=True)
class Handling:
    """What is done in all steps alike: a factor, and a limit if there is one."""

    join: Join
    passes: int
    scale: float
    clip: Clip
    limit: float
    steps: tuple[Handled, ...]


def handling_of(course: Course, number: int, until: int) -> Handling:
    """How gradients are handled for the optimiser of a step, in all its steps up to another."""
    return told_together([handled(course, k) for k in course.places_of(number) if k <= until])


def handled(course: Course, k: int) -> Handled:
    used = course.steps[k].used
    start, end = course.begin_of(k), course.steps[k].batch
    recent = passes_in(course, start, end)
    joins: list[tuple[Join, list[Tensors]]] = [("sum", recent)]
    if len(recent) > 1:
        joins.append(("last", recent[-1:]))
    if start:
        joins.append(("all", passes_in(course, 0, end)))
    for join, passes in joins:
        found = fitted(total(passes), used, join, len(recent))
        if found is not None:
            return found
    return Handled("unknown", len(recent), 1.0, "unknown", total(recent).norm, used.norm, 0.0)


def passes_in(course: Course, start: int, end: int) -> list[Tensors]:
    return [g for batch in course.batches[start : end + 1] for g in batch.gradients]


def total(passes: Sequence[Tensors]) -> Tensors:
    """The sum of gradients; the norms are those of the elements that are known."""
    values: dict[str, Array] = {}
    for one in passes:
        for name, array in one.values.items():
            values[name] = values[name] + array if name in values else array
    norms = {name: float(np.linalg.norm(array)) for name, array in values.items()}
    if len(passes) == 1:
        norms = dict(passes[0].norms)
    return Tensors(values, norms)


def fitted(base: Tensors, used: Tensors, join: Join, passes: int) -> Handled | None:
    """How `used` was made of `base`; None if it was not."""
    names = [k for k in used.values if k in base.values and np.any(base.values[k])]
    if not names:
        return None
    factors = {k: factor_of(base.values[k], used.values[k]) for k in names}
    largest = max(float(np.abs(used.values[k]).max(initial=0.0)) for k in names)
    shared = base.of(tuple(names)), used.of(tuple(names))
    norms = shared[0].norm, shared[1].norm
    known = {k: f for k, f in factors.items() if f is not None}
    counted = [k for k in known if base.norms[k] > 1e-6 * norms[0]]
    if len(known) == len(names) and counted:
        several = np.array([known[k] for k in counted])
        if np.ptp(several) <= SAME * np.abs(several).max():
            factor = float(np.median(several))
            return Handled(join, passes, factor, "none", *norms, norms[1])
        limit = max(used.norms[k] for k in counted)
        return Handled(join, passes, float(several.max()), "each", *norms, limit)
    scale = clamped_scale(shared[0], shared[1], largest)
    return None if scale is None else Handled(join, passes, scale, "value", *norms, largest)


def factor_of(base: Array, used: Array) -> float | None:
    """The factor between two tensors' elements, if it is one."""
    size = float((base * base).sum())
    factor = float((base * used).sum()) / size
    away = float(np.linalg.norm(used - factor * base))
    return factor if away <= SAME * (float(np.linalg.norm(used)) or 1e-30) else None


def clamped_scale(base: Tensors, used: Tensors, limit: float) -> float | None:
    """The factor of what is not at the limit, if the rest is cut there."""
    ours = np.concatenate([base.values[k] for k in base.values])
    theirs = np.concatenate([used.values[k] for k in base.values])
    free = (np.abs(theirs) < limit * (1 - 1e-6)) & (ours != 0)
    scale = float(np.median(theirs[free] / ours[free])) if free.any() else 1.0
    away = np.linalg.norm(np.clip(scale * ours, -limit, limit) - theirs)
    return scale if away <= SAME * (float(np.linalg.norm(theirs)) or 1e-30) else None


def told_together(steps: Sequence[Handled]) -> Handling:
    """One handling that explains all steps: where factors differ and what comes out has one norm,
    it is clipped to that."""
    odd = next((s for s in steps if s.join != "sum"), None)
    first = odd or steps[-1]
    passes = max(s.passes for s in steps)
    for kind in ("value", "each"):
        cut = [s for s in steps if s.clip == kind]
        if cut:
            limit = max(s.limit for s in cut)
            return Handling(first.join, passes, cut[-1].factor, cut[-1].clip, limit, tuple(steps))
    free = [s for s in steps if s.clip == "none"]
    if not free:
        return Handling(first.join, passes, 1.0, "unknown", 0.0, tuple(steps))
    scale = max(s.factor for s in free)
    cut = [s for s in free if s.factor < scale * (1 - 10 * SAME)]
    limits = [s.after for s in cut]
    limit = max(s.after for s in free)
    if cut and max(limits) - min(limits) <= 10 * SAME * limit:
        return Handling(first.join, passes, scale, "norm", limits[0], tuple(steps))
    return Handling(first.join, passes, scale, "none", limit, tuple(steps))
