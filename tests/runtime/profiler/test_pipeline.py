"""The data pipeline in a profile: stage by stage, by a clock of the test's own; its queue."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from msconvert.observation.profile.pages import summary_of, to_html, to_text
from msconvert.runtime import dataset as ds
from msconvert.runtime.dataset.metering import Meter
from msconvert.runtime.dataset.node import Run
from msconvert.runtime.profiler.analysis import advice, queue_fill, stages_of, steps_of
from msconvert.runtime.profiler.files import pipeline_csv, trace_of
from msconvert.runtime.profiler.recorder import Ran, Record, Recorder, Span, Stage


class Clock:
    """Goes on where somebody works, and nowhere else."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now

    def taking(self, length: int, result: Callable[..., Any] = lambda x: x) -> Callable[..., Any]:
        def worked(*values: Any) -> Any:
            self.now += length
            return result(*values)

        return worked


def source(clock: Clock, length: int, count: int = 12) -> Any:
    class Rows:
        def __getitem__(self, place: int) -> Any:
            clock.now += length
            return (np.float32(place),)

        def __len__(self) -> int:
            return count

    return ds.GeneratorDataset(Rows(), ["x"], shuffle=False)


def spent(rows: Any, clock: Clock) -> dict[str, tuple[int, int]]:
    """Rows and time of each stage by its name."""
    meter = Meter(rows.node, clock)
    list(rows.node.rows(Run()))
    meter.ended()
    return {stage.name: (stage.rows, stage.spent) for stage in meter.stages}


PIPELINES: dict[str, tuple[Callable[[Clock], Any], dict[str, tuple[int, int]]]] = {
    "a slow source": (lambda c: source(c, 7).batch(4), {"batch": (3, 0), "source": (12, 84)}),
    "a slow map": (
        lambda c: source(c, 1).map(c.taking(10), ["x"]).batch(3),
        {"batch": (4, 0), "map (worked)": (12, 120), "source": (12, 12)},
    ),
    "map behind batch": (
        lambda c: source(c, 1).batch(3).map(c.taking(10), ["x"]),
        {"map (worked)": (4, 40), "batch": (4, 0), "source": (12, 12)},
    ),
    "a filter": (
        lambda c: source(c, 1).filter(c.taking(5, lambda x: x % 2 == 0), ["x"]).batch(2),
        {"batch": (3, 0), "filter": (6, 60), "source": (12, 12)},
    ),
    "a shuffle": (
        lambda c: source(c, 2).shuffle(4),
        {"shuffle": (12, 0), "source": (12, 24)},
    ),
    "a repeat": (
        lambda c: source(c, 2, 5).repeat(2),
        {"repeat": (10, 0), "source": (10, 20)},
    ),
    "a batch with a function": (
        lambda c: source(c, 1).batch(
            4, per_batch_map=lambda x, info: (c.taking(50)(x),), input_columns=["x"]
        ),
        {"batch": (3, 150), "source": (12, 12)},
    ),
    "a take": (lambda c: source(c, 4).take(3), {"take": (3, 0), "source": (3, 12)}),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_the_time_of_each_stage(name: str) -> None:
    clock = Clock()
    make, expected = PIPELINES[name]
    rows = make(clock)
    before = [x.tolist() for (x,) in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert spent(rows, clock) == expected
    assert all("rows" not in vars(node) for node in rows.node.every())
    after = [x.tolist() for (x,) in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert name == "a shuffle" or before == after


def profiled(rows: Any, epochs: int = 2) -> Record:
    recorder = Recorder()
    recorder.start()
    try:
        for _ in range(epochs):
            list(rows.create_tuple_iterator(num_epochs=1))
    finally:
        record = recorder.stop()
    return record


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_epochs_are_added_up_and_the_queue_is_seen(workers: int) -> None:
    clock = Clock()
    function = clock.taking(1)
    rows = source(clock, 1).map(function, ["x"], num_parallel_workers=workers).batch(4)
    record = profiled(rows)
    assert [(one.name, one.rows) for one in stages_of(record)] == [
        ("source", 24), ("map (worked)", 24), ("batch", 6),
    ]  # fmt: skip
    fill = queue_fill(record)
    assert (fill is None) == (workers == 1)  # one worker of Python's makes rows as they are asked
    if fill is not None:
        assert 0 <= fill <= 1
        assert len(record.queue) == 8  # six batches, and two ends


def test_a_failing_function_leaves_the_pipeline_as_it_was() -> None:
    def failing(x: Any) -> Any:
        raise ValueError("no")

    rows = source(Clock(), 1).map(failing, ["x"]).batch(4)
    recorder = Recorder()
    recorder.start()
    try:
        with pytest.raises(RuntimeError, match="no"):
            list(rows.create_tuple_iterator(num_epochs=1))
    finally:
        recorder.stop()
    assert all("rows" not in vars(node) for node in rows.node.every())


def by_hand(slow: str, fill: float | None) -> Record:
    """A profile of three steps, of which the data take nine tenths."""
    record = Record()
    for step in range(3):
        start = step * 1000.0
        record.spans += [Span("data", "rows", start, 900.0), Span("run", "step", start + 900, 90.0)]
        record.ran += [Ran("Gemm", "fc", "net.py:3", "forward", start + 900, 80.0, True)]
    record.length = 3000.0
    names = ["batch", "map (Resize)", "source"]
    record.stages = [
        Stage(name, depth, 3, 2400.0 if name == slow else 150.0) for depth, name in enumerate(names)
    ]
    record.queue = [] if fill is None else [(0.0, fill), (1.0, fill)]
    return record


@pytest.mark.parametrize("slow", ["source", "map (Resize)", "batch"])
@pytest.mark.parametrize("fill", [None, 0.0, 0.25])
def test_the_slowest_stage_is_named(slow: str, fill: float | None) -> None:
    record = by_hand(slow, fill)
    first = advice(record, steps_of(record))[0]
    assert first.startswith("The data take 90% of each step")
    assert f"the slowest stage is {slow}, with 0.80 ms a batch (89% of the pipeline)" in first
    assert ("the queue behind it is" in first) == (fill is not None)
    text = to_text(summary_of(record))
    assert "The data, stage by stage:" in text
    assert f"{slow} " in text
    assert slow in to_html(record)
    rows = list(csv.DictReader(io.StringIO(pipeline_csv(record))))
    assert [row["stage"] for row in rows][:3] == ["source", "map (Resize)", "batch"]
    assert sum(float(row["share"]) for row in rows[:3]) == pytest.approx(1, abs=1e-3)
    assert [row["queue_fill"] for row in rows[3:]] == ([] if fill is None else [f"{fill:.4f}"])
    trace = json.loads(trace_of(record))
    assert slow in trace["otherData"]["pipeline"]
    counters = [e for e in trace["traceEvents"] if e["name"] == "prefetch queue"]
    assert [e["args"]["fill"] for e in counters] == [x for _, x in record.queue]


def test_no_stage_is_named_where_the_data_are_quick() -> None:
    record = by_hand("source", None)
    record.spans = [Span(s.kind, s.name, s.start, 5.0) for s in record.spans]
    assert not any("slowest stage" in line for line in advice(record, steps_of(record)))
