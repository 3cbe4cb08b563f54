"""A progress bar gives what it goes through, and has methods of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from .running import migrated

HEAD = """
import torch
import tqdm.auto
import tqdm as bars
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm as bar, trange
from rich.progress import track

net = nn.Linear(3, 1)
loader = DataLoader(TensorDataset(torch.randn(8, 3), torch.randn(8, 1)), batch_size=4)
"""
ROWS = {
    "its postfix": (
        "p = bar(loader)\nfor x, y in p:\n    p.set_postfix(n=x.size(0))",
        "x.shape[0]",
    ),
    "a manager": (
        "with bar(loader, unit='b') as p:\n    for x, y in p:\n        p.update(x.size(0))",
        "p.update(x.shape[0])",
    ),
    "auto": (
        "p = tqdm.auto.tqdm(loader)\nfor x, y in p:\n    p.set_description(str(x.size(1)))",
        "p.set_description(str(x.shape[1]))",
    ),
    "enumerated": (
        "p = bars.tqdm(enumerate(loader), total=2)\nfor i, (x, y) in p:\n    print(x.size(i), p.n)",
        "print(x.shape[i], p.n)",
    ),
    "within": ("for i, (x, y) in enumerate(bar(loader)):\n    print(x.size(i))", "x.shape[i]"),
    "numbers": ("for i in trange(3):\n    print(torch.ones(i).size(0))", "ops.ones(i).shape[0]"),
    "tensors": ("p = bar(torch.ones(4, 2))\nfor v in p:\n    p.update(v.size(0))", "v.shape[0]"),
    "layers": (
        "p = track(net.parameters())\nfor w in p:\n    print(w.size(0))",
        "print(w.shape[0])",
    ),
    "nothing": ("p = bar(total=3)\np.update(1)\np.close()\nprint(net.weight.size(0))", ".shape[0]"),
}


@pytest.mark.parametrize("row", ROWS)
def test_what_a_bar_goes_through_is_converted(tmp_path: Path, row: str) -> None:
    code, wanted = ROWS[row]
    found = migrated(tmp_path, f"{HEAD}{code}\n")
    assert not found.left, found.left
    assert wanted in found.text
    assert "# MS2" not in found.text
