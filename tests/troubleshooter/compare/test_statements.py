"""What a port leaves out of a statement, of which only a name is left: that line is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.compare.operators.statements import plain_statements
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
        self.norm = nn.LayerNorm(8)
        self.leave = nn.Linear(8, 8)

    def forward(self, x):
        x = torch.tanh(self.enter(x))
        total = torch.zeros_like(x)
        for i in range(3):
            part = torch.sin(x * (i + 1) + total)
            kept = torch.exp(-part)
            total = total + part
        shown = total.abs()
        y = shown + self.leave(self.norm(shown))
        return y * kept
"""
RUNTIME = PYTORCH
for old, new in (
    ("import torch\nfrom torch import nn", "from msconvert.runtime import nn, ops"),
    ("nn.Module", "nn.Cell"), ("forward", "construct"), ("nn.Linear", "nn.Dense"),
    ("nn.LayerNorm(8)", "nn.LayerNorm((8,), epsilon=1e-5)"), ("torch.", "ops."),
):  # fmt: skip
    RUNTIME = RUNTIME.replace(old, new)

LEFT_OUT = (
    ("total = total + part", "total = part"),
    ("shown = total.abs()", "shown = total"),
    ("y = shown + self.leave(self.norm(shown))", "y = shown"),
)


@pytest.mark.parametrize(("old", "new"), LEFT_OUT, ids=[row[1] for row in LEFT_OUT])
def test_the_line_that_only_gives_a_name_is_told(
    old: str, new: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    assert RUNTIME.count(old) == 1
    settings = NetworkSettings(call="Net()", shapes=(shape_of("4,6"),), mode="eval")
    found = compared(comparer, tmp_path, PYTORCH, RUNTIME.replace(old, new), settings)
    first = found.first_difference
    assert first is not None
    assert first.operator is not None
    assert first.operator.near is not None
    assert first.operator.near.text == new


def test_lines_are_counted_as_python_counts_them(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_bytes(b"# a\x0cb\xe2\x80\xa8c\r\ndef f(x):\r\n    y = x  # kept\r\n    return y\r\n")
    ((_, found),) = plain_statements(str(file))
    told = [(name, line.number, line.text) for name, line in found]
    assert told == [("y", 3, "y = x  # kept"), ("return", 4, "return y")]
