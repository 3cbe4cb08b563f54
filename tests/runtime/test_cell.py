"""Cells: names of parameters, attributes, modes, containers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import nn


class Block(nn.Cell):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc = nn.Dense(width, width)
        self.scale = ms.Parameter(ms.Tensor([1.0]))
        self.shift = ms.Parameter(ms.Tensor([0.0]), name="offset", requires_grad=False)
        self.register_buffer("steps", ms.Tensor([0]))

    def construct(self, x: Any) -> Any:
        return self.fc(x) * self.scale + self.shift


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.SequentialCell(OrderedDict(conv=nn.Conv2d(1, 2, 3), norm=nn.BatchNorm2d(2)))
        self.blocks = nn.CellList([Block(2), Block(2)])
        self.heads = nn.CellDict({"a": nn.Dense(2, 1)})
        self.tied = self.blocks[0]


NAMING = """
import mindspore as ms
from mindspore import nn
from collections import OrderedDict
from typing import Any
"""


def test_names_are_mindspores(run_mindspore: Callable[..., str], tmp_path: Path) -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    classes = source[source.index("class Block") : source.index("NAMING =")]
    show = "print([(p.name, n, p.requires_grad) for n, p in Net().parameters_and_names()])"
    printed = run_mindspore(tmp_path, "-c", f"{NAMING}{classes}{show}")
    ours = [(p.name, n, p.requires_grad) for n, p in Net().parameters_and_names()]
    assert printed.splitlines()[-1] == str(ours)


def test_parameters_are_found_once_and_by_kind() -> None:
    net = Net()
    names = [p.name for p in net.get_parameters()]
    assert {"blocks.1.fc.weight", "tied.fc.weight"} <= set(names)  # the last attribute names it
    assert len(names) == len(set(names))
    frozen = {p.name for p in net.untrainable_params()}
    assert {"tied.shift", "stem.norm.moving_mean"} <= frozen
    assert {p.name for p in net.trainable_params()} | frozen == set(names)
    assert "blocks.0.steps" in net.state_dict()
    assert net.parameters_dict()["heads.a.bias"] is net.heads["a"].bias


def test_training_is_off_until_set() -> None:
    net = Net()
    assert not net.training
    assert net.set_train() is net
    assert all(cell.training for _, cell in net.cells_and_names())
    assert not net.set_train(False).blocks[1].fc.training


def test_attributes_are_replaced_and_removed() -> None:
    net = Net()
    net.stem = nn.ReLU()
    assert not any(name.startswith("stem") for name, _ in net.parameters_and_names())
    del net.heads
    assert not hasattr(net, "heads")
    block = Block(2)
    block.scale = ms.Tensor([3.0])
    assert block.scale.asnumpy().tolist() == [3.0]
    assert isinstance(block.scale, ms.Parameter)
    with pytest.raises(TypeError, match="Buffer 'steps' already exists"):
        block.steps = ms.Tensor([1])
    with pytest.raises(TypeError, match="Sub cell 'fc' already exists"):
        block.fc = 3


def test_attributes_before_init_are_refused() -> None:
    class Hasty(nn.Cell):
        def __init__(self) -> None:
            self.fc = nn.Dense(1, 1)

    with pytest.raises(AttributeError, match=r"super\(\).__init__"):
        Hasty()


def test_pytorchs_names_are_told_mindspores() -> None:
    with pytest.raises(AttributeError, match="get_parameters"):
        _ = Net().parameters


def test_sequences_behave_as_lists() -> None:
    cells = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
    assert len(cells) == 3
    assert [type(c).__name__ for c in cells[1:]] == ["ReLU", "Dense"]
    cells.append(nn.Tanh())
    assert isinstance(cells[-1], nn.Tanh)
    cells[1] = nn.Sigmoid()
    del cells[0]
    assert [type(c).__name__ for c in cells] == ["Sigmoid", "Dense", "Tanh"]
    assert [p.name for p in cells.get_parameters()] == ["1.weight", "1.bias"]
    held = nn.CellList([nn.ReLU()])
    held.insert(0, nn.Tanh())
    assert [type(c).__name__ for c in held] == ["Tanh", "ReLU"]
    with pytest.raises(IndexError):
        held[2]


def test_hooks_see_and_change() -> None:
    cell = nn.ReLU()
    seen = []
    before = cell.register_forward_pre_hook(lambda c, args: (args[0] + 1.0,))
    after = cell.register_forward_hook(lambda c, args, y: seen.append(y) or y * 2.0)
    assert cell(ms.Tensor([1.0])).item() == 4.0
    before.remove()
    after.remove()
    assert cell(ms.Tensor([1.0])).item() == 1.0
    assert len(seen) == 1


def test_initial_weights_are_reproducible_whenever_they_are_drawn() -> None:
    ms.set_seed(5)
    first = nn.Dense(3, 4)
    early = first.weight.asnumpy().copy()
    ms.set_seed(5)
    second = nn.Dense(3, 4)
    _ = second.bias.asnumpy()
    assert (second.weight.asnumpy() == early).all()
    assert np.abs(early).max() <= 1 / np.sqrt(3)
    assert first.weight.shape == (4, 3)


def test_set_data_keeps_the_type_and_refuses_another_shape() -> None:
    parameter = ms.Parameter(ms.Tensor([1.0, 2.0], ms.float16), name="w")
    parameter.set_data(ms.Tensor([3, 4]))
    assert parameter.dtype is ms.float16
    with pytest.raises(ValueError, match=r"MS304 Parameter 'w'"):
        parameter.set_data(ms.Tensor([1.0]))
