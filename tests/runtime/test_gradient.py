"""`grad`, `value_and_grad`, GradOperation and what they respect, in both modes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime import nn, ops
from msconvert.runtime.engine.primitive import REGISTRY


@pytest.fixture(autouse=True, params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


X = ms.Tensor([1.0, 2.0, 3.0])


def test_positions_say_what_comes_back() -> None:
    def product(x: Any, y: Any) -> Any:
        return x * y * y

    y = ms.Tensor([2.0, 3.0, 4.0])
    assert ms.grad(product)(X, y).asnumpy().tolist() == [4, 9, 16]
    assert ms.grad(product, 1)(X, y).asnumpy().tolist() == [4, 12, 24]
    first, second = ms.grad(product, (0, 1))(X, y)
    assert (first.asnumpy()[0], second.asnumpy()[0]) == (4, 4)
    assert ms.grad(product, (0,))(X, y).shape == (3,)  # MindSpore: no tuple of one


def test_weights_and_value() -> None:
    net = nn.Dense(3, 2)
    for weights, kind in ((net.trainable_params(), tuple), (net.bias, ms.Tensor)):
        value, gradients = ms.value_and_grad(lambda x: net(x).sum(), None, weights)(X[None])
        assert np.allclose(value.asnumpy(), net(X[None]).asnumpy().sum())
        assert isinstance(gradients, kind)
    by_input, by_weights = ms.grad(net, 0, net.trainable_params())(X[None])
    assert np.allclose(by_input.asnumpy(), net.weight.asnumpy().sum(0))
    assert by_weights[0].asnumpy().tolist() == [[1, 2, 3]] * 2


def test_auxiliary_outputs_are_not_differentiated() -> None:
    def function(x: Any) -> Any:
        return (x * x).sum(), x * 5

    gradient, (other,) = ms.grad(function, has_aux=True)(X)
    assert gradient.asnumpy().tolist() == [2, 4, 6]
    assert other.asnumpy().tolist() == [5, 10, 15]
    (value, other), gradient = ms.value_and_grad(function, has_aux=True)(X)
    assert (value.item(), gradient.asnumpy()[2], other.asnumpy()[0]) == (14, 6, 5)
    assert ms.grad(function)(X).asnumpy().tolist() == [7, 9, 11]  # of the sum of all outputs


def test_gradients_of_gradients() -> None:
    assert ms.grad(ms.grad(ms.grad(lambda x: x**4)))(X).asnumpy().tolist() == [24, 48, 72]
    mixed = ms.grad(lambda a: ms.grad(lambda b: a * b * b)(a))
    assert mixed(X).asnumpy().tolist() == [4, 8, 12]


def test_data_of_a_buffer_is_written_to_while_gradients_are_computed() -> None:
    class Counting(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", ops.zeros(3))
            self.weight = ms.Parameter(ops.ones(3), name="weight")

        def construct(self, x: Any) -> Any:
            self.seen.data.copy_(x * 2)
            return (x * self.weight).sum()

    net = Counting()
    ms.value_and_grad(net, None, net.trainable_params())(X)
    assert net.seen.asnumpy().tolist() == [2, 4, 6]


def test_stop_gradient_and_requires_grad() -> None:
    assert ms.grad(lambda x: ops.stop_gradient(x) * x)(X).asnumpy().tolist() == [1, 2, 3]
    net = nn.Dense(3, 2)
    net.bias.requires_grad = False
    assert [p.name for p in net.trainable_params()] == ["weight"]
    of_weight, of_bias = ms.grad(net, None, [net.weight, net.bias])(X[None])
    assert of_bias.asnumpy().tolist() == [0, 0]
    assert of_weight.asnumpy().tolist() == [[1, 2, 3]] * 2


def test_what_nothing_depends_on_gets_zeros() -> None:
    first, second = ms.grad(lambda x, y: x.sum(), (0, 1))(X, X)
    assert first.asnumpy().tolist() == [1, 1, 1]
    assert second.asnumpy().tolist() == [0, 0, 0]
    assert ms.grad(lambda x: ops.floor(x))(X).asnumpy().tolist() == [0, 0, 0]


def test_two_parameters_made_from_one_array_have_their_own_gradients() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            shared = ms.Tensor([1.0])
            self.a, self.b = ms.Parameter(shared, name="a"), ms.Parameter(shared, name="b")

        def construct(self, x: Any) -> Any:
            return self.a * x + self.b * 10

    net = Net()
    a, b = ms.grad(net, None, net.trainable_params())(ms.Tensor([3.0]))
    assert (a.item(), b.item()) == (3, 10)


def test_changes_in_place_are_followed() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        y[1] = x[0] * 5
        return ops.relu(y, inplace=True).sum()

    assert ms.grad(function)(X).asnumpy().tolist() == [7, 0, 2]


def test_a_cells_own_bprop_is_used() -> None:
    class Clipped(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x * x

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            return (dout * 100 + out * 0,)

    net = Clipped()
    assert ms.grad(lambda x: net(x) * 2)(X).asnumpy().tolist() == [200] * 3


def test_a_cell_with_a_bprop_may_write_its_input() -> None:
    """The numbers are real MindSpore's: others see the write, gradients go on behind it."""

    class Shifted(nn.Cell):
        def construct(self, x: Any) -> Any:
            x.copy_(x - 1)
            return x * 3

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            return (dout * 5,)

    net = Shifted()

    def function(w: Any) -> Any:
        y = w * 2
        return (net(y) ** 2).sum() + y.sum()

    value, gradient = ms.value_and_grad(function)(ms.Tensor([1.0, 2.0]))
    assert (value.item(), gradient.asnumpy().tolist()) == (94, [62, 182])


class Given(nn.Cell):
    """Gives whatever gradient it is told to give."""

    def __init__(self, given: Any) -> None:
        super().__init__()
        self.given = given

    def construct(self, x: Any) -> Any:
        return x * 2

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        return (self.given,)


def test_a_bprops_gradient_takes_its_inputs_shape_and_type() -> None:
    for given in (ops.ones((2, 3), ms.float32), ops.ones((2, 3), ms.float16)):
        found = ms.grad(Given(given))(X)
        assert found.dtype is ms.float32
        assert found.asnumpy().tolist() == [2] * 3


@pytest.mark.parametrize("shape", [(7,), (1,), (), (3, 1), (6, 1)])
def test_a_bprops_gradient_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(RuntimeError, match=r"MS304 bprop: .*\n.*\n  expected: \(3,\)"):
        ms.grad(Given(ops.ones(shape, ms.float32)))(X)


@pytest.mark.parametrize("options", [{}, {"get_all": True}, {"sens_param": True}])
def test_grad_operation(options: Any) -> None:
    sens = (ms.Tensor([1.0, 0.0, 2.0]),) if "sens_param" in options else ()
    found = ops.GradOperation(**options)(lambda x, y: x * y)(X, X + 1, *sens)
    if options == {"get_all": True}:
        assert found[1].asnumpy().tolist() == [1, 2, 3]
        found = found[0]
    assert found.asnumpy().tolist() == ([2, 0, 8] if sens else [2, 3, 4])


def test_grad_operation_by_list() -> None:
    net = nn.Dense(3, 2)
    weights = ms.ParameterTuple(net.trainable_params())
    (of_weight, _) = ops.GradOperation(get_by_list=True)(net, weights)(X[None])
    assert of_weight.asnumpy().tolist() == [[1, 2, 3]] * 2
    both = ops.GradOperation(get_all=True, get_by_list=True)(net, weights)(X[None])
    assert np.allclose(both[0][0].asnumpy(), net.weight.asnumpy().sum(0))


def test_what_has_no_gradient_is_refused_with_its_name() -> None:
    regions = ms.Tensor([[0.0, 0.0, 0.0, 2.0, 2.0]])

    def pooled(x: Any) -> Any:
        return REGISTRY["MaxRoiPool"](x, regions, pooled_shape=(1, 1))

    with pytest.raises(MsconvertError, match=r"MS307 MaxRoiPool(?s:.*)stop_gradient"):
        ms.grad(pooled)(ops.ones((1, 1, 3, 3)))


def test_wrong_arguments_are_refused_as_mindspore_does() -> None:
    with pytest.raises(ValueError, match="can not be None at the same time"):
        ms.grad(lambda x: x, None, None)
    with pytest.raises(TypeError):
        ms.grad(lambda x: x, "x")
    with pytest.raises(ValueError, match="more than one outputs"):
        ms.grad(lambda x: x, has_aux=True)(X)
    with pytest.raises(IndexError if ms.get_context("mode") == ms.GRAPH_MODE else RuntimeError):
        ms.grad(lambda x: x, 3)(X)
    for wrong, kind in ((-1, ValueError), ([0], TypeError), ((0, 0), ValueError)):
        with pytest.raises(kind):
            ms.grad(lambda x: x, wrong)


def test_what_is_no_tensor_has_no_gradient() -> None:
    assert ms.grad(lambda x: X * x)(3.0) == ()
    assert ms.grad(lambda x, y: x * y, (0, 1))(X, 2.0).asnumpy().tolist() == [2, 2, 2]
    assert ms.grad(lambda pair: pair[0] * pair[1])((X, X)) == ()


def test_a_mutable_container_has_the_gradients_of_its_elements() -> None:
    first, second = ms.grad(lambda pair: pair[0] * pair[1])(ms.mutable((X, X + 1)))
    assert (first.asnumpy().tolist(), second.asnumpy().tolist()) == ([2, 3, 4], [1, 2, 3])
    found = ms.grad(lambda d: d["a"] * d["b"])(ms.mutable({"a": X, "b": X + 1}))
    assert found["a"].asnumpy().tolist() == [2, 3, 4]


def test_whole_numbers_have_gradients() -> None:
    found = ms.grad(lambda x: x * x)(ms.Tensor([1, 2]))
    assert (found.dtype, found.asnumpy().tolist()) == (ms.int64, [2, 4])


def test_gradients_with_their_ids() -> None:
    net = nn.Dense(3, 2)
    found = ms.grad(net, (0,), net.trainable_params(), return_ids=True)(X[None])
    assert ms.get_grad(found, net.weight).asnumpy().tolist() == [[1, 2, 3]] * 2
    assert ms.get_grad(found, 0) is found[0][1]
    with pytest.raises(RuntimeError):
        ms.get_grad(found, 1)


def test_sens_param_is_the_gradient_of_the_output() -> None:
    found = ms.grad(lambda x, y: x * y, (0, 1), sens_param=True)(X, X + 1, X)
    assert [g.asnumpy().tolist() for g in found] == [[2, 6, 12], [1, 4, 9]]


def test_training_mode_is_seen_through_a_closure() -> None:
    net = nn.Dropout(p=0.5)
    gradient = ms.grad(lambda x: net(x))
    x = ops.ones((100,))
    assert set(np.unique(gradient(x).asnumpy())) == {1.0}
    net.set_train()
    assert set(np.unique(gradient(x).asnumpy())) == {0.0, 2.0}
