"""Exported ONNX files: valid, equal to the network at every size, read back by the converter."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import msconvert.runtime as ms
from msconvert import Options as Conversion
from msconvert import convert
from msconvert.errors import MsconvertError
from msconvert.runtime import nn, ops
from msconvert.runtime.export import Options, write_model

Sizes = tuple[int, ...]


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    drawn = np.random.default_rng(sum(shape)).random(shape)
    return np.asarray(drawn * 20 if np.dtype(dtype).kind == "i" else drawn, dtype)


def unsized(*shape: int | None, dtype: Any = ms.float32) -> ms.Tensor:
    return ms.Tensor(shape=list(shape), dtype=dtype)


class LeNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Dense(400, 20)
        self.fc2 = nn.Dense(20, 10)

    def construct(self, x: Any) -> Any:
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        return self.fc2(ops.relu(self.fc1(x.view(x.shape[0], -1))))


class Residual(nn.Cell):
    def __init__(self, c_in: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, stride)
        self.bn = nn.BatchNorm2d(c_out)
        self.down = nn.Conv2d(c_in, c_out, 1, stride)

    def construct(self, x: Any) -> Any:
        return ops.relu(self.bn(self.conv(x)) + self.down(x))


class ResNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 7, 2, pad_mode="pad", padding=3)
        self.body = nn.SequentialCell(Residual(8, 8, 1), Residual(8, 16, 2))
        self.fc = nn.Dense(16, 10)

    def construct(self, x: Any) -> Any:
        return self.fc(ops.mean(self.body(self.stem(x)), (2, 3)))


class Recurrent(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(5, 7, 2, batch_first=True, bidirectional=True)
        self.fc = nn.Dense(14, 3)

    def construct(self, x: Any) -> Any:
        y, (h, _) = self.lstm(x)
        return self.fc(y[:, -1]), h


class Attention(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm((16,))
        self.qkv = nn.Dense(16, 48)
        self.out = nn.Dense(16, 16)

    def construct(self, x: Any) -> Any:
        n, t, d = x.shape
        heads = [
            y.reshape((n, t, 4, d // 4)).transpose((0, 2, 1, 3))
            for y in ops.split(self.qkv(self.norm(x)), d, 2)
        ]
        future = ops.triu(ops.ones((t, t), ms.float32), 1) * -1e9
        scores = ops.matmul(heads[0], heads[1].transpose((0, 1, 3, 2))) / 2.0 + future
        y = ops.matmul(ops.softmax(scores, -1), heads[2]).transpose((0, 2, 1, 3))
        return x + self.out(y.reshape((n, t, d)))


class Transformer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.position = ms.Parameter(ms.Tensor(numbers(1, 100, 16)), name="position")
        self.layers = nn.SequentialCell(Attention(), Attention())
        self.head = nn.Dense(16, 20)

    def construct(self, ids: Any) -> Any:
        x = self.embedding(ids) + self.position[:, : ids.shape[1]]
        return self.head(self.layers(x))


class Sizes3(nn.Cell):
    """Sizes as numbers: divided by, counted to, multiplied, filled up to."""

    def construct(self, x: Any) -> Any:
        n, t, d = x.shape
        return (
            x.sum() / n,
            ops.arange(t),
            x.reshape((n * t, d)),
            ops.concat((x, ops.zeros((n, t, 2), ms.float32)), 2),
            x.reshape((n, t * d))[:, : t + 1],
        )


class Product(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        return x * y


class Encoding(nn.Cell):
    """Constants that only a size decides: a slice of a table, waves, a mask of distances."""

    def __init__(self) -> None:
        super().__init__()
        self.table = ms.Tensor(numbers(1, 100, 4))

    def construct(self, x: Any) -> Any:
        t = x.shape[1]
        place = ops.arange(t).astype(ms.float32).reshape((1, t, 1))
        near = ops.abs(place.reshape((t, 1)) - place.reshape((1, t))) < 3
        return x + self.table[:, :t] + ops.sin(place * 0.3), near


class Branching(nn.Cell):
    """An If and a Loop, which read parameters, inputs and sizes from around them."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(4, 4)

    def construct(self, x: Any) -> Any:
        positive = (x.sum() > 5).reshape(())
        y = ops.cond(positive, lambda: self.fc(x), lambda: x * 2 + ops.ones((x.shape[0], 4)))
        return ops.while_loop(lambda v: v.sum() < 100, lambda v: v * 2 + x, y)


@dataclass(frozen=True)
class Export:
    """A network, what it is exported with, and shapes for which the file must hold."""

    make: Callable[[], nn.Cell]
    given: tuple[Any, ...]
    shapes: tuple[tuple[Sizes, ...], ...]
    dtype: Any = np.float32


EXPORTS = {
    "lenet, fixed": Export(LeNet, (ms.Tensor(numbers(2, 1, 32, 32)),), (((2, 1, 32, 32),),)),
    "lenet": Export(LeNet, (unsized(None, 1, 32, 32),), (((1, 1, 32, 32),), ((7, 1, 32, 32),))),
    "resnet": Export(
        ResNet, (unsized(None, 3, None, None),), (((1, 3, 65, 40),), ((4, 3, 32, 32),))
    ),
    "lstm": Export(Recurrent, (unsized(None, None, 5),), (((1, 3, 5),), ((6, 40, 5),))),
    "transformer": Export(
        Transformer,
        (unsized(None, None, dtype=ms.int32),),
        (((1, 1),), ((3, 90),)),
        np.int32,
    ),
    "sizes as numbers": Export(Sizes3, (unsized(None, None, 4),), (((1, 2, 4),), ((5, 3, 4),))),
    "constants of sizes": Export(
        Encoding, (unsized(None, None, 4),), (((1, 2, 4),), ((3, 77, 4),))
    ),
    "branches": Export(Branching, (unsized(None, 4),), (((1, 4),), ((6, 4),))),
    "two inputs": Export(
        Product, (unsized(None, None), unsized(None, None)), (((2, 3), (2, 3)), ((5, 1), (5, 1)))
    ),
}


def flat(result: Any) -> list[np.ndarray]:
    parts = result if isinstance(result, (tuple, list)) else [result]
    return [part.asnumpy() for part in parts]


@pytest.mark.parametrize("name", EXPORTS)
def test_the_file_is_the_network_at_every_size(tmp_path: Path, name: str) -> None:
    row = EXPORTS[name]
    net, path = row.make(), str(tmp_path / "net.onnx")
    ms.export(net, *row.given, file_name=path, file_format="ONNX")
    model = onnx.load(path)
    onnx.checker.check_model(onnx.shape_inference.infer_shapes(model, strict_mode=True), True)
    session = ort.InferenceSession(path)
    for shapes in row.shapes:
        arrays = [numbers(*shape, dtype=row.dtype) for shape in shapes]
        names = [value.name for value in session.get_inputs()]
        got = session.run(None, dict(zip(names, arrays, strict=True)))
        expected = flat(net(*map(ms.Tensor, arrays)))
        for a, b in zip(expected, got, strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["lenet", "resnet", "lstm", "transformer"])
def test_the_converter_reads_it_back(tmp_path: Path, name: str) -> None:
    """The script that it writes is run, and compared with the file, by the conversion itself."""
    row = EXPORTS[name]
    path = tmp_path / "net.onnx"
    ms.export(row.make(), *row.given, file_name=str(path), file_format="ONNX")
    options = Conversion(path, shapes=row.shapes[1], output=tmp_path / "out")
    report = convert(options)
    assert report.verification is not None
    assert report.verification.passed


def loaded(path: Path) -> onnx.ModelProto:
    return onnx.load(str(path))


def test_names_are_the_users(tmp_path: Path) -> None:
    net = LeNet()
    ms.export(net, ms.Tensor(numbers(1, 1, 32, 32)), file_name=str(tmp_path / "a"),
              file_format="ONNX", dynamic_axes={"x": {0: "batch"}})  # fmt: skip
    graph = loaded(tmp_path / "a.onnx").graph
    held = {w.name for w in graph.initializer}
    assert {p.name for p in net.get_parameters()} <= held
    shapes = [
        (v.name, [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim])
        for v in (*graph.input, *graph.output)
    ]
    assert shapes == [("x", ["batch", 1, 32, 32]), ("output", ["batch", 10])]
    assert all(node.name for node in graph.node)


def test_the_module_onnx_names_and_leaves_out_weights(tmp_path: Path) -> None:
    net = nn.Dense(3, 2)
    x = ms.Tensor(numbers(4, 3))
    path = tmp_path / "b.onnx"
    ms.onnx.export(net, x, file_name=str(path), input_names=["data"], output_names=["score"],
                   export_params=False, dynamic_axes={"data": {0: "n"}})  # fmt: skip
    graph = loaded(path).graph
    assert [v.name for v in graph.input] == ["data", "weight", "bias"]
    assert [v.name for v in graph.output] == ["score"]
    got = ort.InferenceSession(str(path)).run(
        None,
        {"data": numbers(6, 3), "weight": net.weight.asnumpy(), "bias": net.bias.asnumpy()},
    )
    np.testing.assert_allclose(got[0], net(ms.Tensor(numbers(6, 3))).asnumpy(), rtol=1e-5)
    ms.onnx.export(net, x, file_name=str(path), keep_initializers_as_inputs=True)
    graph = loaded(path).graph
    assert {v.name for v in graph.input} == {"x", "weight", "bias"}
    assert {w.name for w in graph.initializer} >= {"weight", "bias"}


def test_large_weights_stand_beside_the_model(tmp_path: Path) -> None:
    net, path = LeNet(), tmp_path / "c.onnx"
    x = numbers(2, 1, 32, 32)
    write_model(str(path), net, (ms.Tensor(x),), Options(), limit=1000)
    assert (tmp_path / "c.onnx.data").stat().st_size > 30_000
    assert path.stat().st_size < 10_000
    onnx.checker.check_model(str(path), full_check=True)
    got = ort.InferenceSession(str(path)).run(None, {"x": x})[0]
    np.testing.assert_allclose(got, net(ms.Tensor(x)).asnumpy(), rtol=1e-4, atol=1e-6)


def test_training_mode_is_off_in_the_file_and_as_it_was_afterwards(tmp_path: Path) -> None:
    net = nn.SequentialCell(nn.Dense(3, 3), nn.Dropout(p=0.5), nn.BatchNorm1d(3))
    net.set_train()
    net[2].set_train(False)
    ms.export(net, unsized(None, 3), file_name=str(tmp_path / "d"), file_format="ONNX")
    assert [cell.training for _, cell in net.cells_and_names()] == [True, True, True, False]
    kinds = {node.op_type for node in loaded(tmp_path / "d.onnx").graph.node}
    assert "Dropout" not in kinds


@pytest.mark.parametrize("kind", [ms.float16, ms.bfloat16])
def test_narrow_parameters(tmp_path: Path, kind: Any) -> None:
    net = nn.Dense(3, 2, dtype=kind)
    ms.export(net, ms.Tensor(numbers(2, 3)).astype(kind), file_name=str(tmp_path / "e"),
              file_format="ONNX")  # fmt: skip
    onnx.checker.check_model(loaded(tmp_path / "e.onnx"), full_check=True)


def test_inputs_in_tuples_numbers_and_set_inputs(tmp_path: Path) -> None:
    class Sum(nn.Cell):
        def construct(self, xs: Any, k: int = 1) -> Any:
            return xs[0] * k + xs[1]

    x = ms.Tensor(numbers(2, 3))
    ms.export(Sum(), (x, x), 3, file_name=str(tmp_path / "f"), file_format="ONNX")
    session = ort.InferenceSession(str(tmp_path / "f.onnx"))
    got = session.run(None, {"xs_0": numbers(2, 3), "xs_1": numbers(2, 3)})[0]
    np.testing.assert_allclose(got, 4 * numbers(2, 3), rtol=1e-6)
    net = nn.ReLU()
    net.set_inputs(unsized(None, 3))
    ms.export(net, file_name=str(tmp_path / "g"), file_format="ONNX")
    given = loaded(tmp_path / "g.onnx").graph.input[0].type.tensor_type.shape
    assert [d.dim_value for d in given.dim] == [0, 3]


class Looping(nn.Cell):
    def construct(self, x: Any) -> Any:
        for _ in range(x.shape[0]):
            x = x + 1
        return x


class Pooling(nn.Cell):
    def construct(self, x: Any) -> Any:
        return ops.avg_pool2d(x, x.shape[2:])


class Drawn(nn.Cell):
    """A constant that NumPy makes of a size, in no way that is known."""

    def construct(self, x: Any) -> Any:
        return x + ms.Tensor(numbers(x.shape[1]))


class Counting(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.count = ms.Parameter(ms.Tensor(0.0), name="count")

    def construct(self, x: Any) -> Any:
        ops.assign_add(self.count, ms.Tensor(1.0))
        return x + self.count


class Random(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x + ops.randn(3)


class Deciding(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x if x.sum() > 0 else -x


OPEN = unsized(None, None, None, None)
WHOLE = ms.Tensor(numbers(2, 3))


@pytest.mark.parametrize(
    ("net", "given", "options", "kind", "said"),
    [
        (Looping(), OPEN, {}, RuntimeError, "MS308 the graph: the number of operators depends"),
        (Pooling(), OPEN, {}, RuntimeError, "MS308 AveragePool: an attribute depends on a size"),
        (Drawn(), unsized(None, None), {}, RuntimeError, "MS308 Add: input 1 is a constant"),
        (LeNet(), OPEN, {}, RuntimeError, "MS308 LeNet: it does not run at other sizes"),
        (Counting(), WHOLE, {}, RuntimeError, "MS308 Counting: it changes a parameter"),
        (Random(), WHOLE, {}, RuntimeError, "MS308 Random: it draws random numbers"),
        (Deciding(), WHOLE, {}, RuntimeError, "MS306"),
        (LeNet(), WHOLE, {"file_format": "MINDIR"}, NotImplementedError, "MS301 export: MINDIR"),
        (LeNet(), WHOLE, {"file_format": "AIR"}, NotImplementedError, "MS301 export: AIR"),
        (LeNet(), WHOLE, {"file_format": "TFLITE"}, ValueError, "file_format"),
        (LeNet(), WHOLE, {"enc_key": b"0" * 16}, NotImplementedError, "MS301 export: enc_key"),
        (nn.ReLU(), WHOLE, {"dynamic_axes": {"y": {0: "n"}}}, ValueError, "names no input"),
        (nn.ReLU(), WHOLE, {"dynamic_axes": {"x": {5: "n"}}}, ValueError, "no such axis"),
        (nn.ReLU(), WHOLE, {"input_names": ["a", "b"]}, ValueError, "input_names"),
        (nn.ReLU(), WHOLE, {"output_names": "ab"}, TypeError, "output_names"),
        (nn.ReLU(), WHOLE, {"output_names": ["a", "b"]}, ValueError, "output_names"),
        (len, WHOLE, {}, ValueError, "only a Cell"),
    ],
)
def test_what_is_refused_leaves_no_file(
    tmp_path: Path,
    net: Any,
    given: ms.Tensor,
    options: dict[str, Any],
    kind: type[Exception],
    said: str,
) -> None:
    chosen = {"file_format": "ONNX"} | options
    with pytest.raises(kind, match=said) as caught:
        ms.export(net, given, file_name=str(tmp_path / "x"), **chosen)
    assert list(tmp_path.iterdir()) == []
    assert isinstance(caught.value, (MsconvertError, TypeError))


def test_a_batch_of_one_that_is_special_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Squeezing(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x.squeeze()

    with caplog.at_level(logging.WARNING):
        ms.export(Squeezing(), unsized(None, 3), file_name=str(tmp_path / "x"), file_format="ONNX")
    assert "for batches of 2 and more" in caplog.text
