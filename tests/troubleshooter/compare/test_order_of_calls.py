"""Blocks that are equal but for their weights, called in another order: their caller is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

PYTORCH = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.inner = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))

    def forward(self, x):
        return x + self.inner(self.norm(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(6, 8)
        self.blocks = nn.ModuleList([Block(8) for _ in range(4)])
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)
"""

RUNTIME = """
from msconvert.runtime import nn

class Block(nn.Cell):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm((d,), epsilon=1e-5)
        self.inner = nn.SequentialCell(nn.Dense(d, 2 * d), nn.ReLU(), nn.Dense(2 * d, d))

    def construct(self, x):
        return x + self.inner(self.norm(x))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Dense(6, 8)
        self.blocks = nn.CellList([Block(8) for _ in range(4)])
        self.head = nn.Dense(8, 3)

    def construct(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)
"""

LOOP = "for block in self.blocks:"
ORDERS = {
    "reversed": "for block in list(self.blocks)[::-1]:",
    "the last first": "for block in [self.blocks[i] for i in (3, 0, 1, 2)]:",
    "two exchanged": "for block in [self.blocks[i] for i in (0, 2, 1, 3)]:",
}


@pytest.mark.parametrize("side", [PYTORCH, RUNTIME], ids=["PyTorch", "runtime"])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_the_caller_is_told(
    comparer: NetworkComparer, tmp_path: Path, side: str, order: str
) -> None:
    settings = NetworkSettings(call="Net()", shapes=(shape_of("2,6"),), mode="eval")
    found = compared(comparer, tmp_path, PYTORCH, side.replace(LOOP, order), settings)
    assert found.first_difference is not None
    assert found.first_difference.path == ""
    assert "B calls its layers in another order" in str(found)


@pytest.mark.parametrize("side", [PYTORCH, RUNTIME], ids=["PyTorch", "runtime"])
def test_the_same_order_is_the_same(comparer: NetworkComparer, tmp_path: Path, side: str) -> None:
    settings = NetworkSettings(call="Net()", shapes=(shape_of("2,6"),), mode="eval")
    other = side.replace(LOOP, "for block in [self.blocks[i] for i in range(4)]:")
    assert compared(comparer, tmp_path, PYTORCH, other, settings).ok
