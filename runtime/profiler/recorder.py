"""What takes the times: spans of Python, and ONNX Runtime's own profile of each compiled graph."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..dataset.metering import Meter
from ..engine import session as sessions
from ..engine.observation import Place, set_timer
from .layers import Paths

MOST = 300_000
"""Operators and spans that are kept."""
NODE = re.compile(r"msc(\d+)_")
NOT_OF_LAYERS = "(fused or added by ONNX Runtime)"


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of an operator. Units: microseconds since the profile began."""

    op: str
    layer: str
    line: str
    way: str
    start: float
    length: float
    compiled: bool


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
    stages: list[Stage] = field(default_factory=list)
    queue: list[tuple[float, float]] = field(default_factory=list)
    executed: float = 0.0
    length: float = 0.0
    dropped: int = 0


class Recorder:
    """Takes times from `start` to `stop`."""

    def __init__(self) -> None:
        self.record, self.paths = Record(), Paths()
        self.places: list[Place] = []
        self.sessions: list[tuple[Any, int]] = []
        self.meters: list[Meter] = []
        self.folder = ""
        self.running = False

    def start(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="msconvert_profile_")
        self.began = time.perf_counter_ns()
        self.running = True
        sessions.OPENING.append(self.opening)
        sessions.OPENED.append(self.opened)
        set_timer(self)

    def stop(self) -> Record:
        """All times. A second time gives the same."""
        if not self.running:
            return self.record
        self.running = False
        set_timer(None)
        sessions.OPENING.remove(self.opening)
        sessions.OPENED.remove(self.opened)
        self.record.length = self.since(time.perf_counter_ns())
        for session, began in self.sessions:
            self.take(Path(session.end_profiling()), self.since(began))
        self.sessions.clear()
        self.take_pipelines()
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.record

    def since(self, moment: int) -> float:
        return (moment - self.began) / 1000

    # what the engine calls

    def opening(self, options: Any) -> None:
        options.enable_profiling = True
        options.profile_file_prefix = os.path.join(self.folder, f"graph{len(self.sessions)}")

    def opened(self, session: Any) -> None:
        """Keeps the session with the moment of `perf_counter_ns` from which its profile counts.

        ONNX Runtime tells that moment by the C++ library's finest clock, which is one of these.
        """
        now, began = time.perf_counter_ns(), session.get_profiling_start_time_ns()
        age = min((time.time_ns() - began, time.monotonic_ns() - began), key=abs)
        self.sessions.append((session, now - age))

    def node(self, place: Place) -> str:
        self.places.append(place)
        return f"msc{len(self.places) - 1}_"

    def ran(self, op: str, place: Place, start: int, end: int) -> None:
        self.add(op, place, self.since(start), (end - start) / 1000, False)

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
        self, op: str, place: Place | None, start: float, length: float, of_graph: bool
    ) -> None:
        if len(self.record.ran) >= MOST:
            self.record.dropped += 1
            return
        layer, line, way = NOT_OF_LAYERS, "", "forward"
        if place is not None:
            layer, line = self.paths.of(place.cells), place.line
            way = "backward" if place.backward else "forward"
            way = "optimizer" if layer.startswith("optimizer") else way
        self.record.ran.append(Ran(op, layer, line, way, start, length, of_graph))

    def take(self, path: Path, began: float) -> None:
        """Adds the operators of one graph's profile."""
        events = json.loads(path.read_text(encoding="utf-8", errors="replace") or "[]")
        for event in events:
            name, length = str(event.get("name", "")), float(event.get("dur", 0))
            if name == "SequentialExecutor::Execute":
                self.record.executed += length
            if event.get("cat") != "Node" or not name.endswith("_kernel_time"):
                continue
            found = NODE.search(name)
            place = self.places[int(found[1])] if found is not None else None
            op = str(event.get("args", {}).get("op_name", ""))
            self.add(op, place, began + float(event["ts"]), length, True)
        path.unlink()


def resident() -> int:
    """The memory that the process holds. Units: bytes; 0 where the system does not tell"""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
