"""Weights of ONNX files against the onnx library: every element type and form; hostile files."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.errors import MsconvertError
from msconvert.formats import read_weights

TYPES = {
    kind: getattr(TensorProto, kind)
    for kind in (
        "FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 BOOL FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64"
        " COMPLEX128 BFLOAT16 FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ"
    ).split()
}


def array_of(data_type: int) -> np.ndarray:
    """Small values of an element type, negative ones and fractions where it has such."""
    dtype = helper.tensor_dtype_to_np_dtype(data_type)
    values = np.array([[0, 1, 2], [3, 1.5, 100]])
    if dtype.kind == "i":
        values[0] = -values[1]
    if dtype.kind == "c":
        values = values * (1 - 2j)
    return (values > 1 if dtype.kind == "b" else values).astype(dtype)


def model(path: Path, *tensors: TensorProto, nodes: tuple = ()) -> Path:
    """A file with these initialisers."""
    graph = helper.make_graph(nodes, "g", [], [], tensors)
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
@pytest.mark.parametrize("kind", TYPES)
def test_every_element_type(tmp_path: Path, kind: str, raw: bool) -> None:
    array = array_of(TYPES[kind])
    if raw:
        tensor = numpy_helper.from_array(array, "w")
    else:
        tensor = helper.make_tensor("w", TYPES[kind], array.shape, array.reshape(-1))
        assert not tensor.HasField("raw_data")
    found = read_weights(model(tmp_path / "x.onnx", tensor)).tensors()["w"]
    assert (found.shape, found.dtype) == (array.shape, array.dtype)
    assert found.array().tobytes() == numpy_helper.to_array(tensor).tobytes()
    assert not found.array().flags.writeable
    blocks = [block.copy() for block in found.blocks(4)]
    assert np.concatenate(blocks).tobytes() == array.tobytes()


@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
@pytest.mark.parametrize("kind", ["INT4", "UINT4"])
def test_two_elements_in_a_byte(tmp_path: Path, kind: str, raw: bool) -> None:
    low = -8 if kind == "INT4" else 0
    values = list(range(low, low + 15))
    tensor = helper.make_tensor("w", getattr(TensorProto, kind), (5, 3), values)
    if raw:
        packed = bytes(number & 0xFF for number in tensor.int32_data)
        tensor = helper.make_tensor("w", tensor.data_type, (5, 3), packed, raw=True)
    found = read_weights(model(tmp_path / "x.onnx", tensor)).tensors()["w"]
    assert (found.type_name, found.shape) == (kind.lower(), (5, 3))
    theirs = numpy_helper.to_array(tensor).astype("i1")
    np.testing.assert_array_equal(found.array(), theirs)
    assert found.array().reshape(-1).tolist() == values


def test_constants_and_what_is_left(tmp_path: Path) -> None:
    value = numpy_helper.from_array(np.float32([1, 2]), "inner")
    branch = helper.make_graph([], "then", [], [], [value])
    nodes = (
        helper.make_node("Constant", [], ["c"], value=value),
        helper.make_node("If", ["c"], ["y"], "choice", then_branch=branch, else_branch=branch),
    )
    found = read_weights(model(tmp_path / "x.onnx", nodes=nodes))
    assert {name: tensor.array().tolist() for name, tensor in found.tensors().items()} == {
        "c": [1, 2]
    }
    assert found.others == ["the graphs in If 'choice'"]


def external(folder: Path, location: str, **changes: str) -> Path:
    """A model whose weight lies in another file."""
    tensor = numpy_helper.from_array(np.arange(6, dtype="f4"), "w")
    facts = {"location": location, "offset": "4", "length": "24"} | changes
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in facts.items():
        tensor.external_data.add(key=key, value=value)
    good = numpy_helper.from_array(np.ones(2, "f4"), "good")
    return model(folder / "x.onnx", tensor, good)


def test_external_data_is_mapped(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(4) + np.arange(6, dtype="f4").tobytes())
    found = read_weights(external(tmp_path, "data.bin")).tensors()["w"]
    np.testing.assert_array_equal(found.array(), np.arange(6))
    assert onnx.load(tmp_path / "x.onnx").graph.initializer[0].raw_data == found.array().tobytes()


OUTSIDE = {
    "upwards": ({"location": "../../etc/passwd"}, "outside the model's folder"),
    "absolute": ({"location": "/etc/passwd"}, "outside the model's folder"),
    "of Windows": ({"location": r"C:\secret"}, "outside the model's folder"),
    "within and out": ({"location": "a/../../x"}, "outside the model's folder"),
    "a link": ({"location": "link"}, "outside the model's folder"),
    "none": ({"location": ""}, "outside the model's folder"),
    "a folder": ({"location": "."}, "missing"),
    "missing": ({"location": "no.bin"}, "missing"),
    "a pipe": ({"location": "pipe"}, "missing"),
    "NUL": ({"location": "a\0b"}, "missing"),
    "too short": ({"offset": "5"}, "shorter than declared"),
    "huge": ({"offset": "9" * 19}, "shorter than declared"),
    "negative": ({"offset": "-4"}, "not a number of bytes"),
    "no number": ({"length": "0x18"}, "not a number of bytes"),
    "another length": ({"length": "20"}, "does not have the size"),
}


@pytest.mark.parametrize("kind", OUTSIDE)
def test_external_data_that_is_refused(tmp_path: Path, kind: str) -> None:
    changes, problem = OUTSIDE[kind]
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_bytes(bytes(99))
    (tmp_path / "in" / "data.bin").write_bytes(bytes(28))
    (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "in" / "pipe")
    path = external(tmp_path / "in", **({"location": "data.bin"} | changes))
    with pytest.raises(MsconvertError, match=problem):
        read_weights(path)
    found = read_weights(path, comparing=True)
    assert list(found) == ["good"]
    assert list(found.unreadable) == ["w"]
    assert found.unreadable["w"].code in ("MS102", "MS103")


def tensor_bytes(**changes: object) -> bytes:
    """A model with one tensor of two floats, or one that is wrong."""
    tensor = numpy_helper.from_array(np.ones(2, "f4"), "w")
    for name, value in changes.items():
        if isinstance(value, list):
            del getattr(tensor, name)[:]
            getattr(tensor, name).extend(value)
        else:
            setattr(tensor, name, value)
    graph = helper.make_graph([], "g", [], [], [tensor])
    return helper.make_model(graph).SerializeToString()


def twice() -> bytes:
    tensor = numpy_helper.from_array(np.ones(2, "f4"), "w")
    graph = helper.make_graph([], "g", [], [], [tensor, tensor])
    return helper.make_model(graph).SerializeToString()


GOOD = tensor_bytes()
NOTHING = helper.make_model(helper.make_graph([], "g", [], [])).SerializeToString()
DAMAGED = {
    "800 MB in 30 bytes": (tensor_bytes(dims=[200_000_000], raw_data=b""), "does not have the"),
    "fewer bytes": (tensor_bytes(raw_data=bytes(7)), "7 bytes"),
    "more bytes": (tensor_bytes(raw_data=bytes(9)), "9 bytes"),
    "a negative size": (tensor_bytes(dims=[-2]), "impossible"),
    "a huge size": (tensor_bytes(dims=[1 << 62, 1 << 62]), "impossible"),
    "40 axes": (tensor_bytes(dims=[1] * 40), "impossible"),
    "an unknown type": (tensor_bytes(data_type=99), "data_type 99"),
    "texts": (tensor_bytes(data_type=TensorProto.STRING), "data_type 8"),
    "no name": (tensor_bytes(name=""), "no name"),
    "too few numbers": (
        tensor_bytes(data_type=TensorProto.INT32, raw_data=b"", dims=[9]),
        "does not have the size",
    ),
    "twice": (twice(), "stored twice"),
    "no weights": (NOTHING, "no weights"),
    "no graph": (b"\x08\x08", "not an ONNX model"),
    "two graphs": (GOOD + GOOD, "several"),
    "cut": (GOOD[:-20], "cut off"),
    "text": (b"ir_version: 8", "damaged or cut off"),
    "random": (bytes(range(1, 200)), "damaged or cut off"),
    "a field of 2**60 bytes": (b"\x3a" + b"\xff" * 8 + b"\x0f", "cut off"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_told_in_little_memory(tmp_path: Path, kind: str) -> None:
    data, problem = DAMAGED[kind]
    (tmp_path / "x.onnx").write_bytes(data)
    tracemalloc.start()
    with pytest.raises(MsconvertError, match=f"MS102 .*x.onnx(.|\n)*{problem}(.|\n)*try: "):
        read_weights(tmp_path / "x.onnx")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize("numbers", [[1, 300], [1, -129], [1 << 31, 0]])
def test_numbers_beyond_their_type_are_refused_when_loaded(
    tmp_path: Path, numbers: list[int]
) -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.INT8, dims=[2])
    tensor.int32_data.extend(number - (1 << 32 if number >= 1 << 31 else 0) for number in numbers)
    found = read_weights(model(tmp_path / "x.onnx", tensor)).tensors()["w"]
    with pytest.raises(MsconvertError, match=r"MS102 .*the elements of 'w' are damaged"):
        found.array()


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("pipe", "'pipe' is a pipe or a device"),
        ("sub/pipe", "'sub/pipe' is a pipe or a device"),
        ("sub", "'sub' is a folder"),
        ("sub/", "'sub/' is a folder"),
        ("to sub", "'to sub' is a folder"),
        ("none", "no file 'none' beside the model"),
        ("to none", "no file 'to none' beside the model"),
        ("n" * 300, "beside the model"),
    ],
)
def test_what_is_there_instead_of_external_data_is_told(
    location: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "sub" / "pipe")
    (tmp_path / "to sub").symlink_to("sub")
    (tmp_path / "to none").symlink_to("nothing")
    with pytest.raises(MsconvertError) as caught:
        read_weights(external(tmp_path, location=location))
    assert caught.value.code == "MS103"
    assert told in caught.value.got
