"""`msconvert watch` and `msconvert.watch`: every flag, stopping, repros, callbacks, bad usage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert
import msconvert.runtime as ms
from msconvert.errors import UsageError
from msconvert.observation.watch.finding import CONDITIONS
from msconvert.runtime import dataset as ds
from msconvert.runtime import nn, ops, train
from msconvert.tests.observation.watch.faults import FAULTS, HEALTHY, Run

pytestmark = pytest.mark.usefixtures("warm")

LOG_OF_0 = next(run for run in FAULTS if run.name == "log of 0")
DEAD = next(run for run in FAULTS if run.name == "dead ReLUs")


def msconvert_watch(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "msconvert", "watch", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip


def placed(run: Run, folder: Path) -> str:
    (folder / "train.py").write_text(run.script)
    return "train.py"


@pytest.mark.parametrize("condition", CONDITIONS)
def test_only_what_is_asked_for_is_told(condition: str, tmp_path: Path) -> None:
    done = msconvert_watch(
        tmp_path, placed(DEAD, tmp_path), "pynative", "--on", condition, "--json", "found.json"
    )
    found = json.loads((tmp_path / "found.json").read_text())
    assert {one["condition"] for one in found["findings"]} <= {condition}
    expected = condition in ("dead-activations", "zero-gradients", "unchanged-weights")
    assert bool(found["findings"]) >= expected
    assert done.returncode == (1 if found["findings"] else 0)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_stop_ends_the_run_at_the_first_condition(mode: str, tmp_path: Path) -> None:
    script = placed(LOG_OF_0, tmp_path)
    (tmp_path / script).write_text(LOG_OF_0.script + "\nprint('came to the end')\n")
    done = msconvert_watch(tmp_path, "--stop", "--json", "found.json", script, mode)
    found = json.loads((tmp_path / "found.json").read_text())
    assert "came to the end" not in done.stdout
    assert len(found["findings"]) == 1
    assert found["steps"] <= 1
    done = msconvert_watch(tmp_path, script, mode)
    assert "came to the end" in done.stdout


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_the_repro_shows_the_fault_by_itself(mode: str, tmp_path: Path) -> None:
    msconvert_watch(tmp_path, placed(LOG_OF_0, tmp_path), mode, "--output", "here",
                    "--on", "overflow")  # fmt: skip
    (script,) = (tmp_path / "here").glob("*.py")
    (values,) = (tmp_path / "here").glob("*.npz")
    assert len(script.read_text().splitlines()) <= 6
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=900, check=True
    )
    assert "inf" in done.stdout.partition("out:")[2]
    assert {"operand0", "layer_input0"} <= set(np.load(values).files)


def test_flags_of_the_script_stay_its_own(tmp_path: Path) -> None:
    (tmp_path / "args.py").write_text("import sys\nprint(sys.argv[1:])\n")
    done = msconvert_watch(tmp_path, "args.py", "--epochs", "3", "-v", "name")
    assert "['--epochs', '3', '-v', 'name']" in done.stdout
    done = msconvert_watch(tmp_path, "--", "args.py", "--on", "gpu", "--stop")
    assert "['--on', 'gpu', '--stop']" in done.stdout
    assert "nothing was trained" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["missing.py"], "there is no such script"),
        (["folder"], "there is no such script"),
        (["train.py", "--on", "everything"], "everything"),
        ([], "Missing argument"),
        (["train.py", "--output", "train.py"], "it is no folder"),
        (["train.py", "--json", "folder"], "it is a folder"),
        (["--json", ".", "train.py"], "it is a folder"),
        (["--nosuch", "train.py"], "--help has the flags"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], text: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "train.py").write_text("print('ran')\n")
    done = msconvert_watch(tmp_path, *arguments)
    assert done.returncode == 2
    assert text in done.stdout + done.stderr
    assert "ran" not in done.stdout


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("raise ValueError('mine')", 1),
        ("import sys\nsys.exit(3)", 3),
        ("def f(:", 1),
        ("import missing_package", 1),
        ("import os\nos._exit(9)", 9),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", -9),
    ],
)
def test_a_script_that_fails_is_told(code: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(code)
    done = msconvert_watch(tmp_path, "bad.py")
    assert done.returncode == 1
    assert "MS901" not in done.stderr
    ended = f"The script itself ended with status {status}." in done.stdout
    assert ended or "MS402" in done.stderr


@pytest.mark.parametrize("run", [LOG_OF_0, DEAD], ids=lambda run: run.name)
@pytest.mark.parametrize("name", ["train.py/below", "/proc/none/found.json", "/dev/null/a"])
def test_findings_are_told_where_they_cannot_be_written(
    run: Run, name: str, tmp_path: Path
) -> None:
    done = msconvert_watch(tmp_path, "--json", name, placed(run, tmp_path), "pynative")
    assert done.returncode == 1
    assert "in the order in which it was seen" in done.stdout
    assert "MS107" in done.stderr


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = msconvert_watch(tmp_path, placed(LOG_OF_0, tmp_path), "pynative",
                           "--output", "file/below")  # fmt: skip
    assert "overflow" in done.stdout
    assert "MS901" not in done.stdout + done.stderr


HOSTILE = """
import numpy as np
import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((4, 2), np.float32)), name="a\\x1b[31m\\u202eb")

    def construct(self, x):
        return ops.matmul(x, self.w)

net = Net()
step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
for k in range(8):
    step(Tensor(np.ones((3, 4), np.float32)))
"""


def test_names_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE)
    done = msconvert_watch(tmp_path, "hostile.py")
    assert r"a\x1b[31m\u202eb" in done.stdout
    assert r"a\x1b[31m\u202eb" in done.stderr
    assert not {"\x1b", "\u202e"} & {*done.stdout, *done.stderr}


@pytest.mark.parametrize(("command", "most"), [("watch", 2000), ("profile", 20_000)])
def test_on_a_full_disk_no_file_is_left_that_is_not_whole(
    command: str, most: int, tmp_path: Path
) -> None:
    """A limit on the size of files stands for it: what is larger fails after its first bytes."""
    script = placed(LOG_OF_0, tmp_path)
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))\n"
        "from msconvert.commands.main import main\n"
        f"sys.exit(main([{command!r}, '--output', 'out', {script!r}, 'pynative']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=900,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert ("cannot be written" in done.stdout + done.stderr) or "MS107" in done.stderr
    assert "MS901" not in done.stderr
    assert all(file.stat().st_size < most for file in (tmp_path / "out").iterdir())


# the function


def model(divisor: float = 1.0) -> train.Model:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(4, 3)

        def construct(self, x: Any) -> Any:
            return self.dense(x) / ms.Tensor(divisor)

    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return train.Model(net, loss, nn.SGD(net.trainable_params(), 0.1))


def rows(count: int = 12) -> Any:
    x = np.random.default_rng(0).normal(size=(count, 4)).astype(np.float32)
    return ds.NumpySlicesDataset((x, np.arange(count) % 3), ["x", "y"], shuffle=False).batch(2)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("way", ["callback", "context"])
@pytest.mark.parametrize(("divisor", "named"), [(1.0, set()), (0.0, {"overflow"})])
def test_a_callback_and_a_context_find_the_same(
    mode: int, way: str, divisor: float, named: set[str]
) -> None:
    ms.set_context(mode=mode)
    looking = msconvert.watch(on=("overflow",))
    try:
        if way == "callback":
            model(divisor).train(2, rows(), callbacks=[looking])
        else:
            with looking:
                model(divisor).train(2, rows())
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert {one.condition for one in looking.findings} == named
    assert all(one.op == "Div" and one.step == 1 for one in looking.findings)


def test_it_can_stop_a_loop_of_ones_own() -> None:
    seen: list[int] = []

    def loop() -> None:
        for k in range(10):
            seen.append(k)
            ops.sqrt(ms.Tensor(3.0 - k))

    with msconvert.watch("nan", stop=True), pytest.raises(SystemExit):
        loop()
    assert seen == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("on", ["nans", ("nan", "inf"), (3,), ("",), ["NaN"]])
def test_an_unknown_condition_is_refused(on: Any) -> None:
    with pytest.raises(UsageError, match=r"^MS105 watch: there is no such condition"):
        msconvert.watch(on)


def test_figures_of_the_planted_runs_are_of_all_of_them() -> None:
    assert all(run.conditions and run.place for run in FAULTS)
    assert not any(run.conditions for run in HEALTHY)
