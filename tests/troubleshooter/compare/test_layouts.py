"""Layers that take the same numbers with other axes than their counterparts."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings

pytestmark = pytest.mark.usefixtures("warm")

torch = pytest.importorskip("torch")

ORIGINAL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.near = nn.Conv1d(3, 6, 1)
        self.far = nn.Conv1d(6, 5, 1)
        self.out = nn.Linear(5, 2)

    def forward(self, p):
        x = self.far(torch.tanh(self.near(p.transpose(1, 2))))
        return self.out(x.max(2)[0])

def inputs():
    return (torch.randn(2, 7, 3),)
"""

CONVERTED = """
from msconvert.runtime import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.near = nn.Dense(3, 6)
        self.far = nn.Dense(6, 5)
        self.out = nn.Dense(5, 2)

    def construct(self, p):
        b, n, _ = p.shape
        x = p.reshape(b * n, 3)
        x = self.far(ops.tanh(self.near(x))).reshape(b, n, 5)
        return self.out(x.max(axis=1))
"""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", ""),
        ("p.reshape(b * n, 3)", "p.transpose(0, 2, 1).reshape(b * n, 3)"),
        ("ops.tanh", "ops.relu"),
        (".reshape(b, n, 5)", ".reshape(n, b, 5).transpose(1, 0, 2)"),
        ("x.max(axis=1)", "x.mean(axis=1)"),
        ("self.far(ops", "self.far(0.5 * ops"),
        ("ops.tanh(self.near(x))", "ops.stop_gradient(ops.tanh(self.near(x)))"),
    ],
)
def test_a_dense_over_points_is_a_convolution_of_kernel_1(
    text: str, fault: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    converted = CONVERTED.replace(text, fault) if text else CONVERTED
    found = compared(comparer, tmp_path, ORIGINAL, converted, NetworkSettings(call="Net()"))
    rows = {row.path: row for row in found.rows if row.mode == "eval"}
    assert found.ok == (not fault)
    if not fault:
        assert {path: row.verdict for path, row in rows.items()} == {
            "": "same",
            "near": "not compared",
            "far": "not compared",
            "out": "same",
        }
        assert "with its axes in another order" in rows["near"].note


def test_pytorch_itself_finds_both_ways_the_same() -> None:
    conv, dense = torch.nn.Conv1d(3, 6, 1), torch.nn.Linear(3, 6)
    dense.load_state_dict({"weight": conv.weight[:, :, 0], "bias": conv.bias})
    p = torch.randn(2, 7, 3)
    over_points = dense(p.reshape(14, 3)).reshape(2, 7, 6).transpose(1, 2)
    torch.testing.assert_close(conv(p.transpose(1, 2)), over_points)
