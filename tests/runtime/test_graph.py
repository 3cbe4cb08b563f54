"""Graph mode: when a graph is made, made anew, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
from msconvert.runtime.engine import binding, compiler, session, trace
from msconvert.runtime.engine.failure import TracedValueError
from msconvert.runtime.engine.reference import needed_of
from msconvert.runtime.engine.session import model_of


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Counted(nn.Cell):
    """Counts how often Python runs its construct."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 2)
        self.runs: list[int] = []
        self.factor = 2.0

    def construct(self, x: Any) -> Any:
        self.runs.append(1)
        return self.fc(x) * self.factor


def value(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.random.RandomState(0).rand(*shape).astype(np.float32))


def pynative(net: nn.Cell, *args: Any) -> Any:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    result = net(*args)
    ms.set_context(mode=ms.GRAPH_MODE)
    return result


def test_one_trace_per_signature() -> None:
    net = Counted()
    for shape in ((4, 3), (4, 3), (5, 3), (4, 3)):
        net(value(*shape))
    assert len(net.runs) == 2
    net(value(4, 3).astype(ms.float16).astype(ms.float32))
    assert len(net.runs) == 2


def test_weights_that_change_are_seen_without_a_new_trace() -> None:
    net = Counted()
    net(value(4, 3))
    net.fc.weight.set_data(net.fc.weight * 3.0)
    net.fc.bias.set_data(ms.Tensor([1.0, 2.0]))
    assert np.allclose(net(value(4, 3)).asnumpy(), pynative(net, value(4, 3)).asnumpy())
    assert len(net.runs) == 2  # one trace, one PyNative run


def test_attributes_and_cells_that_change_are_seen() -> None:
    net = Counted()
    first = net(value(4, 3)).asnumpy()
    net.factor = 4.0
    assert np.allclose(net(value(4, 3)).asnumpy(), first * 2)
    net.fc = nn.Dense(3, 5)
    assert net(value(4, 3)).shape == (4, 5)


def test_training_mode_is_part_of_the_signature() -> None:
    net = nn.BatchNorm2d(2)
    x = value(3, 2, 4, 4)
    plain = net(x).asnumpy()
    net.set_train()
    trained = net(x).asnumpy()
    assert not np.allclose(plain, trained)
    net.set_train(False)
    assert not np.allclose(net(x).asnumpy(), plain)  # the running statistics have moved


def test_running_statistics_move_as_in_pynative() -> None:
    x = value(3, 2, 4, 4)
    found = []
    for run in (lambda n: n(x), lambda n: pynative(n, x)):
        net = nn.BatchNorm2d(2).set_train()
        for _ in range(3):
            run(net)
        found.append((net.moving_mean.asnumpy(), net.moving_variance.asnumpy()))
    assert np.allclose(found[0], found[1], rtol=1e-6)
    assert not np.allclose(found[0][0], 0)


def test_dropout_is_drawn_anew_for_every_run() -> None:
    net = nn.Dropout(p=0.5).set_train()
    x = ops.ones((64,))
    ms.set_seed(1)
    first, second = net(x).asnumpy().copy(), net(x).asnumpy()
    assert set(np.unique(first)) == {0.0, 2.0}
    assert not (first == second).all()


def test_structures_go_in_and_come_out() -> None:
    class Pairs(nn.Cell):
        def construct(self, pair: Any, scale: float = 1.0, *, more: Any = None) -> Any:
            a, b = pair
            return {"sum": a + b, "rest": [a * scale, None, more["c"]], "name": "x"}

    one = ms.Tensor([1.0])
    result = Pairs()((one, one * 2), 3.0, more={"c": one})
    assert result["sum"].item() == 3.0
    assert result["rest"][0].item() == 3.0
    assert result["rest"][1] is None
    assert result["rest"][2].item() == 1.0
    assert result["name"] == "x"


@pytest.mark.parametrize("ask", [bool, int, float, lambda y: y.item()])
def test_a_graph_decides_on_what_is_asked_of_a_traced_value(ask: Any) -> None:
    class Branch(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x if ask(ops.sum(x)) else -x

    net = Branch()
    assert [net(ms.Tensor([x])).item() for x in (1.0, 0.0, 7.0)] == [1.0, 0.0, 7.0]


@pytest.mark.parametrize(
    "ask",
    [lambda y: y.asnumpy(), lambda y: y.tolist(), np.asarray, complex, lambda y: [1, 2][int(y)]],
)
def test_asking_for_a_traced_value_is_refused_and_told_what_to_write(ask: Any) -> None:
    class Branch(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x if ask(ops.sum(x)) else -x

    ms.set_context(jit_syntax_level=ms.STRICT)
    with pytest.raises(TracedValueError, match=r"(?s)MS306.*ops\.select"):
        Branch()(ms.Tensor([1.0]))
    assert nn.ReLU()(ms.Tensor([1.0])).item() == 1.0  # the failed trace is gone


def test_arguments_that_no_graph_can_hold_are_refused() -> None:
    with pytest.raises(TypeError, match="MS304 graph mode"):
        nn.ReLU()({1, 2})


def test_wrong_shapes_are_refused_while_tracing() -> None:
    with pytest.raises(ValueError, match="MS304 Gemm"):
        nn.Dense(3, 2)(value(4, 5))


def test_graphs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "GRAPH_LIMIT", 2)
    net = nn.ReLU()
    for n in range(1, 6):
        net(value(n))
    assert len(net._graphs.graphs) == 2


def test_jit_compiles_functions_and_methods() -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    runs = []

    @ms.jit
    def double(x: Any) -> Any:
        runs.append(1)
        return x * 2.0

    assert [double(ms.Tensor([float(k)])).item() for k in range(3)] == [0.0, 2.0, 4.0]
    assert len(runs) == 1

    class Net(Counted):
        @ms.jit
        def construct(self, x: Any) -> Any:
            return super().construct(x)

    first, second = Net(), Net()
    assert not np.allclose(first(value(2, 3)).asnumpy(), second(value(2, 3)).asnumpy())
    assert len(first.runs) == 1


@pytest.mark.parametrize(
    ("net", "shape", "expected"),
    [
        (nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()), (1, 3, 8, 8), 1),
        (nn.SequentialCell(nn.Conv2d(3, 8, 3, has_bias=True), nn.ReLU()), (1, 3, 8, 8), 1),
        (nn.SequentialCell(nn.Dense(300, 4), nn.ReLU()), (2, 300), 1),
        (nn.SequentialCell(nn.Dense(4, 4), nn.GELU(False), nn.LayerNorm((4,))), (2, 4), 3),
    ],
)
def test_onnx_runtime_fuses_as_much_as_it_can(
    net: nn.Cell, shape: Any, expected: int, tmp_path: Path
) -> None:
    graph, large = net_graph(net, value(*shape))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(tmp_path / "fused.onnx")
    held = [ort.OrtValue.ortvalue_from_numpy(array) for array in large.values()]
    options.add_external_initializers(list(large), held)
    ort.InferenceSession(model_of(graph), options)
    fused = onnx.load(tmp_path / "fused.onnx", load_external_data=False)
    assert len(fused.graph.node) == expected


def net_graph(net: nn.Cell, x: ms.Tensor) -> Any:
    net(x)
    (compiled,) = net._graphs.graphs.values()
    traced, outputs = compiled.trace, compiled.outputs
    return traced.graph(needed_of(traced.nodes, outputs), traced.inputs, outputs, set())


def test_large_weights_are_not_copied_into_the_model() -> None:
    net = nn.Dense(300, 300)
    graph, large = net_graph(net, value(2, 300))
    assert graph.ByteSize() < 2000 + 4 * 300
    assert any(array is net.weight.asnumpy() for array in large.values())


@pytest.mark.parametrize("count", [100, 500, 4000])
def test_many_parts_are_split(count: int) -> None:
    x = ms.Tensor(np.arange(2.0 * count, dtype=np.float32).reshape(count, 2))
    parts = ms.jit(lambda x: ops.split(x, 1, axis=0))(x)
    assert len(parts) == count
    assert parts[-1].asnumpy().tolist() == [[2.0 * count - 2, 2.0 * count - 1]]


def test_bfloat16_crosses_the_border_as_float32() -> None:
    net = nn.Dense(3, 2, dtype=ms.bfloat16)
    x = value(4, 3).astype(ms.bfloat16)
    y = net(x)
    assert y.dtype is ms.bfloat16
    assert np.allclose(
        y.asnumpy().astype(np.float32), pynative(net, x).asnumpy().astype(np.float32), atol=0.02
    )


def test_plain_tensors_change_in_place_inside_a_graph() -> None:
    @ms.jit
    def function(x: Any) -> Any:
        y = x * 1.0
        ops.relu(y, inplace=True)
        held = ops.zeros((2,))
        held[1] = y[0]
        return y, held

    y, held = function(ms.Tensor([3.0, -1.0]))
    assert y.asnumpy().tolist() == [3.0, 0.0]
    assert held.asnumpy().tolist() == [0.0, 3.0]


def test_assigning_a_parameter_inside_a_graph_reaches_it() -> None:
    class Counter(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.count = ms.Parameter(ms.Tensor([0.0]), requires_grad=False)

        def construct(self, x: Any) -> Any:
            ops.assign_add(self.count, 1.0)
            return x + self.count

    net = Counter()
    assert [net(ms.Tensor([10.0])).item() for _ in range(3)] == [11.0, 12.0, 13.0]
    assert net.count.item() == 3.0


def test_a_graph_is_made_for_the_value_of_a_shape() -> None:
    """Integers of which Python asks the value are constants, each value with a graph of its own."""

    @ms.jit
    def filled(x: ms.Tensor, shape: ms.Tensor) -> ms.Tensor:
        return ops.reshape(x, shape) * ops.ones(shape)

    x = ms.Tensor(np.arange(6, dtype=np.float32))
    shape = ms.Tensor([2, 3])
    for sizes in ((2, 3), (3, 2), (2, 3)):
        shape.assign_value(np.array(sizes))
        assert filled(x, shape).shape == sizes
    np.testing.assert_array_equal(filled(x * 2, shape).asnumpy(), [[0, 2, 4], [6, 8, 10]])
    strict = {"jit_config": ms.JitConfig(jit_syntax_level="STRICT")}
    with pytest.raises(TracedValueError, match="MS306"):
        ms.jit(lambda n: ops.ones((3,)) if n + 1 > 2 else n, **strict)(ms.Tensor(3))
    with pytest.raises(TracedValueError, match="MS306"):
        ms.jit(lambda x: ops.ones((int(x),)), **strict)(ms.Tensor(3.0))


def test_nothing_is_compiled_where_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """MS_JIT=0, which MindSpore reads as well: what is not possible in a graph runs."""

    class ByValue(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x * float(x.asnumpy()[0])

    def by_value(x: Any) -> Any:
        return x * float(x.asnumpy()[0])

    x = ms.Tensor(np.array([2.0, 3.0], np.float32))
    ms.set_context(jit_syntax_level=ms.STRICT)
    for doubled in (ByValue(), ms.jit(by_value)):
        monkeypatch.delenv("MS_JIT", raising=False)
        with pytest.raises(TracedValueError):
            doubled(x)
        monkeypatch.setenv("MS_JIT", "0")
        assert doubled(x).asnumpy().tolist() == [4.0, 6.0]


class Table(nn.Cell):
    """A table of rows, a product, and a weight of another kind of operator."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.fc = nn.Embedding(6, 4), nn.Dense(4, 5)
        self.scale = ms.Parameter(ms.Tensor(np.full((5,), 0.5, np.float32)))

    def construct(self, x: Any) -> Any:
        return self.fc(self.table(x)) * self.scale


def test_large_weights_of_a_graph_that_runs_once_are_inputs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    net, x = Table(), ms.Tensor(np.array([0, 5, 2]), ms.int64)
    wanted = pynative(net, x).asnumpy()
    monkeypatch.setattr(binding, "SPARING", [True])
    monkeypatch.setattr(binding, "LARGE", 0)
    monkeypatch.setattr(binding, "LARGE_ONE", 50)
    np.testing.assert_allclose(net(x).asnumpy(), wanted, rtol=1e-6)
    (compiled,) = net._graphs.graphs.values()
    read = {id(variable) for _, variable in compiled.read}
    assert read == {id(net.table.embedding_table), id(net.fc.weight)}
    assert {id(held.tensor) for held in compiled.baked} == {id(net.fc.bias), id(net.scale)}
    net.fc.weight.set_data(net.fc.weight * 2)
    np.testing.assert_allclose(net(x).asnumpy(), pynative(net, x).asnumpy(), rtol=1e-6)


def kinds(x: Any) -> Any:
    """Calls of one operator that differ in attributes, shapes and element types, each twice."""
    small, made = x.astype(ms.float16), []
    for _ in range(2):
        for part, axis in ((x, 0), (x, 1), (small, 1)):
            made += [ops.cumsum(part, axis), part.sum(axis), ops.split(part, 1, axis)[0]]
    return made


def test_calls_of_one_kind_are_inferred_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    inferred = trace.inferred_of

    def spy(primitive: Any, *others: Any) -> Any:
        asked.append(primitive.op)
        return inferred(primitive, *others)

    monkeypatch.setattr(trace, "inferred_of", spy)
    x = value(2, 3)
    for got, expected in zip(ms.jit(kinds)(x), kinds(x), strict=True):
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), rtol=1e-3)
    asked.clear()
    ms.jit(lambda x: ops.relu(ops.relu(ops.relu(x)).sum(0)))(x)
    assert asked.count("Relu") == 2


def test_what_computes_the_same_is_not_looked_for_in_long_graphs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[Any] = []
    opened = ort.InferenceSession

    def spy(*given: Any, **options: Any) -> Any:
        told.append(options.get("disabled_optimizers"))
        return opened(*given, **options)

    monkeypatch.setattr(ort, "InferenceSession", spy)
    x = value(2, 3)
    expected = np.exp(x.asnumpy()) * 2
    for limit, left in ((session.SEARCHED, None), (0, [session.REPEATED])):
        monkeypatch.setattr(session, "SEARCHED", limit)
        got = ms.jit(lambda x: ops.exp(x) + ops.exp(x))(x)
        np.testing.assert_allclose(got.asnumpy(), expected, rtol=1e-6)
        assert told[-1] == left
