"""Causes in running statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..layers.statistics import RunningStatistics
from .case import Case, Cause, Fact, Trial


def momentum(layer: RunningStatistics, case: Case) -> Iterator[Trial]:
    """By how far the mean has moved of the way to the batch's."""
    way = layer.of_batch(case.inputs[0])[0] - layer.running_mean
    moved = case.wanted[0] - layer.running_mean
    size = float((way * way).sum())
    if size == 0 or moved.shape != way.shape:
        return
    found = float(f"{float((way * moved).sum()) / size:.4g}")
    if found:
        shown = f"{found:g}"
        if abs(found - (1 - layer.momentum)) < 1e-3:
            shown += ", which is 1 - momentum: MindSpore's is the weight of the old ones"
        fact = Fact("the weight of the new statistics is", f"{layer.momentum:g}", shown)
        yield case.varied(fact, replace(layer, momentum=found))


def not_updated(layer: RunningStatistics, case: Case) -> Iterator[Trial]:
    fact = Fact("running statistics are", "updated", "left as they were, as in evaluation")
    yield case.varied(fact, replace(layer, updates=0))


def updated_twice(layer: RunningStatistics, case: Case) -> Iterator[Trial]:
    fact = Fact("running statistics are", "updated once", "updated twice")
    yield case.varied(fact, replace(layer, updates=2))


def biased(layer: RunningStatistics, case: Case) -> Iterator[Trial]:
    names = ("the biased variance", "the unbiased variance")
    own, other = names[layer.unbiased], names[not layer.unbiased]
    fact = Fact("the running variance is made of", own, other)
    yield case.varied(fact, replace(layer, unbiased=not layer.unbiased))


OWN = (RunningStatistics,)

CAUSES = (
    Cause("not-updated", "running statistics that stay as they were", OWN, not_updated),
    Cause("updated-twice", "running statistics updated twice", OWN, updated_twice),
    Cause(
        "momentum",
        "another momentum: MindSpore's is the weight of the old statistics",
        OWN,
        momentum,
        ("momentum",),
    ),
    Cause("biased-running-variance", "the biased variance in running statistics", OWN, biased),
)
