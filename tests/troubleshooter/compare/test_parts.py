"""Networks whose tensors are too many to be recorded at once get the same verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.errors import MsconvertError
from msconvert.tests.troubleshooter.compare import test_causes, test_layers
from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import (
    NetworkComparer,
    NetworkSettings,
    layers,
)
from msconvert.troubleshooter.compare.comparison import MODES
from msconvert.troubleshooter.sides.inputs import shape_of

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

SETTINGS = NetworkSettings(call="Net()", shapes=(shape_of("2,3,8,8"),))
LIMIT, PART = dict.fromkeys(MODES, 1024), dict.fromkeys(MODES, 4096)
"""The networks' tensors are about 30 KiB."""


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "LIMIT", LIMIT)
    monkeypatch.setattr(layers, "PART", PART)


FAULTS = [
    ("", "", None, ""),
    ("Block(4, 1e-5)", "Block(4, 1e-3)", "blocks.1.bn", "output"),
    ("self.bn(self.conv(x))", "self.conv(self.bn(x))", "blocks.0", "inside"),
    ("self.relu(self.bn(self.conv(x)) + x)", "self.bn(self.conv(x)) + x", "blocks.0.relu", "layer"),
    ("return self.fc(", "raise ValueError('no') #", "", "output"),
    ("momentum=0.9", "momentum=0.1", "blocks.0.bn", "state"),
    ("self.conv(x)) + x", "ops.stop_gradient(self.conv(x))) + x", "blocks.1", "gradient"),
]


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize(("text", "fault", "path", "part"), FAULTS, ids=lambda x: str(x))
def test_the_first_layer_that_parts(
    text: str, fault: str, path: str | None, part: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    converted = test_layers.CONVERTED.replace(text, fault)
    found = compared(comparer, tmp_path, test_layers.ORIGINAL, converted, SETTINGS)
    first = found.first_difference
    assert (None if first is None else first.path) == path
    assert first is None or first.part == part
    assert found.ok == (path is None)
    assert any("too many to be recorded at once" in remark for remark in found.remarks)


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize(("text", "fault", "cause"), test_causes.FAULTS[:6:2], ids=lambda x: str(x))
def test_the_cause_is_told(
    text: str, fault: str, cause: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    converted = test_causes.CONVERTED.replace(text, fault)
    first = compared(comparer, tmp_path, test_causes.ORIGINAL, converted, SETTINGS).first_difference
    assert first is not None
    assert [one.text for one in first.hypotheses][:1] == [cause]


def test_no_layer_is_left_out(
    comparer: NetworkComparer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows, and their figures but for rounding, are those of a network in one part."""
    converted = test_layers.CONVERTED.replace("Block(4, 1e-5)", "Block(4, 1e-3)")
    whole = compared(comparer, tmp_path, test_layers.ORIGINAL, converted, SETTINGS)
    monkeypatch.setattr(layers, "LIMIT", LIMIT)
    monkeypatch.setattr(layers, "PART", PART)
    parts = compared(comparer, tmp_path, test_layers.ORIGINAL, converted, SETTINGS)
    ours, theirs = (
        {(row.path, row.call, row.mode, row.phase): row.verdict for row in found.rows}
        for found in (whole, parts)
    )
    assert ours == theirs
    assert "not compared" not in ours.values()


def test_what_differs_is_kept_for_the_report(
    comparer: NetworkComparer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layers, "LIMIT", LIMIT)
    converted = test_layers.CONVERTED.replace("nn.ReLU()", "nn.LeakyReLU(0.1)")
    found = compared(comparer, tmp_path, test_layers.ORIGINAL, converted, SETTINGS)
    assert all(row.pair is not None for row in found.differing if row.part == "output")
    monkeypatch.setattr(layers, "SHOWN", 0)
    found = compared(comparer, tmp_path, test_layers.ORIGINAL, converted, SETTINGS)
    assert [row.path for row in found.differing if row.part == "output"] == [
        "blocks.0.relu",
        "blocks.1.relu",
    ]
    assert all(row.pair is None for row in found.rows)


def test_a_process_that_ends_on_the_way_is_told(comparer: NetworkComparer, tmp_path: Path) -> None:
    """It dies in training, after the layers in evaluation were compared."""
    dying = test_layers.CONVERTED.replace(
        "return self.fc(", "__import__('os')._exit(7) if self.training else None; return self.fc("
    )
    with pytest.raises(MsconvertError, match="the process has ended with status 7") as found:
        compared(comparer, tmp_path, test_layers.ORIGINAL, dying, SETTINGS)
    assert found.value.code == "MS402"
