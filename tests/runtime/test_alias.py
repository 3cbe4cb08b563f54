"""`python -m msconvert.runtime`, the namespaces, the context."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime import nn, ops
from msconvert.runtime.alias import MODULES

SCRIPT = """
import sys
import numpy as np
import mindspore as ms
import mindspore.nn as nn
from mindspore import Tensor, context, dtype as mstype, ops
from mindspore.common.initializer import Constant
import mindspore.ops as F

context.set_context(mode=context.GRAPH_MODE, device_target="CPU")

class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Dense(2, 1, weight_init=Constant(0.5), bias_init="ones")

    def construct(self, x):
        return F.relu(self.fc(x))

print(Net()(Tensor(np.ones((1, 2)), mstype.float32)), sys.argv[1:], __name__)
"""


OF_A_ZOO = """
import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register

class Lion(Optimizer):
    @opt_init_args_register
    def __init__(self, params, learning_rate=1e-2, beta1=0.9, beta2=0.99, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.m = self.parameters.clone(prefix="lion_m", init="zeros")
        self.beta1, self.beta2 = beta1, beta2

    def construct(self, grads):
        lr = self.get_lr()
        for p, g, m in zip(self.parameters, grads, self.m):
            ops.assign(p, p - lr * ops.sign(m * self.beta1 + g * (1 - self.beta1)))
            ops.assign(m, m * self.beta2 + g * (1 - self.beta2))
        return True

net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
opt = Lion(net.trainable_params(), 0.05, beta2=0.95)
print(opt.init_args, opt.init_learning_rate, [p.name for p in opt.init_params["params"]])
step = ms.value_and_grad(lambda x: net(x).pow(2).sum(), None, opt.parameters)
for _ in range(3):
    loss, grads = step(Tensor([[1.0, 2.0]]))
    opt(grads)
    print(round(float(loss), 3))
of_schedule = Lion(net.trainable_params(), nn.ExponentialDecayLR(0.1, 0.9, 2))
print(of_schedule.init_learning_rate, sorted(of_schedule.init_args))
print(Lion(net.trainable_params(), Tensor([0.25, 0.5])).init_learning_rate)
"""
"""An optimiser as model zoos write theirs."""


GRAD_FLAG = """
import mindspore as ms
from mindspore.common.api import _pynative_executor as executor

seen = []

def f(x):
    seen.append(executor.grad_flag())
    with ms._no_grad():
        seen.append(executor.grad_flag())
    return x * x

f(ms.Tensor(1.0))
ms.grad(f)(ms.Tensor(1.0))
print(seen, executor.grad_flag())
"""


@pytest.mark.parametrize("name", sorted(MODULES.values()))
def test_what_answers_is_there(name: str) -> None:
    assert importlib.import_module(name) is not None


def test_the_modules_are_mindspores(run_mindspore: Callable[..., str], tmp_path: Path) -> None:
    """Each answered name is a module of the real MindSpore, or an attribute of one."""
    lines = [
        f"import importlib, mindspore\nNAMES = {sorted(MODULES)!r}",
        "for name in NAMES:",
        "    parent, _, last = name.rpartition('.')",
        "    try:",
        "        importlib.import_module(name)",
        "    except ImportError:",
        "        assert hasattr(importlib.import_module(parent), last), name",
    ]
    (tmp_path / "modules.py").write_text("\n".join(lines))
    run_mindspore(tmp_path, "modules.py")


def test_the_executor_says_whether_a_gradient_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "flag.py").write_text(GRAD_FLAG)
    done = run(tmp_path, "flag.py")
    assert done.stdout == "[False, False, True, True] False\n", done.stderr


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "msconvert.runtime", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)


def test_a_script_says_the_same_with_both(
    run_mindspore: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "net.py").write_text(SCRIPT)
    done = run(tmp_path, "net.py", "--epochs", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[[2.]] ['--epochs', '3'] __main__\n"
    assert run_mindspore(tmp_path, "net.py", "--epochs", "3").splitlines()[-1] == done.stdout[:-1]


def test_an_optimiser_of_a_zoo_keeps_what_it_is_given(
    run_mindspore: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "net.py").write_text(OF_A_ZOO)
    done = run(tmp_path, "net.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 6
    assert run_mindspore(tmp_path, "net.py").splitlines()[-6:] == done.stdout.splitlines()


OF_PACKAGES = """
import mindspore as ms
from mindspore import Tensor, context, nn
from mindspore import _checkparam as validator
from mindspore.nn.optim.adam import _check_param_value
from mindspore.nn.wrap.cell_wrapper import _VirtualDatasetCell
from mindspore.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

class Own(nn.loss.loss.LossBase):
    def construct(self, x, y):
        return self.get_loss((x - y).abs())

print(Own()(Tensor([1.0]), Tensor([3.0])), isinstance(nn.ReLU(), nn.layer.activation.ReLU))
print(nn.optim.adam.Adam is nn.Adam, nn.loss.LossBase is nn.loss.loss.LossBase)
print(nn.layer.normalization._BatchNorm is nn.layer.BatchNorm2d.__mro__[1])
print(validator.check_positive_int(3, "n", "me"), _check_param_value(0.9, 0.99, 1e-8, "me"))
print(_get_device_num(), _get_parallel_mode(), _get_gradients_mean())
context.set_auto_parallel_context(parallel_mode="data_parallel", device_num=8, gradients_mean=True)
print(_get_device_num(), _get_parallel_mode(), _get_gradients_mean())
print([p.name for p in _VirtualDatasetCell(nn.Dense(2, 3)).get_parameters()])
"""
"""Packages and private names by which model zoos reach what they need."""


def test_packages_and_private_names_of_zoos(
    run_mindspore: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "zoo.py").write_text(OF_PACKAGES)
    done = run(tmp_path, "zoo.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 7
    assert run_mindspore(tmp_path, "zoo.py").splitlines()[-7:] == done.stdout.splitlines()


def test_what_mindspore_adds_for_many_devices_is_nothing_here() -> None:
    """MindSpore has no kernel of it on its CPU; one process has nothing to hand out."""
    backbone = nn.Dense(2, 3)
    x = ms.Tensor([[1.0, 2.0]])
    assert (nn._VirtualDatasetCell(backbone)(x) == backbone(x)).all()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("from mindspore.nn import Conv4d", "the nearest name is mindspore.nn.Conv3d"),
        ("import mindspore; mindspore.ops.softmaxx", "the nearest name is ops.softmax"),
        ("import mindspore; mindspore.load_chekpoint", "mindspore.load_checkpoint"),
        ("import mindspore.contxt", "the nearest name is mindspore.context"),
    ],
)
def test_a_missing_name_is_told_the_nearest(tmp_path: Path, line: str, told: str) -> None:
    (tmp_path / "net.py").write_text(line)
    done = run(tmp_path, "net.py")
    assert done.returncode == 1
    assert "MS301" in done.stderr
    assert told in done.stderr


def test_without_a_script_the_usage_is_told(tmp_path: Path) -> None:
    assert run(tmp_path).returncode == 2
    done = run(tmp_path, "none.py")
    assert done.returncode == 2
    assert "no file 'none.py'" in done.stderr


def test_namespaces_can_be_asked() -> None:
    assert not hasattr(nn, "NoSuchLayer")
    assert not hasattr(ops, "no_such_op")
    assert not hasattr(ms, "no_such_name")
    assert all(hasattr(ms, name) for name in ms.__all__)


def test_the_context_refuses_what_mindspore_refuses() -> None:
    for wrong in ({"mode": 7}, {"device_target": "TPU"}, {"no_such": 1}):
        with pytest.raises(MsconvertError, match="MS301"):
            ms.set_context(**wrong)
    with pytest.raises(MsconvertError, match="MS301"):
        ms.get_context("no_such")
    assert ms.get_context("mode") == ms.PYNATIVE_MODE


def test_importing_needs_neither_pytorch_nor_the_reference() -> None:
    code = (
        "import sys, msconvert.runtime; print([m for m in sys.modules if m == 'torch' "
        "or m.startswith('onnx.reference')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_names_that_scripts_import_privately() -> None:
    assert issubclass(nn.BatchNorm2d, nn._BatchNorm)
    assert issubclass(nn.Conv1d, nn._Conv)
    assert issubclass(nn.MSELoss, nn._Loss)
    with pytest.raises(MsconvertError, match=r"MS301[\s\S]*get_group_size"):
        nn.DistributedGradReducer([])
