"""Networks that draw numbers of their own: told, and never accused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.test_layers import CONVERTED, ORIGINAL, SETTINGS
from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer

pytest.importorskip("torch")

OURS, THEIRS = (
    "x = self.blocks(torch.relu(self.stem(x)))",
    "x = self.blocks(ops.relu(self.stem(x)))",
)
OWN = "\nimport numpy as np\nDRAWN = np.random.default_rng()\n"
NOISE = "DRAWN.standard_normal()"

DRAWS = {
    "B, before the end": ("", f"{THEIRS} + {NOISE}", "B", ("",)),
    "A, before the end": (f"{OURS} + {NOISE}", "", "A", ("",)),
    "both": (f"{OURS} + {NOISE}", f"{THEIRS} + {NOISE}", "B", ("",)),
    "B, at first": ("", f"x = x * (1 + DRAWN.random()); {THEIRS}", "B", ("",)),
    "B, in a layer": ("",
                      f"self.blocks[0].relu.construct = lambda x: ops.relu(x) * {NOISE}; {THEIRS}",
                      "B", ("blocks.0.relu",)),
    "A, the framework's": (f"{OURS} + torch.bernoulli(torch.full((1,), 0.5))", "", "A", ("",)),
    "both, the framework's": (
        f"{OURS} + torch.bernoulli(torch.full((4, 1, 1), 0.5))",
        f"{THEIRS} + ops.bernoulli(ops.full((4, 1, 1), 0.5))", "B", ("",),
    ),
}  # fmt: skip
"""What is written on each side, the side that is told, the layers that draw."""


def texts(case: str) -> tuple[str, str]:
    ours, theirs, _, _ = DRAWS[case]
    return OWN + ORIGINAL.replace(OURS, ours or OURS), OWN + CONVERTED.replace(
        THEIRS, theirs or THEIRS
    )


@pytest.mark.parametrize("case", DRAWS)
def test_it_is_told_and_not_accused(case: str, comparer: NetworkComparer, tmp_path: Path) -> None:
    found = compared(comparer, tmp_path, *texts(case), SETTINGS)
    side, paths = DRAWS[case][2:]
    assert not found.ok
    assert not found.is_steady
    assert found.first_difference is None, str(found)
    told = [text for text in found.remarks if text.startswith(f"{side} is not deterministic")]
    assert len(told) == 1, found.remarks
    assert all((path or "its own code") in told[0] for path in paths)
    assert str(found).endswith("each alone).")


def test_what_differs_besides_is_found(comparer: NetworkComparer, tmp_path: Path) -> None:
    ours, theirs = texts("B, before the end")
    theirs = theirs.replace("Block(4, 1e-5)", "Block(4, 1e-2)")
    found = compared(comparer, tmp_path, ours, theirs, replace(SETTINGS, mode="eval"))
    assert found.first_difference is not None
    assert found.first_difference.path == "blocks.1.bn"
    assert not found.is_steady


@pytest.mark.parametrize("draw", ["np.random.random()", "__import__('random').random()"])
def test_what_both_draw_alike_is_compared(
    draw: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    """Python's and NumPy's own random numbers follow from the seed, the same on both sides."""
    ours = OWN + ORIGINAL.replace(OURS, f"{OURS} * (1 + {draw})")
    theirs = OWN + CONVERTED.replace(THEIRS, f"{THEIRS} * (1 + {draw})")
    assert compared(comparer, tmp_path, ours, theirs, SETTINGS).ok
    theirs = theirs.replace("Block(4, 1e-5)", "Block(4, 1e-2)")
    found = compared(comparer, tmp_path, ours, theirs, SETTINGS)
    assert found.is_steady
    assert found.first_difference is not None
