"""Networks with active dropout: B drops what A does; where it drops otherwise, that is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import (
    NetworkComparer,
    NetworkSettings,
)
from msconvert.troubleshooter.sides.inputs import shape_of

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

ORIGINAL = """
import torch
from torch import nn
import torch.nn.functional as F

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, dropout=0.2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        x = self.norm(x + self.attention(x, x, x)[0])
        return x + F.dropout(self.drop(x), 0.1, self.training)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.channels = nn.Dropout2d(0.4)
        self.blocks = nn.Sequential(Block(), Block())
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = self.channels(torch.relu(self.conv(x))).flatten(2).transpose(1, 2)
        return self.fc(self.blocks(x).mean(1))
"""

CONVERTED = """
from msconvert.runtime import nn, ops

class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, dropout=0.2, batch_first=True)
        self.norm = nn.LayerNorm((8,), epsilon=1e-5)
        self.drop = nn.Dropout(p=0.3)

    def construct(self, x):
        x = self.norm(x + self.attention(x, x, x)[0])
        return x + ops.dropout(self.drop(x), 0.1, self.training)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, pad_mode="valid", has_bias=True)
        self.channels = nn.Dropout2d(0.4)
        self.blocks = nn.SequentialCell(Block(), Block())
        self.fc = nn.Dense(8, 5)

    def construct(self, x):
        x = self.channels(ops.relu(self.conv(x))).flatten(start_dim=2).swapaxes(1, 2)
        return self.fc(self.blocks(x).mean(1))
"""

SETTINGS = NetworkSettings(call="Net()", shapes=(shape_of("4,3,7,7"),), steps=3)


def test_both_drop_the_same(comparer: NetworkComparer, tmp_path: Path) -> None:
    """Forward, gradients, a step and losses; and something is dropped."""
    found = compared(comparer, tmp_path, ORIGINAL, CONVERTED, SETTINGS)
    assert found.ok, found.to_json()
    plain = compared(comparer, tmp_path, ORIGINAL, CONVERTED.replace("0.3", "0.0"), SETTINGS)
    assert [item.ok for item in plain.whole] == [True, True, False, False]


def test_other_names_of_layers(comparer: NetworkComparer, tmp_path: Path) -> None:
    """Each layer of B has the mask of the layer that it answers to; a function a layer's."""
    converted = CONVERTED.replace("self.drop", "self.forget").replace("self.channels", "self.maps")
    assert compared(comparer, tmp_path, ORIGINAL, converted, SETTINGS).ok
    by_function = CONVERTED.replace("self.channels(", "ops.dropout2d(").replace(
        "self.conv(x))", "self.conv(x)), 0.4, self.training"
    )
    found = compared(comparer, tmp_path, ORIGINAL, by_function, replace(SETTINGS, mode="train"))
    assert all(item.ok for item in found.whole)


DROPPED = "agrees if nothing of what fc gets is dropped (here: 0.2 of it, as in training)"

FAULTS = [
    (
        "self.fc(self.blocks(x).mean(1))",
        "self.fc(ops.dropout(self.blocks(x).mean(1), 0.2))",
        "",
        "eval",
        "inside",
    ),
    ("nn.Dropout(p=0.3)", "nn.Dropout(p=0.5)", "blocks.0.drop", "train", "output"),
    ("nn.Dropout(p=0.3)", "nn.Dropout(0.3)", "blocks.0.drop", "train", "output"),
    ("nn.Dropout2d(0.4)", "nn.Dropout(p=0.4)", "channels", "train", "output"),
    ("dropout=0.2", "dropout=0.1", "blocks.0.attention", "train", "output"),
    (
        "ops.dropout(self.drop(x), 0.1, self.training)",
        "self.drop(x)",
        "blocks.0",
        "train",
        "inside",
    ),
    ("0.1, self.training", "0.1", "blocks.0", "eval", "inside"),
]


@pytest.mark.parametrize(
    ("text", "fault", "path", "mode", "part"), FAULTS, ids=[row[1] for row in FAULTS]
)
def test_the_layer_that_drops_otherwise(
    text: str,
    fault: str,
    path: str,
    mode: str,
    part: str,
    comparer: NetworkComparer,
    tmp_path: Path,
) -> None:
    found = compared(comparer, tmp_path, ORIGINAL, CONVERTED.replace(text, fault), SETTINGS)
    first = found.first_difference
    assert first is not None
    if path == "":
        assert first.hypotheses[0].text == DROPPED
    assert (first.path, first.mode, first.part) == (path, mode, part)
    assert not found.ok


def test_against_the_real_mindspore(
    comparer: NetworkComparer, tmp_path: Path, mindspore_python: Path
) -> None:
    """Its layers and functions drop what PyTorch's do."""
    converted = CONVERTED.replace("msconvert.runtime", "mindspore")
    settings = replace(SETTINGS, python_b=str(mindspore_python), target="mindspore", mode="train")
    found = compared(comparer, tmp_path, ORIGINAL, converted, settings)
    assert found.ok, found.to_json()
