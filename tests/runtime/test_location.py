"""A wrong shape is an error that names the layer and the line, in both modes, and ends nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime import nn, ops


@pytest.fixture(autouse=True, params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    ms.set_context(mode=request.param)
    yield
    ms.reset_context()


def block(channels: int, out: int, pad_mode: str) -> nn.Cell:
    convolution = nn.Conv2d(channels, out, 3, pad_mode=pad_mode)
    return nn.SequentialCell(convolution, nn.BatchNorm2d(out), nn.ReLU(), nn.MaxPool2d(2, 2))


class Net(nn.Cell):
    """Halves an image four times."""

    def __init__(self, pad_mode: str) -> None:
        super().__init__()
        self.features = nn.SequentialCell(
            block(3, 4, pad_mode), *[block(4, 4, pad_mode) for _ in range(3)]
        )
        self.head = nn.Dense(4, 2)

    def construct(self, x: Any) -> Any:
        return self.head(ops.flatten(self.features(x)))


def image(size: int) -> Any:
    return ms.Tensor(np.ones((1, 3, size, size), np.float32))


CASES = [
    ("valid", 1, r"features\.0\.0 \(Conv2d\): Conv: its window is larger"),
    ("valid", 4, r"features\.1\.0 \(Conv2d\): Conv: its window is larger"),
    ("valid", 8, r"features\.1\.3 \(MaxPool2d\): MaxPool: its window is larger"),
    ("valid", 12, r"features\.2\.0 \(Conv2d\): Conv: its window is larger"),
    ("valid", 20, r"features\.2\.3 \(MaxPool2d\): MaxPool: its window is larger"),
    ("valid", 64, r"head \(Dense\): Gemm"),
    ("same", 2, r"features\.1\.3 \(MaxPool2d\): MaxPool: its window is larger"),
    ("same", 8, r"features\.3\.3 \(MaxPool2d\): MaxPool: its window is larger"),
    ("same", 40, r"head \(Dense\): Gemm"),
]


@pytest.mark.parametrize(("pad_mode", "size", "what"), CASES)
@pytest.mark.parametrize("train", [False, True], ids=["forward", "step"])
def test_the_layer_and_the_line_are_named(pad_mode: str, size: int, what: str, train: bool) -> None:
    net = Net(pad_mode)
    call: Any = net
    if train:
        net.set_train()
        call = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    with pytest.raises(ValueError, match=rf"MS304 test_location\.py:\d+: {what}"):
        call(image(size))
    fitting = 46 if pad_mode == "valid" else 16
    assert call(image(fitting)) is not None  # the failed trace is gone


LAYERS = [
    (lambda: nn.MaxPool2d(3, 1), (1, 2, 2, 5), ValueError),
    (lambda: nn.MaxPool1d(4), (1, 2, 3), ValueError),
    (lambda: nn.AvgPool2d(3, 1), (1, 2, 5, 2), RuntimeError),
    (lambda: nn.Conv2d(2, 2, 3, pad_mode="valid", dilation=2), (1, 2, 4, 9), ValueError),
    (lambda: nn.Conv2d(2, 2, 5, pad_mode="pad", padding=1), (1, 2, 2, 9), ValueError),
    (lambda: nn.Conv1d(2, 2, 4, pad_mode="valid"), (1, 2, 3), ValueError),
    (lambda: nn.Conv3d(2, 2, 3, pad_mode="valid"), (1, 2, 2, 5, 5), ValueError),
]


@pytest.mark.parametrize(("make", "shape", "kind"), LAYERS)
def test_a_window_that_does_not_fit_is_refused(make: Any, shape: Any, kind: Any) -> None:
    with pytest.raises(kind, match="its window is larger than the input") as caught:
        nn.SequentialCell(nn.ReLU(), make())(ms.Tensor(np.ones(shape, np.float32)))
    assert isinstance(caught.value, MsconvertError)
    assert caught.value.where.split(": ")[1].startswith("1 (")


def test_a_parameter_that_is_counted_up_does_not_compile_anew() -> None:
    class Counting(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.count = ms.Parameter(ms.Tensor([0.0]), requires_grad=False)

        @ms.jit
        def construct(self, x: Any) -> Any:
            self.count += 1
            return x * self.count

    net = Counting()
    revision = net._revision
    assert [net(ms.Tensor([2.0])).item() for _ in range(4)] == [2.0, 4.0, 6.0, 8.0]
    assert net._revision == revision
