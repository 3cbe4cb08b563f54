"""A training step in graph mode against PyTorch eager, side by side in one run.

    python benchmarks/runtime.py [steps]

Prints milliseconds per step (the median) and the ratio; below 1 the runtime is faster.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import msconvert.runtime as ms
from msconvert.runtime import nn, ops


class LeNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="pad", padding=2, has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, x: Any) -> Any:
        x = ops.max_pool2d(ops.relu(self.conv1(x)), 2, 2)
        x = ops.flatten(ops.max_pool2d(ops.relu(self.conv2(x)), 2, 2))
        return self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x)))))


class Block(nn.Cell):
    def __init__(self, c: int, o: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(c, o, 3, stride, pad_mode="pad", padding=1)
        self.conv2 = nn.Conv2d(o, o, 3, 1, pad_mode="pad", padding=1)
        self.bn1, self.bn2 = nn.BatchNorm2d(o), nn.BatchNorm2d(o)
        self.short = None
        if stride > 1 or c != o:
            self.short = nn.SequentialCell(nn.Conv2d(c, o, 1, stride), nn.BatchNorm2d(o))

    def construct(self, x: Any) -> Any:
        y = self.bn2(self.conv2(ops.relu(self.bn1(self.conv1(x)))))
        return ops.relu(y + (x if self.short is None else self.short(x)))


STAGES = ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1),
          (256, 512, 2), (512, 512, 1))  # fmt: skip


class ResNet18(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 7, 2, pad_mode="pad", padding=3)
        self.bn = nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        self.blocks = nn.SequentialCell(*[Block(*stage) for stage in STAGES])
        self.fc = nn.Dense(512, 1000)

    def construct(self, x: Any) -> Any:
        x = self.pool(ops.relu(self.bn(self.conv(x))))
        return self.fc(ops.mean(self.blocks(x), (2, 3)))


def torch_networks() -> tuple[Any, Any]:
    """PyTorch's LeNet and ResNet-18."""
    import torch
    from torch import nn as tnn

    class TorchLeNet(tnn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.features = tnn.Sequential(
                tnn.Conv2d(1, 6, 5, padding=2), tnn.ReLU(), tnn.MaxPool2d(2, 2),
                tnn.Conv2d(6, 16, 5), tnn.ReLU(), tnn.MaxPool2d(2, 2), tnn.Flatten(),
                tnn.Linear(400, 120), tnn.ReLU(), tnn.Linear(120, 84), tnn.ReLU(),
                tnn.Linear(84, 10),
            )  # fmt: skip

        def forward(self, x: Any) -> Any:
            return self.features(x)

    class TorchBlock(tnn.Module):
        def __init__(self, c: int, o: int, stride: int) -> None:
            super().__init__()
            self.conv1 = tnn.Conv2d(c, o, 3, stride, 1, bias=False)
            self.conv2 = tnn.Conv2d(o, o, 3, 1, 1, bias=False)
            self.bn1, self.bn2 = tnn.BatchNorm2d(o), tnn.BatchNorm2d(o)
            self.short: tnn.Module = tnn.Identity()
            if stride > 1 or c != o:
                self.short = tnn.Sequential(
                    tnn.Conv2d(c, o, 1, stride, bias=False), tnn.BatchNorm2d(o)
                )

        def forward(self, x: Any) -> Any:
            y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
            return torch.relu(y + self.short(x))

    class TorchResNet18(tnn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = tnn.Sequential(
                tnn.Conv2d(3, 64, 7, 2, 3, bias=False), tnn.BatchNorm2d(64), tnn.ReLU(),
                tnn.MaxPool2d(3, 2, 1),
            )  # fmt: skip
            self.blocks = tnn.Sequential(*[TorchBlock(*stage) for stage in STAGES])
            self.fc = tnn.Linear(512, 1000)

        def forward(self, x: Any) -> Any:
            return self.fc(self.blocks(self.stem(x)).mean((2, 3)))

    return TorchLeNet, TorchResNet18


def runtime_step(net: nn.Cell, x: np.ndarray, y: np.ndarray) -> Callable[[], float]:
    net.set_train()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    gradient = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters
    )

    @ms.jit
    def train(x: Any, y: Any) -> Any:
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    data, label = ms.Tensor(x), ms.Tensor(y)
    return lambda: float(train(data, label).asnumpy())


def torch_step(net: Any, x: np.ndarray, y: np.ndarray) -> Callable[[], float]:
    import torch
    from torch.nn import functional

    net.train()
    optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    data, label = torch.from_numpy(x), torch.from_numpy(y).long()

    def train() -> float:
        optimizer.zero_grad()
        loss = functional.cross_entropy(net(data), label)
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return train


def median(step: Callable[[], float], count: int) -> float:
    """Milliseconds per call, after two calls that are not counted."""
    step(), step()
    times = []
    for _ in range(count):
        start = time.perf_counter()
        step()
        times.append((time.perf_counter() - start) * 1e3)
    return float(np.median(times))


CASES = (
    ("LeNet, batch 64", LeNet, (64, 1, 28, 28), 10),
    ("ResNet-18, batch 16, 32x32", ResNet18, (16, 3, 32, 32), 1000),
)


def main(count: int) -> None:
    state = np.random.RandomState(0)
    for (name, ours, shape, classes), theirs in zip(CASES, torch_networks(), strict=True):
        x = state.rand(*shape).astype(np.float32)
        y = state.randint(0, classes, shape[0]).astype(np.int32)
        start = time.perf_counter()
        step = runtime_step(ours(), x, y)
        step()
        compiling = time.perf_counter() - start
        mine = median(step, count)
        other = median(torch_step(theirs(), x, y), count)
        print(  # noqa: T201  # what a benchmark is for
            f"{name}: runtime {mine:.1f} ms, PyTorch {other:.1f} ms, ratio {mine / other:.2f}; "
            f"first step {compiling:.1f} s"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
