"""What a profile keeps is bounded, and said to be where it is; most idle time has its advice."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from msconvert.observation.profile.pages import summary_of, to_text
from msconvert.runtime.dataset import metering
from msconvert.runtime.profiler.analysis import Step, advice, idle_advice, steps_of
from msconvert.runtime.profiler.recorder import Ran, Record, Run, Span
from msconvert.runtime.profiler.sampling import FIRST, MOST_TIMED, ProfiledSession, Sampling

SCRIPT = """
import sys
import numpy as np
import msconvert, msconvert.runtime as ms
from msconvert.runtime import dataset as ds, nn, profiler
from msconvert.runtime.profiler import sampling
from msconvert.runtime.profiler.recorder import resident

sampling.Sampling.is_cheap = property(lambda one: one.runs == len(sampling.FIRST))
ms.set_context(mode=int(sys.argv[1]))
net = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 4))
optimizer = nn.Momentum(net.trainable_params(), 0.001, 0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
x = np.random.default_rng(0).normal(size=(600, 8)).astype(np.float32)
rows = ds.NumpySlicesDataset((x, (np.arange(600) % 4).astype(np.int32)), ["x", "y"])
rows = rows.map(lambda a: a * 1.0, ["x"], num_parallel_workers=2).batch(2)
with profiler.profile() as profile:
    for epoch in range(10):
        for pair in rows.create_tuple_iterator():
            step(*pair)
        if epoch == 0:
            before = resident()
print(len(profile.record.runs), profile.record.dropped, resident() - before)
"""


@pytest.mark.parametrize(("mode", "runs"), [(0, 3000), (1, 0)])
def test_three_thousand_steps_without_a_schedule(mode: int, runs: int) -> None:
    """Also where profiling is cheap; a graph's 150,000 operators took 250 MB."""
    program = [sys.executable, "-c", SCRIPT, str(mode)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=900, check=True)
    count, dropped, grown = map(int, done.stdout.split()[-3:])
    assert (count, dropped) == (runs, 0)
    assert grown < 80 << 20


@pytest.mark.parametrize("nodes", [1, 50, 1000, 10**6])
def test_so_many_operators_of_a_graph_are_timed(nodes: int) -> None:
    one = Sampling(nodes)
    for _ in range(3 * MOST_TIMED // min(nodes, 100)):
        one.took(one.chooses(), (1000, 1000))
    assert one.sampled * nodes <= max(MOST_TIMED, sum(FIRST) * nodes)
    assert one.is_full


def test_the_session_without_a_profile_comes_back() -> None:
    opened: list[str] = []
    both = ProfiledSession(lambda prefix: opened.append(prefix) or prefix, "p", False, 1000, print)
    chosen = []
    for _ in range(40):
        chosen.append(both.choose() == "p")
        both.sampling.took(chosen[-1], (1000, 1000))
    assert opened == ["p", "", ""]
    assert sum(chosen) == MOST_TIMED // 1000
    assert not any(chosen[-20:])


def test_the_moments_of_a_queue_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metering, "MOST_ASKED", 5)
    meter = object.__new__(metering.Meter)
    meter.clock, meter.queue = (lambda: 0), []
    for _ in range(9):
        meter.asked(1)
    assert len(meter.queue) == 5


def steps(count: int, kernel: float, run: float, whole: float) -> Record:
    record = Record(length=count * whole)
    for k in range(count):
        start = k * whole
        record.spans += [Span("data", "", start, 1.0), Span("run", "", start + 1, run)]
        record.runs.append(Run(0, start + 1, run, True))
        record.ran += [Ran("Add", "a", "", "forward", start + 2, kernel / 3, True, 0)] * 2
        record.ran.append(Ran("Mul", "a", "", "forward", start + 3, kernel / 3, True, 0))
    return record


@pytest.mark.parametrize(("run", "inside"), [(90.0, "80%"), (30.0, "20%"), (10.0, "0%")])
def test_where_no_operator_runs_is_said(run: float, inside: str) -> None:
    record = steps(10, 10.0, run, 100.0)
    (text,) = [one for one in advice(record, steps_of(record)) if "No operator runs" in one]
    assert "for 89% of each step" in text
    assert f": {inside} is inside of graphs" in text
    busy = steps(10, 80.0, 90.0, 100.0)
    assert not any("No operator runs" in one for one in advice(busy, steps_of(busy)))


def test_operators_one_by_one_are_said_to_be() -> None:
    record = steps(4, 10.0, 10.0, 100.0)
    record.ran = [replace(one, compiled=False) for one in record.ran]
    kept: list[Step] = steps_of(record)
    assert "one by one" in idle_advice(record, kept, 0.8)


def test_the_steps_of_a_long_run_take_time_that_grows_with_it() -> None:
    """Each step looked at all spans: 30,000 steps compared 1.8 thousand million of them."""
    record = steps(30_000, 10.0, 20.0, 100.0)
    record.spans += [Span("compile", "", k * 100.0 + 50, 7.0) for k in range(0, 30_000, 1000)]
    found = steps_of(record)
    assert len(found) == 30_000
    assert [one.number for one in found if one.compiling == 7.0] == [*range(1, 30_000, 1000)]


def test_what_is_not_kept_is_said() -> None:
    record = steps(4, 10.0, 10.0, 100.0)
    record.dropped = 7
    assert "7 more operators, runs and spans" in to_text(summary_of(record))
