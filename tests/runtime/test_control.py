"""Branches and loops in graphs; what a graph does to Tensors around it; options of `jit`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime import nn, ops
from msconvert.runtime.api import _pynative_executor
from msconvert.runtime.engine.failure import TracedValueError


@pytest.fixture(autouse=True, params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    ms.set_context(mode=request.param)
    yield
    ms.reset_context()


UP, DOWN = ms.Tensor([1.0, 2.0]), ms.Tensor([-1.0, -2.0])


class Counting(nn.Cell):
    """Branches and loops whose bodies set a parameter and read a weight around them."""

    def __init__(self) -> None:
        super().__init__()
        self.count = ms.Parameter(ms.Tensor([0.0]), requires_grad=False)
        self.weight = ms.Parameter(ms.Tensor([3.0, 4.0]))

    def construct(self, x: Any, turns: Any) -> Any:
        def body(i: Any, value: Any) -> Any:
            ops.assign_add(self.count, 1.0)
            return value + self.count

        def reset() -> Any:
            ops.assign(self.count, self.count * 10.0)
            return value * self.weight

        value = ops.fori_loop(0, turns, body, x)
        return ops.cond(x.sum() > 0, reset, lambda: value + self.weight)


def test_branches_and_loops_set_variables_as_python_does() -> None:
    net = Counting()
    assert net(UP, ms.Tensor(3)).asnumpy().tolist() == [21.0, 32.0]
    assert net.count.item() == 30.0
    assert net(DOWN, ms.Tensor(2)).asnumpy().tolist() == [65.0, 65.0]
    assert net.count.item() == 32.0


@pytest.mark.parametrize("x", [UP, DOWN])
def test_a_branch_has_gradients_of_any_order(x: Any) -> None:
    weight = ms.Parameter(ms.Tensor([3.0, 4.0]), name="weight")

    def function(x: Any) -> Any:
        y = x * 1.0
        found = ops.cond(x.sum() > 0, lambda: (y * weight * y).sum(), lambda: (y + weight).sum())
        y[0] = 100.0  # the gradient is that of the value before
        return found

    value, (by_x, by_weight) = ms.jit(ms.value_and_grad(function, 0, weight))(x)
    positive = x is UP
    assert value.item() == (19.0 if positive else 4.0)
    assert by_x.asnumpy().tolist() == ([6.0, 16.0] if positive else [1.0, 1.0])
    assert by_weight.asnumpy().tolist() == ([1.0, 4.0] if positive else [1.0, 1.0])
    second = ms.jit(ms.grad(ms.grad(function)))(x)
    assert second.asnumpy().tolist() == ([6.0, 8.0] if positive else [0.0, 0.0])


def test_a_loop_runs_as_often_as_its_condition_says() -> None:
    @ms.jit
    def function(x: Any, n: Any) -> Any:
        return ops.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * x), (0, x))

    for turns, expected in ((3, [16.0, 81.0]), (0, [2.0, 3.0])):
        count, value = function(ms.Tensor([2.0, 3.0]), ms.Tensor(turns))
        assert (count.item(), value.asnumpy().tolist()) == (turns, expected)


def test_loops_have_gradients_whether_their_length_is_known_or_not() -> None:
    def power(x: Any) -> Any:
        carry, parts = ops.scan(lambda c, w: (c * w, c), x, [x, x])
        return ops.fori_loop(0, 2, lambda i, value: value * x, carry).sum() + parts[0].sum()

    assert np.allclose(ms.jit(ms.grad(power))(UP).asnumpy(), [6.0, 81.0])

    def unknown(x: Any, n: Any) -> Any:
        return ops.fori_loop(0, n, lambda i, value: value * x, x).sum()

    slope = ms.jit(ms.grad(unknown))
    for turns, expected in ((2, [3.0, 12.0]), (0, [1.0, 1.0]), (4, [5.0, 80.0])):
        assert slope(UP, ms.Tensor(turns)).asnumpy().tolist() == expected
    second = ms.jit(ms.grad(lambda x, n: ms.grad(unknown)(x, n).sum()))
    with pytest.raises(MsconvertError, match=r"MS307 while_loop"):
        second(UP, ms.Tensor(3))


def test_a_loop_that_sets_a_parameter_says_that_it_has_no_gradient() -> None:
    count = ms.Parameter(ms.Tensor([0.0, 0.0]), name="count")

    def function(x: Any, n: Any) -> Any:
        def turn(i: Any, value: Any) -> Any:
            ops.assign_add(count, value)
            return value * x

        return ops.fori_loop(0, n, turn, x).sum()

    with pytest.raises(MsconvertError, match=r"MS307 while_loop"):
        ms.jit(ms.grad(function))(UP, ms.Tensor(2))


@pytest.mark.parametrize("x", [ms.Tensor([[2.0, 1.0], [0.0, 4.0]]), ms.Tensor([[-2.0]])])
def test_a_branch_may_call_what_onnx_runtime_has_no_operator_for(x: Any) -> None:
    weight = ms.Parameter(ms.Tensor([1.0]), name="weight")

    def function(x: Any) -> Any:
        def up() -> Any:
            ops.assign(weight, weight * 2.0)
            return ops.inverse(x).sum() * weight

        return ops.cond(x.sum() > 0, up, lambda: x.sum() + weight)

    expected = 2 * np.linalg.inv(x.asnumpy()).sum() if x.size > 1 else -1.0
    assert np.allclose(ms.jit(function)(x).asnumpy(), expected)
    assert weight.item() == (2.0 if x.size > 1 else 1.0)
    slope = ms.jit(ms.grad(function))(x).asnumpy()
    assert np.allclose(slope, ms.grad(function)(x).asnumpy() / 2 if x.size > 1 else 1.0)
    with pytest.raises(ValueError, match=r"MS306(?s:.*)no operator"):
        ms.jit(lambda x: ops.while_loop(lambda v: v.sum() < 9, ops.inverse, x))(x)


@pytest.mark.parametrize("unroll", [True, False])
def test_loops_of_known_length_may_be_nodes(unroll: bool) -> None:
    weight = ms.Parameter(ms.Tensor([1.0, 1.0]), name="weight")

    @ms.jit
    def function(x: Any) -> Any:
        def step(carry: Any, w: Any) -> Any:
            ops.assign_add(weight, w)
            return carry + w, {"product": carry * w, "sum": weight * 1.0}

        carry, parts = ops.scan(step, x, [x, x + 1.0, x * 2.0], unroll=unroll)
        counted, _ = ops.scan(lambda c, _: (c + 1, c), 0, None, length=3, unroll=unroll)
        power = ops.fori_loop(1, 4, lambda i, v: v * x + i, x, unroll=unroll)
        return carry, parts, counted, power

    carry, parts, counted, power = function(UP)
    assert carry.asnumpy().tolist() == [6.0, 11.0]
    assert [p["product"].asnumpy().tolist() for p in parts] == [[1, 4], [4, 12], [8, 28]]
    assert [p["sum"].asnumpy().tolist() for p in parts] == [[2, 3], [4, 6], [6, 10]]
    assert weight.asnumpy().tolist() == [6.0, 10.0]
    assert (int(counted), power.asnumpy().tolist()) == (3, [7.0, 27.0])


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: ops.cond(x.sum() > 0, lambda: x, lambda: (x, x)), "other structures"),
        (lambda x: ops.cond(x.sum() > 0, lambda: x, lambda: x.sum()), "number of axes"),
        (lambda x: ops.cond(x > 0, lambda: x, lambda: x), "one element"),
        (lambda x: ops.while_loop(lambda v: v.sum() < 9, lambda v: v[:1], x), "changes the shape"),
        (lambda x: ops.while_loop(lambda v: v.sum() < 9, lambda v: (v,), x), "another structure"),
        (
            lambda x: ops.while_loop(lambda v: v.sum() < 9, lambda v: v + ops.randn(2), x),
            "same ones",
        ),
    ],
)
def test_what_cannot_be_a_node_is_refused(function: Any, what: str) -> None:
    with pytest.raises(ValueError, match=f"MS306(?s:.*){what}"):
        ms.jit(function)(UP)


STRICT = ms.JitConfig(jit_syntax_level="STRICT")


def test_what_needs_a_value_is_refused_with_the_line_and_the_rewrite_if_the_user_says_so() -> None:
    def function(x: Any) -> Any:
        while x.asnumpy().sum() > 0:
            x = x - 1
        return x

    with pytest.raises(
        TracedValueError, match=r"test_control.py:\d+(?s:.*)asnumpy(?s:.*)while_loop"
    ):
        ms.jit(function, jit_config=STRICT)(UP)
    with pytest.raises(TracedValueError, match=r"test_control.py:\d+(?s:.*)asnumpy"):
        ms.jit(function, fullgraph=True)(UP)
    ms.set_context(jit_syntax_level=ms.STRICT)
    with pytest.raises(TracedValueError, match=r"test_control.py:\d+(?s:.*)asnumpy"):
        ms.jit(function)(UP)


def test_what_cannot_be_compiled_runs_in_pynative_mode_and_says_so() -> None:
    def function(x: Any) -> Any:
        return x * 2 if x.asnumpy().sum() > 0 else -x

    lax = ms.jit(function, jit_config=ms.JitConfig(jit_syntax_level="LAX"))
    with pytest.warns(UserWarning, match="not compiled"):
        assert lax(UP).asnumpy().tolist() == [2.0, 4.0]
    assert lax(DOWN).asnumpy().tolist() == [1.0, 2.0]
    with pytest.warns(UserWarning, match="not compiled"):
        assert ms.jit(function)(UP).asnumpy().tolist() == [2.0, 4.0]


def test_a_graph_changes_copies_of_the_tensors_around_it() -> None:
    held = ms.Tensor([1.0, 2.0])

    @ms.jit
    def function(x: Any) -> Any:
        held[0] = x[1]
        held[1] = 7.0
        x[0] = 5.0
        return held * 1.0, x

    given = ms.Tensor([3.0, 4.0])
    for _ in range(2):
        first, second = function(given)
        assert (first.asnumpy().tolist(), second.asnumpy().tolist()) == ([4.0, 7.0], [5.0, 4.0])
    assert held.asnumpy().tolist() == [1.0, 2.0]
    assert given.asnumpy().tolist() == [3.0, 4.0]
    held[0] = 9.0  # a graph sees it, although it is a constant
    assert ms.jit(lambda x: held * x)(ms.Tensor(1.0)).asnumpy().tolist() == [9.0, 2.0]


def test_constants_that_change_are_seen() -> None:
    held = ms.Tensor([1.0])
    function = ms.jit(lambda x: (held * 2.0) * x)
    one = ms.Tensor([1.0])
    assert function(one).item() == 2.0
    held[0] = 5.0
    assert function(one).item() == 10.0


def test_numbers_of_other_types_are_other_constants() -> None:
    function = ms.jit(lambda x, k: x * k)
    x = ms.Tensor([2])
    assert [function(x, k).dtype for k in (1, 1.0, True)] == [ms.int64, ms.float32, ms.int64]


def test_parameters_are_set_item_by_item() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.p = ms.Parameter(ms.Tensor([1.0, 2.0]))

        def construct(self, x: Any) -> Any:
            self.p[0] = x[0]
            return self.p * 1.0

    net = Net()
    assert net(ms.Tensor([3.0])).asnumpy().tolist() == [3.0, 2.0]
    assert net.p.asnumpy().tolist() == [3.0, 2.0]
    assert isinstance(net.p, ms.Parameter)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"jit_level": "O2"}, ValueError),
        ({"fullgraph": 1}, TypeError),
        ({"capture_mode": "x"}, ValueError),
        ({"dynamic": 2}, ValueError),
        ({"backend": "x"}, RuntimeError),
        ({"exc_mode": "sync"}, ValueError),
    ],
)
def test_options_are_checked(options: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        ms.jit(lambda x: x, **options)


def test_jit_takes_cells_classes_and_objects() -> None:
    @ms.jit_class
    class Scale:
        def __init__(self) -> None:
            self.by = 2.0

        @ms.jit
        def times(self, x: Any) -> Any:
            return x * self.by

    scale = Scale()
    assert scale.times(UP).asnumpy().tolist() == [2.0, 4.0]
    scale.by = 3.0
    assert scale.times(UP).asnumpy().tolist() == [3.0, 6.0]
    assert ms.jit(nn.ReLU())(DOWN).asnumpy().tolist() == [0.0, 0.0]
    with pytest.raises(TypeError):
        ms.jit_class(nn.ReLU)


def test_inside_no_grad_nothing_is_recorded() -> None:
    def function(x: Any) -> Any:
        with ms._no_grad():
            y = x * 3.0
        return x * x + y

    assert ms.grad(function)(UP).asnumpy().tolist() == [2.0, 4.0]
    with ms._no_grad(), pytest.raises(RuntimeError, match="no_grad"):
        ms.grad(lambda x: x)(UP)


def test_gradients_are_enabled_again_inside_of_no_grad() -> None:
    """As MindSpore's executor does, which converted code asks: `with torch.enable_grad()`."""
    x = ms.Tensor([2.0, 3.0])
    executor = _pynative_executor

    def slope(y: ms.Tensor) -> ms.Tensor:
        with ms._no_grad():
            assert not executor.enable_grad()
            executor.set_enable_grad(True)
            inner = ms.grad(lambda t: (t * t).sum())(y)
            product = (inner * y).sum()
            executor.set_enable_grad(False)
            lost = (y * 100).sum()
        assert executor.enable_grad()
        return product + lost

    assert ms.grad(slope)(x).asnumpy().tolist() == [8.0, 12.0]
    with ms._no_grad(), pytest.raises(RuntimeError, match="no_grad"):
        ms.grad(slope)(x)
