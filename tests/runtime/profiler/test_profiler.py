"""Profiles: ONNX Runtime's own totals, the trace, schedules, MindSpore's API, the command."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.observation.profile.pages import summary_of, to_text
from msconvert.runtime import dataset as ds
from msconvert.runtime import nn, profiler, train
from msconvert.runtime.profiler.analysis import advice, shares_of, steps_of, totals
from msconvert.runtime.profiler.files import operators_csv, trace_of
from msconvert.runtime.profiler.recorder import Ran, Record, Recorder, Span
from msconvert.tests.observation.watch.faults import HEALTHY

MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


@pytest.fixture(autouse=True)
def pynative_afterwards() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU()
        self.flatten, self.dense = nn.Flatten(), nn.Dense(16 * 256, 10)

    def construct(self, x: Any) -> Any:
        return self.dense(self.flatten(self.relu(self.norm(self.conv(x)))))


def trained(steps: int, callback: Any = None) -> None:
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = train.Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    x = np.random.default_rng(0).random((8 * steps, 3, 16, 16)).astype(np.float32)
    rows = ds.NumpySlicesDataset((x, np.arange(8 * steps) % 10), ["x", "y"], shuffle=False)
    model.train(1, rows.batch(8), callbacks=callback)


def recorded(mode: int, steps: int = 12, recorder: Recorder | None = None) -> Record:
    ms.set_context(mode=mode)
    recorder = recorder or Recorder()
    recorder.start()
    try:
        trained(steps)
    finally:
        record = recorder.stop()
    return record


class Raw(Recorder):
    """Keeps ONNX Runtime's files as they are."""

    def take(self, graph: int, path: Path) -> None:
        self.events = [*getattr(self, "events", []), *json.loads(path.read_text())]
        super().take(graph, path)


def test_operators_add_up_to_what_onnx_runtime_says() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    recorder = Raw()
    recorder.start()
    trained(20)
    record = recorder.stop()
    kernels = [e for e in recorder.events if e["cat"] == "Node" and "_kernel_time" in e["name"]]
    ours = sum(one.length for one in record.ran if one.compiled)
    assert ours == pytest.approx(sum(e["dur"] for e in kernels), rel=0.05)
    assert ours <= record.executed * 1.05
    raw: Counter[str] = Counter()
    for event in kernels:
        raw[event["args"]["op_name"]] += event["dur"]
    found = totals([one for one in record.ran if one.compiled], lambda one: one.op)
    assert [one.name for one in found[:5]] == [name for name, _ in raw.most_common(5)]
    assert [one.total for one in found[:5]] == [total for _, total in raw.most_common(5)]


@MODES
def test_each_step_has_its_parts_and_layers_their_share(mode: int) -> None:
    record = recorded(mode)
    steps = steps_of(record)
    assert [step.number for step in steps] == list(range(1, 13))
    for step in steps:
        assert min(step.forward, step.backward, step.optimizer) > 0
        parts = step.data + step.compiling + step.forward + step.backward + step.optimizer
        assert step.idle == pytest.approx(max(step.length - parts, 0))
    layers = {one.layer for one in record.ran}
    assert {"conv", "norm", "relu", "dense", "optimizer (Momentum)"} <= layers
    assert sum(shares_of(steps).values()) >= 0.99
    assert {one.compiled for one in record.ran} >= {mode == ms.GRAPH_MODE}
    lines = {one.line.rpartition("/")[2].partition(":")[0] for one in record.ran if one.line}
    assert lines <= {"test_profiler.py"}


@MODES
def test_the_trace_is_chromes(mode: int) -> None:
    """Source: Trace Event Format, "Complete Events", "Counter Events", "Metadata Events"."""
    trace = json.loads(trace_of(recorded(mode, 4)))
    assert set(trace) <= {"traceEvents", "displayTimeUnit", "otherData", "metadata"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    kinds = Counter(event["ph"] for event in trace["traceEvents"])
    assert kinds["X"] > 50
    assert kinds["M"] == 5
    assert kinds["C"] > 0
    for event in trace["traceEvents"]:
        assert isinstance(event["name"], str)
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        if event["ph"] == "X":
            assert event["dur"] >= 0
            assert isinstance(event["ts"], float | int)
        if event["ph"] == "C":
            assert all(isinstance(v, int) for v in event["args"].values())


def test_tables_have_every_operator() -> None:
    record = recorded(ms.PYNATIVE_MODE, 3)
    rows = list(csv.DictReader(operators_csv(record).splitlines()))
    for by in ("operator", "layer", "line"):
        assert sum(int(row["count"]) for row in rows if row["by"] == by) == len(record.ran)
        assert sum(float(row["share"]) for row in rows if row["by"] == by) == pytest.approx(
            1, abs=0.01
        )


@MODES
def test_nothing_is_timed_behind_the_end(mode: int) -> None:
    ms.set_context(mode=mode)
    recorder = Recorder()
    recorder.start()
    trained(3)
    count = len(recorder.stop().ran)
    trained(3)
    assert len(recorder.stop().ran) == count > 0


# what to do

FAST = [Ran("Conv", "conv", "a.py:1", "forward", 10.0 + 100 * k, 20, True) for k in range(10)]


def of(ran: list[Ran], *spans: tuple[str, float, float]) -> Record:
    made = [Span("data", "rows", 100.0 * k, 2) for k in range(10)]
    return Record(ran, [*made, *(Span(kind, "f", a, b) for kind, a, b in spans)], length=1000.0)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (Record(FAST, [Span("data", "rows", 100.0 * k, 60) for k in range(10)], length=1000.0),
         "num_parallel_workers"),
        (of(FAST), "Conv takes 100%"),
        (of(FAST, *[("compile", 150.0 + 100 * k, 50) for k in range(8)]), "graphs are compiled"),
        (of([Ran(f"O{k}", "a", "", "forward", 10.0 + 100 * k, 5, False) for k in range(10)]),
         "GRAPH_MODE"),
        (of([Ran(f"O{k}", "a", "", "forward", 10.0 + 100 * k, 80, True) for k in range(10)]),
         "Nothing stands out"),
    ],
)  # fmt: skip
def test_the_page_says_what_to_do(record: Record, words: str) -> None:
    assert words in "\n".join(advice(record, steps_of(record)))


@pytest.mark.parametrize(
    ("layer", "words"),
    [("", "outside of layers: "), ("fc1", "in fc1: "), ("Dense", "in Dense: "),
     ("a.0.b", "in a.0.b: "), ("optimizer (SGD)", "in optimizer (SGD): ")],
)  # fmt: skip
def test_the_advice_names_a_place(layer: str, words: str) -> None:
    record = of([Ran("Mul", layer, "", "forward", 10.0 + 100 * k, 80, True) for k in range(10)])
    assert f"most of it {words}" in "\n".join(advice(record, steps_of(record)))
    layers = to_text(summary_of(record)).partition("The longest layers:\n  ")[2]
    assert layers.startswith(layer or "(outside of layers)")


# MindSpore's API


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"wait": 1, "warmup": 1, "active": 2, "repeat": 2, "skip_first": 1}, "..WRS.WRS..."),
        ({"wait": 0, "active": 1}, "SSSS"),
        ({"wait": 2, "active": 3, "repeat": 1}, "..RRS..."),
        ({"wait": 0, "warmup": 2, "active": 1}, "WWSWWS"),
        ({"wait": 1, "active": 1, "skip_first": 3}, "....S.S"),
    ],
)
def test_schedules_are_mindspores(settings: dict[str, int], expected: str) -> None:
    """What MindSpore 2.10 gave for the first three."""
    chosen = profiler.schedule(**settings)
    letters = {"NONE": ".", "WARM_UP": "W", "RECORD": "R", "RECORD_AND_SAVE": "S"}
    assert "".join(letters[chosen(k).name] for k in range(len(expected))) == expected


@pytest.mark.parametrize(
    "code",
    [
        "schedule(wait=-1, active=1)",
        "schedule(wait=0, active=0)",
        "schedule(wait=0, active='1')",
        "schedule(wait=0, active=1)(-1)",
        "profile(schedule='all')",
        "Profiler(output_path=3)",
        "tensorboard_trace_handler('')",
        "profile().write('here')",
        "[profile().start(), profile().start()]",
        "Wizard()",
    ],
)
def test_what_cannot_be_is_refused(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {name: getattr(profiler, name) for name in profiler.__all__}
    try:
        with pytest.raises((MsconvertError, NameError)):
            eval(code, names)
    finally:
        for one in [*profiler.interface.RUNNING]:
            one.stop()


def test_a_schedule_hands_over_each_round(tmp_path: Path) -> None:
    rounds = []
    chosen = profiler.schedule(wait=1, active=2, repeat=2)
    with profiler.profile(schedule=chosen, on_trace_ready=rounds.append) as looking:
        for _ in range(8):
            nn.ReLU()(ms.Tensor([1.0, -1.0]))
            looking.step()
    assert len(rounds) == 2
    assert [one.op for one in looking.record.ran] == ["Relu", "Relu"]
    handler = profiler.tensorboard_trace_handler(str(tmp_path), "me")
    handler(looking)
    (folder,) = tmp_path.iterdir()
    assert sorted(p.name for p in folder.iterdir()) == ["operators.csv", "steps.csv", "trace.json"]


def test_profiler_writes_what_it_saw(tmp_path: Path) -> None:
    looking = ms.Profiler(output_path=str(tmp_path / "data"), profiler_level=None)
    nn.ReLU()(ms.Tensor([1.0, -1.0]))
    looking.add_metadata("who", "me")
    looking.add_metadata_json("what", '{"a": 1}')
    looking.analyse()
    assert "Relu" in (tmp_path / "data" / "operators.csv").read_text()
    metadata = json.loads((tmp_path / "data" / "profiler_metadata.json").read_text())
    assert metadata == {"who": "me", "what": {"a": 1}}


# the command


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "msconvert", "profile", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("steps", [5, 20])
def test_the_command_profiles_a_script_as_it_is(mode: str, steps: int, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(HEALTHY[2].script + "\nprint('came to the end')\n")
    done = command(tmp_path, "--steps", str(steps), "--output", "here", "train.py", mode)
    assert done.returncode == 0, done.stderr
    assert "came to the end" in done.stdout
    assert f"{steps} steps, " in done.stdout
    assert "Conv" in done.stdout
    names = sorted(path.name for path in (tmp_path / "here").iterdir())
    files = ["operators.csv", "pipeline.csv", "profile.html", "steps.csv", "trace.json"]
    assert names == files
    page = (tmp_path / "here" / "profile.html").read_text()
    assert "Where a step's time goes" in page or "Where a step&#39;s time goes" in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["missing.py"], 2, "there is no such script"),
        (["--steps", "0", "train.py"], 2, "--steps"),
        (["--output", "train.py", "train.py"], 2, "it is no folder"),
        (["empty.py"], 0, "No operator ran"),
        (["bad.py"], 1, "ended with status 1"),
        (["dead.py"], 1, "MS402"),
        (["--output", "train.py/below", "train.py"], 1, "MS107"),
        ([], 2, "Missing argument"),
    ],
)
def test_what_goes_wrong_is_told(
    arguments: list[str], status: int, text: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("import mindspore as ms\nms.Tensor(1.0) + 1\n")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "bad.py").write_text("raise ValueError('mine')\n")
    (tmp_path / "dead.py").write_text("import os\nos._exit(0)\n")
    done = command(tmp_path, *arguments)
    assert done.returncode == status, done.stdout + done.stderr
    assert text in done.stdout + done.stderr
    assert "MS901" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("print('ran')", 0),
        ("print('ran')\nraise ValueError('mine')", 1),
        ("import sys\nprint('ran')\nsys.exit(3)", 3),
        ("print('ran')\nraise SystemExit('words')", 1),
        ("import mindspore as ms\nms.Tensor(1.0) + 1\nprint('ran')", 0),
    ],
)
def test_a_profile_that_cannot_be_written_hides_not_how_the_script_ended(
    code: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(code)
    done = command(tmp_path, "--output", "train.py/below", "train.py")
    assert (done.returncode, "ran" in done.stdout) == (1, True)
    assert "MS107" in done.stderr
    assert "profile/session.py" not in done.stderr
    assert (f"ended with status {status}" in done.stdout) == bool(status)
    assert "Written" not in done.stdout
