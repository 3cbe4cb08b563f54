"""How long each stage of a pipeline takes, and how full the queue is that stands behind it.

A stage's time is what `next` takes on it, less what it takes on those that it reads: with workers,
how long they are waited for. It is taken where a profiler looks on, and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from .node import Node, Row, Run

Clock = Callable[[], int]
MOST_ASKED = 100_000
"""Moments of one epoch at which the fill of the queue is kept."""


@dataclass(eq=False)
class Stage:
    """One node of a pipeline. Units: nanoseconds"""

    name: str
    depth: int
    rows: int = 0
    spent: int = 0


class Meter:
    """One reading of a pipeline, of one epoch. `stages`: the outermost first.

    `queue`: when a row was asked for, and how many were ready then; `room`: how many may be.
    """

    def __init__(self, node: Node, clock: Clock = time.perf_counter_ns) -> None:
        self.clock = clock
        self.stages: list[Stage] = []
        self.queue: list[tuple[int, int]] = []
        self.room = 0
        self.below = 0
        self.nodes = [*node.every()]
        self.add(node, 0)

    def add(self, node: Node, depth: int) -> None:
        self.stages.append(Stage(name_of(node), depth))
        vars(node)["rows"] = partial(self.rows, node, self.stages[-1])
        for child in node.children:
            self.add(child, depth + 1)

    def rows(self, node: Node, stage: Stage, run: Run) -> Iterator[Row]:
        return Metered(type(node).rows(node, run), stage, self)

    def asked(self, ready: int) -> None:
        """Notes how many rows are ready at the moment at which one is asked for."""
        if len(self.queue) < MOST_ASKED:
            self.queue.append((self.clock(), ready))

    def ended(self) -> None:
        """The pipeline is as it was."""
        for node in self.nodes:
            vars(node).pop("rows", None)


class Metered(Iterator[Row]):
    """The rows of one stage."""

    def __init__(self, rows: Iterator[Row], stage: Stage, meter: Meter) -> None:
        self.inner, self.stage, self.meter = rows, stage, meter

    def __next__(self) -> Row:
        meter, start = self.meter, self.meter.clock()
        outside, meter.below = meter.below, 0
        try:
            row = next(self.inner)
            self.stage.rows += 1
        finally:
            took = meter.clock() - start
            self.stage.spent += took - meter.below
            meter.below = outside + took
        return row

    def close(self) -> None:
        close = getattr(self.inner, "close", None)
        if close is not None:
            close()


def name_of(node: Node) -> str:
    """What a user calls the stage: "batch", "map (Resize, HWC2CHW)", "source"."""
    kind = type(node).__name__.removesuffix("Node").lower()
    kind = "source" if not node.children else {"paddedbatch": "padded_batch"}.get(kind, kind)
    functions: list[Any] = getattr(node, "named", [])
    names = [getattr(f, "__name__", type(f).__name__) for f in functions]
    return f"{kind} ({', '.join(names)})" if names else kind
