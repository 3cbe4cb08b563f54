"""Inputs that are 0 and 1 alone: code that is right for both may have another slope there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings

pytestmark = pytest.mark.usefixtures("warm")

torch = pytest.importorskip("torch")

ORIGINAL = """
import torch
from torch import nn

class Gate(nn.Module):
    def forward(self, x, mask):
        return x.masked_fill(mask == 0, -3.0)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.gate = Gate()

    def forward(self, x, mask):
        return self.gate(self.fc(x), mask) * mask

def inputs():
    return torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([MASK])
"""

CONVERTED = """
from msconvert.runtime import nn, ops

class Gate(nn.Cell):
    def construct(self, x, mask):
        return x * mask - 3.0 * (1.0 - mask)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 3)
        self.gate = Gate()

    def construct(self, x, mask):
        return self.gate(self.fc(x), mask) * mask
"""

TOLD = "the gradient of an input that is 0 and 1 alone, a mask or labels, differs in gate"


@pytest.mark.parametrize(
    ("mask", "text", "fault", "path"),
    [
        ("[1.0, 0.0, 1.0]", "", "", None),
        ("[1.0, 0.0, 1.0]", "x * mask -", "ops.stop_gradient(x) * mask -", "gate"),
        ("[1.0, 0.0, 1.0]", "self.fc(x)", "ops.stop_gradient(self.fc(x))", ""),
        ("[1.0, 0.0, 2.0]", "(1.0 - mask)", "(mask == 0)", "gate"),
        ("[1.0, 1.0, 1.0]", "", "", "gate"),
    ],
)
def test_only_the_slope_of_a_mask_is_not_judged(
    mask: str, text: str, fault: str, path: str | None, comparer: NetworkComparer, tmp_path: Path
) -> None:
    original = ORIGINAL.replace("MASK", mask)
    converted = CONVERTED.replace(text, fault) if text else CONVERTED
    found = compared(comparer, tmp_path, original, converted, NetworkSettings(call="Net()"))
    first = found.first_difference
    assert (None if first is None else first.path) == path
    assert found.ok == (path is None)
    assert any(r.startswith(TOLD) for r in found.remarks) == (mask == "[1.0, 0.0, 1.0]")


def test_both_ways_of_writing_a_mask_teach_weights_the_same() -> None:
    """PyTorch itself: the mask's gradient differs, the values' does not."""
    x = torch.tensor([2.0, 5.0, -1.0], requires_grad=True)
    mask = torch.tensor([1.0, 0.0, 1.0], requires_grad=True)
    one = torch.autograd.grad(x.masked_fill(mask == 0, -3.0).sum() + 0 * mask.sum(), (x, mask))
    other = torch.autograd.grad((x * mask - 3.0 * (1 - mask)).sum(), (x, mask))
    np.testing.assert_array_equal(one[0], other[0])
    assert not np.array_equal(one[1], other[1])
