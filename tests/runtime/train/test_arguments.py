"""Every argument of `mindspore.train` given what it is not for: taken, or one error with a code."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime import dataset as ds
from msconvert.runtime import metrics, nn, train
from msconvert.runtime.train import callback

ODD = [
    *(None, 0, 1, -1, 2.5, True, "x", "", "a/b", b"k", [], [1], (), {}, {"a": 1}, {1}),
    *(np.ones(2), np.float32(1), ms.Tensor([1.0, 2.0]), nn.ReLU(), print, float("nan")),
    *(["epoch_num"], train.LossMonitor(), object()),
]
REQUIRED = {
    "network": nn.Dense(2, 2),
    "original_args": {},
    "learning_rate_function": print,
    "backup_dir": "backup",
    "beta": 1.0,
}
"""What the arguments that must be given are, while another one is tried; 2 for the rest."""

CLASSES = [
    *[getattr(train, n) for n in callback.__all__ + metrics.__all__ if n[0].isupper()],
    *(train.Model, train.DatasetHelper, train.FixedLossScaleManager, train.DynamicLossScaleManager),
]
OPEN = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


def names(function: Callable[..., Any]) -> list[inspect.Parameter]:
    given = inspect.signature(function).parameters.values()
    return [one for one in given if one.kind not in OPEN and one.name != "self"]


@pytest.fixture(autouse=True)
def of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that arguments name are made here."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "kind",
    [kind for kind in CLASSES if not inspect.isabstract(kind)],
    ids=lambda kind: kind.__name__,
)
def test_what_a_class_is_made_of(kind: Any) -> None:
    required = [one.name for one in names(kind) if one.default is inspect.Parameter.empty]
    for parameter in names(kind):
        for value in ODD:
            given = {name: REQUIRED.get(name, 2) for name in required} | {parameter.name: value}
            with contextlib.suppress(MsconvertError):
                kind(**given)


def model() -> train.Model:
    net = nn.Dense(2, 2)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return train.Model(net, loss, nn.SGD(net.trainable_params(), 0.1), {"acc"})


def rows() -> Any:
    x, y = np.ones((4, 2), np.float32), np.zeros(4, np.int32)
    return ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(2)


@pytest.mark.parametrize("method", ["train", "fit", "eval", "build"])
def test_what_a_run_is_given(method: str) -> None:
    needed = ["valid_dataset"] if method == "eval" else ["train_dataset", "epoch"]
    for parameter in names(getattr(train.Model, method)):
        for value in ODD:
            given = {name: 1 if name == "epoch" else rows() for name in needed}
            with contextlib.suppress(MsconvertError):
                getattr(model(), method)(**(given | {parameter.name: value}))


@pytest.mark.parametrize("function", [train.get_metric_fn, train.Loss().set_indexes])
def test_what_a_function_is_given(function: Callable[[Any], Any]) -> None:
    refused = 0
    for value in ODD:
        try:
            function(value)
        except MsconvertError:
            refused += 1
    assert refused >= len(ODD) - 4
