"""Weights that are used in two places, on one side or on both."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkComparison, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of

pytest.importorskip("torch")

OURS = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 6)
        self.fc = nn.Linear(6, 6, bias=False)
        self.head = nn.Linear(6, 9, bias=False)
        TIE

    def forward(self, x):
        return self.head(self.fc(self.embed(x)).relu())
"""

THEIRS = """
from msconvert.runtime import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 6)
        self.fc = nn.Dense(6, 6, has_bias=False)
        self.head = nn.Dense(6, 9, has_bias=False)
        TIE

    def construct(self, x):
        return self.head(ops.relu(self.fc(self.embed(x))))
"""

TIE_A, TIE_B = (
    "self.head.weight = self.embed.weight",
    "self.head.weight = self.embed.embedding_table",
)
SAME = "embed.weight = head.weight"


def found(
    comparer: NetworkComparer, folder: Path, ours: str, theirs: str, other: str = ""
) -> NetworkComparison:
    settings = NetworkSettings(call="Net()", shapes=(shape_of("2,5:int64<9"),))
    text = THEIRS.replace("TIE", theirs or "pass")
    for name in other.split():
        text = text.replace(f"self.{name}", f"self.my_{name}")
    return compared(comparer, folder, OURS.replace("TIE", ours or "pass"), text, settings)


CASES = {
    "neither": ("", "", "", True, ""),
    "both": (TIE_A, TIE_B, "", True, f"tied in both: {SAME}"),
    "A only": (TIE_A, "", "", False, f"A ties {SAME}"),
    "both, other names": (TIE_A, TIE_B, "embed head fc", True, f"tied in both: {SAME}"),
    "A only, other names": (TIE_A, "", "embed head fc", False, f"A ties {SAME}"),
    "neither, other names": ("", "", "embed head fc", True, ""),
}


@pytest.mark.parametrize("case", CASES)
def test_ties_are_told(case: str, comparer: NetworkComparer, tmp_path: Path) -> None:
    ours, theirs, other, is_same, text = CASES[case]
    result = found(comparer, tmp_path, ours, theirs, other)
    assert result.ok == is_same, str(result)
    told = [remark for remark in result.remarks if "tie" in remark.partition(":")[0]]
    assert [remark.startswith(text) for remark in told] == ([True] if text else [])
    assert next(item for item in result.whole if item.name == "outputs in eval").ok


def test_what_only_b_ties(comparer: NetworkComparer, tmp_path: Path) -> None:
    result = found(comparer, tmp_path, "", TIE_B)
    assert not result.ok
    assert any(remark.startswith(f"B ties {SAME}") for remark in result.remarks), result.remarks
