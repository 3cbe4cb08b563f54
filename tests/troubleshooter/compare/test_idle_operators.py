"""Operators that do nothing on one side: what else they take is what differs, not that they are."""

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

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(6, 8)
        self.weight = nn.Parameter(torch.randn(4, 8, 5))
        self.leave = nn.Linear(5, 3)

    def forward(self, x):
        x = torch.tanh(self.enter(x))
        near = x * (x < 5.0).float()
        centred = near - near.mean(2, keepdim=True)
        near = near + 0.5 * centred.mean()
        y = torch.einsum("bkp,kpl->bkl", near, self.weight)
        return self.leave(y)
"""

RUNTIME = """
from msconvert.runtime import Parameter, Tensor, nn, ops
import numpy as np

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enter = nn.Dense(6, 8)
        self.weight = Parameter(Tensor(np.zeros((4, 8, 5), np.float32)), name="weight")
        self.leave = nn.Dense(5, 3)

    def construct(self, x):
        x = ops.tanh(self.enter(x))
        near = x * (x < 5.0).float()
        centred = near - near.mean(2, keep_dims=True)
        near = near + 0.5 * centred.mean()
        y = ops.matmul(near.swapaxes(0, 1), self.weight).swapaxes(0, 1)
        return self.leave(y)
"""

FAULTS = {
    "a comparison": ("x < 5.0", "x > 5.0", "it is lt", "x > 5.0"),
    "a comparison with another number": ("x < 5.0", "x < -5.0", "5 (here: -5)", "x < -5.0"),
    "a sum of what was zero": ("centred.mean()", "x.mean()", "agrees if it takes", "x.mean()"),
    "a product by what was one": ("(x < 5.0).float()", "x", "", "near = x * x"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_it_takes_is_told(
    comparer: NetworkComparer, tmp_path: Path, fault: tuple[str, str, str, str]
) -> None:
    old, new, cause, line = fault
    assert old in RUNTIME
    found = compared(comparer, tmp_path, PYTORCH, RUNTIME.replace(old, new), SETTINGS)
    text = str(found)
    assert line in text
    assert cause in text


def test_a_weight_of_a_function_is_told_behind_axes_that_move(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    """Of two products that move their axes otherwise, the weight differs, not what it meets."""
    other = RUNTIME.replace("self.weight).swap", "self.weight * 2).swap")
    text = str(compared(comparer, tmp_path, PYTORCH, other, SETTINGS))
    assert "self.weight * 2" in text
    assert "equal after scaling by 1)" not in text


def test_without_a_fault_they_are_the_same(comparer: NetworkComparer, tmp_path: Path) -> None:
    assert compared(comparer, tmp_path, PYTORCH, RUNTIME, SETTINGS).ok


SETTINGS = NetworkSettings(call="Net()", shapes=(shape_of("2,4,6"),), mode="eval")


STEPS = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(6, 8)

    def forward(self, x):
        x = torch.tanh(self.enter(x))
        high = x.amax(-1)
        low = -(-x).clamp(max=0.0).amax(-1)
        apart = high - low
        weight = 1.0 + 2.0 * apart
        last = torch.zeros_like(high)
        for t in range(3):
            last = x[..., t] + 0.9 * weight * last
        return last, weight + 0.05 * last.mean()
"""

WITH_MINDSPORE = """
from msconvert.runtime import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enter = nn.Dense(6, 8)

    def construct(self, x):
        x = ops.tanh(self.enter(x))
        high = x.amax(-1)
        low = -(-x).clamp(max=0.0).amax(-1)
        apart = high - low
        weight = 1.0 + 2.0 * apart
        last = ops.zeros_like(high)
        for t in range(3):
            last = x[..., t] + 0.9 * weight * last
        return last, weight + 0.05 * last.mean()
"""

SLIPS = {
    "a state that begins as zeros": ("ops.zeros_like(high)", "ops.ones_like(high)"),
    "a difference that takes the double": ("-(-x).clamp(max=0.0)", "-x.clamp(min=0.0)"),
    "what is returned": ("weight + 0.05 * last.mean()", "weight"),
}


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_the_line_of_a_slip_is_told(
    comparer: NetworkComparer, tmp_path: Path, slip: tuple[str, str]
) -> None:
    """Values that both sides have by accident, of zeros and doubles, lead to other lines."""
    old, new = slip
    faulty = WITH_MINDSPORE.replace(old, new)
    assert WITH_MINDSPORE.count(old) == 1
    found = compared(comparer, tmp_path, STEPS, faulty, SETTINGS)
    row = found.first_difference
    assert row is not None
    assert row.operator is not None
    sides = [(STEPS, old, row.operator.a), (faulty, new, row.operator.b)]
    for text, code, operation in sides:
        place = operation or row.operator.near
        assert place is not None
        line = text.split("\n")[place.line - 1]
        assert code.replace("ops.", "torch.") in line or code in line, str(found)


def test_the_pair_without_a_slip_is_the_same(comparer: NetworkComparer, tmp_path: Path) -> None:
    assert compared(comparer, tmp_path, STEPS, WITH_MINDSPORE, SETTINGS).ok
