"""What takes the times: spans of Python, and ONNX Runtime's own profile of each compiled graph."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine import session as sessions
from ..engine.observation import Place, set_timer, watching
from .layers import Paths
from .sampling import ProfiledSession, Sampling

if TYPE_CHECKING:  # importing msconvert.runtime imports no data set
    from ..dataset.metering import Meter

MOST = 300_000
"""Operators and spans that are kept."""
NODE = re.compile(r"msc(\d+)_")
NOT_OF_LAYERS = "(fused or added by ONNX Runtime)"


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of an operator. Units: microseconds since the profile began.

    `weight`: how many runs it stands for, where ONNX Runtime profiled some of its graph's alone.
    """

    op: str
    layer: str
    line: str
    way: str
    start: float
    length: float
    compiled: bool
    graph: int = -1
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a compiled graph. Units: microseconds since the profile began."""

    graph: int
    start: float
    length: float
    sampled: bool
    """Whether its operators were timed."""


@dataclass(frozen=True, slots=True)
class Span:
    """Time that went by: for data, compiling, a run of a graph."""

    kind: str
    name: str
    start: float
    length: float


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a pipeline of data, in all its epochs. Units: microseconds"""

    name: str
    depth: int
    rows: int
    total: float


@dataclass(eq=False)
class Record:
    """All that was seen. `executed` is ONNX Runtime's own total of what its graphs computed.

    `stages`: of the pipelines of data, the outermost of each first. `queue`: when rows were asked
    for, and the share of the queue that was full then.
    """

    ran: list[Ran] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    memory: list[tuple[float, int]] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    """How much longer each graph takes while its operators are timed, as a share."""
    stages: list[Stage] = field(default_factory=list)
    queue: list[tuple[float, float]] = field(default_factory=list)
    executed: float = 0.0
    length: float = 0.0
    dropped: int = 0
    displaced: bool = False
    """Whether another recorder took the times for a while."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph that was compiled while times are taken."""

    session: Any
    sampling: Sampling
    began: int
    """The moment of `perf_counter_ns` from which its profile counts."""


class Recorder:
    """Takes times from `start` to `stop`.

    With `every` the operators of each run of a graph are timed, whatever that costs; without, of so
    many that all steps together take less than 10 % longer. The rest is timed in each step.
    """

    def __init__(self, every: bool = True) -> None:
        self.every = every
        self.record, self.paths = Record(), Paths()
        self.places: list[Place] = []
        self.named = 0
        """How many of them are of graphs that are open."""
        self.graphs: list[Graph] = []
        self.meters: list[Meter] = []
        self.folder = ""
        self.running = False
        self.outer: Recorder | None = None
        """The one that took the times before, and does again afterwards."""

    def start(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="msconvert_profile_")
        self.began = time.perf_counter_ns()
        self.running = True
        sessions.PROFILING.append(self.open)
        if isinstance(watching.timer, Recorder):
            self.outer = watching.timer
            self.outer.record.displaced = True
        set_timer(self)

    def stop(self) -> Record:
        """All times. A second time gives the same."""
        if not self.running:
            return self.record
        self.running = False
        if watching.timer is self:
            set_timer(self.outer if self.outer is not None and self.outer.running else None)
        sessions.PROFILING.remove(self.open)
        self.record.length = self.since(time.perf_counter_ns())
        for number in range(len(self.graphs)):
            self.take(number, Path(self.graphs[number].session.end_profiling()))
        self.record.costs = [graph.sampling.cost for graph in self.graphs]
        self.graphs.clear()
        self.take_pipelines()
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.record

    def since(self, moment: int) -> float:
        return (moment - self.began) / 1000

    # what the engine calls

    def open(self, opened: Callable[[str], Any]) -> ProfiledSession:
        """The session of a graph, with the moment from which its profile counts.

        ONNX Runtime tells that moment by the C++ library's finest clock, which is one of these.
        """
        number = len(self.graphs)
        prefix = os.path.join(self.folder, f"graph{number}")
        nodes, self.named = max(len(self.places) - self.named, 1), len(self.places)
        both = ProfiledSession(opened, prefix, self.every, nodes, partial(self.ended, number))
        now, began = time.perf_counter_ns(), both.profiled.get_profiling_start_time_ns()
        age = min((time.time_ns() - began, time.monotonic_ns() - began), key=abs)
        self.graphs.append(Graph(both.profiled, both.sampling, now - age))
        return both

    def ended(self, graph: int, sampled: bool, start: int, end: int) -> None:
        if not self.running:
            return
        if len(self.record.runs) >= MOST:
            self.record.dropped += 1
            return
        run = Run(graph, self.since(start), (end - start) / 1000, sampled)
        self.record.runs.append(run)

    def node(self, place: Place) -> str:
        self.places.append(place)
        return f"msc{len(self.places) - 1}_"

    def ran(self, op: str, place: Place, start: int, end: int) -> None:
        self.add(op, place, self.since(start), (end - start) / 1000)

    def spent(self, kind: str, name: str, start: int, end: int) -> None:
        if len(self.record.spans) >= MOST:
            self.record.dropped += 1
            return
        self.record.spans.append(Span(kind, name, self.since(start), (end - start) / 1000))
        if kind == "data":
            self.record.memory.append((self.since(end), resident()))

    def metered(self, meter: Meter) -> None:
        self.meters.append(meter)

    def take_pipelines(self) -> None:
        """The stages of all epochs together, by their places in the pipeline."""
        found: dict[tuple[int, str], Stage] = {}
        for meter in self.meters:
            for place, stage in enumerate(meter.stages):
                held = found.get((place, stage.name), Stage(stage.name, stage.depth, 0, 0.0))
                rows, total = held.rows + stage.rows, held.total + stage.spent / 1000
                found[place, stage.name] = Stage(stage.name, stage.depth, rows, total)
            samples = meter.queue if meter.room else []
            self.record.queue += [(self.since(t), n / meter.room) for t, n in samples]
        self.record.stages = [found[key] for key in sorted(found, key=lambda key: key[0])]
        del self.record.queue[MOST:]

    # ONNX Runtime's profiles

    def add(
        self, op: str, place: Place | None, start: float, length: float,
        graph: int = -1, weight: float = 1.0,
    ) -> None:  # fmt: skip
        if len(self.record.ran) >= MOST:
            self.record.dropped += 1
            return
        layer, line, way = NOT_OF_LAYERS, "", "forward"
        if place is not None:
            layer, line = self.paths.of(place.cells), place.line
            way = "backward" if place.backward else "forward"
            way = "optimizer" if layer.startswith("optimizer") else way
        layer, line = sys.intern(layer), sys.intern(line)
        self.record.ran.append(Ran(op, layer, line, way, start, length, graph >= 0, graph, weight))

    def take(self, graph: int, path: Path) -> None:
        """Adds the operators of one graph's profile. Those of its first run are for themselves."""
        events = json.loads(path.read_text(encoding="utf-8", errors="replace") or "[]")
        began, weight = self.since(self.graphs[graph].began), self.graphs[graph].sampling.weight
        executions = [e for e in events if e.get("name") == "SequentialExecutor::Execute"]
        self.record.executed += sum(float(e.get("dur", 0)) for e in executions)
        later = sorted(float(e["ts"]) for e in events if e.get("name") == "model_run")[1:2]
        for event in events:
            name = str(event.get("name", ""))
            if event.get("cat") != "Node" or not name.endswith("_kernel_time"):
                continue
            found = NODE.search(name)
            place = self.places[int(found[1])] if found is not None else None
            op, start = str(event.get("args", {}).get("op_name", "")), float(event["ts"])
            own = 1.0 if later and start < later[0] else weight
            self.add(op, place, began + start, float(event.get("dur", 0)), graph, own)
        path.unlink()


def resident() -> int:
    """The memory that the process holds. Units: bytes; 0 where the system does not tell"""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
