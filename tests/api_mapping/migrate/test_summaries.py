"""SummaryWriter: converted code writes what PyTorch's own writes, on the runtime and on MindSpore.

summaries/*.json is what the files of PyTorch 2.13 with TensorBoard 2.21 hold, after the programs
there.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.api_mapping.source.compat_module import NAME, compat_module
from msconvert.api_mapping.table.target import Target
from msconvert.tests.runtime.summary.tensorboard import accumulated, events_in, message_class

from .running import loaded, migrated

pytestmark = pytest.mark.usefixtures("warm")

HERE = Path(__file__).parent / "summaries"
PROGRAMS = pytest.mark.parametrize("name", ["writer", "edges"])
FOLDERS = ("trained", "scalars", "others", "edges", "outcomes")
TOLERANCE = 1e-5
"""Of what is trained; everything else is equal."""

HPARAMS = message_class("Settings")


def written_in(folder: Path) -> dict[str, list[Any]]:
    """What the event files of each folder hold, in order: step, name, kind and content."""
    found: dict[str, list[Any]] = {}
    for top in FOLDERS:
        for inner in sorted({path.parent for path in (folder / top).rglob("*tfevents*")}):
            paths = sorted(inner.glob("*tfevents*"), key=lambda p: (p.stat().st_mtime_ns, p.name))
            key = inner.relative_to(folder).as_posix()
            found[key] = [row for path in paths for row in rows_of(path)]
    return found


def rows_of(path: Path) -> list[Any]:
    first, *events = events_in(path.read_bytes())
    assert first.file_version == "brain.Event:2"
    assert first.wall_time > 1e9
    found: list[Any] = []
    for event in events:
        found += [[event.step, v.tag, *content_of(v)] for v in event.summary.value]
        if not event.summary.value:
            found.append([event.step, "", event.file_version, event.session_log.status])
        if event.wall_time < 1e9:
            found[-1].append(event.wall_time)
    return found


def content_of(value: Any) -> list[Any]:
    """The kind of a value, and what it holds, as JSON has it."""
    plugin = value.metadata.plugin_data
    if plugin.plugin_name == "hparams":
        return ["settings", settings_in(HPARAMS.FromString(plugin.content))]
    if value.HasField("image"):
        return ["image", *image_of(value.image)]
    if value.HasField("histo"):
        facts = [getattr(value.histo, name) for name in ("min", "max", "num", "sum", "sum_squares")]
        return ["histogram", facts, [*value.histo.bucket_limit], [*value.histo.bucket]]
    if value.HasField("tensor"):
        held = value.tensor
        numbers = [*held.float_val, *held.double_val, *(b.decode() for b in held.string_val)]
        shape = [dim.size for dim in held.shape.dim]
        return [plugin.plugin_name, held.dtype, shape, numbers]
    return ["scalar", repr(value.simple_value)]


def image_of(image: Any) -> list[Any]:
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(image.encoded_image_string)))
    assert pixels.shape == (image.height, image.width, image.colorspace)
    return [list(pixels.shape), pixels.tobytes().hex()]


def settings_in(told: Any) -> Any:
    infos = [
        [i.name, i.type, [[v.number, v.text] for v in i.choices.values]]
        for i in told.experiment.settings
    ]
    start = sorted([s.key, s.value.number, s.value.text] for s in told.start.settings)
    return [infos, [m.name.tag for m in told.experiment.metrics], start, told.end.status]


def of_torch(name: str) -> dict[str, list[Any]]:
    text = (HERE / f"{name}.json").read_text(encoding="utf-8")
    found: dict[str, list[Any]] = json.loads(text)
    return found


def source_of(name: str) -> str:
    return (HERE / f"{name}.py").read_text(encoding="utf-8")


def digits(value: Any) -> Any:
    """Floats to twelve digits: the order in which a kernel sums decides over the last ones."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {key: digits(one) for key, one in value.items()}
    return [digits(one) for one in value] if isinstance(value, list | tuple) else value


def assert_equal(found: dict[str, list[Any]], wanted: dict[str, list[Any]]) -> None:
    """Equal in all; what is trained nearly, and its histograms in their bins' total."""
    assert found.keys() == wanted.keys()
    for key in sorted(wanted.keys() - {"trained"}):
        both = (json.dumps(digits(side[key])) for side in (found, wanted))  # NaN is NaN
        assert len(set(both)) == 1, key
    if "trained" not in wanted:
        return
    assert [row[:3] for row in found["trained"]] == [row[:3] for row in wanted["trained"]]
    for row, other in zip(found["trained"], wanted["trained"], strict=True):
        if row[2] == "scalar":
            assert float(row[3]) == pytest.approx(float(other[3]), rel=TOLERANCE)
        else:
            np.testing.assert_allclose(row[3], other[3], rtol=TOLERANCE, atol=TOLERANCE)
            assert sum(row[5]) == sum(other[5]) == row[3][2]


@PROGRAMS
def test_the_record_is_what_pytorch_writes(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    golden: Callable[[Path, str], None],
    pytestconfig: pytest.Config,
) -> None:
    renewed = pytestconfig.getoption("--renew-golden")
    pytest.importorskip("torch.utils.tensorboard", reason="PyTorch's own needs TensorBoard")
    monkeypatch.chdir(tmp_path)
    loaded(HERE / f"{name}.py")
    written = written_in(tmp_path)
    if not renewed:
        assert_equal(written, of_torch(name))  # what is trained differs between processors
        return
    lines = (f"{json.dumps(k)}: {json.dumps(rows)}" for k, rows in written.items())
    golden(HERE / f"{name}.json", "{\n" + ",\n".join(lines) + "\n}\n")


def convert(folder: Path, code: str, target: Target) -> Path:
    """Writes the converted program, of which nothing stays PyTorch's."""
    found = migrated(folder, code, target)
    assert not found.left, [(use.api, use.refusal) for use in found.left]
    converted = folder / "converted"
    converted.mkdir()
    (converted / "net.py").write_text(found.text, encoding="utf-8")
    (converted / NAME).write_text(compat_module(found.needed, target), encoding="utf-8")
    return converted


@PROGRAMS
def test_the_runtime_writes_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted = convert(tmp_path, source_of(name), Target.BUNDLED)
    monkeypatch.chdir(converted)
    loaded(converted / "net.py")
    assert_equal(written_in(converted), of_torch(name))


@PROGRAMS
def test_mindspore_writes_the_same(
    name: str, tmp_path: Path, run_mindspore: Callable[..., str]
) -> None:
    converted = convert(tmp_path, source_of(name), Target.MINDSPORE)
    run_mindspore(converted, "net.py")
    assert_equal(written_in(converted), of_torch(name))


@PROGRAMS
def test_tensorboardx_writes_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its SummaryWriter has PyTorch's rows; the programs import that one here."""
    source = source_of(name).replace("torch.utils.tensorboard", "tensorboardX")
    converted = convert(tmp_path, source, Target.BUNDLED)
    assert "tensorboardX" not in (converted / "net.py").read_text(encoding="utf-8")
    monkeypatch.chdir(converted)
    loaded(converted / "net.py")
    assert_equal(written_in(converted), of_torch(name))


@pytest.mark.parametrize(
    "call",
    [
        "SummaryWriter('a', write_to_disk=False)",
        "SummaryWriter('a', comet_config={})",
        "SummaryWriter('a').add_scalar('x', 1, 1, display_name='X')",
        "SummaryWriter('a').add_scalar('x', 1, 1, summary_description='X')",
        "SummaryWriter('a').export_scalars_to_json('x.json')",
        "SummaryWriter('a').add_openvino_graph('x')",
    ],
)
def test_what_tensorboardx_alone_has_is_told(call: str, tmp_path: Path) -> None:
    found = migrated(tmp_path, f"import torch\nfrom tensorboardX import SummaryWriter\n{call}\n")
    assert found.left
    assert "# MS2" in found.text


def test_tensorboard_reads_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    converted = convert(tmp_path, source_of("writer"), Target.BUNDLED)
    monkeypatch.chdir(converted)
    loaded(converted / "net.py")
    rows = [row for row in of_torch("writer")["others"] if row[2] in ("histogram", "image")]
    found = accumulated(converted / "others")
    names = {row[1] for row in rows}
    assert found["histograms"].keys() | found["images"].keys() == names
    for step, name, kind, content, *_ in rows:
        ((at, *facts),) = found[f"{kind}s"][name]
        assert at == step
        assert facts[:2] == (content[:2] if kind == "histogram" else content[1::-1])
    told = accumulated(converted / "scalars")["scalars"]["told"]
    assert told == [[step, step / 2] for step in range(4)]


HEAD = "import torch\nfrom torch import nn\n"
SPELLINGS = (
    "from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter('a')",
    "from torch.utils.tensorboard import SummaryWriter as Writer\nw = Writer(log_dir='a')",
    "from torch.utils.tensorboard.writer import SummaryWriter\nw = SummaryWriter('a', comment='x')",
    "import torch.utils.tensorboard as tb\nw = tb.SummaryWriter('a')",
    "from torch.utils import tensorboard\nw = tensorboard.SummaryWriter('a', max_queue=3)",
    "import torch.utils.tensorboard\nw = torch.utils.tensorboard.SummaryWriter('a')",
    "from torch.utils.tensorboard import SummaryWriter\noptions = {'log_dir': 'a'}\n"
    "w = SummaryWriter(**options)",
    "from torch.utils.tensorboard import SummaryWriter\nkind = SummaryWriter\nw = kind('a')",
    "from torch.utils.tensorboard import SummaryWriter\ndef made(*args, **options):\n"
    "    return SummaryWriter(*args, **options)\nw = made('a', comment='x')",
    "from functools import partial\nfrom torch.utils.tensorboard import SummaryWriter\n"
    "w = partial(SummaryWriter, 'a')()\nassert isinstance(w, SummaryWriter)",
    "from torch.utils.tensorboard import SummaryWriter\nclass Own(SummaryWriter):\n"
    "    def add_loss(self, loss, step):\n        self.add_scalar('loss', loss, step)\n"
    "w = Own('a')\nw.add_loss(0.5, 1)",
    "try:\n    from torch.utils.tensorboard import SummaryWriter\nexcept ImportError:\n"
    "    from tensorboardX import SummaryWriter\nw = SummaryWriter('a')",
    "from tensorboardX import SummaryWriter\nw = SummaryWriter('a')",
    "from tensorboardX import SummaryWriter\nw = SummaryWriter(logdir='a', comment='x')",
    "from tensorboardX import SummaryWriter as Writer\nw = Writer(log_dir='a', flush_secs=3)",
    "import tensorboardX\nw = tensorboardX.SummaryWriter('a')",
    "import tensorboardX as tx\nw = tx.SummaryWriter(logdir='a', max_queue=1)",
    "from tensorboardX.writer import SummaryWriter\nw = SummaryWriter('a')",
)
USE = (
    "def tell(writer, value: torch.Tensor, step: int):\n"
    "    writer.add_scalar(tag='x', scalar_value=value.mean(), global_step=step)\n"
    "tell(w, torch.ones(2), 1)\nw.close()\n"
)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_each_spelling_is_converted(
    spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted = convert(tmp_path, f"{HEAD}{spelling}\n{USE}", Target.BUNDLED)
    text = (converted / "net.py").read_text(encoding="utf-8")
    assert "torch" not in text.replace("from tensorboardX", "").replace("from torch-", "")
    monkeypatch.chdir(converted)
    loaded(converted / "net.py")
    (path,) = (converted / "a").iterdir()
    assert rows_of(path)[-1] == [1, "x", "scalar", "1.0"]


LEFT = (
    "add_video('v', torch.zeros(1, 2, 3, 4, 4))",
    "add_audio('a', torch.zeros(1, 9))",
    "add_figure('f', None)",
    "add_embedding(torch.zeros(2, 3))",
    "add_pr_curve('p', torch.ones(3), torch.ones(3))",
    "add_custom_scalars({})",
    "add_mesh('m', torch.zeros(1, 3, 3))",
    "add_tensor('t', torch.zeros(3))",
)


@pytest.mark.parametrize("call", LEFT)
def test_what_it_does_not_write_is_told(call: str, tmp_path: Path) -> None:
    code = f"{HEAD}from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter('a')\n"
    found = migrated(tmp_path, f"{code}w.{call}\n")
    (use,) = found.left
    assert use.api == f"torch.utils.tensorboard.SummaryWriter.{call.partition('(')[0]}"
    assert "# MS2" in found.text


def test_the_layers_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        f"{HEAD}from torch.utils.tensorboard import SummaryWriter\n"
        "net = nn.Sequential(nn.Linear(4, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 2)))\n"
        "with SummaryWriter('a') as w:\n    w.add_graph(net, torch.ones(1, 4))\n"
    )
    converted = convert(tmp_path, code, Target.BUNDLED)
    monkeypatch.chdir(converted)
    loaded(converted / "net.py")
    (path,) = (converted / "a").iterdir()
    graph = message_class("Graph").FromString(events_in(path.read_bytes())[-1].graph_def)
    assert [(node.name, node.op) for node in graph.node] == [
        ("SequentialCell/0", "Dense"), ("SequentialCell/1/0", "ReLU"),
        ("SequentialCell/1/1", "Dense"),
    ]  # fmt: skip


@pytest.mark.parametrize("count", [0, 1, 7, 50, 300])
def test_a_killed_process_leaves_whole_records(count: int, tmp_path: Path) -> None:
    code = (
        f"{HEAD}import os\nfrom torch.utils.tensorboard import SummaryWriter\n"
        f"w = SummaryWriter('a')\nfor step in range({count}):\n"
        "    w.add_scalar('x', step / 2, step)\nos._exit(9)\n"
    )
    converted = convert(tmp_path, code, Target.BUNDLED)
    done = subprocess.run([sys.executable, "net.py"], cwd=converted, env=os.environ, check=False)
    assert done.returncode == 9
    (path,) = (converted / "a").iterdir()
    assert rows_of(path) == [[k, "x", "scalar", repr(k / 2)] for k in range(count)]


LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import torch
from torch.utils.tensorboard import SummaryWriter
w = SummaryWriter('a')
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
failed = 0
for step in range(40):
    try:
        w.add_scalar('x', step / 2, step)
    except OSError:
        failed += 1
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
w.add_scalar('room', failed, 40)
"""


@pytest.mark.parametrize("limit", [60, 100, 511, 777, 1024])
def test_what_finds_no_room_is_raised_and_leaves_whole_records(limit: int, tmp_path: Path) -> None:
    converted = convert(tmp_path, LIMITED.format(limit=limit), Target.BUNDLED)
    command = [sys.executable, "net.py"]
    done = subprocess.run(command, cwd=converted, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = (converted / "a").iterdir()
    *told, last = rows_of(path)
    assert told == [[k, "x", "scalar", repr(k / 2)] for k in range(len(told))]
    assert last == [40, "room", "scalar", repr(40.0 - len(told))]
    assert len(told) < 40


@pytest.mark.parametrize("place", ["file", "file/inner", "/dev/null", "/dev/null/inner", "a\0b"])
def test_a_folder_that_cannot_be_is_refused_at_once(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        f"{HEAD}from torch.utils.tensorboard import SummaryWriter\n"
        f"def make():\n    return SummaryWriter({place!r})\n"
    )
    converted = convert(tmp_path, code, Target.BUNDLED)
    monkeypatch.chdir(converted)
    (converted / "file").write_text("")
    with pytest.raises((OSError, ValueError)):
        loaded(converted / "net.py").make()
