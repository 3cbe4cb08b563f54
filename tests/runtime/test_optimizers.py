"""Every row of `optimizer_table.py`: against the real MindSpore, in both modes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import nn
from msconvert.tests.runtime import optimizer_table
from msconvert.tests.runtime.optimizer_table import Table

TABLE = Table(ms)
STEPPED = [
    *[f"nn.{code}" for code in optimizer_table.CLASSIC],
    *[f"optim.{code}" for code in optimizer_table.EXPERIMENTAL],
]
REFUSED = [
    *[f"nn.{code}" for code in optimizer_table.REFUSED],
    *[f"optim.{code}" for code in optimizer_table.REFUSED_EXPERIMENTAL],
]


@pytest.fixture(scope="module")
def of_mindspore(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("optimizers")
    run_mindspore(folder, optimizer_table.__file__, "results.json")
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("jit", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("code", STEPPED)
def test_four_steps_are_mindspores(code: str, jit: bool, of_mindspore: dict[str, Any]) -> None:
    expected, got = of_mindspore["stepped"][code], TABLE.stepped(code, jit)
    assert set(got) == set(expected)
    for name, values in got.items():
        assert np.allclose(values, expected[name], rtol=1e-5, atol=2e-6), name


@pytest.mark.parametrize("code", optimizer_table.SCHEDULERS)
def test_rates_are_mindspores(code: str, of_mindspore: dict[str, Any]) -> None:
    assert np.allclose(TABLE.rates(code), of_mindspore["rates"][code], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("code", optimizer_table.EPOCHS)
def test_rates_of_given_epochs_are_mindspores(code: str, of_mindspore: dict[str, Any]) -> None:
    got = TABLE.rates(code, optimizer_table.GIVEN)
    assert np.allclose(got, of_mindspore["epochs"][code], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("code", REFUSED)
def test_both_refuse(code: str, of_mindspore: dict[str, Any]) -> None:
    assert TABLE.refusal(code) == of_mindspore["refused"][code] != ""


def weights(*codes: str) -> list[dict[str, list[float]]]:
    return [TABLE.stepped(code) for code in codes]


def test_a_scheduler_may_step_inside_the_graph() -> None:
    for code in ("StepLR(o, 2, 0.5)", "CyclicLR(o, 0.01, 0.1, 2)", "LinearLR(o, 0.5, 1.0, 3)"):
        optimizer = TABLE.made("optim.SGD(ps, 0.1)")
        scheduler = TABLE.made(f"s.{code}", o=optimizer)
        step = ms.jit(scheduler.step)
        expected = TABLE.rates(code)
        for rates in expected[1:4]:
            step()
            assert np.allclose(scheduler.get_last_lr()[0].asnumpy(), rates[0])


# What MindSpore's CPU build does not do, and its documentation says.


def test_momentum_may_be_nesterovs() -> None:
    w, v = np.zeros(2), np.zeros(2)
    parameter = ms.Parameter(ms.Tensor(np.zeros(2, np.float32)), name="w")
    optimizer = nn.Momentum([parameter], 0.1, 0.9, use_nesterov=True)
    for g in (np.array([1.0, -2.0]), np.array([0.5, 1.0])):
        v = 0.9 * v + g
        w = w - 0.1 * (g + 0.9 * v)
        optimizer((ms.Tensor(g, ms.float32),))
    assert np.allclose(parameter.asnumpy(), w)


def test_adagrad_leaves_its_sums_without_update_slots() -> None:
    (found,) = weights("nn.Adagrad(ps, 0.5, 0.1, False)")
    assert set(found["accum.fc.bias"]) == {0.5}


def test_ftrl_shrinks_weights_of_both_signs() -> None:
    parameter = ms.Parameter(ms.Tensor([0.0, 0.0, 0.0]), name="w")
    nn.FTRL([parameter], learning_rate=0.1, l1=0.5)((ms.Tensor([1.0, -1.0, 0.2]),))
    first, second, third = parameter.asnumpy().tolist()
    assert first == -second < 0
    assert third == 0


@pytest.mark.parametrize("columns", [15, 16])
def test_gradients_are_centralised_where_channels_divide_by_16(columns: int) -> None:
    parameter = ms.Parameter(ms.Tensor(np.zeros((2, columns), np.float32)), name="w")
    optimizer = nn.SGD([{"params": [parameter], "grad_centralization": True}], 1.0)
    g = np.random.RandomState(0).rand(2, columns).astype(np.float32)
    optimizer((ms.Tensor(g),))
    expected = g - g.mean(1, keepdims=True) if columns == 16 else g
    assert np.allclose(parameter.asnumpy(), -expected, atol=1e-6)


def test_lars_scales_gradients_by_their_weights() -> None:
    w, g = np.array([3.0, 4.0], np.float32), np.array([0.6, 0.8], np.float32)
    parameter = ms.Parameter(ms.Tensor(w), name="w")
    optimizer = nn.LARS(nn.SGD([parameter], 0.5, weight_decay=0.1), coefficient=0.02)
    optimizer((ms.Tensor(g),))
    trust = 0.02 * 5 / (1 + 0.1 * 5 + 1e-5)
    assert np.allclose(parameter.asnumpy(), w - 0.5 * trust * (g + 0.1 * w))


def test_lamb_steps_as_far_as_the_weight_is_long() -> None:
    w = np.array([3.0, 4.0], np.float32)
    parameter = ms.Parameter(ms.Tensor(w), name="w")
    nn.Lamb([parameter], 0.1)((ms.Tensor([1.0, -1.0]),))
    assert np.allclose(parameter.asnumpy() - w, 0.1 * 5 / np.sqrt(2) * np.array([-1, 1]), atol=1e-4)


def test_what_an_optimiser_tells() -> None:
    table = TABLE.parameters()
    groups = [{"params": table[:2], "lr": 0.2}, {"params": table[2:], "weight_decay": 0.3}]
    optimizer = nn.Momentum([*groups, {"order_params": table}], 0.1, 0.9, loss_scale=2.0)
    assert [float(rate) for rate in optimizer.get_lr()] == pytest.approx([0.2, 0.2, 0.1, 0.1])
    decays = [float(decay) for decay in optimizer.get_weight_decay()]
    assert decays == pytest.approx([0.0, 0.0, 0.6, 0.6])
    assert optimizer.get_lr_parameter(table[0]).name == "learning_rate_group_0"
    assert optimizer.decay_flags == (False, False, True, True)
    dynamic = nn.SGD(table, [0.1, 0.2])
    assert dynamic.dynamic_lr
    assert float(dynamic.get_lr()) == pytest.approx(0.1)
    assert dynamic.get_lr_parameter(table[0]).asnumpy().tolist() == pytest.approx([0.1, 0.2])


class Doubling(nn.Optimizer):
    """An optimiser as users write them, of the parts of the class."""

    def construct(self, gradients: Any) -> Any:
        gradients = self.scale_grad(self.decay_weight(gradients))
        rate = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        for w, g in zip(self._parameters, gradients, strict=True):
            ms.ops.assign_sub(w, 2.0 * rate * g)
        return True


def test_users_may_write_their_own() -> None:
    parameter = ms.Parameter(ms.Tensor([1.0]), name="w")
    optimizer = Doubling(nn.WarmUpLR(0.1, 2), [parameter], 0.5, 2.0)
    for _ in range(2):
        optimizer((ms.Tensor([2.0]),))
    assert optimizer.global_step.asnumpy().tolist() == [2]
    assert parameter.asnumpy().tolist() == pytest.approx([1.0 - 2 * 0.05 * 1.5])


def test_an_experimental_optimiser_shows_its_groups() -> None:
    optimizer = TABLE.made("optim.SGD([{'params': ps[:1]}, {'params': ps[1:], 'lr': 0.5}], 0.25)")
    assert "Parameter Group 1" in repr(optimizer)
    assert "lr: 0.5" in repr(optimizer)
    optimizer.param_groups[1]["lr"] = 0.125  # a number, as MindSpore's guides do
    before = optimizer.parameters[1].asnumpy().copy()
    optimizer(tuple(ms.ops.ones_like(w) for w in optimizer.parameters))
    assert np.allclose(optimizer.parameters[1].asnumpy(), before - 0.125)
