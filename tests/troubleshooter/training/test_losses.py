"""Losses of two passes of the network: one of them gets no gradient in MindSpore's kl_div."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="one side is PyTorch")

from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of
from msconvert.troubleshooter.training import TrainingComparison, TrainingSettings
from msconvert.troubleshooter.training.comparer import trained_by

pytestmark = pytest.mark.usefixtures("warm")

NET = """
import torch
from torch import nn

def build():
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 5))
"""
NET_B = """
from mindspore import nn

def build():
    return nn.SequentialCell(nn.Dense(6, 8), nn.Tanh(), nn.Dense(8, 5))
"""
TRAIN = """
import torch
import torch.nn.functional as F

def make(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    def step(x, y):
        loss = {loss}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step
"""
TRAIN_B = """
import mindspore as ms
from mindspore import mint, nn, ops

def make(net):
    optimizer = nn.SGD(net.trainable_params(), 0.05)
    grad = ms.value_and_grad(lambda x, y: {loss}, None, optimizer.parameters)
    def step(x, y):
        loss, grads = grad(x, y)
        optimizer(grads)
        return loss
    return step
"""
LOGS, TARGET = "F.log_softmax(net(x), -1)", "F.softmax(net(x * 0.5), -1)"
LOGS_B, TARGET_B = "ops.log_softmax(net(x), -1)", "ops.softmax(net(x * 0.5), -1)"


@pytest.fixture(scope="module")
def comparer() -> Iterator[NetworkComparer]:
    with NetworkComparer() as found:
        yield found


def trained(comparer: NetworkComparer, folder: Path, loss: str, loss_b: str) -> TrainingComparison:
    for name, text in (
        ("a.py", NET + TRAIN.format(loss=loss)),
        ("b.py", NET_B + TRAIN_B.format(loss=loss_b)),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    shapes = (shape_of("6,6"), shape_of("6,5"))
    network = NetworkSettings(call="build()", target="bundled", shapes=shapes)
    places = f"{folder / 'a.py'}:make", f"{folder / 'b.py'}:make"
    settings = TrainingSettings(network, places, steps=4)
    return trained_by(comparer, folder / "a.py", folder / "b.py", settings)


@pytest.mark.parametrize(
    ("loss", "loss_b"),
    [
        (f"F.kl_div({LOGS}, {TARGET}, reduction='{how}')",
         f"ops.kl_div({LOGS_B}, {TARGET_B}, reduction='{how}')")
        for how in ("batchmean", "sum", "mean")
    ] + [
        (f"F.kl_div({LOGS}, {TARGET}, reduction='batchmean')",
         f"nn.KLDivLoss(reduction='batchmean')({LOGS_B}, {TARGET_B})"),
        (f"F.mse_loss(net(x), y) + F.kl_div({LOGS}, {TARGET}, reduction='sum')",
         f"ops.mse_loss(net(x), y) + ops.kl_div({LOGS_B}, {TARGET_B}, reduction='sum')"),
        ("F.mse_loss(net(x), net(x * 0.5)) + net(x).mean()",
         "ops.mse_loss(net(x), ops.stop_gradient(net(x * 0.5))) + net(x).mean()"),
    ],
)  # fmt: skip
def test_the_pass_that_gets_none_is_told(
    loss: str, loss_b: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    found = trained(comparer, tmp_path, loss, loss_b)
    assert found.first is not None
    assert found.first.stage == "gradient"
    assert [one.cause for one in found.first.reasons] == ["loss-detached"]
    assert "in pass " in found.first.reasons[0].text


@pytest.mark.parametrize(
    ("loss", "loss_b"),
    [
        (f"F.kl_div({LOGS}, F.softmax(y, -1), reduction='{how}')",
         f"ops.kl_div({LOGS_B}, ops.softmax(y, -1), reduction='{how}')")
        for how in ("batchmean", "sum", "mean")
    ] + [
        (f"F.kl_div({LOGS}, {TARGET}.detach(), reduction='sum')",
         f"ops.kl_div({LOGS_B}, {TARGET_B}, reduction='sum')"),
        (f"F.kl_div({LOGS}, {TARGET}, reduction='sum')",
         f"mint.nn.functional.kl_div({LOGS_B}, {TARGET_B}, reduction='sum')"),
        (f"F.kl_div({LOGS}, (y > 0).float(), reduction='sum')",
         f"ops.kl_div({LOGS_B}, (y > 0).astype(ms.float32), reduction='sum')"),
    ],
)  # fmt: skip
def test_the_same_is_the_same(
    loss: str, loss_b: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    found = trained(comparer, tmp_path, loss, loss_b)
    assert found.ok, str(found)
