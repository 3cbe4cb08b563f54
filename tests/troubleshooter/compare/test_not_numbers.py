"""Where the first NaN or infinity arises, on one side or on both."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

OURS = """
import torch
from torch import nn

class Part(nn.Module):
    def forward(self, x):
        return PART

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 4)
        self.part = Part()
        self.fc2 = nn.Linear(4, 3)

    def forward(self, x):
        y = self.part(self.fc1(x))
        y = BETWEEN
        return self.fc2(y)
"""
THEIRS = (
    OURS.replace("torch.", "ops.")
    .replace("import torch\nfrom torch import nn", "from msconvert.runtime import nn, ops")
    .replace("nn.Module", "nn.Cell")
    .replace("nn.Linear", "nn.Dense")
    .replace("def forward", "def construct")
)

CASES = {
    "none": ("x", "y", "x", "y", None),
    "in both": ("torch.log(x)", "y", "ops.log(x)", "y", "the first NaN arises in part, in both"),
    "in A": (
        "torch.sqrt(x)", "y", "ops.sqrt(ops.abs(x))", "y",
        "A: the first NaN arises in part; B: none",
    ),
    "in B": ("x", "y", "ops.log(x)", "y", "A: none; B: the first NaN arises in part"),
    "infinity": (
        "x / (x - x).abs()", "y", "x / ops.abs(x - x)", "y", "infinity arises in part, in both",
    ),
    "between layers": (
        "x", "torch.log(y)", "x", "ops.log(y)", "NaN is in what fc2 is given, in both",
    ),
    "masked away": (
        "x", "torch.exp(y - float('inf')) + y", "x", "ops.exp(y - float('inf')) + y", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_first_is_told(case: str, comparer: NetworkComparer, tmp_path: Path) -> None:
    part, between, their_part, their_between, text = CASES[case]
    settings = NetworkSettings(call="Net()", shapes=(shape_of("2,4"),), mode="eval")
    ours = OURS.replace("PART", part).replace("BETWEEN", between)
    theirs = THEIRS.replace("PART", their_part).replace("BETWEEN", their_between)
    found = compared(comparer, tmp_path, ours, theirs, settings)
    told = [remark for remark in found.remarks if "NaN" in remark or "infinity" in remark]
    if text is None:
        assert not told
        assert found.ok
    else:
        assert len(told) == 1, found.remarks
        assert text in told[0]


def test_nothing_is_the_same_where_there_is_nothing(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    """Of a batch of none the results are equal whatever B computes."""
    settings = NetworkSettings(call="Net()", shapes=(shape_of("0,4"),), mode="eval")
    ours, theirs = (x.replace("BETWEEN", "y").replace("PART", "x") for x in (OURS, THEIRS))
    found = compared(comparer, tmp_path, ours, theirs.replace("y = y", "y = 2 * y"), settings)
    assert not found.ok
    assert "nothing to compare" in str(found)


def test_no_layer_is_accused_of_what_is_nan_in_both(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    """PyTorch's logarithm gives another sign of NaN than NumPy's: that is no difference."""
    settings = NetworkSettings(call="Net()", shapes=(shape_of("2,4"),), mode="eval")
    ours, theirs = (x.replace("BETWEEN", "y") for x in (OURS, THEIRS))
    ours = ours.replace("PART", "torch.log(-x.abs() - 1)")
    theirs = theirs.replace("PART", "ops.log(-x.abs() - 1)")
    found = compared(comparer, tmp_path, ours, theirs, settings)
    assert found.first_difference is None, str(found)
    assert not found.ok
    assert "every element of the original's is NaN" in str(found)
    assert any("the first NaN arises in part, in both" in text for text in found.remarks)
