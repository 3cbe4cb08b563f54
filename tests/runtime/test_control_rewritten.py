"""Source that is rewritten: what it prints, checks, raises and changes, and what is left out."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
from msconvert.tests.runtime.rewritten_forms import CHANGING, SPEAKING

STRICT = ms.JitConfig(jit_syntax_level="STRICT")
UP, DOWN, MIXED = [1.0, 2.0, 3.0], [-1.0, -2.0, 0.5], [0.5, -4.0, 2.0]
INPUTS = (UP, DOWN, MIXED)


@pytest.fixture(autouse=True)
def pynative() -> Iterator[None]:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.reset_context()


def outcome(function: Any, given: Any, capfd: pytest.CaptureFixture[str]) -> Any:
    """What a call gives or raises, and what it prints."""
    capfd.readouterr()
    try:
        found: Any = plain(function(ms.Tensor(np.array(given, np.float32))))
    except (ValueError, AssertionError, KeyError, ZeroDivisionError) as error:
        found = type(error), str(error)
    return found, capfd.readouterr().out


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return (str(value.dtype), value.asnumpy().tolist()) if isinstance(value, ms.Tensor) else value


@pytest.mark.parametrize("function", SPEAKING, ids=lambda f: f.__name__)
def test_what_is_printed_and_raised_is_so_at_each_run(
    function: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    compiled = ms.jit(function, jit_config=STRICT)
    for given in (*INPUTS, *INPUTS):
        assert outcome(compiled, given, capfd) == outcome(function, given, capfd)


@pytest.mark.parametrize("function", CHANGING, ids=lambda f: f.__name__)
def test_what_is_changed_is_as_in_pynative_mode(
    function: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    compiled = ms.jit(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if function.__name__ == "lists" else "error")
        for given in (*INPUTS, *INPUTS):
            assert_alike(outcome(compiled, given, capfd)[0], outcome(function, given, capfd)[0])


def assert_alike(own: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(own) == len(expected)
        for a, b in zip(own, expected, strict=True):
            assert_alike(a, b)
    elif isinstance(expected, dict):
        assert own.keys() == expected.keys()
        assert_alike([*own.values()], [*expected.values()])
    elif isinstance(expected, float):
        assert own == pytest.approx(expected, rel=1e-5, abs=1e-5)
    else:
        assert own == expected


# gradients

WEIGHT = ms.Parameter(ms.Tensor([0.5, -1.5, 2.0], ms.float32), name="weight")


def by_branch_and_weight(x: Any) -> Any:
    y = x * WEIGHT
    if y.sum() > 0:
        y = y * x if y[0] > 0.4 else y * WEIGHT
    return (y * y).sum()


def by_two_loops(x: Any) -> Any:
    y, turns = x, 0
    while y.abs().max() < 40:
        step = 0
        while step < 2 and y.abs().sum() < 100:
            y = y * (1 + WEIGHT * WEIGHT)
            step = step + 1
        turns = turns + 1
    return y.sum() * turns


def by_closure(x: Any) -> Any:
    scale = 1

    def scaled(v: Any) -> Any:
        return v * scale * WEIGHT

    total = x * 0
    for k in range(3):
        scale = k + 1
        if x[k] > 0:
            total = total + scaled(x)
    return total.sum()


def by_list(x: Any) -> Any:
    parts = []
    for k in range(3):
        if x[k] > 0:
            parts.append(x[k] * WEIGHT)
        else:
            parts.append(x * x[k])
    return ops.stack(parts).prod(0).sum()


def by_place(x: Any) -> Any:
    y = ops.zeros((3,), ms.float32)
    for k in range(3):
        if x[k] > 0:
            y[k] = x[k] * x[k]
    return (y * WEIGHT).sum()


def by_no_turn(x: Any) -> Any:
    y = x * WEIGHT
    while y.sum() > 1000:
        y = y * x
    return y.sum()


def by_print(x: Any) -> Any:
    y = x * x
    if y.sum() > 9:
        print("large")  # noqa: T201
        y = y * WEIGHT
    return y.sum()


def by_comprehension(x: Any) -> Any:
    parts = [v * v if v > 0 else v * WEIGHT[0] for v in x]
    return sum(p * 2 if p.sum() > 1 and v > 0 else p for p, v in zip(parts, x, strict=True))


def by_names_set_later(x: Any) -> Any:
    k, y = 2, x
    z = y * k if x[0] > 0 and (y * k).sum() > 1 else y * WEIGHT * k
    y, k = z * WEIGHT, 5
    z = y * k if 0 < y[0] < 1 else -y * k
    y = k = 0
    return z.sum()


BY = [by_branch_and_weight, by_two_loops, by_closure, by_list, by_place, by_no_turn, by_print]
BY += [by_comprehension, by_names_set_later]


@pytest.mark.parametrize("function", BY, ids=lambda f: f.__name__)
def test_gradients_are_those_of_pynative_mode(function: Any) -> None:
    eager = ms.value_and_grad(function, 0, [WEIGHT])
    compiled = ms.jit(eager, jit_config=STRICT)
    for given in (*INPUTS, *INPUTS):
        x = ms.Tensor(np.array(given, np.float32))
        assert_close(plain(compiled(x)), plain(eager(x)))


def assert_close(own: Any, expected: Any) -> None:
    if isinstance(expected, list):
        for a, b in zip(own, expected, strict=True):
            assert_close(a, b)
    else:
        assert own[0] == expected[0]
        np.testing.assert_allclose(own[1], expected[1], rtol=2e-5)


# what is left to Python


def by_numpy(x: Any) -> Any:
    return x + 1 if x.asnumpy().sum() > 0 else x


def set_on_one_way(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
    if x.sum() > 0:
        return y
    return x


def of_other_shapes(x: Any) -> Any:
    return x[:1] if x.sum() > 0 else x


def of_other_types(x: Any) -> Any:
    return x.astype(ms.int32) if x.sum() > 0 else x


def sized_by_value(x: Any) -> Any:
    return ops.ones((int(x.abs().max()),), ms.float32)


def in_a_list(x: Any) -> Any:
    return [x, x * 2, x * 3, x * 4][int(x.abs().max()) % 4]


def growing(x: Any) -> Any:
    parts = [x]
    while len(parts) < x.abs().max():
        parts.append(parts[-1] + 1)
    return ops.concat(parts)


def caught(x: Any) -> Any:
    try:
        if x.sum() < 0:
            raise ValueError("negative")
    except ValueError:
        return -x
    return x


LEFT = [by_numpy, set_on_one_way, of_other_shapes, of_other_types, sized_by_value, in_a_list]
LEFT += [growing, caught]


@pytest.mark.parametrize("function", LEFT, ids=lambda f: f.__name__)
def test_what_no_graph_can_hold_runs_in_python_and_says_so(
    function: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    compiled = ms.jit(function)
    with pytest.warns(UserWarning, match="not compiled, run in PyNative mode"):
        found = [outcome(compiled, given, capfd) for given in INPUTS]
    assert found == [outcome(function, given, capfd) for given in INPUTS]
    with pytest.raises(RuntimeError, match=r"MS306 test_control_rewritten.py:\d+"):
        ms.jit(function, jit_config=STRICT)(ms.Tensor(UP))


class Deciding(nn.Cell):
    """Cells that decide, in a Cell with a parameter that a branch sets."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init="ones", bias_init="zeros")
        self.seen = ms.Parameter(ms.Tensor(0.0), requires_grad=False)

    def construct(self, x: Any) -> Any:
        y = self.dense(x.reshape((1, 3)))
        if y.sum() > 0:
            self.seen += 1
            return y * self.seen
        return -y


def test_a_branch_sets_a_parameter_only_where_it_is_taken() -> None:
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    net = Deciding()
    found = [float(net(ms.Tensor(given)).sum()) for given in (UP, DOWN, UP, MIXED, UP)]
    assert found == [18.0, 7.5, 36.0, 4.5, 54.0]
    assert net.seen.item() == 3.0


def drawn_by_numpy(x: Any) -> Any:
    return x * np.random.rand()


def drawn_by_python(x: Any) -> Any:
    return x * random.random() if x.sum() > 0 else x


@pytest.mark.parametrize("function", [drawn_by_numpy, drawn_by_python], ids=lambda f: f.__name__)
def test_random_numbers_that_are_frozen_are_told_once(function: Any) -> None:
    compiled = ms.jit(function)
    with pytest.warns(UserWarning, match=r"constants of the compiled code; ops\.rand"):
        first = compiled(ms.Tensor(UP)).asnumpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled(ms.Tensor(UP)).asnumpy().tolist() == first.tolist()
        assert ms.jit(lambda x: x * ops.rand(3))(ms.Tensor(UP)).shape == (3,)


@pytest.mark.parametrize("fault", [by_numpy, growing, in_a_list])
def test_a_call_in_python_leaves_the_arguments_as_a_graph_does(fault: Any) -> None:
    @ms.jit
    def changing(x: Any) -> Any:
        x[0] = 9.0
        return fault(x)

    given = ms.Tensor(UP)
    with pytest.warns(UserWarning, match="not compiled"):
        changing(given)
    assert given.asnumpy().tolist() == UP


class Tripling(nn.Cell):
    """What a class hides from others, and hands on."""

    def __tripled(self, x: Any) -> Any:
        return x * 3 if x[0] > 0 else x

    def construct(self, x: Any) -> Any:
        return self.__tripled(x) + 1


class Normalizing(Tripling):
    """`super` in a method that is rewritten."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]))

    def construct(self, x: Any) -> Any:
        y = super().construct(x)
        if y.max() > 2:
            y = super().construct(y) * self.weight
        return y


@pytest.mark.parametrize("make", [lambda net: net, ms.jit], ids=["cell", "jit"])
def test_methods_of_classes_above_are_rewritten(make: Any) -> None:
    net = Normalizing()
    eager = [net(ms.Tensor(given)).asnumpy().tolist() for given in INPUTS]
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    compiled = make(net)
    assert [compiled(ms.Tensor(given)).asnumpy().tolist() for given in INPUTS] == eager
