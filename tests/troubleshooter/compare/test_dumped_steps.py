"""Layers of a dumped step run with the weights from before it, though those after it are dumped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.test_recordings import SETTINGS
from msconvert.troubleshooter.compare import NetworkComparer

pytestmark = pytest.mark.usefixtures("warm")

torch = pytest.importorskip("torch")

TRAINED = """
import sys
import numpy as np
import mindspore as ms
from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 6, 3, pad_mode="same", has_bias=True)
        self.up = nn.Conv1dTranspose(6, 4, 3, pad_mode="same")
        self.norm = nn.BatchNorm1d(4)
        self.fc = nn.Dense(4, 3)
        self.last = nn.LayerNorm([3])

    def construct(self, x):
        return self.last(self.fc(self.norm(self.up(self.conv(x)).mean(-1))))


ms.set_context(mode=int(sys.argv[1]))
net = Net()
optimizer = nn.Adam(net.trainable_params(), 0.05)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
step.set_train()
x = np.random.default_rng(0).normal(size=(8, 2, 10)).astype(np.float32)
for _ in range(2):
    step(ms.Tensor(x), ms.Tensor(np.arange(8) % 3, ms.int32))
"""
TORCH = """
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 6, 3, padding=1)
        self.up = nn.ConvTranspose1d(6, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm1d(4)
        self.fc = nn.Linear(4, 3)
        self.last = nn.LayerNorm([3], eps=1e-7)

    def forward(self, x):
        return self.last(self.fc(self.norm(self.up(self.conv(x)).mean(-1))))
"""


@pytest.mark.parametrize("mode", [0, 1])
def test_a_step_that_moves_the_weights_far(mode: int, tmp_path: Path) -> None:
    """Of weights that are reshaped, and of scales of ones, as of any other."""
    common = {
        "dump_mode": 0, "path": str(tmp_path / "dump"), "net_name": "Net", "iteration": "0",
        "saved_data": "tensor", "input_output": 0, "kernels": [], "support_device": [0],
    }  # fmt: skip
    config, script, other = (tmp_path / n for n in ("dump.json", "trained.py", "in_torch.py"))
    config.write_text(json.dumps({"common_dump_settings": common, "e2e_dump_settings": {}}))
    script.write_text(TRAINED)
    other.write_text(TORCH)
    subprocess.run(
        [sys.executable, "-m", "msconvert.runtime", str(script), str(mode)], check=True,
        env={**os.environ, "MINDSPORE_DUMP_CONFIG": str(config)}, cwd=tmp_path, timeout=900,
    )  # fmt: skip
    with NetworkComparer() as comparer:
        found = comparer.compare(tmp_path / "dump", other, SETTINGS)
    assert {row.path: row.verdict for row in found.rows if row.verdict != "same"} == {}
    assert {"conv", "up", "norm", "fc", "last"} <= {row.path for row in found.rows}
