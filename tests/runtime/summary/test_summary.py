"""Summaries: what TensorBoard and protobuf read of them, in both modes; bad folders, full disks."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.formats.records.events import Events, read_events
from msconvert.formats.records.png import png_of
from msconvert.runtime import dataset as ds
from msconvert.runtime import nn, ops, train
from msconvert.runtime.summary import pending
from msconvert.runtime.summary.event_file import canvas
from msconvert.runtime.summary.lineage import Lineage
from msconvert.tests.privileges import without_privileges
from msconvert.tests.runtime.summary.tensorboard import (
    CUT,
    accumulated,
    by_tensorboard,
    events_in,
    values_in,
)

MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


@pytest.fixture(autouse=True)
def pynative_afterwards() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)
    for one in [*pending.OPEN]:
        one.close()


class Telling(nn.Cell):
    """Tells of all four kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(4, 5)
        self.scalar, self.image = ops.ScalarSummary(), ops.ImageSummary()
        self.tensor, self.histogram = ops.TensorSummary(), ops.HistogramSummary()

    def construct(self, x: Any, pixels: Any) -> Any:
        y = self.dense(x)
        self.scalar("sum", y.sum())
        self.image("pixels", pixels)
        self.tensor("outputs", y)
        self.histogram("spread", y * 2)
        return y


def rounding_of_sum(array: Any) -> float:
    """How far two sums of `array` may be apart that add in another order; it may cancel to 0."""
    return float(array.size * np.finfo(array.dtype).eps * np.abs(array).sum())


def told(mode: int, folder: Path, steps: int = 4) -> list[tuple[Any, Any]]:
    """Outputs and images of each step, recorded into `folder`."""
    ms.set_context(mode=mode)
    random, net, found = np.random.default_rng(1), Telling(), []
    with train.SummaryRecord(str(folder), network=net) as record:
        for step in range(1, steps + 1):
            pixels = random.random((3, 3, 6, 4)).astype(np.float32)
            x = random.normal(size=(7, 4)).astype(np.float32)
            y = net(ms.Tensor(x), ms.Tensor(pixels))
            record.add_value("scalar", "half step", ms.Tensor(step / 2))
            assert record.record(step)
            found.append((y.asnumpy(), pixels))
    return found


@MODES
def test_protobuf_reads_each_value(mode: int, tmp_path: Path) -> None:
    from PIL import Image

    expected = told(mode, tmp_path)
    values = values_in(tmp_path)
    for step, (y, pixels) in enumerate(expected, 1):
        here = {value.tag: value for at, value in values if at == step}
        assert sorted(here) == ["half step", "outputs", "pixels", "spread", "sum"]
        assert here["half step"].simple_value == step / 2
        assert here["sum"].simple_value == pytest.approx(y.sum(), abs=rounding_of_sum(y))
        shape = tuple(dim.size for dim in here["outputs"].tensor.shape.dim)
        array = np.frombuffer(here["outputs"].tensor.tensor_content, "<f4").reshape(shape)
        np.testing.assert_array_equal(array, y)
        histogram = here["spread"].histo
        counts, edges = np.histogram(2 * y.astype(np.float64), len(histogram.bucket))
        np.testing.assert_allclose(histogram.bucket, counts)
        np.testing.assert_allclose(histogram.bucket_limit, edges[1:], rtol=1e-6)
        assert (histogram.num, histogram.max) == (35, 2 * y.max())
        drawn = np.asarray(Image.open(io.BytesIO(here["pixels"].image.encoded_image_string)))
        flat = (pixels.astype(np.float64) * 255).astype(np.uint8).transpose(0, 2, 3, 1)
        np.testing.assert_array_equal(drawn, np.concatenate(list(flat), axis=1))


@MODES
def test_tensorboard_reads_each_value(mode: int, tmp_path: Path) -> None:
    expected = told(mode, tmp_path)
    found = accumulated(tmp_path)
    sums = [value for _, value in found["scalars"]["sum"]]
    for value, (y, _) in zip(sums, expected, strict=True):
        assert value == pytest.approx(y.sum(), abs=rounding_of_sum(y))
    assert found["scalars"]["half step"] == [[k, k / 2] for k in (1, 2, 3, 4)]
    for (step, width, height, png), (_, pixels) in zip(
        found["images"]["pixels"], expected, strict=True
    ):
        assert (width, height) == (12, 6)
        assert bytes.fromhex(png) == png_of(canvas(pixels)), step
    for (_, least, most, count, edges, counts), (y, _) in zip(
        found["histograms"]["spread"], expected, strict=True
    ):
        assert (least, most, count) == (2 * y.min(), 2 * y.max(), 35)
        wanted, limits = np.histogram(2 * y.astype(np.float64), len(counts))
        np.testing.assert_array_equal(counts, wanted)
        np.testing.assert_allclose(edges, limits[1:], rtol=1e-6)
    outputs = [[step, y.tolist()] for step, (y, _) in enumerate(expected, 1)]
    assert found["tensors"]["outputs"] == outputs
    assert_graph(found["nodes"], mode)


def assert_graph(nodes: list[Any], mode: int) -> None:
    """In graph mode each input of a node is a node, and all that the network calls is there."""
    names = {name for name, _, _ in nodes}
    assert len(names) == len(nodes)
    assert all(given.lstrip("^").partition(":")[0] in names for *_, ins in nodes for given in ins)
    operators = {op for _, op, _ in nodes}
    assert ({"Gemm", "ReduceSum", "Mul"} <= operators) is (mode == ms.GRAPH_MODE), operators


def network() -> Any:
    return nn.SequentialCell(nn.Flatten(), nn.Dense(36, 6), nn.ReLU(), nn.Dense(6, 3))


def trained(folder: Path, *, mode: int, steps: int = 24, **options: Any) -> list[float]:
    """The losses of a training that is collected."""
    ms.set_context(mode=mode)
    ms.set_seed(5)
    net, losses = network(), list[float]()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = train.Model(net, loss, nn.SGD(net.trainable_params(), 0.05), {"accuracy", "loss"})
    random = np.random.default_rng(2)
    x = random.random((2 * steps, 1, 6, 6)).astype(np.float32)
    rows = ds.NumpySlicesDataset((x, np.arange(2 * steps) % 3), ["x", "y"], shuffle=False).batch(2)
    seen = train.LambdaCallback(
        on_train_step_end=lambda run: losses.append(float(run.original_args().net_outputs))
    )
    model.fit(1, rows, rows, callbacks=[seen, train.SummaryCollector(str(folder), **options)])
    return losses


@MODES
def test_the_collector_writes_losses_images_distributions_and_metrics(
    mode: int, tmp_path: Path
) -> None:
    losses = trained(tmp_path, mode=mode)
    values = values_in(tmp_path)
    told = [(step, v.simple_value) for step, v in values if v.tag == "loss/auto"]
    assert [step for step, _ in told] == [1, 10, 20]
    for step, value in told:
        assert value == np.float32(losses[step - 1])
    tags = {value.tag for _, value in values}
    assert {"accuracy/eval", "loss/eval", "input_data/auto"} <= tags
    assert len([tag for tag in tags if tag.endswith("weight/auto")]) == 2


@MODES
def test_settings_and_results_stand_beside(mode: int, tmp_path: Path) -> None:
    trained(tmp_path, mode=mode, custom_lineage_data={"trial": 3, "who": "me"})
    (path,) = tmp_path.glob("*.run.json")
    run = json.loads(path.read_text())
    settings = run["settings"]
    assert (run["status"], settings["optimizer"], settings["batch size"]) == ("ended", "SGD", 2)
    assert (settings["trial"], settings["who"], settings["seed"]) == (3, "me", 5)
    assert settings["learning rate"] == pytest.approx(0.05)
    assert settings["mode"] == ("graph" if mode == ms.GRAPH_MODE else "pynative")
    assert run["results"]["steps"] == 24
    assert 0 <= run["results"]["accuracy"] <= 1


@pytest.mark.parametrize(
    ("options", "there", "missing"),
    [
        ({"collect_freq": 1}, ["loss/auto"], []),
        ({"collect_specified_data": {"collect_metric": False}}, ["input_data/auto"], ["loss/auto"]),
        ({"collect_specified_data": {"histogram_regular": "^3"}}, ["3.weight/auto"],
         ["1.weight/auto"]),
        ({"collect_specified_data": {"collect_metric": True}, "keep_default_action": False},
         ["loss/auto"], ["input_data/auto", "1.weight/auto"]),
        ({"collect_specified_data": {"collect_input_data": False}}, ["loss/auto"],
         ["input_data/auto"]),
        ({"keep_default_action": False}, [], ["loss/auto", "input_data/auto"]),
        ({"collect_tensor_freq": 3, "num_process": 1}, ["loss/auto"], []),
    ],
)  # fmt: skip
def test_what_is_collected_can_be_chosen(
    options: dict[str, Any], there: list[str], missing: list[str], tmp_path: Path
) -> None:
    trained(tmp_path, mode=ms.PYNATIVE_MODE, **options)
    tags = {value.tag for _, value in values_in(tmp_path)}
    assert set(there) <= tags
    assert not set(missing) & tags


@pytest.mark.parametrize(
    "code",
    [
        "SummaryLandscape('here')",
        "SummaryCollector('here', collect_specified_data={'collect_landscape': {'unit': 'step'}})",
        "SummaryCollector('here', collect_freq=0)",
        "SummaryCollector('here', collect_freq='often')",
        "SummaryCollector('here', collect_specified_data={'collect_everything': True})",
        "SummaryCollector('here', collect_specified_data={'collect_metric': 1})",
        "SummaryCollector('here', collect_specified_data={'histogram_regular': '('})",
        "SummaryCollector('here', custom_lineage_data={'a': [1]})",
        "SummaryCollector('here', custom_lineage_data={1: 'a'})",
        "SummaryCollector('here', export_options={'tensor_format': 'csv'})",
        "SummaryCollector(None)",
        "SummaryRecord('here', file_prefix='a/b')",
        "SummaryRecord('here', file_suffix=3)",
        "SummaryRecord('here', max_file_size='1GB')",
        "SummaryRecord('here', raise_exception='yes')",
        "SummaryRecord('here', network=3)",
        "SummaryRecord('here', export_options=['npy'])",
        "SummaryRecord('')",
        "SummaryRecord('here').add_value('scalar', 'a', 3.0)",
        "SummaryRecord('here').add_value('scalar', '', ms.Tensor(3.0))",
        "SummaryRecord('here').add_value('scalar', 'a', ms.Tensor([3.0, 4.0]))",
        "SummaryRecord('here').add_value('image', 'a', ms.Tensor([3.0, 4.0]))",
        "SummaryRecord('here').add_value('histogram', 'a', ms.Tensor(3.0))",
        "SummaryRecord('here').add_value('sound', 'a', ms.Tensor(3.0))",
        "SummaryRecord('here').add_value('graph', 'a', b'')",
        "SummaryRecord('here').record('first')",
        "SummaryRecord('here').set_mode('test')",
        "[SummaryRecord('here'), SummaryRecord('there')]",
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {
        "SummaryLandscape": train.SummaryLandscape,
        "ms": ms,
        "SummaryCollector": train.SummaryCollector,
        "SummaryRecord": train.SummaryRecord,
    }
    with pytest.raises(MsconvertError, match=r"^MS30[14] ") as caught:
        eval(code, names)
    assert caught.value.got or caught.value.advice


@MODES
@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("Scalar", "", ms.Tensor(1.0)),
        ("Scalar", 3, ms.Tensor(1.0)),
        ("Scalar", "a", 1.0),
        ("Scalar", "a", ms.Tensor([1.0, 2.0])),
        ("Image", "a", ms.Tensor(np.ones((2, 4, 3, 3)))),
        ("Tensor", "a", ms.Tensor(1)),
        ("Histogram", "a", ms.Tensor(1.0)),
    ],
)
def test_operators_refuse_what_they_cannot_show(
    mode: int, kind: str, name: Any, value: Any
) -> None:
    ms.set_context(mode=mode)

    class Bad(nn.Cell):
        def construct(self, x: Any) -> Any:
            getattr(ops, f"{kind}Summary")()(name, x if isinstance(value, ms.Tensor) else value)
            return x

    with pytest.raises((TypeError, ValueError), match=f"^MS304 {kind}Summary: "):
        Bad()(value if isinstance(value, ms.Tensor) else ms.Tensor(1.0))


def test_in_eval_mode_operators_are_not_recorded(tmp_path: Path) -> None:
    net = Telling()
    with train.SummaryRecord(str(tmp_path)) as record:
        record.set_mode("eval")
        net(ms.Tensor(np.ones((1, 4), np.float32)), ms.Tensor(np.ones((1, 1, 2, 2), np.float32)))
        record.add_value("scalar", "given", ms.Tensor(2.0))
        record.record(1)
    assert [value.tag for _, value in values_in(tmp_path)] == ["given"]
    assert not pending.VALUES


def test_without_a_record_nothing_is_kept() -> None:
    net = Telling()
    for _ in range(5):
        net(ms.Tensor(np.ones((1, 4), np.float32)), ms.Tensor(np.ones((1, 1, 2, 2), np.float32)))
    assert not pending.VALUES


def test_tensors_are_exported(tmp_path: Path) -> None:
    with train.SummaryRecord(str(tmp_path), export_options={"tensor_format": "npy"}) as record:
        record.add_value("tensor", "a/b", ms.Tensor([1.0, 2.0]))
        record.record(3)
    (path,) = tmp_path.glob("export_*/tensor/*.npy")
    assert path.name == "a_b_3.npy"
    np.testing.assert_array_equal(np.load(path), np.float32([1, 2]))


@pytest.mark.parametrize("most", [60, 200, 1000, 5000])
def test_a_file_is_not_larger_than_it_may_be(most: int, tmp_path: Path) -> None:
    with train.SummaryRecord(str(tmp_path), max_file_size=most) as record:
        for step in range(300):
            record.add_value("scalar", "a", ms.Tensor(float(step)))
            record.record(step)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_size <= most
    assert len(events_in(path.read_bytes())) >= 1


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "locked").mkdir(mode=0o500)
    for place in ("file", "file/below", "locked", "locked/below"):
        for kind in (train.SummaryRecord, train.SummaryCollector):
            with without_privileges(), pytest.raises(ValueError, match=r"^MS304 .*cannot be used"):
                kind(str(tmp_path / place))
    assert not pending.OPEN


FULL = """
import resource, signal, sys
import numpy as np
import msconvert.runtime as ms
from msconvert.runtime import train
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
record = train.SummaryRecord(sys.argv[1], raise_exception=sys.argv[2] == "raise")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
for step in range(100):
    record.add_value("scalar", "a", ms.Tensor(float(step)))
    record.record(step)
record.close()
print("went on")
"""


@pytest.mark.parametrize("most", [100, 101, 333, 1024])
@pytest.mark.parametrize("way", ["raise", "go on"])
def test_a_full_disk_is_told_and_the_file_stays_whole(most: int, way: str, tmp_path: Path) -> None:
    program = [sys.executable, "-c", FULL, str(tmp_path), way, str(most)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=900, check=False)
    if way == "raise":
        assert "MS107" in done.stderr
        assert "cannot be written" in done.stderr
    else:
        assert done.stdout == "went on\n"
        assert "No more summaries" in done.stdout + done.stderr
    (path,) = tmp_path.glob("*tfevents*")
    assert path.stat().st_size <= most
    assert not read_events(str(path)).cut


def test_settings_that_do_not_fit_on_the_disk_leave_no_part_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(path: Path, text: str, encoding: str) -> int:
        path.write_bytes(text.encode(encoding)[:20])
        raise OSError(28, "No space left on device")

    file = tmp_path / "a.run.json"
    Lineage(file).write("running")
    before = file.read_bytes()
    monkeypatch.setattr(Path, "write_text", half)
    Lineage(file).write("ended")
    assert [*tmp_path.iterdir()] == [file]
    assert file.read_bytes() == before


KILLED = """
import os, sys
import msconvert.runtime as ms
from msconvert.runtime import train
record = train.SummaryRecord(sys.argv[1])
for step in range(1000000):
    record.add_value("scalar", "a", ms.Tensor(float(step)))
    record.record(step)
    if step == 50:
        print("fifty", flush=True)
"""


def test_what_a_killed_process_wrote_can_be_read(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "fifty\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    values = values_in(tmp_path)
    assert len(values) >= 50
    assert [(step, value.simple_value) for step, value in values] == [
        (k, float(k)) for k in range(len(values))
    ]
    (path,) = tmp_path.iterdir()
    assert len(read_events(str(path)).scalars()["a"]) == len(values)


def read_or_none(path: Path) -> Events | None:
    """What is in a file; None if it is refused as damaged."""
    try:
        return read_events(str(path))
    except MsconvertError as error:
        if error.code != "MS302":
            raise
        return None


def test_a_file_cut_at_every_byte_is_read_to_its_last_whole_record(tmp_path: Path) -> None:
    told(ms.PYNATIVE_MODE, tmp_path / "whole", steps=2)
    (whole,) = (tmp_path / "whole").iterdir()
    data, path = whole.read_bytes(), tmp_path / "events.cut"
    first = len(events_in(data[:200]))
    assert first >= 1
    counts = []
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        found = read_or_none(path)
        if found is None:
            assert not events_in(data[:length])
            continue
        expected = sum(len(event.summary.value) for event in events_in(data[:length]))
        assert len(found.values) == expected
        counts.append(expected)
    assert (counts[0], counts[-1]) == (0, 10)


def test_tensorboard_reads_a_file_cut_at_every_byte(tmp_path: Path) -> None:
    """As a process leaves it that is killed: all scalars of the records that are whole."""
    with train.SummaryRecord(str(tmp_path / "whole")) as record:
        for step in range(6):
            record.add_value("scalar", "a", ms.Tensor(float(step)))
            record.record(step)
    (whole,) = (tmp_path / "whole").iterdir()
    found = by_tensorboard(CUT, whole, tmp_path / "events.out.tfevents.1.cut")
    data = whole.read_bytes()
    for length, scalars in enumerate(found):
        values = [(e.step, v.simple_value) for e in events_in(data[:length])
                  for v in e.summary.value]  # fmt: skip
        assert [tuple(one) for one in scalars.get("a", [])] == values, length
    assert len(found[-1]["a"]) == 6


@pytest.mark.parametrize("seed", range(8))
def test_a_file_with_other_bytes_in_it_is_told_or_read(seed: int, tmp_path: Path) -> None:
    told(ms.PYNATIVE_MODE, tmp_path / "whole", steps=2)
    (whole,) = (tmp_path / "whole").iterdir()
    random, path = np.random.default_rng(seed), tmp_path / "events.changed"
    for _ in range(60):
        data = bytearray(whole.read_bytes())
        for place in random.integers(0, len(data), 3):
            data[place] = random.integers(256)
        path.write_bytes(data)
        found = read_or_none(path)
        assert found is None or len(found.values) <= 12


def test_a_script_as_mindspore_has_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import numpy as np
        import mindspore as ms
        from mindspore import nn, ops
        from mindspore.train import SummaryRecord
        from mindspore.train.callback import SummaryCollector
        from mindspore.train.summary import SummaryRecord as Same
        assert SummaryRecord is Same is ms.SummaryRecord and SummaryCollector is ms.SummaryCollector
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.summary = ops.ScalarSummary()
            def construct(self, x):
                self.summary("x", x)
                return x + 1
        with ms.SummaryRecord(log_dir="./summary_dir") as record:
            Net()(ms.Tensor(3.0))
            record.record(1)
    """)
    )
    program = [sys.executable, "-m", "msconvert.runtime", str(script)]
    subprocess.run(program, cwd=tmp_path, check=True, timeout=900)
    (value,) = values_in(tmp_path / "summary_dir")
    assert (value[0], value[1].tag, value[1].simple_value) == (1, "x", 3.0)
