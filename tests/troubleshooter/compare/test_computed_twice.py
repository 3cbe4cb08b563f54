"""What is computed twice, or called twice: the place that is meant to be another one is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from msconvert.tests.troubleshooter.compare.two_files import beside_file, compared, exported
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of

pytestmark = [pytest.mark.usefixtures("warm"), pytest.mark.filterwarnings("ignore")]

torch = pytest.importorskip("torch")

PYTORCH = """
import torch
from torch import nn

def turned(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    pairs = torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1)
    return pairs.flatten(-2)

def table(bins, bands):
    places = torch.arange(bins).float() / (bins - 1)
    centres = torch.linspace(0.0, 1.0, bands) ** 1.5
    return (1.0 - (places[:, None] - centres[None, :]).abs()).clamp(min=0.0)

def rows(x):
    b, n, c = x.shape
    return x.reshape(b, n, 2, c // 2).transpose(1, 2)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(6, 8)
        self.norms = nn.ModuleList([nn.LayerNorm(8) for _ in range(4)])
        self.ways = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)])
        for number, norm in enumerate(self.norms):
            nn.init.normal_(norm.weight, 1.0, 0.2 + 0.1 * number)
        self.voice = nn.Linear(8, 8)
        self.said = nn.Linear(8, 8)

    def read(self, x):
        memory = torch.tanh(self.enter(x))
        return memory + 0.5 * torch.sigmoid(self.voice(memory))

    def forward(self, x):
        memory = self.read(x)
        left = torch.sigmoid(memory).mean(-1)
        rest = (1.0 - left).sqrt()
        ratio = left / (1.0 - left)
        extra = 0.0
        for i in range(2):
            memory = memory + self.ways[2 * i](self.norms[2 * i](memory))
            memory = memory + 0.7 * torch.relu(self.ways[2 * i + 1](self.norms[2 * i + 1](memory)))
            extra = extra + (memory * memory).mean()
        alike = [(x[..., :1] * torch.roll(memory, step, 1)).mean((1, 2)) for step in range(4)]
        voice, other = rows(self.said(memory)), rows(memory * 0.5)
        spoken = (voice * other).sum(-1) * (memory[:, 0, 0] - memory[:, 3, 0])[:, None, None]
        angles = torch.arange(4).float()
        spun = turned(memory, torch.cos(angles), torch.sin(angles))
        heard = torch.log((memory @ table(8, 5)).clamp(min=1e-3))
        heard = heard, spoken
        return spun, rest * ratio, torch.stack(alike, 1), heard, 0.3 * left.mean() + 0.05 * extra
"""
PORT = PYTORCH
for old, new in (
    ("        for number, norm in enumerate(self.norms):\n"
     "            nn.init.normal_(norm.weight, 1.0, 0.2 + 0.1 * number)\n", ""),
    ("import torch\nfrom torch import nn", "import msconvert.runtime as ms\n"
     "from msconvert.runtime import nn, ops"),
    ("nn.Module)", "nn.Cell)"), ("nn.ModuleList", "nn.CellList"), ("forward", "construct"),
    ("nn.LayerNorm(8)", "nn.LayerNorm((8,), epsilon=1e-5)"), ("nn.Linear", "nn.Dense"),
    ("torch.roll(memory, step, 1)", "ms.numpy.roll(memory, step, 1)"), ("dim=-1", "axis=-1"),
    ("heard = heard, spoken", "heard = (heard, spoken)"), ("torch.", "ops."),
):  # fmt: skip
    assert old in PORT
    PORT = PORT.replace(old, new)

SLIPS = (
    ("x[..., 0::2], x[..., 1::2]", "x[..., 1::2], x[..., 1::2]", "index is", "even, odd ="),
    ("linspace(0.0, 1.0,", "linspace(0.0, 0.25,", "", "centres ="),
    ("self.norms[2 * i](memory)", "self.norms[2](memory)", "", "self.norms[2](memory)"),
    ("ops.cos(angles)", "ops.sin(angles)", "", "spun ="),
    ("memory[:, 3, 0]", "memory[:, 2, 0]", "index", "spoken ="),
    ("rows(self.said(memory))", "rows(memory)", "", "voice, other ="),
    ("left / (1.0 - left)", "left / (1.0 + left)", "it is sub", "ratio ="),
    ("            extra = extra + (memory * memory).mean()\n", "", "add", "0.05 * extra"),
)
"""A stretch of the port, what is written instead, what is said of it, and the line that is told."""

OF_CODE = (
    *SLIPS,
    ("roll(memory, step, 1)", "roll(memory, -step, 1)", "shifts is", "alike ="),
    ("return memory + 0.5 * ops.sigmoid(self.voice(memory))", "return memory", "", "return memory"),
)

SETTINGS = NetworkSettings(call="Net()", mode="eval", shapes=(shape_of("2,5,6"),))


@pytest.fixture(scope="module")
def comparer() -> Iterator[NetworkComparer]:
    with NetworkComparer() as one:
        yield one


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported network, with the checkpoint of its weights beside it."""
    return exported(tmp_path_factory.mktemp("computed_twice"), PYTORCH, (2, 5, 6), own_name)


def own_name(name: str) -> str:
    """The port's name of a weight."""
    if not name.startswith("norms."):
        return name
    return name.replace("weight", "gamma").replace("bias", "beta")


def numbered(text: str, line: str) -> str:
    return next(f"net.py:{i}: " for i, one in enumerate(text.split("\n"), 1) if line in one)


@pytest.mark.parametrize(("old", "new", "cause", "line"), SLIPS, ids=[row[1] for row in SLIPS])
def test_beside_a_file_it_is_told(
    old: str,
    new: str,
    cause: str,
    line: str,
    comparer: NetworkComparer,
    model: Path,
    tmp_path: Path,
) -> None:
    assert old in PORT
    text = PORT.replace(old, new, 1)
    found = str(beside_file(comparer, model, tmp_path, text))
    first = found.partition("First difference:")[2]
    assert numbered(text, line) in first
    assert cause in first


@pytest.mark.parametrize(("old", "new", "cause", "line"), OF_CODE, ids=[row[1] for row in OF_CODE])
def test_beside_code_it_is_told(
    old: str, new: str, cause: str, line: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    assert old in PORT
    text = PORT.replace(old, new, 1)
    found = str(compared(comparer, tmp_path, PYTORCH, text, SETTINGS))
    first = found.partition("First difference:")[2]
    assert numbered(text, line) in first
    assert cause in first


TWICE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 12)
        self.b = nn.Linear(4, 6)
        self.act = nn.LeakyReLU(0.01)

    def forward(self, x):
        y = self.a(x)
        q = y[:, 0:4]
        v = y[:, 8:12]
        w = torch.tanh(q) + torch.sigmoid(q)
        z = w * v
        return self.act(self.b(self.act(torch.relu(z))))
"""
ONCE = """
from msconvert.runtime import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(6, 12)
        self.b = nn.Dense(4, 6)
        self.act = nn.LeakyReLU(0.01)

    def construct(self, x):
        y = self.a(x)
        t = ops.tanh(y[:, 0:4])
        w = t + ops.sigmoid(y[:, 0:4])
        z = w * y[:, 8:12]
        return self.act(self.b(self.act(ops.relu(z))))
"""
SMALL = NetworkSettings(call="Net()", mode="eval", shapes=(shape_of("2,6"),))


def test_what_is_computed_twice_with_reason_is_left_alone(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    assert compared(comparer, tmp_path, TWICE, ONCE, SMALL).ok
    forgotten = ONCE.replace("w * y[:, 8:12]", "w")
    found = str(compared(comparer, tmp_path, TWICE, forgotten, SMALL))
    assert "v = y[:, 8:12]" in found
    assert "index is" not in found


def test_a_call_that_does_not_show_an_option_says_nothing_of_the_layer(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    file = exported(tmp_path, TWICE, (2, 6))
    found = str(beside_file(comparer, file, tmp_path, ONCE.replace("0.01", "0.2")))
    assert "the slope is 0.01 (here: 0.2)" in found
    assert "is called (here: act)" not in found


def test_nothing_is_said_of_the_port(
    comparer: NetworkComparer, model: Path, tmp_path: Path
) -> None:
    assert compared(comparer, tmp_path, PYTORCH, PORT, SETTINGS).ok
    assert beside_file(comparer, model, tmp_path, PORT).ok
