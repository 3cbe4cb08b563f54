"""Bools that PyTorch's layers and optimizers take as 0 and 1: MindSpore takes bools alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .running import migrated, outputs

HEAD = "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader\n"

LINES = {
    "nn.LSTMCell(2, 3, 1)": "compat.LSTMCell(2, 3, has_bias=True)",
    "nn.GRUCell(2, 3, bias=0)": "compat.GRUCell(2, 3, has_bias=False)",
    "nn.Linear(4, 4, 0)": "nn.Dense(4, 4, has_bias=False)",
    "nn.Conv2d(3, 4, 1, bias=0)": 'nn.Conv2d(3, 4, 1, pad_mode="valid", has_bias=False)',
    "nn.BatchNorm2d(8, affine=0)": "compat.BatchNorm2d(8, affine=False)",
    "nn.Bilinear(2, 3, 4, bias=0)": "nn.BiDense(2, 3, 4, has_bias=False)",
    "torch.optim.Adam(ps, amsgrad=1)": "compat.Adam(ps, amsgrad=True)",
    "DataLoader(rows, 2, shuffle=1)": "compat.DataLoader(rows, batch_size=2, shuffle=True)",
}


@pytest.mark.parametrize("call", LINES)
def test_whole_numbers_become_bools(tmp_path: Path, call: str) -> None:
    text = migrated(tmp_path, f"{HEAD}\ndef f(ps, rows):\n    return {call}\n").text
    assert text.splitlines()[-1] == f"    return {LINES[call]}"


AS_THEY_ARE = {
    "nn.Linear(1, 0)": "nn.Dense(1, 0)",
    "nn.Linear(1, 1, bias=flag)": "nn.Dense(1, 1, has_bias=flag)",
    "nn.Linear(1, 1, bias=True)": "nn.Dense(1, 1, has_bias=True)",
    "nn.Linear(1, 1, bias=not flag)": "nn.Dense(1, 1, has_bias=not flag)",
    "x.var(1)": "x.var(1, ddof=1)",
    "x.std(0)": "x.std(0, ddof=1)",
    "torch.tril(x, 1)": "ops.tril(x, 1)",
    "x.sum(1)": "x.sum(1)",
}


@pytest.mark.parametrize("call", AS_THEY_ARE)
def test_other_numbers_stay(tmp_path: Path, call: str) -> None:
    code = f"{HEAD}\ndef f(flag: bool, x: torch.Tensor):\n    return {call}\n"
    assert migrated(tmp_path, code).text.splitlines()[-1] == f"    return {AS_THEY_ARE[call]}"


NET = """
class Own(nn.Conv2d):
    def __init__(self, width):
        super().__init__(3, width, 1, bias=0)

class Norm(nn.GroupNorm):
    def __init__(self, width):
        super().__init__(2, width, affine=0)

make = nn.Linear

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = Own(4)
        self.norm = nn.BatchNorm2d(4, affine=1)
        self.attention = nn.MultiheadAttention(4, 2, bias=1, batch_first=1)
        self.cell = nn.LSTMCell(4, 4, 1)
        self.groups = Norm(4)
        self.last = make(4, 2, bias=1)

    def forward(self, x):
        x = self.groups(self.norm(self.conv(x))).flatten(2).transpose(1, 2)
        x, _ = self.attention(x, x, x)
        h, c = self.cell(x[:, 0], (x[:, 1], x[:, 1]))
        return self.last(h + c)
"""


def test_networks_compute_the_same(tmp_path: Path) -> None:
    wanted, given = outputs(tmp_path, HEAD + NET, (2, 3, 2, 2))
    np.testing.assert_allclose(given, wanted, rtol=1e-5, atol=1e-6)
