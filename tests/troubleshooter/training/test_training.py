"""Two training scripts beside each other: the first thing that differs, and its cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from msconvert.commands.compare import compare
from msconvert.errors import MsconvertError
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.compare.session import Session
from msconvert.troubleshooter.sides.inputs import shape_of
from msconvert.troubleshooter.training import TrainingComparison, TrainingSettings
from msconvert.troubleshooter.training.comparer import MOST_NUDGES, NUDGES, trained_by

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

NET_A = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.hidden = nn.Linear(6, 12)
        self.head = nn.Linear(12, 5)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x))).mean((2, 3))
        return self.head(torch.tanh(self.hidden(x)))
"""

NET_B = """
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.BatchNorm2d(6)
        self.hidden = nn.Dense(6, 12)
        self.head = nn.Dense(12, 5)

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x))).mean((2, 3))
        return self.head(ops.tanh(self.hidden(x)))
"""

TRAIN_A = """
import torch
from torch import nn

def make(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    loss_fn = nn.CrossEntropyLoss()

    def step(x, y):
        optimizer.zero_grad()
        loss = loss_fn(net(x), y.long())
        loss.backward()
        optimizer.step()
        return loss

    return step
"""

TRAIN_B = """
import mindspore as ms
from mindspore import nn

def make(net):
    optimizer = nn.SGD(net.trainable_params(), 0.1, momentum=0.9)
    loss_fn = nn.CrossEntropyLoss()
    grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    net.set_train()

    def step(x, y):
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        return loss

    return step
"""

SHAPES = ("8,3,6,6", "8:int32<5")
DATA = ("--shape", SHAPES[0], "--shape", SHAPES[1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for side, net, train in (("a", NET_A, TRAIN_A), ("b", NET_B, TRAIN_B)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "net.py").write_text(net)
        (tmp_path / side / "train.py").write_text(train)
    return tmp_path


def run(folder: Path, *options: str) -> tuple[int, str]:
    """The command's status and what it prints, of the trainings in a folder."""
    names = [str(folder / side / "net.py") for side in "ab"]
    train = ["--train", f"{folder / 'a' / 'train.py'}:make"]
    found = CliRunner().invoke(
        compare,
        [*names, "--call", "Net()", "--target", "bundled", *train, *options],
        standalone_mode=False,
    )
    if found.exception is not None:
        raise found.exception
    return found.return_value, found.output


def trained(
    comparer: NetworkComparer,
    folder: Path,
    name: str = "train.py:make",
    shapes: tuple[str, ...] = SHAPES,
) -> TrainingComparison:
    """The same in processes that are there already."""
    network = NetworkSettings("Net()", tuple(map(shape_of, shapes)), target="bundled")
    settings = TrainingSettings(network, (str(folder / "a" / name), None))
    return trained_by(comparer, folder / "a" / "net.py", folder / "b" / "net.py", settings)


def test_the_cause_is_in_the_text_and_in_json(folder: Path) -> None:
    status, text = run(folder, *DATA)
    assert (status, text.splitlines()[-1][:9]) == (0, "The same:")
    script = folder / "b" / "train.py"
    script.write_text(TRAIN_B.replace("momentum=0.9", "momentum=0.95"))
    status, text = run(folder, *DATA, "--json", str(folder / "found.json"))
    assert status == 1
    assert "agrees if the momentum is 0.9 (here: 0.95)" in text
    first = json.loads((folder / "found.json").read_text())["first_difference"]
    assert (first["stage"], first["batch"], first["step"], first["group"]) == ("state", 2, 2, 0)
    assert first["reasons"][0]["cause"] == "optimizer-momentum"


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("", "", NUDGES),
        ("momentum=0.9", "momentum=0.95", NUDGES),
        ("loss_fn(net(x), y)", "loss_fn(net(x) * 1.001, y)", MOST_NUDGES),
    ],
)
def test_what_is_slightly_off_is_looked_at_again(
    old: str, new: str, asked: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One unit that rounding takes over an edge is seldom met by two nudged runs."""
    script = folder / "b" / "train.py"
    script.write_text(TRAIN_B.replace(old, new) if old else TRAIN_B)
    plans = []
    ask = Session.ask

    def counted(session: Session, index: int, request: str, *arguments: Any) -> Any:
        plans.extend(a for a in arguments if request == "train" and a.nudge)
        return ask(session, index, request, *arguments)

    monkeypatch.setattr(Session, "ask", counted)
    with NetworkComparer() as comparer:
        assert trained(comparer, folder).ok is not bool(old)
    assert len(plans) == asked


BAD = [
    ("make", "absent", "MS407", "there is no absent in"),
    ("return step", "return 3", "MS407", "make gives a int"),
    ("return step", "pass", "MS407", "make gives a NoneType"),
    ("return step", "return {'step': 3}", "MS407", "make gives a int"),
    ("return step", "return {'stop': step}", "MS407", "make gives a dict with stop"),
    ("return step", "return {'step': step, 'epoch': 3}", "MS407", "whose 'epoch' is a int"),
    ("def make(net):", "def make(net, batches, more):", "MS407", "make takes 3 arguments"),
    ("def make(net):", "def make():", "MS407", "make takes 0 arguments"),
    ("def make(net):", "make = 3\ndef other(net):", "MS407", "make is a int"),
    ("        optimizer.step()", "", "MS407", "A's optimiser never steps"),
    (
        "        optimizer.step()",
        "        with torch.no_grad():\n            for p in net.parameters():\n"
        "                p -= 0.1 * p.grad",
        "MS407",
        "A's weights are moved by no optimiser",
    ),
    ("loss_fn(net(x), y.long())", "loss_fn(net(x), y.lung())", "MS405", "no attribute 'lung'"),
    ("import torch\n", "import torch, absent_package\n", "MS405", "absent_package"),
    ("loss.backward()", "(loss * NEXT()).backward()", "MS408", "A's training is not deterministic"),
    ("loss_fn(net(x)", "loss_fn(net(x + NEXT())", "MS408", "A's training is not deterministic"),
]
"""What is written otherwise in A's script, or which name is asked for; what is said."""

COUNTING = """
import os

def NEXT():
    return 1 + int.from_bytes(os.urandom(2), "big") / 65536
"""


@pytest.mark.parametrize(("old", "new", "code", "problem"), BAD, ids=[b[3] for b in BAD])
def test_what_is_no_training_is_refused(
    comparer: NetworkComparer, folder: Path, old: str, new: str, code: str, problem: str
) -> None:
    assert old in TRAIN_A
    name = "absent" if new == "absent" else "make"
    text = TRAIN_A if new == "absent" else TRAIN_A.replace(old, new) + COUNTING
    (folder / "a" / "train.py").write_text(text)
    with pytest.raises(MsconvertError) as caught:
        trained(comparer, folder, f"train.py:{name}")
    assert caught.value.code == code
    assert problem in str(caught.value)


def test_the_second_script_is_refused_as_the_first(comparer: NetworkComparer, folder: Path) -> None:
    (folder / "b" / "train.py").write_text(TRAIN_B.replace("return step", "return None"))
    with pytest.raises(MsconvertError, match="--train-b FILE:NAME") as caught:
        trained(comparer, folder)
    assert caught.value.code == "MS407"
    drawn = TRAIN_B.replace("optimizer(grads)", "optimizer([g * NEXT() for g in grads])") + COUNTING
    (folder / "b" / "train.py").write_text(drawn)
    with pytest.raises(MsconvertError, match="B's training is not deterministic") as caught:
        trained(comparer, folder)
    assert caught.value.code == "MS408"


@pytest.mark.parametrize("given", ["absent.py:make", "train.py", "net.onnx"])
def test_what_is_no_script_is_refused(comparer: NetworkComparer, folder: Path, given: str) -> None:
    with pytest.raises(MsconvertError) as caught:
        trained(comparer, folder, given)
    assert caught.value.code in ("MS407", "MS405")


def test_data_must_be_said(comparer: NetworkComparer, folder: Path) -> None:
    with pytest.raises(MsconvertError, match="nothing says what the networks are trained") as found:
        trained(comparer, folder, shapes=())
    assert found.value.code == "MS401"
