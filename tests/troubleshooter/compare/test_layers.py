"""The first layer that parts, of small networks in PyTorch and for the runtime."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

ORIGINAL = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)
        self.bn = nn.BatchNorm2d(c)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.bn(self.conv(x)) + x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.blocks = nn.Sequential(Block(4), Block(4))
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        x = self.blocks(torch.relu(self.stem(x)))
        return self.fc(x.mean((2, 3)))
"""

CONVERTED = """
from msconvert.runtime import nn, ops

class Block(nn.Cell):
    def __init__(self, c, eps=1e-5):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, pad_mode="pad", padding=1, has_bias=True)
        self.bn = nn.BatchNorm2d(c, eps=eps, momentum=0.9)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.bn(self.conv(x)) + x)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, pad_mode="valid", has_bias=True)
        self.blocks = nn.SequentialCell(Block(4), Block(4, 1e-5))
        self.fc = nn.Dense(4, 5)

    def construct(self, x):
        x = self.blocks(ops.relu(self.stem(x)))
        return self.fc(x.mean((2, 3)))
"""

SETTINGS = NetworkSettings(call="Net()", shapes=(shape_of("2,3,8,8"),))

FAULTS = [
    ("", "", None, ""),
    ("Block(4, 1e-5)", "Block(4, 1e-3)", "blocks.1.bn", "output"),
    ("nn.ReLU()", "nn.LeakyReLU(0.1)", "blocks.0.relu", "output"),
    ("+ x)", "- x)", "blocks.0", "inside"),
    ("self.bn(self.conv(x))", "self.conv(self.bn(x))", "blocks.0", "inside"),
    ("self.relu(self.bn(self.conv(x)) + x)", "self.bn(self.conv(x)) + x", "blocks.0.relu", "layer"),
    ("self.relu(self.bn(", "self.relu(self.bn(self.drawn(", "blocks.0.drawn", "layer"),
    ("ops.relu(", "ops.tanh(", "", "inside"),
    ("x.mean((2, 3))", "x.max((2, 3))", "", "inside"),
    ("nn.Dense(4, 5)", "nn.Dense(4, 5, activation='relu')", "fc", "output"),
    ("return self.fc(", "return 2 * self.fc(", "", "inside"),
    ("return self.fc(", "raise ValueError('no') #", "", "output"),
    ("momentum=0.9", "momentum=0.1", "blocks.0.bn", "state"),
    ("self.conv(x)) + x", "ops.stop_gradient(self.conv(x))) + x", "blocks.1", "gradient"),
]


@pytest.mark.parametrize(("text", "fault", "path", "part"), FAULTS, ids=lambda x: str(x))
def test_the_first_layer_that_parts(
    text: str, fault: str, path: str | None, part: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    converted = CONVERTED.replace(text, fault)
    if "drawn" in fault:
        converted = converted.replace("self.conv(x))", "self.conv(x)))")
        converted = converted.replace(
            "        self.relu =", "        self.drawn = nn.Tanh()\n        self.relu ="
        )
    found = compared(comparer, tmp_path, ORIGINAL, converted, SETTINGS)
    first = found.first_difference
    assert (None if first is None else first.path) == path
    assert first is None or first.part == part
    assert found.ok == (path is None)
