"""Bad files: each one gets one clear message, and never a traceback of a library."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from msconvert.converter.source.load import load
from msconvert.errors import MsconvertError
from msconvert.tests.converter.small_models import external, floats, model, relu, saved
from msconvert.tests.privileges import without_privileges

Make = Callable[[Path], Path]


def refusal(path: Path) -> MsconvertError:
    with pytest.raises(MsconvertError) as caught:
        load(path)
    error = caught.value
    assert str(path)[:90] in error.where
    assert error.got or error.expected or error.advice
    return error


def _bytes(data: bytes) -> Make:
    def make(folder: Path) -> Path:
        (folder / "m.onnx").write_bytes(data)
        return folder / "m.onnx"

    return make


def _zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "m.onnx", "w") as archive:
        archive.writestr("data.pkl", b"")
    return folder / "m.onnx"


def _missing(folder: Path) -> Path:
    return folder / "nothing.onnx"


def _long_name(folder: Path) -> Path:
    return folder / ("x" * 5000)


NOT_ONNX = {
    "missing": (_missing, "no such file"),
    "name too long": (_long_name, "cannot be read"),
    "folder": (lambda folder: folder, "it is a folder"),
    "empty": (_bytes(b""), "the file is empty"),
    "png": (_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40)), "a PNG image"),
    "zip": (_zip, "a PyTorch checkpoint"),
    "pickle": (_bytes(b"\x80\x02}q\x00."), "a pickle"),
    "gzip": (_bytes(gzip.compress(b"model")), "unpack it first"),
    "git lfs": (_bytes(b"version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"),
    "text": (_bytes(b"hello, I am no model\n" * 9), "text"),
    "web page": (_bytes(b"<!DOCTYPE html><html></html>"), "a web page"),
    "json": (_bytes(json.dumps({"a": 1}).encode()), "JSON text"),
    "onnx as text": (_bytes(b'ir_version: 8\nproducer_name: "x"\n'), "onnx.save"),
    "safetensors": (_bytes((30).to_bytes(8, "little") + b'{"w":{}}' + bytes(30)), "safetensors"),
    "tflite": (_bytes(b"\x1c\0\0\0TFL3" + bytes(40)), "TensorFlow Lite"),
    "zeros": (_bytes(bytes(1000)), "not an ONNX model"),
    "random": (_bytes(random.Random(3).randbytes(5000)), "not an ONNX model"),
    "one byte": (_bytes(b"\x08"), "damaged or cut off"),
}


@pytest.mark.parametrize("case", NOT_ONNX)
def test_what_is_no_model(case: str, tmp_path: Path) -> None:
    make, said = NOT_ONNX[case]
    error = refusal(make(tmp_path))
    assert error.code == "MS102"
    assert said in error.text()


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes with a name")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal(tmp_path / "pipe").text()


def test_a_file_without_permission(tmp_path: Path) -> None:
    path = saved(relu(), tmp_path)
    path.chmod(0)
    with without_privileges():
        assert "cannot be read" in refusal(path).text()


def test_a_file_cut_off_anywhere(tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("Add", ["x", "w"], ["y"], name="add")],
        {"x": (900,)},
        ["y"],
        {"w": np.ones(900, np.float32), "v": np.ones(3, np.float32)},
    )
    whole = proto.SerializeToString()
    path = tmp_path / "cut.onnx"
    for end in (*range(1, 150), *range(150, len(whole), 97), len(whole) - 1):
        path.write_bytes(whole[:end])
        assert refusal(path).code == "MS102"
    path.write_bytes(whole[: len(whole) // 2])
    error = refusal(path)
    assert "cut off" in error.problem
    assert error.got == f"{len(whole) // 2} bytes"


def test_damaged_bytes_give_a_model_or_a_refusal(tmp_path: Path) -> None:
    whole = bytearray(relu().SerializeToString())
    path = tmp_path / "m.onnx"
    for index in range(len(whole)):
        for value in (0, 0x7F, 0xFF, whole[index] ^ 1):
            path.write_bytes(whole[:index] + bytes([value]) + whole[index + 1 :])
            with contextlib.suppress(MsconvertError):
                load(path)


def _with_external(folder: Path, location: str, **facts: int | str) -> Path:
    proto = relu()
    proto.graph.initializer.append(external("w", (4,), location, **facts))
    return saved(proto, folder)


def test_external_data_is_missing(tmp_path: Path) -> None:
    error = refusal(_with_external(tmp_path, "weights.bin"))
    assert error.code == "MS103"
    assert "'weights.bin'" in error.got


@pytest.mark.parametrize("location", ["../w.bin", "{folder}/w.bin", "sub/../../w.bin", "", "."])
def test_external_data_outside_the_folder(location: str, tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    (folder / "sub").mkdir(parents=True)
    np.ones(4, np.float32).tofile(tmp_path / "w.bin")
    error = refusal(_with_external(folder, location.format(folder=tmp_path)))
    assert error.code == "MS103"


@pytest.mark.parametrize("location", ["C:\\w.bin", "\\\\host\\w.bin", "..\\w.bin"])
def test_external_data_outside_as_windows_says_it(location: str, tmp_path: Path) -> None:
    assert "outside" in refusal(_with_external(tmp_path, location)).problem


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_external_data_behind_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    np.ones(4, np.float32).tofile(tmp_path / "w.bin")
    (folder / "w.bin").symlink_to(tmp_path / "w.bin")
    assert "outside" in refusal(_with_external(folder, "w.bin")).problem


def test_external_data_that_is_a_hard_link(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    np.ones(3, np.float32).tofile(tmp_path / "w.bin")
    (folder / "w.bin").hardlink_to(tmp_path / "w.bin")
    assert "is a hard link" in refusal(_with_external(folder, "w.bin")).problem


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "shorter than declared"),
        ({"offset": 8, "length": 16}, "shorter than declared"),
        ({"offset": 1 << 62}, "shorter than declared"),
        ({"offset": -4}, "not a number of bytes"),
        ({"length": "many"}, "not a number of bytes"),
        ({"length": 8}, "does not hold what its shape says"),
    ],
    ids=str,
)
def test_external_data_too_short(facts: dict[str, int | str], said: str, tmp_path: Path) -> None:
    np.ones(3, np.float32).tofile(tmp_path / "w.bin")
    assert said in refusal(_with_external(tmp_path, "w.bin", **facts)).problem


def test_a_cycle_is_named(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="start"),
        helper.make_node("Add", ["a", "d"], ["b"], name="one"),
        helper.make_node("Relu", ["b"], ["c"], name="two"),
        helper.make_node("Relu", ["c"], ["d"], name="three"),
        helper.make_node("Relu", ["d"], ["y"], name="after"),
    ]
    error = refusal(saved(model(nodes, {"x": (1,)}, ["y"]), tmp_path))
    assert (error.code, error.problem) == ("MS104", "the graph has a cycle")
    for name in ("one", "two", "three"):
        assert name in error.got
    assert "start" not in error.got
    assert "after" not in error.got


def _graph_with(change: Callable[[onnx.GraphProto], object]) -> onnx.ModelProto:
    proto = relu()
    change(proto.graph)
    return proto


def _tensor(**facts: object) -> TensorProto:
    return TensorProto(name="w", data_type=TensorProto.FLOAT, **facts)


INVALID = {
    "read but never made": (
        lambda g: g.node.extend([helper.make_node("Relu", ["xx"], ["z"], name="lost")]),
        "Relu 'lost' reads 'xx', which nothing makes",
    ),
    "an output never made": (lambda g: g.output.extend([floats("z", None)]), "reads 'z'"),
    "made twice": (
        lambda g: g.node.extend([helper.make_node("Abs", ["x"], ["y"], name="again")]),
        "the value 'y' is made twice",
    ),
    "made and given": (
        lambda g: g.node.extend([helper.make_node("Abs", ["y"], ["x"])]),
        "the value 'x' is made twice",
    ),
    "a weight twice": (
        lambda g: g.initializer.extend([_tensor(dims=[0]), _tensor(dims=[0])]),
        "the weight 'w' is there twice",
    ),
    "an input twice": (lambda g: g.input.extend([floats("x", (1,))]), "the name of another"),
    "no outputs": (lambda g: g.ClearField("output"), "no outputs"),
    "a domain not imported": (
        lambda g: setattr(g.node[0], "domain", "acme"),
        "of a domain that the model does not import",
    ),
    "an attribute lacking": (
        lambda g: setattr(g.node[0], "op_type", "Cast"),
        "Cast 'act' lacks the attribute 'to'",
    ),
    "an attribute unknown": (
        lambda g: g.node[0].attribute.extend([helper.make_attribute("alpha", 1.0)]),
        "has an unknown attribute 'alpha'",
    ),
    "too many inputs": (lambda g: g.node[0].input.append("x"), "Relu 'act' has 2 inputs"),
    "too little data": (
        lambda g: g.initializer.extend([_tensor(dims=[3], raw_data=bytes(8))]),
        "does not hold what its shape says",
    ),
    "too few floats": (
        lambda g: g.initializer.extend([_tensor(dims=[3], float_data=[1.0])]),
        "does not hold what its shape says",
    ),
    "huge": (
        lambda g: g.initializer.extend([_tensor(dims=[1 << 40, 1 << 20], raw_data=bytes(8))]),
        "does not hold what its shape says",
    ),
    "huge without data": (
        lambda g: g.initializer.extend([_tensor(dims=[1 << 40])]),
        "does not hold what its shape says",
    ),
    "negative": (lambda g: g.initializer.extend([_tensor(dims=[-1])]), "negative size"),
    "no element type": (
        lambda g: g.initializer.extend([TensorProto(name="w", dims=[0], data_type=999)]),
        "an element type that onnx",
    ),
}


@pytest.mark.parametrize("case", INVALID)
def test_invalid_graphs(case: str, tmp_path: Path) -> None:
    change, said = INVALID[case]
    error = refusal(saved(_graph_with(change), tmp_path))
    assert error.code == "MS104"
    assert said in error.problem


def test_an_attribute_of_the_wrong_type(tmp_path: Path) -> None:
    node = helper.make_node("Softmax", ["x"], ["y"], axis=0.5)
    error = refusal(saved(model([node], {"x": (1,)}, ["y"]), tmp_path))
    assert "'axis' of type FLOAT" in error.problem


def test_a_constant_of_the_wrong_type(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Constant", [], ["c"], name="k", value=0.5),
        helper.make_node("Add", ["x", "c"], ["y"]),
    ]
    error = refusal(saved(model(nodes, {"x": (1,)}, ["y"]), tmp_path))
    assert "Constant 'k' has an attribute 'value' of type FLOAT" in error.problem


@pytest.mark.parametrize("opset", [1, 6, 99])
def test_unknown_opsets(opset: int, tmp_path: Path) -> None:
    proto = relu()
    proto.opset_import[0].version = opset
    error = refusal(saved(proto, tmp_path))
    assert error.code == "MS106"
    assert error.got == f"opset {opset}"
    assert error.expected == f"7 to {onnx.defs.onnx_opset_version()}"


def test_an_unknown_version_of_the_format(tmp_path: Path) -> None:
    proto = relu()
    proto.ir_version = 99
    assert refusal(saved(proto, tmp_path)).code == "MS106"


def test_a_file_older_than_operator_sets(tmp_path: Path) -> None:
    proto = relu()
    proto.ir_version = 2
    proto.ClearField("opset_import")
    assert refusal(saved(proto, tmp_path)).got == "opset 1"


def _functions(bodies: dict[str, list[str]]) -> onnx.ModelProto:
    """A model that calls the first function; each one calls those listed."""
    first = next(iter(bodies))
    proto = model([helper.make_node(first, ["x"], ["y"], domain="f")], {"x": (1,)}, ["y"])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
    proto.opset_import.append(opsets[1])
    for name, calls in bodies.items():
        values = ["v0", *(f"v{i + 1}" for i in range(len(calls)))]
        nodes = [
            helper.make_node(
                call, [values[i]], [values[i + 1]], domain="" if call == "Relu" else "f"
            )
            for i, call in enumerate(calls)
        ]
        proto.functions.append(helper.make_function("f", name, ["v0"], [values[-1]], nodes, opsets))
    return proto


def test_functions_that_call_themselves(tmp_path: Path) -> None:
    error = refusal(saved(_functions({"A": ["B"], "B": ["Relu", "A"]}), tmp_path))
    assert "calls itself" in error.problem


def test_functions_that_explode(tmp_path: Path) -> None:
    bodies = {f"F{level}": [f"F{level + 1}"] * 10 for level in range(9)}
    error = refusal(saved(_functions({**bodies, "F9": ["Relu"]}), tmp_path))
    assert "too many nodes" in error.problem


def test_a_sparse_weight_outside_its_shape(tmp_path: Path) -> None:
    proto = relu()
    sparse = proto.graph.sparse_initializer.add(dims=[2, 2])
    sparse.values.CopyFrom(_tensor(dims=[1], float_data=[1.0]))
    sparse.indices.CopyFrom(helper.make_tensor("i", TensorProto.INT64, [1], [4]))
    assert "outside its shape" in refusal(saved(proto, tmp_path)).problem
    sparse.dims[:] = [1 << 40, 1 << 20]
    assert "too big" in refusal(saved(proto, tmp_path)).problem
