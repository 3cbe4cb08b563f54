"""New modules are in training mode in PyTorch; in MindSpore, where it matters and none chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_file import migrated

BEGIN = "from torch import nn\nimport torch\nx = torch.ones(2, 3)\n"
NET = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.norm = nn.{layer}(3)\n    def forward(self, x):\n        return self.norm(x)\n"
)
ON = (
    "m = nn.BatchNorm1d(3)\ny = m(x)",
    "y = nn.Dropout(0.5)(x)",
    "m = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))\ny = m(x)",
    "def f(x):\n    m = nn.BatchNorm1d(3)\n    return m(x)",
    "m = nn.BatchNorm1d(3)\ny = m(x)\nm.eval()\ny = m(x)",
    NET.format(layer="BatchNorm1d") + "net = Net()\ny = net(x)",
)
AS_IT_IS = (
    "m = nn.BatchNorm1d(3)",
    "m = nn.BatchNorm1d(3)\nm.eval()\ny = m(x)",
    "m = nn.BatchNorm1d(3)\nfor i in range(2):\n    m.train()\n    y = m(x)",
    "m = nn.Linear(3, 3)\ny = m(x)",
    "y = nn.ReLU()(x)",
    NET.format(layer="LayerNorm") + "net = Net()\ny = net(x)",
    NET.format(layer="BatchNorm1d") + "def build():\n    return Net()",
)


@pytest.mark.parametrize("code", ON)
def test_new_modules_are_switched_on(tmp_path: Path, code: str) -> None:
    assert migrated(tmp_path, f"{BEGIN}{code}\n").text.count(".set_train()") == 1


TWO = "net = nn.Linear(3, 3)\nother = nn.Linear(3, 3)\ny = other(net(x))\n"
ASKED = {
    f"{TWO}print(net.training)": 1,
    f"{TWO}print(other.training, other.weight.shape)": 1,
    f"{TWO}print(net.training, other.training)": 2,
    "net = nn.Sequential(nn.Linear(3, 3))\nprint(nn.ReLU()(net(x)), net[0].training)": 2,
    "net = nn.Sequential()\nprint(nn.ReLU()(net(x)))\nprint([m.training for m in (net,)])": 2,
    f"{TWO}def show(net):\n    print(net.training)\nshow(other)": 2,
    f"{TWO}last = other\nprint(last.training)": 2,
    f"class Settings:\n    training = True\n{TWO}print(Settings().training)": 0,
    f"{TWO}print(net.weight)": 0,
}
"""How many of the modules are switched on where somebody asks which mode some have."""


@pytest.mark.parametrize("code", ASKED)
def test_modules_that_are_asked_are_switched_on(tmp_path: Path, code: str) -> None:
    assert migrated(tmp_path, f"{BEGIN}{code}\n").text.count(".set_train()") == ASKED[code]


@pytest.mark.parametrize("code", AS_IT_IS)
def test_others_stay(tmp_path: Path, code: str) -> None:
    text = migrated(tmp_path, f"{BEGIN}{code}\n").text
    assert text.count(".set_train()") == code.count(".train()")
