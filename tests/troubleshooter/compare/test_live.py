"""Networks at hand, in this process: compared as files are, and left as they were."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert
from msconvert.errors import MsconvertError, UsageError
from msconvert.runtime import Tensor, jit, nn, ops
from msconvert.troubleshooter import NetDifferenceFinder, compare_networks
from msconvert.troubleshooter.compare import NetworkSettings

pytestmark = pytest.mark.usefixtures("warm")

torch = pytest.importorskip("torch")

X = np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype("f4")
EVAL = NetworkSettings(mode="eval")


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.bn = torch.nn.BatchNorm2d(8)
        self.drop = torch.nn.Dropout(0.5)
        self.fc = torch.nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        return self.fc(self.drop(torch.relu(self.bn(self.conv(x))).mean((2, 3))))


class Converted(nn.Cell):
    def __init__(self, eps: float = 1e-5) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.bn = nn.BatchNorm2d(8, eps=eps, momentum=0.9)
        self.drop = nn.Dropout(p=0.5)
        self.fc = nn.Dense(8, 5)

    def construct(self, x: Any) -> Any:
        return self.fc(self.drop(ops.relu(self.bn(self.conv(x))).mean((2, 3))))


def copied(eps: float = 1e-5) -> tuple[Net, Converted]:
    """Both with the same weights, by hand."""
    torch.manual_seed(0)
    net, cell = Net(), Converted(eps)
    with torch.no_grad():
        net.bn.weight.uniform_(0.5, 1.5)
    renamed = {"bn.weight": "bn.gamma", "bn.bias": "bn.beta"}
    own = dict(cell.parameters_and_names())
    for name, value in net.named_parameters():
        own[renamed.get(name, name)].set_data(Tensor(value.detach().numpy()))
    return net, cell


def test_the_same() -> None:
    found = compare_networks(*copied(), inputs=X)
    assert found.ok, str(found)
    assert (found.names, found.sides) == (("Net", "Converted"), ("torch", "runtime"))
    assert {item.name for item in found.whole} >= {"outputs in eval", "gradients"}
    assert str(found).splitlines()[-1].startswith("The same: ")
    assert msconvert.compare_networks is compare_networks


def test_the_first_difference_with_its_cause() -> None:
    found = compare_networks(*copied(1e-2), EVAL, inputs=(Tensor(X),))
    assert found.first_difference is not None
    assert (found.first_difference.path, found.ok) == ("bn", False)
    assert [item.text for item in found.first_difference.hypotheses] == [
        "agrees if epsilon is 1e-05 (here: 0.01)"
    ]


def test_weights_are_their_own_unless_they_are_copied() -> None:
    net, cell = copied()
    net.fc.bias.data += 1
    found = compare_networks(net, cell, EVAL, inputs={"x": torch.from_numpy(X)})
    assert [item.name for item in found.weights] == ["fc.bias"]
    assert found.first_difference is not None
    assert found.first_difference.path == "fc"
    settings = NetworkSettings(mode="eval", copy_weights=True)
    assert compare_networks(net, cell, settings, inputs=X).ok


def test_a_network_at_hand_and_a_file(tmp_path: Path) -> None:
    net, _ = copied()
    (tmp_path / "net.py").write_text(
        "import torch\n\nclass Net(torch.nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.fc = torch.nn.Linear(8, 5)\n\n"
        "    def forward(self, x):\n        return self.fc(x)\n"
    )
    x = np.ones((2, 8), "f4")
    found = compare_networks(net.fc, nn.Dense(8, 5), NetworkSettings(copy_weights=True), inputs=x)
    assert found.ok
    other = torch.nn.ModuleDict({"fc": net.fc})
    other.forward = lambda x: other["fc"](x)
    assert compare_networks(other, tmp_path / "net.py", EVAL, inputs=x).ok
    assert not compare_networks(tmp_path / "net.py", other, EVAL, inputs=x).ok  # keeps its own


def state_of_all(net: Net, cell: Converted) -> dict[str, Any]:
    """What a comparison might change."""
    parameters = dict(net.named_parameters())
    return {
        "torch": {name: x.detach().numpy().copy() for name, x in net.state_dict().items()},
        "memory": {name: x.data_ptr() for name, x in parameters.items()},
        "gradients": {name: x.grad for name, x in parameters.items()},
        "cell": {name: x.asnumpy().copy() for name, x in cell.parameters_and_names()},
        "modes": [m.training for m in net.modules()]
        + [c.training for c in (c for _, c in cell.cells_and_names())],
        "dropout": (net.drop.p, cell.drop.p, vars(nn.Dropout)["construct"], ops.dropout),
        "functions": (torch.randn, torch.nn.functional.dropout, torch.nn.Module.__call__),
        "cells": (nn.Cell.__call__, ops.randn if hasattr(ops, "randn") else None),
        "fast": torch.backends.mha.get_fastpath_enabled(),
        "numbers": (random.getstate()[1][:5], np.random.get_state()[1][:5].tolist()),
        "torch numbers": torch.get_rng_state().numpy().tolist(),
        "imports": (list(sys.meta_path), {m for m in sys.modules if m.startswith("mindspore")}),
    }


def test_all_is_as_it_was() -> None:
    net, cell = copied(1e-2)
    net.train()
    net.bn.eval()
    net(torch.from_numpy(X)).sum().backward()
    cell.set_train(True)
    before = state_of_all(net, cell)
    gradients = [x.grad.clone() for x in net.parameters()]
    settings = NetworkSettings(copy_weights=True, steps=2)
    compare_networks(net, cell, settings, inputs=X)
    after = state_of_all(net, cell)
    for what, value in before.items():
        assert str(after[what]) == str(value), what
    for parameter, gradient in zip(net.parameters(), gradients, strict=True):
        assert torch.equal(parameter.grad, gradient)


def test_also_where_it_fails() -> None:
    net, cell = copied()
    before = state_of_all(net, cell)
    with pytest.raises(MsconvertError, match=r"MS405 .*test_live\.py.*cannot be run"):
        compare_networks(net, cell, inputs=X[:, :2])
    after = state_of_all(net, cell)
    assert str(after) == str(before)


def test_what_is_no_network() -> None:
    with pytest.raises(UsageError, match=r"MS401 .*one of the two is no network"):
        compare_networks(3, nn.Dense(2, 2), inputs=X)
    with pytest.raises(UsageError, match="nothing says what to call the network with"):
        compare_networks(torch.nn.Linear(2, 2), nn.Dense(2, 2))


dropout = torch.nn.functional.dropout  # as users import it


class Dropping(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        return dropout(self.fc(x), 0.5, self.training)


class Compiled(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(8, 5)

    @jit
    def construct(self, x: Any) -> Any:
        return ops.dropout(self.fc(x), 0.5, self.training)


def test_what_surrounds_the_call_and_the_networks() -> None:
    """No gradients, another element type, wrappers, a compiled construct, an imported dropout."""
    x, own = X[:, 0], dropout
    settings = NetworkSettings(copy_weights=True)
    net = torch.nn.DataParallel(Dropping())
    torch.set_default_dtype(torch.float64)
    try:
        with torch.inference_mode():
            found = compare_networks(net, Compiled(), settings, inputs=x)
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert found.ok, str(found)
    assert not [text for text in found.remarks if "fail" in text]
    assert dropout is own
    assert "MS_JIT" not in os.environ


# the former tool's name of it


def test_the_former_tools_arguments(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    net, cell = copied()
    torch.save(net.state_dict(), tmp_path / "net.pth")
    net.fc.bias.data += 1
    finder = NetDifferenceFinder(net, cell, fix_seed=3)
    wanted = {"input": (((2, 3, 8, 8), np.float32),), "num": 2}
    assert [found.ok for found in finder.compare(auto_inputs=wanted)] == [True, True]
    assert capsys.readouterr().out.count("The same: ") == 2
    own = NetDifferenceFinder(net, cell, 0, auto_conv_ckpt=0)
    assert [found.ok for found in own.compare((X,))] == [False]
    assert own.compare([(X,)], rtol=10.0)[0].ok
    loaded = NetDifferenceFinder(
        net, cell, 0, auto_conv_ckpt=0, pt_params_path=str(tmp_path / "net.pth")
    )
    np.save(tmp_path / "x.npy", X)
    assert loaded.compare((str(tmp_path / "x.npy"),))[0].ok
    older = NetDifferenceFinder(pt_net=net, ms_net=cell, inputs=[(X,)], print_result=False)
    assert older.start_compare()[0].ok
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"out_path": "x"}, "has no such argument"),
        ({"auto_conv_ckpt": 2}, "auto_conv_ckpt is neither 0 nor 1"),
        ({"inputs": X}, "inputs are of another form"),
        ({"inputs": ("none.npy",)}, "is no .npy file of an array"),
        ({"auto_inputs": 3}, "auto_inputs are of another form"),
        ({"auto_inputs": ((2, 3),)}, "auto_inputs are of another form"),
        ({}, "there are no inputs"),
    ],
)
def test_other_arguments_are_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=f"MS401 .*{told}"):
        NetDifferenceFinder(*copied(), **arguments).start_compare()
