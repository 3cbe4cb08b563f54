"""How a training ends before its time: Ctrl-C, a signal, a file; and how it goes on behind that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.formats import read_weights
from msconvert.runtime import dataset as ds
from msconvert.runtime import nn, train
from msconvert.runtime.train.interruption import Interruption

MODES = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}
STEPS = 3
"""In an epoch."""


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Ctrl-C is heard, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    ms.set_context(mode=MODES[request.param])
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def rows(reading: Callable[[int], None] = lambda number: None) -> Any:
    """Three batches; `reading` is called with the number of each row."""
    x = np.random.RandomState(0).rand(12, 5).astype(np.float32)

    def read() -> Iterator[tuple[Any, Any]]:
        for number in range(12):
            reading(number)
            yield x[number], np.int32(number % 3)

    return ds.GeneratorDataset(read, ["x", "y"]).batch(4)


def sized(data: Any, steps: int = STEPS) -> Any:
    """The data set, which knows its size and is not read to count its rows."""
    data.get_dataset_size = lambda: steps
    return data


def model() -> train.Model:
    net = nn.Dense(5, 3)
    for k, p in enumerate(net.get_parameters()):
        p.set_data(ms.Tensor(np.random.RandomState(k).rand(*p.shape).astype(np.float32)))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return train.Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9), {"loss"})


class Seen(train.Callback):
    """Keeps the losses, and which hooks were called; may raise the signal at a step."""

    def __init__(self, hook: str = "", step: int = 0, times: int = 1) -> None:
        self.losses: list[float] = []
        self.hooks: list[str] = []
        self.hook, self.step, self.times = hook, step, times

    def press(self, hook: str, told: Any) -> None:
        self.hooks.append(hook)
        if hook == self.hook and told.cur_step_num == self.step:
            for _ in range(self.times):
                os.kill(os.getpid(), signal.SIGINT)

    def on_train_begin(self, run_context: Any) -> None:
        self.press("begin", run_context.original_args())

    def on_train_step_begin(self, run_context: Any) -> None:
        self.press("step_begin", run_context.original_args())

    def on_train_step_end(self, run_context: Any) -> None:
        told = run_context.original_args()
        self.losses.append(float(told.net_outputs.asnumpy()))
        self.press("step_end", told)

    def on_train_epoch_begin(self, run_context: Any) -> None:
        self.press("epoch_begin", run_context.original_args())

    def on_train_epoch_end(self, run_context: Any) -> None:
        self.press("epoch_end", run_context.original_args())

    def on_train_end(self, run_context: Any) -> None:
        self.press("end", run_context.original_args())

    def __exit__(self, *err: Any) -> None:
        self.hooks.append("exit")


@pytest.fixture(scope="module")
def whole() -> list[float]:
    """The losses of a training that nothing ends."""
    seen = Seen()
    model().train(4, sized(rows()), callbacks=seen)
    assert len(seen.losses) == 4 * STEPS
    return seen.losses


@pytest.mark.parametrize(
    ("hook", "step", "steps"),
    [
        ("step_begin", 1, 1),
        ("step_begin", 5, 5),
        ("step_end", 4, 4),
        ("step_end", 6, 6),
        ("epoch_begin", 3, 3),
        ("epoch_end", 6, 6),
    ],
)
def test_ctrl_c_leaves_behind_the_step_and_through_the_end(
    hook: str, step: int, steps: int, mode: str, whole: list[float], tmp_path: Path
) -> None:
    before, seen = signal.getsignal(signal.SIGINT), Seen(hook, step)
    keep = train.ModelCheckpoint("net", str(tmp_path), train.CheckpointConfig(100))
    with pytest.raises(KeyboardInterrupt):
        model().train(4, sized(rows()), callbacks=[seen, keep])
    assert signal.getsignal(signal.SIGINT) is before
    assert np.allclose(seen.losses, whole[:steps], atol=1e-6)
    assert seen.hooks[-2:] == ["end", "exit"]
    assert seen.hooks.count("end") == 1
    epoch, number = (steps - 1) // STEPS + 1, (steps - 1) % STEPS + 1
    if hook == "epoch_begin":
        epoch += 1
    name = f"net-{epoch}_{number}.ckpt"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert int(read_weights(tmp_path / name)["global_step"].array()[0]) == steps


@pytest.mark.parametrize("number", [0, 1, 5, 11])
def test_ctrl_c_while_rows_are_read_comes_at_once(number: int, mode: str) -> None:
    def pressing(row: int) -> None:
        if row == number:
            os.kill(os.getpid(), signal.SIGINT)

    seen = Seen()
    with pytest.raises(KeyboardInterrupt):
        model().train(2, sized(rows(pressing)), callbacks=seen)
    assert len(seen.losses) <= number // 4
    assert seen.hooks[-2:] == ["end", "exit"]


def test_ctrl_c_twice_does_not_wait_for_the_step() -> None:
    seen = Seen("step_begin", 2, times=2)
    with pytest.raises(KeyboardInterrupt):
        model().train(2, sized(rows()), callbacks=seen)
    assert len(seen.losses) == 1


def test_ctrl_c_at_the_end_ends_once() -> None:
    seen = Seen("end", 2 * STEPS)
    with pytest.raises(KeyboardInterrupt):
        model().train(2, sized(rows()), callbacks=seen)
    assert seen.hooks.count("end") == 1


def test_the_answer_of_a_program_to_ctrl_c_is_left_alone() -> None:
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        seen = Seen("step_begin", 2)
        model().train(2, sized(rows()), callbacks=seen)
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed == [signal.SIGINT]
    assert len(seen.losses) == 2 * STEPS


def test_a_thread_trains_without_signals() -> None:
    seen = Seen()
    thread = threading.Thread(target=lambda: model().train(1, sized(rows()), callbacks=seen))
    thread.start()
    thread.join(60)
    assert len(seen.losses) == STEPS


def test_an_error_in_a_step_is_not_taken_for_ctrl_c() -> None:
    with pytest.raises(ZeroDivisionError), Interruption() as interruption, interruption.step():
        raise ZeroDivisionError
    assert not interruption.in_step


@pytest.mark.parametrize("done", [1, 2, 4, 5, 7])
def test_what_is_saved_at_ctrl_c_goes_on_with_the_same_losses(
    done: int, mode: str, whole: list[float], tmp_path: Path
) -> None:
    keep = train.ModelCheckpoint("net", str(tmp_path), train.CheckpointConfig(100))
    with pytest.raises(KeyboardInterrupt):
        model().train(4, sized(rows()), callbacks=[Seen("step_begin", done), keep])
    again, rest = model(), Seen()
    ms.load_param_into_net(again.train_network, ms.load_checkpoint(keep.latest_ckpt_file_name))
    skipped = sized(rows().skip(done % STEPS), STEPS - done % STEPS)
    epoch = done // STEPS
    again.train(epoch + 1, skipped, callbacks=rest, initial_epoch=epoch)
    if epoch < 3:
        again.train(4, sized(rows()), callbacks=rest, initial_epoch=epoch + 1)
    assert np.allclose(rest.losses, whole[done:], atol=1e-6)


def test_a_backup_outlives_ctrl_c_and_is_gone_when_all_is_done(
    mode: str, whole: list[float], tmp_path: Path
) -> None:
    file = tmp_path / "backup.ckpt"
    backup = train.BackupAndRestore(str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        model().train(4, sized(rows()), callbacks=[backup, Seen("epoch_end", 2 * STEPS)])
    assert file.exists()
    seen = Seen()
    backup = train.BackupAndRestore(str(tmp_path))
    model().train(4, sized(rows()), callbacks=[backup, seen], initial_epoch=2)
    assert np.allclose(seen.losses, whole[2 * STEPS :], atol=1e-6)
    assert not file.exists()


class Signals(train.Callback):
    """Sends SIGTERM at a step, or asks in the file."""

    def __init__(self, step: int, file: Path | None = None) -> None:
        self.step, self.file = step, file

    def on_train_step_begin(self, run_context: Any) -> None:
        if run_context.original_args().cur_step_num == self.step:
            if self.file is None:
                os.kill(os.getpid(), signal.SIGTERM)
            else:
                self.file.write_text('{"GracefulExit": 1}')

    def on_eval_step_begin(self, run_context: Any) -> None:
        self.on_train_step_begin(run_context)


@pytest.mark.parametrize("by_file", [False, True])
@pytest.mark.parametrize("step", [1, 3, 5])
def test_on_request_exit_saves_and_resumes(
    step: int, by_file: bool, mode: str, whole: list[float], tmp_path: Path
) -> None:
    file = tmp_path / "exit.json"
    before = signal.getsignal(signal.SIGTERM)
    leave = train.OnRequestExit(
        save_mindir=False, file_name="Lenet", directory=str(tmp_path), config_file=str(file)
    )
    seen = Seen()
    calls = [Signals(step, file if by_file else None), leave, seen]
    model().train(4, sized(rows()), callbacks=calls)
    assert len(seen.losses) == step
    assert signal.getsignal(signal.SIGTERM) is before
    saved = tmp_path / "rank_0" / "Lenet_train.ckpt"
    assert int(read_weights(saved)["global_step"].array()[0]) == step
    rest = Seen()
    again = train.OnRequestExit(save_mindir=False, file_name="Lenet", directory=str(tmp_path))
    model().train(1, sized(rows().skip(step % STEPS)), callbacks=[again, rest])
    assert np.allclose(rest.losses[0], whole[step], atol=1e-6)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"GracefulExit": 0}', '{"Exit": 1}', "1"])
def test_a_file_that_does_not_ask_ends_nothing(text: str, tmp_path: Path) -> None:
    file = tmp_path / "exit.json"
    file.write_text(text)
    leave = train.OnRequestExit(False, False, config_file=str(file))
    seen = Seen()
    model().train(1, sized(rows()), callbacks=[leave, seen])
    assert len(seen.losses) == STEPS


def test_on_request_exit_ends_an_evaluation(tmp_path: Path) -> None:
    leave = train.OnRequestExit(directory=str(tmp_path))
    m = model()
    m.eval(sized(rows()), callbacks=[Signals(2), leave])
    names = [path.name for path in (tmp_path / "rank_0").iterdir()]
    assert names == ["Net_eval.ckpt"]


KILLED = """
import os, sys, signal, time
import numpy as np, mindspore as ms
from mindspore import nn, train, dataset as ds
net = nn.Dense(400, 300)
x = np.zeros((6, 400), np.float32)
data = ds.NumpySlicesDataset((x, np.zeros(6, np.int32)), ["x", "y"], shuffle=False).batch(1)
m = train.Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
                nn.Adam(net.trainable_params()))
class Started(train.Callback):
    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == 3:
            print("started", flush=True)
config = train.CheckpointConfig(1, keep_checkpoint_max=2)
m.train(1000, data, callbacks=[Started(), train.ModelCheckpoint("net", "out", config)])
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_no_half_checkpoint_is_left(sent: int, tmp_path: Path) -> None:
    """Whatever ends the process while it saves and saves: each checkpoint is whole."""
    (tmp_path / "job.py").write_text(KILLED)
    command = [sys.executable, "-m", "msconvert.runtime", "job.py"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == "started\n"
        job.send_signal(sent)
        told = job.communicate(timeout=900)[1]
    assert job.returncode != 0
    assert ("KeyboardInterrupt" in told) == (sent == signal.SIGINT)
    left = sorted((tmp_path / "out").glob("*.ckpt"))
    assert 1 <= len(left) <= 2
    for path in left:
        assert read_weights(path)["weight"].array().shape == (300, 400)
