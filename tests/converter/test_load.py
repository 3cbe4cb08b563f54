"""Loading: every way in which an ONNX file can hold a graph and its weights."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import psutil
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.converter.graph.graph import ValueType, subgraphs
from msconvert.converter.source.load import load
from msconvert.converter.source.wire import BIG
from msconvert.tests.converter.small_models import external, floats, model, relu, run, saved


def test_a_graph_is_read(tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("LeakyRelu", ["x"], ["y"], name="act", alpha=0.1)],
        {"x": ("batch", 3, None)},
        ["y"],
    )
    proto.producer_name, proto.producer_version = "pytorch", "2.13.0"
    proto.graph.node[0].metadata_props.add(key="namespace", value="net/act")
    graph = load(saved(proto, tmp_path))
    (node,) = graph.nodes
    assert (graph.inputs, graph.outputs, graph.opsets) == (["x"], ["y"], {"": 17})
    assert graph.producer == "pytorch 2.13.0"
    assert (node.op, node.version, node.attrs) == ("LeakyRelu", 16, {"alpha": 0.1})
    assert (node.metadata, node.origin) == ({"namespace": "net/act"}, ("act",))
    assert graph.types["x"] == ValueType(np.dtype(np.float32), ("batch", 3, None))


@pytest.mark.parametrize(("opset", "version"), [(7, 6), (13, 13), (14, 14), (26, 14)])
def test_the_version_is_that_of_the_schema(opset: int, version: int, tmp_path: Path) -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], {"x": (1,)}, ["y"], opset=opset)
    assert load(saved(proto, tmp_path)).nodes[0].version == version


@pytest.mark.parametrize("size", [3, BIG])
@pytest.mark.parametrize(
    "dtype",
    [
        *("float32", "float64", "float16", "int8", "uint16", "int64", "bool", "complex64"),
        *("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4", "float4_e2m1fn"),
    ],
)
def test_element_types(dtype: str, size: int, tmp_path: Path) -> None:
    array = (np.arange(size) % 7).astype(getattr(ml_dtypes, dtype, None) or np.dtype(dtype))
    proto = relu()
    proto.graph.initializer.append(numpy_helper.from_array(array, "raw"))
    typed = helper.make_tensor(
        "typed", helper.np_dtype_to_tensor_dtype(array.dtype), array.shape, array
    )
    proto.graph.initializer.append(typed)
    constants = load(saved(proto, tmp_path)).constants
    for name in ("raw", "typed"):
        assert constants[name].dtype == array.dtype
        np.testing.assert_array_equal(constants[name], array)


def test_strings_are_kept_even_if_not_utf8(tmp_path: Path) -> None:
    proto = relu()
    proto.graph.initializer.add(
        name="s", data_type=TensorProto.STRING, dims=[2], string_data=[b"a\n'\"", b"\xff"]
    )
    graph = load(saved(proto, tmp_path))
    assert graph.constants["s"].tolist() == ["a\n'\"", "\udcff"]


def test_big_weights_are_views_of_the_file(tmp_path: Path) -> None:
    weight = np.arange(4 * BIG, dtype=np.float32)
    node = helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(weight))
    proto = model(
        [node, helper.make_node("Sum", ["x", "c", "w", "typed"], ["y"])],
        {"x": (1,)},
        ["y"],
        {"w": weight},
    )
    proto.graph.initializer.append(
        helper.make_tensor("typed", TensorProto.FLOAT, weight.shape, weight)
    )
    graph = load(saved(proto, tmp_path))
    for name in ("c", "w", "typed"):
        assert not graph.constants[name].flags.owndata
        assert not graph.constants[name].flags.writeable
        np.testing.assert_array_equal(graph.constants[name], weight)


CONSTANTS = (
    ({"value_float": 0.5}, np.float32(0.5)),
    ({"value_floats": [0.5, 2.0]}, np.array([0.5, 2.0], np.float32)),
    ({"value_int": 7}, np.int64(7)),
    ({"value_ints": [7, 8]}, np.array([7, 8])),
    ({"value_string": "a"}, np.array("a", object)),
    ({"value_strings": ["a", "b"]}, np.array(["a", "b"], object)),
    ({"value": numpy_helper.from_array(np.float16([1, 2]))}, np.float16([1, 2])),
)


@pytest.mark.parametrize(("attrs", "value"), CONSTANTS, ids=lambda row: str(row)[:20])
def test_constant_nodes(attrs: dict[str, object], value: np.ndarray, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Constant", [], ["c"], **attrs),
        helper.make_node("Relu", ["x"], ["y"]),
    ]
    graph = load(saved(model(nodes, {"x": (1,)}, ["y"]), tmp_path))
    assert [node.op for node in graph.nodes] == ["Relu"]
    assert graph.constants["c"].dtype == value.dtype
    np.testing.assert_array_equal(graph.constants["c"], value)


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]], ids=["flat", "per axis"])
def test_sparse_weights_become_dense(indices: list[object], tmp_path: Path) -> None:
    values = numpy_helper.from_array(np.float32([3, 4]), "w")
    sparse = helper.make_sparse_tensor(
        values, numpy_helper.from_array(np.array(indices), "i"), (2, 3)
    )
    node = helper.make_node("Constant", [], ["c"], sparse_value=sparse)
    proto = model([node, helper.make_node("Relu", ["x"], ["y"])], {"x": (1,)}, ["y"])
    proto.graph.sparse_initializer.append(sparse)
    graph = load(saved(proto, tmp_path))
    for name in ("c", "w"):
        np.testing.assert_array_equal(graph.constants[name], [[0, 3, 0], [0, 0, 4]])


def test_initialisers_that_are_inputs_are_constants(tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        {"w": (3,), "x": (3,)},
        ["y"],
        {"w": np.ones(3, np.float32)},
    )
    proto.ir_version = 3
    graph = load(saved(proto, tmp_path))
    assert graph.inputs == ["x"]
    assert list(graph.constants) == ["w"]


def test_external_data(tmp_path: Path) -> None:
    data = np.arange(100, dtype=np.float32)
    (tmp_path / "sub").mkdir()
    data.tofile(tmp_path / "sub" / "weights.bin")
    proto = relu()
    proto.graph.initializer.extend(
        [
            external("all", (100,), "sub/weights.bin"),
            external("part", (2, 3), "sub/weights.bin", offset=40, length=24),
        ]
    )
    constants = load(saved(proto, tmp_path)).constants
    np.testing.assert_array_equal(constants["all"], data)
    np.testing.assert_array_equal(constants["part"], data[10:16].reshape(2, 3))


def test_a_model_in_the_folder_itself_finds_its_data(tmp_path: Path, monkeypatch) -> None:
    np.ones(4, np.float32).tofile(tmp_path / "w")
    proto = relu()
    proto.graph.initializer.append(external("w", (4,), "w"))
    saved(proto, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert load(Path("model.onnx")).constants["w"].tolist() == [1, 1, 1, 1]


@pytest.mark.skipif(sys.platform == "win32", reason="files have no holes there by default")
def test_more_than_two_gigabytes_take_no_memory(tmp_path: Path) -> None:
    size = 3 << 30
    with (tmp_path / "big").open("wb") as file:
        file.truncate(size)
        file.seek(size - 4)
        file.write(np.float32(5).tobytes())
    proto = model([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": (1, 3 << 14)}, ["y"])
    proto.graph.initializer.append(external("w", (3 << 14, 1 << 14), "big"))
    path = saved(proto, tmp_path)
    before = psutil.Process(os.getpid()).memory_info().rss
    weight = load(path).constants["w"]
    assert weight[-1, -1] == 5
    assert psutil.Process(os.getpid()).memory_info().rss - before < 50 << 20


def test_one_file_of_more_than_two_gigabytes(tmp_path: Path) -> None:
    """onnx.load refuses it; it is written here field by field, its weight a hole in the file."""
    proto = relu()
    head = proto.graph.SerializeToString()
    size = (2 << 30) + 4096
    tensor = TensorProto(name="w", data_type=TensorProto.UINT8, dims=[size]).SerializeToString()
    tensor += _tag(9, size)
    initialiser = _tag(5, len(tensor) + size) + tensor
    graph = _tag(7, len(head) + len(initialiser) + size) + head + initialiser
    proto.ClearField("graph")
    path = tmp_path / "big.onnx"
    with path.open("wb") as file:
        file.write(proto.SerializeToString() + graph)
        file.truncate(file.tell() + size)
    loaded = load(path)
    assert loaded.constants["w"].shape == (size,)
    assert loaded.nodes[0].op == "Relu"


def _tag(number: int, length: int) -> bytes:
    out, value = bytearray([number << 3 | 2]), length
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def test_nodes_are_put_in_order_and_ordered_ones_stay(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Relu", ["b"], ["y"], name="third"),
        helper.make_node("Relu", ["x"], ["z"], name="free"),
        helper.make_node("Relu", ["a"], ["b"], name="second"),
        helper.make_node("Relu", ["x"], ["a"], name="first"),
    ]
    proto = model(nodes, {"x": (1,)}, ["y", "z"])
    names = [node.name for node in load(saved(proto, tmp_path)).nodes]
    assert names == ["free", "first", "second", "third"]
    kept = model(nodes[::-1], {"x": (1,)}, ["y", "z"])
    assert [node.name for node in load(saved(kept, tmp_path)).nodes] == [
        "first",
        "second",
        "free",
        "third",
    ]


def test_local_functions_are_inlined(tmp_path: Path) -> None:
    body = [helper.make_node("Mul", ["a", "a"], ["b"]), helper.make_node("Relu", ["b"], ["c"])]
    function = helper.make_function(
        "mine", "Square", ["a"], ["c"], body, [helper.make_opsetid("", 17)]
    )
    nodes = [
        helper.make_node("Square", ["x"], ["h"], domain="mine", name="one"),
        helper.make_node("Square", ["h"], ["y"], domain="mine", name="two"),
    ]
    proto = model(nodes, {"x": (3,)}, ["y"])
    proto.opset_import.append(helper.make_opsetid("mine", 1))
    proto.functions.append(function)
    graph = load(saved(proto, tmp_path))
    assert [node.op for node in graph.nodes] == ["Mul", "Relu", "Mul", "Relu"]
    x = np.float32([1, -2, 3])
    np.testing.assert_array_equal(run(graph, {"x": x})[0], x**4)


def test_subgraphs_are_graphs(tmp_path: Path) -> None:
    branches = {
        key: helper.make_graph(
            [
                helper.make_node("Constant", [], ["k"], value_float=value),
                helper.make_node("Mul", ["x", "k"], ["r"]),
            ],
            key,
            [],
            [floats("r", None)],
        )
        for key, value in (("then_branch", 2.0), ("else_branch", 3.0))
    }
    proto = model([helper.make_node("If", ["c"], ["y"], **branches)], {"x": (2,)}, ["y"])
    proto.graph.input.append(floats("c", (), TensorProto.BOOL))
    graph = load(saved(proto, tmp_path))
    held = {inner.name: inner.constants["k"] for inner in subgraphs(graph.nodes[0])}
    assert held == {"then_branch": 2.0, "else_branch": 3.0}
    x = np.float32([1, 2])
    np.testing.assert_array_equal(run(graph, {"x": x, "c": np.array(False)})[0], 3 * x)


def test_sequences_and_optionals_keep_their_types(tmp_path: Path) -> None:
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, ["n"])
    kind = helper.make_optional_type_proto(helper.make_sequence_type_proto(tensor))
    proto = relu()
    proto.graph.input.append(helper.make_value_info("s", kind))
    known = load(saved(proto, tmp_path)).types["s"]
    assert known == ValueType(np.dtype(np.float32), ("n",), ("optional", "sequence"))


HOSTILE = ("'); import os #", 'a"b', "a\nb\r\x00\x1b[2J", "class", "ünïcode 模型", "x" * 1_000_000)


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: repr(name[:12]))
def test_hostile_names_survive_as_data(name: str, tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("Add", [name, f"{name} w"], [f"{name} y"], name=name)],
        {name: (2,)},
        [f"{name} y"],
        {f"{name} w": np.ones(2, np.float32)},
    )
    graph = load(saved(proto, tmp_path))
    assert (graph.nodes[0].name, graph.inputs) == (name, [name])
    assert list(graph.constants) == [f"{name} w"]


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("Relu", ["in!"], ["out!"], name="n!")], {"in!": ("d!",)}, ["out!"]
    )
    path = saved(proto, tmp_path)
    path.write_bytes(path.read_bytes().replace(b"!", b"\xff"))
    graph = load(path)
    assert (graph.inputs, graph.nodes[0].name) == (["in\\xff"], "n\\xff")
    assert graph.types["in\\xff"].shape == ("d\\xff",)
    assert run(graph, {"in\\xff": np.float32([-1])})[0] == 0


def test_a_domain_that_nobody_knows_is_left_to_the_handlers(tmp_path: Path) -> None:
    proto = model([helper.make_node("Gelu", ["x"], ["y"], domain="acme")], {"x": (2,)}, ["y"])
    proto.opset_import.append(helper.make_opsetid("acme", 3))
    (node,) = load(saved(proto, tmp_path)).nodes
    assert (node.domain, node.version) == ("acme", 3)


def test_huge_shapes_without_data_take_no_memory(tmp_path: Path) -> None:
    shape = np.array([1 << 20, 1 << 20])
    proto = model(
        [helper.make_node("ConstantOfShape", ["s"], ["h"]), helper.make_node("Add", "xh", "y")],
        {"x": (1,)},
        ["y"],
        {"s": shape},
    )
    assert load(saved(proto, tmp_path)).nodes[0].op == "ConstantOfShape"


def test_loading_does_not_change_the_file(tmp_path: Path) -> None:
    path = saved(relu(), tmp_path)
    before = path.read_bytes()
    load(path)
    assert path.read_bytes() == before
    assert onnx.load(path).graph.node[0].name == "act"
