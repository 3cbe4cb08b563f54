"""PyTorch's attention, whose projections are one tensor, against attention that is written out."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.troubleshooter.compare import NetworkComparer

pytest.importorskip("torch")

PORTS = Path(__file__).parent / "ports"

WITHIN = {
    "scale": ("/ math.sqrt(self.size)", "/ self.size"),
    "mask": ("math.sqrt(self.size) + bias", "math.sqrt(self.size)"),
    "order": ("self.key(x)), self.split(self.value(x))", "self.value(x)), self.split(self.key(x))"),
    "axis": ("ops.softmax(s)", "ops.softmax(s, axis=-2)"),
    "heads": ("ops.softmax(s), v).transpose(0, 2, 1, 3)", "ops.softmax(s), v)"),
    "projection": ("return self.dense(y.reshape(x.shape))", "return y.reshape(x.shape)"),
}
"""What is written in the attention of the port instead of what."""

AROUND = {
    "residual": ("self.attention(x, bias) + x", "self.attention(x, bias)"),
    "sign": ("self.attention(x, bias) + x", "self.attention(x, bias) - x"),
    "input": ("self.attention(x, bias) + x", "self.attention(2 * x, bias) + x"),
}
"""The same of the layer that calls it."""


def fault(pair: tuple[str, str], comparer: NetworkComparer, folder: Path) -> tuple[str, list[str]]:
    """The layer that is accused first, and all attention that is accused."""
    old, new = pair
    text = (PORTS / "converted" / "encoder.py").read_text()
    assert text.count(old) == 1
    (folder / "encoder.py").write_text(text.replace(old, new))
    found = comparer.compare(PORTS / "original" / "encoder.py", folder / "encoder.py")
    assert found.first_difference is not None, str(found)
    wrong = [row.path for row in found.rows if row.is_wrong and row.path.endswith("attn")]
    return found.first_difference.path, wrong


@pytest.mark.parametrize("name", WITHIN)
def test_what_is_wrong_in_it_is_its_own(
    name: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    first, wrong = fault(WITHIN[name], comparer, tmp_path)
    assert first == "layers.0.attn"
    assert "layers.1.attn" in wrong


@pytest.mark.parametrize("name", AROUND)
def test_what_is_wrong_around_it_is_not(
    name: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    first, wrong = fault(AROUND[name], comparer, tmp_path)
    assert first == "layers.0"
    assert not wrong
