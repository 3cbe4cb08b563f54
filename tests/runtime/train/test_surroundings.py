"""What is around a training: folders, data sets that fail, compiled steps, names."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime import dataset as ds
from msconvert.runtime import metrics, nn, train
from msconvert.runtime.train import callback, elsewhere
from msconvert.tests.privileges import without_privileges


def model(rate: float = 0.1) -> train.Model:
    net = nn.Dense(4, 3)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return train.Model(net, loss, nn.SGD(net.trainable_params(), rate), {"loss"})


def rows(count: int = 6, width: int = 4) -> Any:
    x = np.ones((count, width), np.float32)
    made = ds.NumpySlicesDataset((x, np.zeros(count, np.int32)), ["x", "y"], shuffle=False)
    return made.batch(2)


@pytest.fixture
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


# folders


@pytest.mark.parametrize("kind", [train.ModelCheckpoint, train.BackupAndRestore])
@pytest.mark.parametrize("place", ["plain", "plain/below", "locked/below", "locked"])
def test_a_folder_that_cannot_be_used_is_refused_at_once(
    kind: Any, place: str, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text("")
    (tmp_path / "locked").mkdir(mode=0o500)
    arguments = ("net",) if kind is train.ModelCheckpoint else ()
    with without_privileges(), pytest.raises(ValueError, match=r"^MS304 .*cannot be used") as told:
        kind(*arguments, str(tmp_path / place))
    assert "\n  try:      give another directory=" in str(told.value)


@pytest.mark.parametrize("folders", [1, 2])
def test_without_a_directory_the_present_one_is_taken(
    folders: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MindSpore takes the one in which Python was when it was imported."""
    for number in range(folders):
        (tmp_path / str(number)).mkdir()
        monkeypatch.chdir(tmp_path / str(number))
        model().train(1, rows(2), callbacks=train.ModelCheckpoint("net"))
        assert [path.name for path in Path.cwd().iterdir()] == ["net-1_1.ckpt"]


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path) -> None:
    class Removes(train.Callback):
        def on_train_step_begin(self, run_context: Any) -> None:
            shutil.rmtree(tmp_path / "out", ignore_errors=True)

    keep = train.ModelCheckpoint("net", str(tmp_path / "out"))
    model().train(1, rows(), callbacks=[Removes(), keep])
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["net-1_3.ckpt"]


def test_a_folder_that_is_locked_meanwhile_ends_the_training(tmp_path: Path) -> None:
    class Locks(train.Callback):
        def on_train_step_begin(self, run_context: Any) -> None:
            tmp_path.chmod(0o500)

    keep = train.ModelCheckpoint("net", str(tmp_path))
    with without_privileges(), pytest.raises(MsconvertError, match="cannot be used"):
        model().train(1, rows(), callbacks=[Locks(), keep])
    tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


def test_an_old_checkpoint_that_cannot_be_removed_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "net-0_1.ckpt").mkdir()
    keep = train.ModelCheckpoint(
        "net", str(tmp_path), train.CheckpointConfig(keep_checkpoint_max=1)
    )
    keep._prefix = "net"
    model().train(1, rows(2), callbacks=keep)
    assert "cannot be removed" in caplog.text
    assert (tmp_path / "net-1_1.ckpt").is_file()


# data sets


@pytest.mark.parametrize("at", [0, 1, 3, 5])
def test_a_data_set_that_fails_says_so_itself(at: int) -> None:
    def read() -> Iterator[Any]:
        for number in range(6):
            if number == at:
                raise ZeroDivisionError(f"row {number}")
            yield np.ones(4, np.float32), np.int32(0)

    seen: list[str] = []
    data = ds.GeneratorDataset(read, ["x", "y"]).batch(2)
    data.get_dataset_size = lambda: 3
    tells = train.LambdaCallback(on_train_end=lambda run_context: seen.append("end"))
    with pytest.raises((ZeroDivisionError, RuntimeError), match=f"row {at}"):
        model().train(1, data, callbacks=tells)
    assert seen == []


@pytest.mark.parametrize("given", [None, 1, "data", np.ones((2, 3)), [rows], {}])
def test_what_is_no_data_set_is_refused(given: Any) -> None:
    for call in (model().eval, lambda data: model().train(1, data)):
        with pytest.raises(TypeError, match=r"^MS304 .*no data set"):
            call(given)


def test_rows_of_another_width_tell_the_layer() -> None:
    with pytest.raises(ValueError, match=r"^MS304 .*\n.*got: "):
        model().train(1, rows(width=5))


@pytest.mark.parametrize("how", ["all", "stop", "error", "eval", "eval stop", "build"])
def test_what_reads_rows_is_ended(how: str) -> None:
    """The rows of a generator are closed when the run ends, however it does."""
    closed: list[int] = []

    def read() -> Iterator[Any]:
        try:
            for _ in range(6):
                yield np.ones(4, np.float32), np.int32(0)
        finally:
            closed.append(1)

    def at_step(run_context: Any) -> None:
        if "stop" in how:
            run_context.request_stop()
        if how == "error":
            raise ZeroDivisionError

    data = ds.GeneratorDataset(read, ["x", "y"]).batch(2)
    data.get_dataset_size = lambda: 3
    stops = train.LambdaCallback(on_train_step_end=at_step, on_eval_step_end=at_step)
    m = model()
    with pytest.raises(ZeroDivisionError) if how == "error" else nullcontext():
        if how.startswith("eval"):
            m.eval(data, callbacks=stops)
        elif how == "build":
            ms.set_context(mode=ms.GRAPH_MODE)
            m.build(data)
            ms.set_context(mode=ms.PYNATIVE_MODE)
        else:
            m.train(2, data, callbacks=stops)
    assert len(closed) == (2 if how == "all" else 1)


# compiled steps


@pytest.mark.usefixtures("graph_mode")
def test_a_step_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither epochs, evaluations nor another call of train compile the step anew."""
    traced: list[str] = []
    construct = nn.Dense.construct
    monkeypatch.setattr(
        nn.Dense, "construct", lambda self, x: traced.append("x") or construct(self, x)
    )
    m = model()
    m.fit(3, rows(), rows())
    assert len(traced) == 2
    m.train(2, rows())
    m.eval(rows())
    assert len(traced) == 2


@pytest.mark.usefixtures("graph_mode")
def test_build_compiles_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    traced: list[str] = []
    construct = nn.Dense.construct
    monkeypatch.setattr(
        nn.Dense, "construct", lambda self, x: traced.append("x") or construct(self, x)
    )
    m = model()
    before = {p.name: p.asnumpy().copy() for p in m.train_network.get_parameters()}
    m.build(rows(), rows())
    assert len(traced) == 2
    assert all((p.asnumpy() == before[p.name]).all() for p in m.train_network.get_parameters())
    m.fit(2, rows(), rows())
    assert len(traced) == 2


# names


def test_what_needs_more_than_a_cpu_is_refused_with_advice() -> None:
    """Everything of `elsewhere`: importable from MindSpore's places, never callable."""
    members = vars(elsewhere).items()
    own = {n: v for n, v in members if getattr(v, "__module__", "") == elsewhere.__name__}
    public = {name for name in own if not name.startswith("refuse")}
    assert len(public) >= 10
    for name in public:
        assert getattr(train, name) is own[name]
        with pytest.raises(RuntimeError, match=f"^MS301 mindspore.train.{name}: .*\n  try: "):
            own[name](
                *[None] * own[name].__init__.__code__.co_argcount if False else arguments(name)
            )


def arguments(name: str) -> list[Any]:
    required = {
        "FlopsUtilizationCollector": 1, "build_searched_strategy": 1,
        "get_ckpt_path_with_strategy": 2, "load_distributed_checkpoint": 1,
        "merge_sliced_parameter": 1, "restore_group_info_list": 1, "export_split_mindir": 1,
    }  # fmt: skip
    return ["x"] * required.get(name, 0)


def test_names_are_where_mindspore_has_them() -> None:
    for name in callback.__all__ + metrics.__all__:
        assert getattr(train, name) is getattr(ms, name)
    for name in metrics.__all__:
        assert getattr(nn, name) is getattr(ms, name)
    assert ms.Model is train.Model


@pytest.mark.parametrize(
    ("place", "name", "near"),
    [
        (train, "Modell", "Model"),
        (train, "LossMonitors", "LossMonitor"),
        (callback, "EarlyStoping", "EarlyStopping"),
        (nn, "Acuracy", "Accuracy"),
        (ms, "ModelCheckpoints", "ModelCheckpoint"),
        (train.serialization, "load_checkpoints", "load_checkpoint"),
    ],
)
def test_a_wrong_name_is_told_the_nearest(place: Any, name: str, near: str) -> None:
    with pytest.raises(AttributeError, match=f"(?s)^MS301 .*{near}"):
        getattr(place, name)


def test_a_parameter_that_the_run_does_not_tell_is_named() -> None:
    told = callback.callback.InternalCallbackParam(cur_epoch_num=1)
    assert not hasattr(told, "epochs")
    assert told.get("epochs") is None
    for kind in (KeyError, AttributeError, MsconvertError):
        with pytest.raises(kind, match="cur_epoch_num"):
            _ = told.cur_epoch
