"""What a profile says: per operator, per step, and what to do about it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .recorder import Ran, Record, Run, Span

Timed = TypeVar("Timed", Ran, Run, Span)

DATA_BOUND, ONE_OPERATOR, STORM, OVERHEAD = 0.3, 0.4, 0.3, 0.5
"""Shares of the time from which on they are worth a word."""
DISPLACED = (
    "The script has a profiler of its own: what ran while it did is in its files, and not here."
)
MANY = 5
"""Compilations behind the first step that are too many."""


@dataclass(frozen=True)
class Total:
    """All runs of one operator, or of one line or layer. Units: microseconds

    `timed`: how many of them were timed; where that is not all, `count` and `total` are scaled up.
    """

    name: str
    count: int
    timed: int
    total: float
    share: float

    @property
    def mean(self) -> float:
        return self.total / self.count


@dataclass(frozen=True)
class Step:
    """Where the time of one step goes. Units: microseconds

    `sampled`: whether the operators of all its graphs were timed; of the other graphs' runs the
    parts are those that their timed runs have on average.
    """

    number: int
    start: float
    length: float
    data: float
    compiling: float
    forward: float
    backward: float
    optimizer: float
    sampled: bool = True

    @property
    def idle(self) -> float:
        """What is left: Python, and waiting."""
        used = self.data + self.compiling + self.forward + self.backward + self.optimizer
        return max(self.length - used, 0.0)


PARTS = ("data", "compiling", "forward", "backward", "optimizer", "idle")


def totals(ran: Sequence[Ran], key: Callable[[Ran], str]) -> list[Total]:
    """Runs by what `key` gives, the longest first."""
    found: dict[str, list[Ran]] = {}
    for one in ran:
        found.setdefault(key(one), []).append(one)
    whole = time_of(ran) or 1.0
    made = [
        Total(name, round(sum(one.weight for one in v)), len(v), time_of(v), time_of(v) / whole)
        for name, v in found.items()
    ]
    return sorted(made, key=lambda total: -total.total)


def time_of(ran: Iterable[Ran]) -> float:
    """How long all runs take together, with those for which these stand."""
    return sum(one.length * one.weight for one in ran)


WAYS = ("forward", "backward", "optimizer")


def usual_parts(record: Record) -> dict[int, dict[str, float]]:
    """What a run of each graph takes of each way, on average of its timed runs."""
    counts = Counter(run.graph for run in record.runs if run.sampled)
    found: dict[int, dict[str, float]] = {}
    for one in record.ran:
        parts = found.setdefault(one.graph, dict.fromkeys(WAYS, 0.0))
        parts[one.way] += one.length / max(counts[one.graph], 1)
    return found


def estimated(run: Run, usual: dict[int, dict[str, float]]) -> dict[str, float]:
    """The parts of a run whose operators were not timed: no more than it took."""
    parts = usual.get(run.graph, dict.fromkeys(WAYS, 0.0))
    fits = min(1.0, run.length / (sum(parts.values()) or 1.0))
    return {way: length * fits for way, length in parts.items()}


def steps_of(record: Record) -> list[Step]:
    """Steps begin where rows are fetched; what comes before the first is none."""
    fetches = [span for span in record.spans if span.kind == "data"]
    if not fetches:
        fetches = [span for span in record.spans if span.kind == "run"]
    if not fetches:
        return []
    ends = [span.start for span in fetches[1:]]
    ends.append(max([record.length] + [s.start + s.length for s in record.spans]))
    ran = Slices(sorted(record.ran, key=lambda one: one.start))
    sessions = Slices(sorted(record.runs, key=lambda one: one.start))
    spans = sorted(record.spans, key=lambda one: one.start)
    compiled = Slices([one for one in spans if one.kind == "compile"])
    runs = [one.start for one in spans if one.kind == "run"]
    usual, steps = usual_parts(record), []
    for number, (span, end) in enumerate(zip(fetches, ends, strict=True), 1):
        inside = ran.between(span.start, end)
        is_run = bisect_left(runs, span.start) < bisect_left(runs, end)
        if not (inside or is_run):  # two clocks: the operators may seem to be another step's
            continue
        parts = {way: sum(r.length for r in inside if r.way == way) for way in WAYS}
        untimed = [r for r in sessions.between(span.start, end) if not r.sampled]
        for run in untimed:
            for way, length in estimated(run, usual).items():
                parts[way] += length
        compiling = sum(one.length for one in compiled.between(span.start, end))
        data = span.length if span.kind == "data" else 0.0
        steps.append(
            Step(number, span.start, end - span.start, data, compiling, **parts,
                 sampled=not untimed)
        )  # fmt: skip
    return steps


class Slices(Generic[Timed]):
    """What has a start, in its order."""

    def __init__(self, every: Sequence[Timed]) -> None:
        self.every: Sequence[Timed] = every
        self.starts = [one.start for one in every]

    def between(self, start: float, end: float) -> Sequence[Timed]:
        return self.every[bisect_left(self.starts, start) : bisect_left(self.starts, end)]


def sampling_of(record: Record, steps: Sequence[Step]) -> str:
    """What is said of steps whose operators were not timed; "" if all were."""
    timed = sum(step.sampled for step in steps)
    if timed == len(steps):
        return ""
    left = {run.graph for run in record.runs if not run.sampled}
    cost = max((record.costs[graph] for graph in left), default=0.0)
    return (
        f"Operators were timed in {timed} of {len(steps)} steps, as that makes a step up to "
        f"{cost:.0%} longer and takes memory: counts and totals are scaled up to all steps, and "
        "the parts of the others are those of the timed ones on average. Data, compiling and "
        "lengths are of each step."
    )


def shares_of(steps: Sequence[Step]) -> dict[str, float]:
    """The parts of all steps but the first, which compiles, as shares of their time."""
    kept = steps[1:] or steps
    whole = sum(step.length for step in kept) or 1.0
    return {name: sum(getattr(step, name) for step in kept) / whole for name in PARTS}


@dataclass(frozen=True)
class StageTotal:
    """What a stage of the pipeline takes. Units: microseconds

    `per_batch`: for each time that the whole pipeline gave something; `share`: of all stages.
    """

    name: str
    rows: int
    total: float
    per_batch: float
    share: float


def stages_of(record: Record) -> list[StageTotal]:
    """The stages of the pipelines, from the source on."""
    batches = max([stage.rows for stage in record.stages if stage.depth == 0], default=0) or 1
    whole = sum(stage.total for stage in record.stages) or 1.0
    return [
        StageTotal(one.name, one.rows, one.total, one.total / batches, one.total / whole)
        for one in reversed(record.stages)
    ]


def queue_fill(record: Record) -> float | None:
    """How full the queue behind the pipeline was on average; None if there is none."""
    fills = [fill for _, fill in record.queue]
    return sum(fills) / len(fills) if fills else None


def data_advice(record: Record, share: float) -> str:
    """What to do where the data take most of a step; it names the slowest stage."""
    slowest = max(stages_of(record), key=lambda stage: stage.total, default=None)
    fill = queue_fill(record)
    text = f"The data take {share:.0%} of each step"
    if slowest is not None:
        text += (
            f"; the slowest stage is {slowest.name}, with {slowest.per_batch / 1000:.2f} ms "
            f"a batch ({slowest.share:.0%} of the pipeline)"
        )
    if fill is not None:
        text += f", and the queue behind it is {fill:.0%} full"
    return (
        f"{text}: give map and GeneratorDataset more num_parallel_workers, do expensive operations "
        "once and keep what they give (cache, MindRecord), and batch before map where an operation "
        "takes batches."
    )


def idle_advice(record: Record, steps: Sequence[Step], share: float) -> str:
    """What to do where no operator runs for most of a step."""
    alone = [one for one in record.ran if not one.compiled]
    if len(alone) > sum(one.weight for one in record.ran) / 2:
        return (
            f"Python takes {share:.0%} of each step, between {len(alone)} operators that run one "
            "by one: set_context(mode=GRAPH_MODE), or @ms.jit around the step."
        )
    kept = steps[1:] or steps
    whole = sum(step.length for step in kept) or 1.0
    graphs = sum(run.length for run in record.runs if run.start >= kept[0].start) / whole
    inside = graphs - sum(getattr(step, way) for step in kept for way in WAYS) / whole
    return (
        f"No operator runs for {share:.0%} of each step: {max(inside, 0.0):.0%} is inside of "
        "graphs, where ONNX Runtime begins and ends many short operators and waits for its threads "
        "(larger batches, set_context(runtime_num_threads=1), nothing else on the processor); the "
        "rest is Python around them (more of the step under @ms.jit, fewer reads of values)."
    )


def advice(record: Record, steps: Sequence[Step]) -> list[str]:
    """What to do about where the time goes, the most urgent first."""
    shares, found = shares_of(steps), []
    operators = totals(record.ran, lambda one: one.op)
    if shares["data"] > DATA_BOUND:
        found.append(data_advice(record, shares["data"]))
    late = [span for span in record.spans if span.kind == "compile"]
    behind = [c for c in late if len(steps) > 1 and c.start > steps[1].start]
    if len(behind) > MANY and shares["compiling"] > STORM:
        found.append(
            f"{len(behind)} graphs are compiled behind the first step: shapes or Python values "
            "change from step to step. Pad to few sizes, drop the remainder of batches, and pass "
            "numbers as Tensors."
        )
    if shares["idle"] > OVERHEAD:
        found.append(idle_advice(record, steps, shares["idle"]))
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
    if record.dropped:
        found.insert(0, f"{record.dropped} more operators, runs and spans came than are kept: "
                        "profile fewer steps, or with a schedule.")  # fmt: skip
    if record.displaced:
        found.insert(0, DISPLACED)
    return found or ["Nothing stands out: data, operators and Python are in proportion."]
