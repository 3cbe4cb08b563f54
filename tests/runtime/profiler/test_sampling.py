"""Which runs are profiled, by lengths that the test chooses, and what is made of the others."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import msconvert.runtime as ms
from msconvert.observation.profile.pages import summary_of, to_html, to_text
from msconvert.runtime import nn, profiler
from msconvert.runtime.profiler.analysis import steps_of, totals
from msconvert.runtime.profiler.files import operators_csv, steps_csv, trace_of
from msconvert.runtime.profiler.recorder import Record, Recorder
from msconvert.runtime.profiler.sampling import BOUND, CONTROL, Sampling
from msconvert.tests.runtime.profiler.test_profiler import recorded as profiled

US = 1000


def sampled(
    cost: float, runs: int, noise: float = 0.0, clock: int = 0
) -> tuple[Sampling, list[bool]]:
    """What is chosen where a run takes 1 ms, and by one clock `cost` more if it is profiled."""
    one, chosen = Sampling(), []
    for k in range(runs):
        chosen.append(one.chooses())
        length = 1000 * US * (1 + cost * chosen[-1]) * (1 + noise * (k % 5 == 0))
        lengths = [1000 * US, 1000 * US]
        lengths[clock] = round(length if k > 1 else 50 * length)
        one.took(chosen[-1], (lengths[0], lengths[1]))
    return one, chosen


@pytest.mark.parametrize("clock", [0, 1])
@pytest.mark.parametrize("noise", [0.0, 3.0])
@pytest.mark.parametrize("runs", [50, 1000])
@pytest.mark.parametrize("cost", [0.01, 0.04, 0.1, 0.2, 0.4, 1.0])
def test_all_runs_together_cost_little(cost: float, runs: int, noise: float, clock: int) -> None:
    one, chosen = sampled(cost, runs, noise, clock)
    assert one.cost == pytest.approx(cost)
    assert cost * sum(chosen) / runs <= max(BOUND, cost * 6 / runs) + 1e-9
    assert cost * sum(chosen) / runs < 0.1 or cost == 1.0
    assert sum(chosen) >= min(runs * BOUND / cost, runs * (1 - 1 / CONTROL)) * 0.8


def test_a_cheap_profile_is_of_every_run() -> None:
    one, _ = sampled(0.01, 10)
    assert one.is_cheap
    assert not sampled(0.1, 10)[0].is_cheap
    assert not sampled(0.01, 9)[0].is_cheap


@pytest.mark.parametrize("runs", [1, 2, 3, 7, 40])
def test_weights_stand_for_all_runs(runs: int) -> None:
    one, chosen = sampled(0.3, runs)
    timed = sum(chosen)
    first = 1 if timed > 1 else one.weight
    assert first + (timed - 1) * one.weight == pytest.approx(runs)


@pytest.fixture
def each_third(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each third run is profiled, and it is never cheap."""
    monkeypatch.setattr(Sampling, "chooses", lambda one: one.runs % 3 == 0)
    monkeypatch.setattr(Sampling, "is_cheap", False)
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def recorded(every: bool, steps: int) -> Record:
    return profiled(ms.GRAPH_MODE, steps, Recorder(every))


@pytest.mark.usefixtures("each_third")
def test_counts_are_those_of_all_steps() -> None:
    every, some = recorded(True, 12), recorded(False, 12)
    assert [run.sampled for run in some.runs] == [True, False, False] * 4
    assert {run.sampled for run in every.runs} == {True}
    for key in (lambda one: one.op, lambda one: one.layer, lambda one: one.line):
        counts = [Counter({t.name: t.count for t in totals(one.ran, key)}) for one in (every, some)]
        assert counts[0] == counts[1]
        assert all(3 * t.timed == t.count for t in totals(some.ran, key))


@pytest.mark.usefixtures("each_third")
def test_each_step_has_its_parts_and_says_whether_they_were_timed() -> None:
    record = recorded(False, 12)
    steps = steps_of(record)
    assert len(steps) == 12
    assert sum(step.sampled for step in steps) == 4
    for step in steps:
        assert min(step.forward, step.backward, step.optimizer, step.data) > 0
        assert step.forward + step.backward + step.optimizer < step.length
    rows = list(csv.DictReader(steps_csv(record).splitlines()))
    assert [row["operators"] == "timed" for row in rows] == [step.sampled for step in steps]
    operators = list(csv.DictReader(operators_csv(record).splitlines()))
    assert {int(r["count"]) // int(r["timed"]) for r in operators} == {3}


@pytest.mark.usefixtures("each_third")
@pytest.mark.parametrize("every", [True, False])
def test_what_was_not_timed_is_said(every: bool) -> None:
    record = recorded(every, 12)
    said = "Operators were timed in 4 of 12 steps"
    for text in (to_text(summary_of(record)), to_html(record), trace_of(record)):
        assert (said in text) is not every
    events = json.loads(trace_of(record))["traceEvents"]
    graphs = [e["args"]["operators timed"] for e in events if e.get("cat") == "graph"]
    assert (len(graphs), sum(graphs)) == (12, 12 if every else 4)


@pytest.mark.usefixtures("each_third")
def test_the_results_are_those_without_a_profile() -> None:
    """Both sessions go on from the same weights."""

    def weights(recorder: Recorder | None) -> list[float]:
        ms.set_seed(3)
        net = nn.Dense(4, 2)
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
        if recorder is not None:
            recorder.start()
        losses = [
            float(step(ms.ops.ones((3, 4)) * k, ms.ops.ones((3, 2))).asnumpy()) for k in range(9)
        ]
        if recorder is not None:
            recorder.stop()
        return losses

    assert weights(Recorder(every=False)) == pytest.approx(weights(None), rel=1e-5)


@pytest.mark.usefixtures("each_third")
@pytest.mark.parametrize("chosen", [None, profiler.schedule(wait=0, active=6, repeat=1)])
def test_the_steps_of_a_schedule_are_timed_each(
    chosen: profiler.schedule | None, tmp_path: Path
) -> None:
    with profiler.profile(schedule=chosen) as looking:
        net = nn.ReLU()
        for _ in range(6):
            net(ms.Tensor([1.0, -1.0]))
            looking.step()
    record = looking.record
    relu = [one for one in record.ran if one.op == "Relu"]
    assert len(relu) == (2 if chosen is None else 6)
    assert sum(one.weight for one in relu) == 6
    looking.write(tmp_path)
    assert (tmp_path / "steps.csv").read_text().count("estimated") == (4 if chosen is None else 0)


def test_a_profiler_inside_of_another_one_is_told_of() -> None:
    outer, inner = Recorder(), Recorder()
    outer.start()
    nn.ReLU()(ms.Tensor([1.0, -1.0]))
    inner.start()
    nn.Tanh()(ms.Tensor([1.0, -1.0]))
    seen = inner.stop()
    nn.Sigmoid()(ms.Tensor([1.0, -1.0]))
    record = outer.stop()
    nn.Tanh()(ms.Tensor([1.0, -1.0]))
    assert [[one.op for one in r.ran] for r in (record, seen)] == [["Relu", "Sigmoid"], ["Tanh"]]
    assert "a profiler of its own" in to_text(summary_of(record))
    assert "a profiler of its own" not in to_text(summary_of(seen))


def test_a_profiler_that_ends_leaves_the_one_inside_of_it() -> None:
    outer, inner = Recorder(), Recorder()
    outer.start()
    inner.start()
    assert outer.stop().ran == []
    nn.Tanh()(ms.Tensor([1.0, -1.0]))
    assert [one.op for one in inner.stop().ran] == ["Tanh"]
    nn.Tanh()(ms.Tensor([1.0, -1.0]))
    assert "a profiler of its own" in to_text(summary_of(outer.record))
    assert len(inner.record.ran) == 1
