"""`autograd.grad` computes once more what was computed: it is refused where that may differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.table.target import Settings

from .test_file import migrated

HEAD = """\
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import {norm}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        {layer}
        self.calls = 0
    def forward(self, x):
        {forward}
        return self.first(x)
net = Net()
x = torch.ones(3, 2, requires_grad=True)
scale = 1.0
values = [1.0, 2.0, 3.0]
"""
PENALTY = """\
def penalty(pred, image):
    (g,) = torch.autograd.grad(pred.sum(), image, create_graph=True)
    return g.pow(2).sum()
"""
INLINE = "g, = torch.autograd.grad(s.sum(), x, create_graph=True)\n"
HELPER = "loss = penalty(s, x)\n"
CALLS = {"inline": INLINE, "in a helper": HELPER}
PLAIN = {"norm": "parameters_to_vector", "layer": "pass", "forward": "pass"}
CHANGED = {
    "a name": "s = net(x) * scale\nscale = scale * 2\n",
    "a name in a loop": "for k in range(2):\n    s = net(x) * scale\n    scale *= 2\n    ",
    "an element": "s = net(x) * values[0]\nvalues[0] = 5.0\n",
    "an attribute": "net.scale = 1.0\ns = net(x) * net.scale\nnet.scale += 1\n",
    "an attribute that forward may read": "s = net(x)\nnet.calls = 2\n",
    "the input": "s = net(x)\nx.data.mul_(2)\n",
    "the weights": "opt = torch.optim.SGD(net.parameters(), lr=0.1)\ns = net(x)\nopt.step()\n",
    "the mode": "s = net(x)\nnet.eval()\n",
    "other weights": "kept = net.state_dict()\ns = net(x)\nnet.load_state_dict(kept)\n",
    "by a function": "def grow():\n    global scale\n    scale = scale * 2\n"
    "s = net(x) * scale\ngrow()\n",
    "a name of its own": "h = 1.0\ns = net(x) * h\nh = s.sum()\ns = s * h\n",
    "what an iterator gives": "it = iter(values)\ns = net(x) * next(it)\n",
    "what a list holds": "s = net(x) * values.pop(0)\n",
    "numbers that are drawn": "s = net(x + torch.rand_like(x))\n",
    "numbers that NumPy draws": "import numpy as np\ns = net(x) * np.random.exponential()\n",
    "numbers of a generator": "import random\ns = net(x) * random.random()\n",
    "a function that draws": "def jitter(t):\n    return t + torch.randn(3, 2)\n"
    "s = net(jitter(x))\n",
    "a lambda that draws": "jitter = lambda t: F.dropout(t)\ns = net(jitter(x))\n",
    "an alias that draws": "from torch.nn.functional import dropout as drop\ns = drop(net(x))\n",
    "a layer that is made there": "s = nn.Linear(2, 2)(net(x))\n",
    "a network from elsewhere": "from elsewhere import critic\ns = critic(x)\n",
    "a layer that is put in later": "net.first = nn.Dropout()\ns = net(x)\n",
    "a hook": "net.register_forward_hook(print)\ns = net(x)\n",
    "a sequence with statistics": "net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))\n"
    "s = net(x)\n",
    "a layer beside it": "drop = nn.Dropout(0.5)\ns = drop(net(x))\n",
    "a norm by another name": "from torch.nn.utils import spectral_norm as norm\n"
    "net.first = norm(net.first)\ns = net(x)\n",
    "a layer of many": "net = nn.Sequential(*[nn.Dropout() for _ in values])\ns = net(x)\n",
}
NETWORKS = {
    "a count": {"forward": "self.calls += 1"},
    "a buffer": {"forward": "self.first.weight.data.mul_(0.9)"},
    "a list": {"forward": "self.seen.append(x)"},
    "draws": {"forward": "x = x + torch.rand_like(x)"},
    "dropout in forward": {"forward": "x = F.dropout(x, 0.5, self.training)"},
    "dropout": {"layer": "self.drop = nn.Dropout(0.5)"},
    "dropout between layers": {"layer": "self.r = nn.LSTM(2, 2, 2, dropout=0.5)"},
    "RReLU": {"layer": "self.act = nn.RReLU()"},
    "BatchNorm": {"layer": "self.bn = nn.BatchNorm1d(2)"},
    "InstanceNorm that counts": {
        "layer": "self.n = nn.InstanceNorm1d(2, track_running_stats=True)"
    },
    "spectral norm": {
        "norm": "spectral_norm",
        "layer": "self.first = spectral_norm(self.first)",
    },
}
SAME = {
    "a norm that is not used": "from torch.nn.utils import spectral_norm\ns = net(x)\n",
    "a hook of another function's network": "def other():\n    own = Net()\n"
    "    own.register_forward_hook(print)\n    own(x)\ns = net(x)\n",
    "what changes is not read": "s = net(x)\nscale = scale * 2\n",
    "it changes before": "scale = scale * 2\ns = net(x) * scale\n",
    "a flag": "x.requires_grad_(True)\ns = net(x)\n",
    "gradients are cleared": "s = net(x)\nnet.zero_grad()\n",
    "other networks count": "other = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))\n"
    "y = other(torch.ones(3, 2))\ns = net(x)\n",
    "others draw": "y = torch.rand(3, 2)\ns = net(x)\ny = torch.rand(3, 2)\n",
    "a function": "def twice(t):\n    return F.relu(t) * 2\ns = twice(net(x))\n",
    "plain layers": "net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.LayerNorm(3))\n"
    "s = net(x)\n",
}
MODEL = """\
from torch import nn
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 3), {}
    def forward(self, x):
        return self.b(self.a(x))
"""


def program(code: str, call: str, parts: dict[str, str] = PLAIN) -> str:
    """The code with the network, then the call: in a helper that is defined for it, or not."""
    return HEAD.format(**PLAIN | parts) + (PENALTY if call == HELPER else "") + code + call


def left(folder: Path, code: str) -> list[str]:
    found = [use.api for use in migrated(folder, code).left]
    return [api for api in found if api == "torch.autograd.grad"]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("code", CHANGED.values(), ids=CHANGED)
def test_what_may_be_something_else_is_marked(tmp_path: Path, code: str, call: str) -> None:
    assert left(tmp_path, program(code, call))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("parts", NETWORKS.values(), ids=NETWORKS)
def test_a_network_that_gives_something_else(
    tmp_path: Path, parts: dict[str, str], call: str
) -> None:
    assert left(tmp_path, program("s = net(x)\n", call, parts))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("code", SAME.values(), ids=SAME)
def test_what_is_the_same_is_converted(tmp_path: Path, code: str, call: str) -> None:
    assert not left(tmp_path, program(code, call))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(("layer", "marked"), [("nn.BatchNorm1d(3)", True), ("nn.Tanh()", False)])
def test_a_network_of_another_file(tmp_path: Path, layer: str, marked: bool, call: str) -> None:
    (tmp_path / "model.py").write_text(MODEL.format(layer))
    paths = [tmp_path / "train.py", tmp_path / "again.py"]
    helper = PENALTY if call == HELPER else ""
    code = "x = torch.ones(3, 2, requires_grad=True)\nnet = Critic()\ns = net(x)\n"
    for path in paths:
        path.write_text(f"import torch\nfrom model import Critic\n{helper}{code}{call}")
    project = Project([*paths, tmp_path / "model.py"], [tmp_path])
    for path in paths:  # what the first found of the network holds for the second, too
        found = migrate_file(project, path, path.name, Settings())
        assert ("torch.autograd.grad" in [use.api for use in found.left]) is marked


TRAINER = """\
class Trainer:
    def __init__(self, net):
        self.net, self.scale, self.steps = net, 1.0, 0
    def grow(self):
        self.scale += 1
    def run(self, x):
        x = x.clone().requires_grad_(True)
        s = self.net(x) * self.scale
        {}
        g, = torch.autograd.grad(s.sum(), x, create_graph=True)
        return g
Trainer(Net()).run(x)
"""
STATEMENTS = {"self.scale += 1": True, "self.grow()": True, "self.steps += 1": False}


@pytest.mark.parametrize(("statement", "marked"), STATEMENTS.items(), ids=STATEMENTS)
def test_an_attribute_of_the_instance(tmp_path: Path, statement: str, marked: bool) -> None:
    code = TRAINER.format(statement)
    assert bool(left(tmp_path, program(code, ""))) is marked
