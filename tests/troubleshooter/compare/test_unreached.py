"""Options that differ without an effect on the inputs: told, provoked where that can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of

pytest.importorskip("torch")

OURS = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = LAYER
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        y = self.layer(x)
        return self.fc(y.mean((2, 3)) if y.ndim == 4 else y)
"""
THEIRS = """
from msconvert.runtime import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = LAYER
        self.fc = nn.Dense(4, 3)

    def construct(self, x):
        y = self.layer(x)
        return self.fc(y.mean((2, 3)) if y.ndim == 4 else y)
"""

FLAT, IMAGE = "2,4", "2,4,8,8"
CASES = {
    "6 that is not reached": ("nn.ReLU6()", "nn.ReLU()", FLAT, "ReLU6", "100 times as large"),
    "another slope, of positive numbers": (
        "nn.Hardtanh(-9.0, 9.0)", "nn.Hardtanh(-8.0, 9.0)", FLAT, "", "100 times as large",
    ),
    "6 that is there, and not reached": (
        "nn.ReLU()", "nn.ReLU6()", FLAT, "ReLU6", "100 times as large",
    ),
    "another upper bound": (
        "nn.Hardtanh(-9.0, 9.0)", "nn.Hardtanh(-9.0, 7.5)", FLAT, "", "100 times as large",
    ),
    "of images": ("nn.ReLU6()", "nn.ReLU()", IMAGE, "ReLU6", "100 times as large"),
    "the same": ("nn.ReLU6()", "nn.ReLU6()", FLAT, None, None),
    "the same pool": ("nn.MaxPool2d(2, 2)", "nn.MaxPool2d(2, 2)", IMAGE, None, None),
    "the same norm": ("nn.LayerNorm(4)", "nn.LayerNorm((4,), epsilon=1e-5)", FLAT, None, None),
}  # fmt: skip
"""Both layers, the shape, what is told of the options (None: nothing), what provokes them."""


@pytest.mark.parametrize("case", CASES)
def test_it_is_told(case: str, comparer: NetworkComparer, tmp_path: Path) -> None:
    ours, theirs, shape, option, probe = CASES[case]
    settings = NetworkSettings(call="Net()", shapes=(shape_of(shape),), mode="eval")
    texts = OURS.replace("LAYER", ours), THEIRS.replace("LAYER", theirs)
    found = compared(comparer, tmp_path, *texts, settings)
    told = [text for text in found.remarks if "no effect on these inputs" in text]
    if option is None:
        assert not told
        return
    assert found.ok
    assert len(told) == 1
    assert told[0].startswith("layer: ")
    assert option in told[0]
    assert ("it gives something else" in told[0]) == bool(probe)
    assert (probe or "") in told[0]


@pytest.mark.parametrize(
    ("ours", "theirs", "is_told"),
    [
        ("LSTM(4, 4, 2, dropout=0.3, batch_first=True)", "LSTM(4, 4, 2, batch_first=True)", True),
        ("LSTM(4, 4, 2, batch_first=True)", "LSTM(4, 4, 2, dropout=0.5, batch_first=True)", True),
        ("GRU(4, 4, 3, dropout=0.3)", "GRU(4, 4, 3, dropout=0.2)", True),
        ("LSTM(4, 4, 2, dropout=0.3)", "LSTM(4, 4, 2, dropout=0.3)", False),
        ("LSTM(4, 4)", "LSTM(4, 4)", False),
        ("GRU(4, 4, 2)", "GRU(4, 4, 2)", False),
    ],
)  # fmt: skip
def test_dropout_within_a_recurrent_layer(
    ours: str, theirs: str, is_told: bool, comparer: NetworkComparer, tmp_path: Path
) -> None:
    last = "self.layer(x)[0][:, -1]"
    texts = [
        text.replace("LAYER", f"nn.{layer}").replace("self.layer(x)", last)
        for text, layer in ((OURS, ours), (THEIRS, theirs))
    ]
    settings = NetworkSettings(call="Net()", shapes=(shape_of("2,5,4"),))
    found = compared(comparer, tmp_path, *texts, settings)
    assert found.ok
    told = {text for text in found.remarks if "dropout: 0" in text}
    assert bool(told) == is_told, found.remarks
