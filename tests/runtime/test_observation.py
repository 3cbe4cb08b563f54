"""What an observer is told: the same calls, cells and losses in both modes, and nothing outside."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import dataset as ds
from msconvert.runtime import nn, ops, train
from msconvert.runtime.engine.observation import Called, Place, Predicted, observed, tell_always

MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


@pytest.fixture(autouse=True)
def pynative_afterwards() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Notes:
    """Writes down all that it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.values: list[Any] = []
        self.predictions: list[Predicted] = []

    def called(self, call: Called) -> None:
        cells = "/".join(type(cell).__name__ for cell in call.place.cells)
        way = "back" if call.place.backward else "forth"
        self.lines.append(f"{call.op} {cells} {way} {call.place.line.rpartition(':')[2]}")
        self.values += [x for x in (*call.inputs, *call.outputs) if x is not None]

    def entered(self, cell: Any, place: Place, arrays: Any, held: Any) -> None:
        self.lines.append(f"cell {type(cell).__name__} {len(arrays)} {len(held)}")
        self.values += [*arrays, *held]

    def lost(self, loss: Any, place: Place) -> None:
        self.lines.append("loss")
        self.values.append(loss)

    def predicted(self, given: Predicted) -> None:
        self.predictions.append(given)


class Small(nn.Cell):
    def __init__(self, half: bool = False) -> None:
        super().__init__()
        self.first, self.relu = nn.Dense(4, 8), nn.ReLU()
        self.norm = nn.BatchNorm1d(8)
        self.last = nn.Dense(8, 3)
        if half:
            self.first.to_float(ms.float16)

    def construct(self, x: Any) -> Any:
        return self.last(self.norm(ops.cast(self.relu(self.first(x)), ms.float32)))


def trained(mode: int, observer: Any, half: bool = False, steps: int = 3) -> dict[str, Any]:
    ms.set_context(mode=mode)
    ms.set_seed(3)
    net = Small(half)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = train.Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    x = np.random.default_rng(0).normal(size=(4 * steps, 4)).astype(np.float32)
    rows = ds.NumpySlicesDataset((x, np.arange(4 * steps) % 3), ["x", "y"], shuffle=False)
    with warnings.catch_warnings(), observed(observer) if observer else nullcontext():
        warnings.filterwarnings("error", "not compiled")
        model.train(1, rows.batch(4))
    return {p.name: p.asnumpy() for p in net.get_parameters()}


@pytest.mark.parametrize("half", [False, True])
def test_both_modes_tell_the_same(half: bool) -> None:
    found = {}
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        found[mode] = notes = Notes()
        trained(mode, notes, half)
    graph, pynative = found[ms.GRAPH_MODE], found[ms.PYNATIVE_MODE]
    assert graph.lines == pynative.lines
    assert graph.lines.count("loss") == 3
    assert graph.lines.count("cell Dense 1 0") == 6
    assert graph.lines.count("cell Momentum 6 6") == 3
    assert any(re.match(r"Gemm .*Small/Dense back \d+$", line) for line in graph.lines)
    for a, b in zip(graph.values, pynative.values, strict=True):
        wide = [np.asarray(x).astype(np.float64) for x in (a, b)]
        np.testing.assert_allclose(*wide, rtol=2e-2 if half else 1e-3, atol=1e-3)


@MODES
@pytest.mark.parametrize("half", [False, True])
def test_looking_on_changes_nothing(mode: int, half: bool) -> None:
    alone, watched = trained(mode, None, half), trained(mode, Notes(), half)
    for name, value in alone.items():
        np.testing.assert_allclose(watched[name], value, rtol=1e-3, atol=1e-4)


@MODES
def test_nobody_is_told_behind_the_context(mode: int) -> None:
    ms.set_context(mode=mode)
    net, notes, x = Small(), Notes(), ms.Tensor(np.ones((2, 4), np.float32))
    net(x)
    with observed(notes):
        net(x)
    count = len(notes.lines)
    net(x)
    with observed(None):
        net(x)
    assert len(notes.lines) == count > 0
    with observed(notes):
        net(x)
    assert len(notes.lines) == 2 * count


@MODES
@pytest.mark.parametrize(
    "x", [ms.Tensor(2.0), ms.Tensor(np.arange(6).reshape(2, 3)), ms.Tensor([True, False])]
)
def test_a_value_is_told_after_each_run(mode: int, x: Any) -> None:
    ms.set_context(mode=mode)
    found: list[Any] = []

    class Telling(nn.Cell):
        def construct(self, x: Any) -> Any:
            tell_always("a value", lambda arrays: found.append(arrays[0]), ops.cast(x, ms.int32))
            tell_always("a value", lambda arrays: found.append(arrays[0]), ms.Tensor(5))
            return x

    net = Telling()
    for _ in range(3):
        net(x)
    assert len(found) == 6
    for told in found[::2]:
        np.testing.assert_array_equal(told, x.asnumpy().astype(np.int32))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_what_a_loss_is_computed_of_is_told(mode: int) -> None:
    x, y = np.log(np.full((2, 3), 1 / 3, np.float32)), np.array([0, 2], np.int32)
    halves = np.zeros((2, 3), np.float32)
    losses = {
        "logits": (nn.CrossEntropyLoss(ignore_index=7), y, 1, 7),
        "log-probabilities": (nn.NLLLoss(ignore_index=5), y, 1, 5),
        "binary logits": (nn.BCEWithLogitsLoss(), halves, 1, -100),
    }
    ms.set_context(mode=mode)
    try:
        for kind, (loss, labels, axis, ignored) in losses.items():
            looker = Notes()
            with observed(looker):
                loss(ms.Tensor(x), ms.Tensor(labels))
            (told,) = looker.predictions
            assert (told.kind, told.axis, told.ignored) == (kind, axis, ignored)
            np.testing.assert_array_equal(told.predictions, x)
            np.testing.assert_array_equal(told.labels, labels)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
