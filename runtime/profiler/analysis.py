"""What a profile says: per operator, per step, and what to do about it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .recorder import Ran, Record, Span

DATA_BOUND, ONE_OPERATOR, STORM, OVERHEAD = 0.3, 0.4, 0.3, 0.5
"""Shares of the time from which on they are worth a word."""
MANY = 5
"""Compilations behind the first step that are too many."""


@dataclass(frozen=True)
class Total:
    """All runs of one operator, or of one line or layer. Units: microseconds"""

    name: str
    count: int
    total: float
    share: float

    @property
    def mean(self) -> float:
        return self.total / self.count


@dataclass(frozen=True)
class Step:
    """Where the time of one step goes. Units: microseconds"""

    number: int
    start: float
    length: float
    data: float
    compiling: float
    forward: float
    backward: float
    optimizer: float

    @property
    def idle(self) -> float:
        """What is left: Python, and waiting."""
        used = self.data + self.compiling + self.forward + self.backward + self.optimizer
        return max(self.length - used, 0.0)


PARTS = ("data", "compiling", "forward", "backward", "optimizer", "idle")


def totals(ran: Sequence[Ran], key: Callable[[Ran], str]) -> list[Total]:
    """Runs by what `key` gives, the longest first."""
    found: dict[str, list[float]] = {}
    for one in ran:
        found.setdefault(key(one), []).append(one.length)
    whole = sum(one.length for one in ran) or 1.0
    made = [Total(name, len(v), sum(v), sum(v) / whole) for name, v in found.items()]
    return sorted(made, key=lambda total: -total.total)


def steps_of(record: Record) -> list[Step]:
    """Steps begin where rows are fetched; what comes before the first is none."""
    fetches = [span for span in record.spans if span.kind == "data"]
    if not fetches:
        fetches = [span for span in record.spans if span.kind == "run"]
    if not fetches:
        return []
    ends = [span.start for span in fetches[1:]]
    ends.append(max([record.length] + [s.start + s.length for s in record.spans]))
    ran = sorted(record.ran, key=lambda one: one.start)
    compiles = [span for span in record.spans if span.kind == "compile"]
    runs = sorted(one.start for one in record.spans if one.kind == "run")
    steps, place = [], 0
    for number, (span, end) in enumerate(zip(fetches, ends, strict=True), 1):
        while place < len(ran) and ran[place].start < span.start:
            place += 1
        first = place
        while place < len(ran) and ran[place].start < end:
            place += 1
        is_run = bisect_left(runs, span.start) < bisect_left(runs, end)
        if place > first or is_run:  # two clocks: the operators may seem to be another step's
            steps.append(step_of(number, span, end, ran[first:place], compiles))
    return steps


def step_of(
    number: int, span: Span, end: float, ran: Sequence[Ran], compiles: Sequence[Span]
) -> Step:
    parts = {way: sum(r.length for r in ran if r.way == way)
             for way in ("forward", "backward", "optimizer")}  # fmt: skip
    compiling = sum(c.length for c in compiles if span.start <= c.start < end)
    data = span.length if span.kind == "data" else 0.0
    return Step(number, span.start, end - span.start, data, compiling, **parts)


def shares_of(steps: Sequence[Step]) -> dict[str, float]:
    """The parts of all steps but the first, which compiles, as shares of their time."""
    kept = steps[1:] or steps
    whole = sum(step.length for step in kept) or 1.0
    return {name: sum(getattr(step, name) for step in kept) / whole for name in PARTS}


def advice(record: Record, steps: Sequence[Step]) -> list[str]:
    """What to do about where the time goes, the most urgent first."""
    shares, found = shares_of(steps), []
    operators = totals(record.ran, lambda one: one.op)
    if shares["data"] > DATA_BOUND:
        found.append(
            f"The data take {shares['data']:.0%} of each step: give map and GeneratorDataset more "
            "num_parallel_workers, do expensive operations once and keep what they give (cache, "
            "MindRecord), and batch before map where an operation takes batches."
        )
    late = [span for span in record.spans if span.kind == "compile"]
    behind = [c for c in late if len(steps) > 1 and c.start > steps[1].start]
    if len(behind) > MANY and shares["compiling"] > STORM:
        found.append(
            f"{len(behind)} graphs are compiled behind the first step: shapes or Python values "
            "change from step to step. Pad to few sizes, drop the remainder of batches, and pass "
            "numbers as Tensors."
        )
    alone = [one for one in record.ran if not one.compiled]
    if len(alone) > len(record.ran) / 2 and shares["idle"] > OVERHEAD:
        found.append(
            f"Python takes {shares['idle']:.0%} of each step, between {len(alone)} operators that "
            "run one by one: set_context(mode=GRAPH_MODE), or @ms.jit around the step."
        )
    if operators and operators[0].share > ONE_OPERATOR:
        one = operators[0]
        layers = totals([r for r in record.ran if r.op == one.name], lambda r: r.layer)
        place = (
            f"in {layers[0].name}: make that layer"
            if layers[0].name
            else ("outside of layers: make what it computes with")
        )
        found.append(
            f"{one.name} takes {one.share:.0%} of the operators' time, most of it {place} "
            "smaller, or give it larger batches."
        )
    return found or ["Nothing stands out: data, operators and Python are in proportion."]
