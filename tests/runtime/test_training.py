"""Training: the same script on real MindSpore and here; whole steps as one graph."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
from msconvert.runtime.engine import compiler

SCRIPT = Path(__file__).parents[1] / "models" / "training_script.py"
TOLERANCE = 1e-4
"""float32 sums in another order, over ten steps."""


@pytest.fixture(scope="module")
def results(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the script gives on real MindSpore (PyNative), and here in both modes."""
    folder = tmp_path_factory.mktemp("training")
    shutil.copy(SCRIPT, folder)
    here = [sys.executable, "-m", "msconvert.runtime", SCRIPT.name, "10", "here.json"]
    subprocess.run(here, cwd=folder, check=True, timeout=900)
    run_mindspore(folder, SCRIPT.name, "1", "there.json")
    return (
        json.loads((folder / "there.json").read_text()),
        json.loads((folder / "here.json").read_text()),
    )


def test_losses_of_ten_steps_are_mindspores(
    results: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    there, here = results
    compared = 0
    for name, losses in here.items():
        if isinstance(losses, list):
            assert np.allclose(losses, there[f"{name[:-1]}1"], rtol=0, atol=TOLERANCE), name
            assert losses[-1] < losses[0]
            compared += 1
    assert compared == 12


class Net(nn.Cell):
    """Everything that a step changes: weights, states, running statistics, random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(p=0.3)
        self.fc = nn.Dense(4, 3)

    def construct(self, x: Any) -> Any:
        y = ops.relu(self.bn(self.conv(x)))
        return self.fc(self.drop(ops.mean(y, (2, 3))))


X = ms.Tensor(np.random.RandomState(0).rand(5, 2, 6, 6).astype(np.float32))
Y = ms.Tensor(np.array([0, 1, 2, 1, 0], np.int32))


def step_of(net: nn.Cell) -> tuple[Callable[..., Any], Any]:
    optimizer = nn.Adam(net.trainable_params(), nn.CosineDecayLR(0.0, 0.1, 20), weight_decay=0.01)
    gradient = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters
    )

    def train(x: Any, y: Any) -> Any:
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    return train, optimizer


def trained(wrap: Callable[[Any], Any]) -> tuple[list[float], list[np.ndarray]]:
    """Losses and final parameters of four steps."""
    ms.set_seed(3)
    net = Net().set_train()
    train, optimizer = step_of(net)
    step = wrap(train)
    losses = [float(step(X, Y).asnumpy()) for _ in range(4)]
    every = [*net.get_parameters(), *optimizer.get_parameters()]
    return losses, [p.asnumpy() for p in every]


@pytest.fixture
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_compiled_step_is_the_pynative_one() -> None:
    eager, compiled = trained(lambda f: f), trained(ms.jit)
    assert np.allclose(eager[0], compiled[0], atol=1e-5)
    for a, b in zip(eager[1], compiled[1], strict=True):
        assert a.shape == b.shape
        assert np.allclose(a, b, atol=1e-4)
    assert trained(ms.jit)[0] == compiled[0]  # the seed decides


def test_graph_mode_without_jit_is_the_same(graph_mode: None) -> None:
    assert np.allclose(trained(lambda f: f)[0], trained(ms.jit)[0], atol=1e-5)


def test_a_step_is_one_graph_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    opened: list[int] = []
    original = compiler.Compiled.__init__
    reopen = compiler.Compiled.open

    def counted(self: Any, *args: Any) -> None:
        made.append(self)
        original(self, *args)

    def reopened(self: Any) -> None:
        opened.append(1)
        reopen(self)

    monkeypatch.setattr(compiler.Compiled, "__init__", counted)
    monkeypatch.setattr(compiler.Compiled, "open", reopened)
    trained(ms.jit)
    assert (len(made), len(opened)) == (1, 1)
    (graph,) = made
    assert {v.name for v in graph.updated} >= {"conv.weight", "bn.moving_mean", "moment1.fc.bias"}
    assert {held.tensor.name for held in graph.baked} <= {"learning_rate"}


def test_a_rate_that_changes_is_compiled_anew_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    reopen = compiler.Compiled.open

    def reopened(self: Any) -> None:
        opened.append(1)
        reopen(self)

    monkeypatch.setattr(compiler.Compiled, "open", reopened)
    weight = ms.Parameter(ms.Tensor([0.0]), name="w")
    optimizer = nn.SGD([weight], learning_rate=1.0)
    step = ms.jit(lambda g: optimizer((g,)))
    for rate in (1.0, 2.0, 3.0, 4.0):
        ops.assign(optimizer.learning_rate, ms.Tensor(rate, ms.float32))
        step(ms.Tensor([1.0]))
    assert weight.asnumpy().tolist() == [-10.0]
    assert len(opened) == 2


def test_what_the_user_holds_or_sets_between_steps_is_respected() -> None:
    net = nn.Dense(2, 1)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = ms.jit(lambda: optimizer((ops.ones((1, 2)), ops.ones((1,)))))
    step(), step()
    held = net.weight.asnumpy()
    view, before = held[0], held.copy()
    del held
    for _ in range(3):
        step()
    assert np.array_equal(view, before[0])
    assert np.allclose(net.weight.asnumpy(), before - 0.3)
    net.weight.set_data(ops.zeros((1, 2)))
    step()
    assert np.allclose(net.weight.asnumpy(), -0.1)


def test_parameters_without_groups_keep_their_order() -> None:
    given = [ms.Parameter(np.zeros(2, np.float32), name=name) for name in ("gamma", "weight")]
    assert [p.name for p in nn.Momentum(given, 0.1, 0.9).parameters] == ["gamma", "weight"]


def test_evaluation_is_not_the_training_graph() -> None:
    net = Net().set_train()
    train, _ = step_of(net)
    step = ms.jit(train)
    step(X, Y)
    net.set_train(False)
    first = net(X).asnumpy()
    assert np.array_equal(first, net(X).asnumpy())
    before = net.bn.moving_mean.asnumpy().copy()
    step(X, Y)
    assert np.array_equal(before, net.bn.moving_mean.asnumpy())  # traced anew, without training


def test_an_overflow_shrinks_the_loss_scale_and_changes_nothing() -> None:
    scaler = ms.amp.DynamicLossScaler(scale_value=8, scale_factor=2, scale_window=2)
    finite = ms.amp.all_finite((ms.Tensor([1.0, np.nan]),))
    assert not finite
    scaler.adjust(finite)
    assert scaler.scale_value.item() == 4
    for _ in range(2):
        scaler.adjust(ms.Tensor(True))
    assert (scaler.scale_value.item(), scaler.counter.item()) == (8, 0)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda p: nn.SGD([]), ValueError),
        (lambda p: nn.SGD([1.0]), TypeError),
        (lambda p: nn.SGD([p, p]), ValueError),
        (lambda p: nn.SGD([p], learning_rate="fast"), ValueError),
        (lambda p: nn.SGD([p], learning_rate=-1.0), ValueError),
        (lambda p: nn.SGD([{"params": [p], "rate": 1}]), KeyError),
        (lambda p: nn.Momentum([p], 0.1, 1), TypeError),
        (lambda p: nn.Adam([p], beta1=1.0), ValueError),
        (lambda p: nn.SGD([p])((ms.Tensor([1.0]),) * 2), RuntimeError),
        (lambda p: nn.CrossEntropyLoss(reduction="x"), ValueError),
        (lambda p: nn.CrossEntropyLoss()(X[0, 0], ms.Tensor([1] * 6)), TypeError),
        (lambda p: ms.amp.DynamicLossScaler(0, 2, 2), ValueError),
    ],
)
def test_bad_arguments_are_refused(make: Callable[[Any], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        make(ms.Parameter(ms.Tensor([1.0]), name="w"))


@pytest.mark.parametrize("jit", [False, True], ids=["pynative", "graph"])
def test_a_step_that_overflows_changes_no_weight_and_shrinks_the_scale(jit: bool) -> None:
    net = nn.WithLossCell(nn.Dense(2, 1, "ones", "zeros"), nn.MSELoss())
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    manager = nn.DynamicLossScaleUpdateCell(8, 2, 2)
    cell = nn.TrainOneStepWithLossScaleCell(net, optimizer, manager)
    step = ms.jit(lambda *inputs: cell(*inputs)) if jit else cell
    found = []
    for value in (1.0, np.inf, 1.0, 1.0, 1.0):
        before = [p.asnumpy().copy() for p in optimizer.get_parameters()]
        data = ms.Tensor(np.array([[1.0, value]], np.float32))
        _, overflow, used = step(data, ms.Tensor([[5.0]]))
        after = [p.asnumpy() for p in optimizer.get_parameters()]
        same = all(map(np.array_equal, before, after))
        assert same == bool(overflow)
        found.append((bool(overflow), float(used), float(cell.scale_sense)))
    assert found == [
        (False, 8, 8), (True, 8, 4), (False, 4, 4), (False, 4, 8), (False, 8, 8)
    ]  # fmt: skip


def test_a_constant_scale_does_not_change_the_step() -> None:
    weights = []
    for wrapped in (
        lambda net, opt: nn.TrainOneStepCell(net, opt),
        lambda net, opt: nn.TrainOneStepWithLossScaleCell(net, opt, ms.Tensor(64.0)),
    ):
        net = nn.WithLossCell(nn.Dense(2, 1, "ones", "zeros"), nn.MSELoss())
        wrapped(net, nn.SGD(net.trainable_params(), 0.1))(ops.ones((1, 2)), ops.zeros((1, 1)))
        weights.append(net.backbone_network.weight.asnumpy())
    assert np.allclose(*weights)


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "auto"])
def test_networks_train_in_mixed_precision(level: str) -> None:
    manager = ms.amp.FixedLossScaleManager(4.0, drop_overflow_update=False)
    ms.set_seed(0)
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=4.0)
    step = ms.amp.build_train_network(
        net, optimizer, nn.CrossEntropyLoss(), level, loss_scale_manager=manager
    )
    losses = [float(step(X, Y)) for _ in range(8)]
    assert losses[-1] < losses[0]
    assert all(p.dtype is ms.float32 for p in net.get_parameters())


def test_a_manager_that_drops_steps_is_refused_as_on_mindspores_cpu() -> None:
    net = nn.Dense(2, 2)
    optimizer = nn.SGD(net.trainable_params())
    with pytest.raises(ValueError, match="no step is dropped"):
        ms.amp.build_train_network(net, optimizer, nn.MSELoss(), level="O2")


def test_a_dynamic_manager_moves_its_scale() -> None:
    manager = ms.amp.DynamicLossScaleManager(16, 2, 2)
    scales = []
    for overflow in (True, False, False, False, True):
        manager.update_loss_scale(overflow)
        scales.append(manager.get_loss_scale())
    assert scales == [8, 8, 16, 16, 8]
    assert manager.get_update_cell().get_loss_scale() == 8
