"""The structure steps on random networks: the script's numbers are ONNX Runtime's, whatever is
shared, mixed, called twice or named alike.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from msconvert.converter.text import script
from msconvert.tests.converter.in_process import assert_agrees
from msconvert.tests.converter.random_graphs import SHAPE, random_model

TOGETHER = 25


@pytest.mark.parametrize("start", range(0, 400, TOGETHER))
def test_random_networks_agree(start: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "formatted", lambda source: source)  # spacing changes no number
    for seed in range(start, start + TOGETHER):
        proto = random_model(seed)
        rng = np.random.default_rng(seed)
        inputs = [rng.standard_normal(SHAPE, np.float32) for _ in proto.graph.input]
        try:
            assert_agrees(proto, tmp_path, inputs)
        except Exception as error:
            error.add_note(f"random_model({seed})")
            raise
