"""Networks that somebody has written anew with other names: equal ones, and some with a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.troubleshooter.compare import NetworkComparer

pytest.importorskip("torch")

PORTS = Path(__file__).parent / "ports"
NAMES = sorted(path.stem for path in (PORTS / "original").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_an_equal_port_is_matched_without_alarm(name: str, comparer: NetworkComparer) -> None:
    found = comparer.compare(*(PORTS / side / f"{name}.py" for side in ("original", "converted")))
    assert found.ok, str(found)
    assert "weights were matched by structure" in found.remarks[0]
    assert "both networks give the same" in found.remarks[0]
    assert len([row for row in found.rows if row.verdict == "same"]) >= 4


FAULTS = {
    "stem": ("self.act = nn.ReLU()", "self.act = nn.LeakyReLU()", "features.2"),
    "resnet": (
        "nn.BatchNorm2d(o),\n            nn.ReLU(),",
        "nn.BatchNorm2d(o, 1e-3),\n            nn.ReLU(),",
        "layer1.0.bn1",
    ),
    "vit": (
        "layernorm2 = nn.LayerNorm((d,), epsilon=1e-6)",
        "layernorm2 = nn.LayerNorm((d,), epsilon=1e-2)",
        "blocks.0.norm2",
    ),
    "bert": ("/ math.sqrt(d // self.h)", "/ math.sqrt(d)", "layer.0"),
    "llama": ("self.eps = eps", "self.eps = 1e-2", "layers.0.input_layernorm"),
    "mobilenet": ("nn.Conv2d(wide, o, 1)", "nn.Conv2d(wide, o, 1, has_bias=True, bias_init='ones')",
                  "features.1.conv.2"),
    "unet": ("nn.GroupNorm(2, o)])", "nn.GroupNorm(4, o)])", "inc.4"),
    "gpt2": ("approximate=True", "approximate=False", "blocks.0.gelu"),
    "towers": ("(a * b).sum(1)", "(a * b).mean(1)", ""),
    "convnext": ("ops.gelu(self.conv1", "ops.relu(self.conv1", "stages.0.0.act"),
    "squeeze": ("x = x + self.body(x)", "x = x - self.body(x)", ""),
    "experts": ("self.ln(x + ", "self.ln(x - ", ""),
    "lstm": ("y.mean(1)", "y.max(1)", ""),
}  # fmt: skip
"""What is written in the port instead of what, and the layer that then differs first."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_port_is_found_where_it_is(
    name: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    old, new, path = FAULTS[name]
    text = (PORTS / "converted" / f"{name}.py").read_text()
    assert old in text
    (tmp_path / f"{name}.py").write_text(text.replace(old, new))
    found = comparer.compare(PORTS / "original" / f"{name}.py", tmp_path / f"{name}.py")
    assert not found.ok
    assert found.first_difference is not None
    assert found.first_difference.path == path, str(found)
