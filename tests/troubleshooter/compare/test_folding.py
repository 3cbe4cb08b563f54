"""ONNX files with numbers where a port has code: its line is told, and what is wrong there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import beside_file, exported
from msconvert.troubleshooter.compare import NetworkComparer

pytestmark = [pytest.mark.usefixtures("warm"), pytest.mark.filterwarnings("ignore")]

torch = pytest.importorskip("torch")

PYTORCH = """
import math
import torch
from torch import nn

def slopes(count):
    return 2.0 ** (-2.0 * torch.arange(1, count + 1).float())

def nearness(n, count):
    away = torch.arange(n)[:, None] - torch.arange(n)[None, :]
    seen = (away >= 0) & (away < 3)
    cost = -slopes(count)[:, None, None] * away.float().abs()
    return cost.masked_fill(~seen, -1e9)

class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.shares = nn.Parameter(torch.tensor([0.3, -0.4]))
        self.enter = nn.Linear(4, 6)
        self.leave = nn.Linear(6, 4)

    def forward(self, x):
        shares = torch.softmax(self.shares, dim=0)
        y = torch.tanh(self.enter(x))
        return x + shares[0] * self.leave(y) - shares[1] * self.leave(y.flip(1))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(4, 12)
        self.mixed = Mixed()
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        n = x.shape[1]
        q = self.query(x).reshape(-1, n, 3, 4).transpose(1, 2)
        scores = q @ q.transpose(-1, -2) / math.sqrt(4.0)
        scores = scores + nearness(n, 3)
        x = self.mixed((scores.softmax(-1) @ q).mean(1))
        counted = torch.arange(1, n + 1).float()
        running = x.cumsum(1) / counted[:, None]
        return self.head(x), running, 1.0 - torch.sigmoid(running), torch.sigmoid(running) - 1.0
"""
PORT = PYTORCH
for old, new in (
    ("import torch\nfrom torch import nn", "import msconvert.runtime as ms\n"
     "from msconvert.runtime import nn, ops"),
    ("nn.Module", "nn.Cell"), ("forward", "construct"), ("nn.Linear", "nn.Dense"),
    ("nn.Parameter(torch.tensor([0.3, -0.4]))", "ms.Parameter(ms.tensor([0.3, -0.4]))"),
    ("softmax(self.shares, dim=0)", "softmax(self.shares, axis=0)"),
    ("flip(1)", "flip((1,))"), ("torch.", "ops."),
):  # fmt: skip
    assert old in PORT
    PORT = PORT.replace(old, new)

FAULTS = (
    ("away < 3", "away <= 3", "seen = (away", "it is lt (here: le"),
    ("(-2.0 * ops.arange", "(-1.5 * ops.arange", "return 2.0 **", "the factor is -2 (here: -1.5)"),
    ("-slopes(count)", "slopes(count)", "cost = slopes", "neg of"),
    ("masked_fill(~seen", "masked_fill(seen", "return cost", "the mask is inverted"),
    ("softmax(self.shares", "log_softmax(self.shares", "shares = ops", "it is softmax"),
    ("x.cumsum(1) / counted[:, None]", "counted[:, None] / x.cumsum(1)", "running =",
     "the order of what it takes is 1 2 (here: 2 1)"),
    ("1.0 - ops.sigmoid", "0.5 - ops.sigmoid", "return self.head", "1 (here: 0.5)"),
    ("self.mixed((scores.softmax(-1) @ q).mean(1))",
     "self.mixed(self.mixed((scores.softmax(-1) @ q).mean(1)))", "x = self.mixed(self",
     "once more"),
)  # fmt: skip
"""A stretch of the port, what is written instead, the line that is told, and what is said of it."""


@pytest.fixture(scope="module")
def comparer() -> Iterator[NetworkComparer]:
    with NetworkComparer() as one:
        yield one


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(tmp_path_factory.mktemp("folded"), PYTORCH, (2, 5, 4))


def told(comparer: NetworkComparer, model: Path, folder: Path, text: str) -> str:
    return str(beside_file(comparer, model, folder, text))


@pytest.mark.parametrize(("old", "new", "line", "cause"), FAULTS, ids=[row[1] for row in FAULTS])
def test_the_line_and_the_cause_are_told(
    old: str,
    new: str,
    line: str,
    cause: str,
    comparer: NetworkComparer,
    model: Path,
    tmp_path: Path,
) -> None:
    assert PORT.count(old) == 1
    text = PORT.replace(old, new)
    number = next(i for i, one in enumerate(text.split("\n"), 1) if line in one)
    found = told(comparer, model, tmp_path, text)
    assert f"net.py:{number}: " in found
    assert cause in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("-slopes(count)[:, None, None] * away.float().abs()",
         "-(slopes(count)[:, None, None] * away.abs().float())"),
        ("cost.masked_fill(~seen, -1e9)", "ops.where(seen, cost, ms.tensor(-1e9, ms.float32))"),
    ],
)  # fmt: skip
def test_nothing_is_said_of_the_same_numbers(
    old: str, new: str, comparer: NetworkComparer, model: Path, tmp_path: Path
) -> None:
    assert "Not the same" not in told(comparer, model, tmp_path, PORT.replace(old, new))
