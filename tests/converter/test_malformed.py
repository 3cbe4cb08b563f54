"""Malformed nodes, names and files: a refusal or a placeholder, never a defect of msconvert."""

from __future__ import annotations

import ast
import hashlib
import os
import random
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.converter.convert import Options, script_of, understood
from msconvert.converter.graph.exporter_metadata import strings_in
from msconvert.converter.modules.scopes import attribute_name
from msconvert.converter.text.formatting import formatted
from msconvert.errors import MsconvertError
from msconvert.tests import bad_models
from msconvert.tests.converter.small_models import model

pytestmark = pytest.mark.malformed

Row = tuple[str, Sequence[str], Mapping[str, Any]]

WIRES = {"x": (2, 3), "s": (), "t": (2, 3, 4), "image": (1, 3, 4, 4), "free": ("n", None)}
CONSTANTS = {
    "w": np.ones((3, 3), np.float32),
    "kernel": np.ones((3, 3, 3, 3), np.float32),
    "none": np.ones(0, np.float32),
    "far": np.array([7, -9]),
    "huge": np.array([2**62, 2**62]),
    "negative": np.array([-1, -1, -1]),
    "nine": np.ones((1,) * 9, np.float32),
}


def outcome(proto: onnx.ModelProto, folder: Path) -> list[str]:
    """The codes of what is refused or left; a script that is written parses."""
    path = bad_models.saved(proto, folder)
    try:
        conversion = understood(Options(path, output=folder / "out", verify=False))
        ast.parse(script_of(conversion, "bundled"))
    except MsconvertError as error:
        return [error.code]
    return [item.error.code for item in conversion.written.traced.left]


ROWS: list[Row] = [
    ("Gather", ["x", "far"], {"axis": 5}),
    ("Gather", ["x", "far"], {"axis": -(2**63)}),
    ("Einsum", ["x"], {"equation": "i,i"}),
    ("Einsum", ["x"], {"equation": "...i..."}),
    ("Einsum", ["x"], {"equation": "ij->ii"}),
    ("Einsum", ["x"], {"equation": "a" * 60}),
    ("Einsum", ["x"], {"equation": "ij->k"}),
    ("Einsum", ["x"], {"equation": "\x00"}),
    ("LSTM", ["s", "w", "w"], {"hidden_size": 3}),
    ("LSTM", ["t", "w", "kernel"], {"hidden_size": 3}),
    ("LSTM", ["t", "nine", "nine"], {}),
    ("GRU", ["x", "w", "w"], {"hidden_size": -1}),
    ("GRU", ["t", "none", "none"], {"activations": ["Nothing"]}),
    ("RNN", ["s", "kernel", "w"], {"hidden_size": 2**40}),
    ("Conv", ["s", "kernel"], {}),
    ("Conv", ["x", "w"], {"strides": [0, 0]}),
    ("Conv", ["image", "kernel"], {"strides": [0, 0]}),
    ("Conv", ["image", "kernel"], {"pads": [1] * 9}),
    ("Conv", ["image", "kernel"], {"group": 0}),
    ("Conv", ["image", "kernel"], {"dilations": []}),
    ("Conv", ["image", "kernel"], {"kernel_shape": [2**62] * 2}),
    ("ConvTranspose", ["x", "kernel"], {"strides": [1]}),
    ("ConvTranspose", ["image", "kernel"], {"output_padding": [1] * 7}),
    ("ConvTranspose", ["image", "none"], {"group": -3}),
    ("Resize", ["x", "", "none"], {}),
    ("Resize", ["s", "", "w"], {"mode": "cubic"}),
    ("Resize", ["image", "", "", "far"], {"mode": "linear"}),
    ("Split", ["s"], {"axis": 7}),
    ("Split", ["x", "huge"], {}),
    ("Split", ["x", "negative"], {"axis": -9}),
    ("Reshape", ["x", "negative"], {}),
    ("Reshape", ["x", "huge"], {}),
    ("Reshape", ["x", "w"], {}),
    ("Cast", ["x"], {"to": 99}),
    ("Cast", ["x"], {"to": -1}),
    ("Cast", ["x"], {"to": 2**40}),
    ("InstanceNormalization", ["s", "none", "none"], {}),
    ("InstanceNormalization", ["image", "w", "kernel"], {"epsilon": float("nan")}),
    ("InstanceNormalization", ["x", "nine", "far"], {}),
    ("BatchNormalization", ["s", "w", "none", "kernel", "far"], {}),
    ("Transpose", ["x"], {"perm": [5, 5, 5]}),
    ("Slice", ["x", "far"], {}),
    ("Slice", ["x", "huge", "huge", "huge"], {}),
    ("Squeeze", ["x", "huge"], {}),
    ("Unsqueeze", ["x", "negative"], {}),
    ("Pad", ["x", "far"], {}),
    ("Expand", ["x", "huge"], {}),
    ("Tile", ["x", "huge"], {}),
    ("MaxPool", ["s"], {"kernel_shape": []}),
    ("MaxPool", ["image"], {"kernel_shape": [0, 0], "strides": [0, 0]}),
    ("Gemm", ["s", "kernel"], {}),
    ("Dropout", [""], {}),
    ("Relu", [""], {}),
    ("DepthToSpace", ["image"], {"blocksize": 0}),
    ("Sum", ["x"] * 500, {}),
    ("Max", ["x"] * 3000, {}),
    ("Mean", ["free"] * 1000, {}),
    ("Concat", ["x"] * 2000, {"axis": 9}),
]
FINE = frozenset({"Sum", "Max", "Mean"})
"""Many operands are nothing malformed: they are converted."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{'-'.join(row[1][:4])}")
def test_a_malformed_node_is_refused_or_left(row: Row, tmp_path: Path) -> None:
    op, names, attributes = row
    made = [helper.make_node("Relu", ["a0"], ["y"])]
    outputs = ["a0", "a1", "a2"] if op in ("Split", "LSTM") else ["a0"]
    node = helper.make_node(op, names, outputs, name="n")
    for key, value in attributes.items():
        kind = onnx.AttributeProto.INTS if value == [] else None
        node.attribute.append(helper.make_attribute(key, value, attr_type=kind))
    inputs = {name: WIRES[name] for name in dict.fromkeys(names) if name in WIRES} or {"x": (2, 3)}
    weights = {name: CONSTANTS[name] for name in dict.fromkeys(names) if name in CONSTANTS}
    codes = outcome(model([node, *made], inputs, ["y"], weights), tmp_path)
    assert "MS901" not in codes
    if op in FINE:
        assert codes == []


def test_what_the_inference_of_onnx_does_not_survive_is_kept_from_it(tmp_path: Path) -> None:
    """It ends the process, or does not come back: so these are rows of one test that must end."""
    split = helper.make_node("Split", ["x"], ["y", "b", "c", "d"], axis=0, num_outputs=3)
    assert outcome(model([split], {"x": (6, 3)}, ["y"], opset=18), tmp_path) == ["MS104"]
    tensor = numpy_helper.from_array(np.array([1], np.int64))
    learned = {
        "TreeEnsemble": {"leaf_targetids": [0], "n_targets": 1},
        "LabelEncoder": {"keys_tensor": tensor, "values_tensor": tensor},
        "ArrayFeatureExtractor": {},
        "OneHotEncoder": {"cats_int64s": [1]},
        "Scaler": {},
    }
    for op, attributes in learned.items():
        node = helper.make_node(op, ["x", "x"][: 1 + (op[0] == "A")], ["y"], domain="ai.onnx.ml")
        node.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items())
        proto = model([node], {"x": (2, 3)}, ["y"], opset=23)
        proto.opset_import.add(domain="ai.onnx.ml", version=5)
        proto.graph.input[0].type.ClearField("tensor_type")
        assert outcome(proto, tmp_path) in (["MS101"], ["MS104"], [])


BAD_DIMS = {
    "65 axes": [1] * 65,
    "2,000 axes": [1] * 2000,
    "2,000 large sizes": [2**62] * 2000,
    "none, and 2,000 large sizes": [0] + [2**62] * 2000,
    "too large together": [2**40, 2**40, 0],
    "negative": [-1],
}


@pytest.mark.parametrize("dims", BAD_DIMS.values(), ids=BAD_DIMS)
def test_a_weight_of_impossible_sizes_is_refused(dims: list[int], tmp_path: Path) -> None:
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims, raw_data=b"")
    proto = bad_models.model([helper.make_node("Add", ["x", "w"], ["y"])], [weight])
    assert outcome(proto, tmp_path) == ["MS104"]


@pytest.mark.parametrize("dims", BAD_DIMS.values(), ids=BAD_DIMS)
def test_inputs_of_any_sizes_are_read(dims: list[int], tmp_path: Path) -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], {"x": dims}, ["y"])
    assert "MS901" not in outcome(proto, tmp_path)


def function(name: str, calls: str = "", domain: str = "my") -> onnx.FunctionProto:
    node = helper.make_node(calls or "Relu", ["a"], ["b"], domain="my" if calls else "")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    return helper.make_function(domain, name, ["a"], ["b"], [node], opsets)


def nested(depth: int) -> list[onnx.FunctionProto]:
    return [function("F0"), *(function(f"F{i}", f"F{i - 1}") for i in range(1, depth))]


FUNCTIONS = {
    "two of one name": ("F", [function("F"), function("F")], ["MS104"]),
    "101 deep": ("F100", nested(101), []),
    "400 deep": ("F399", nested(400), ["MS104"]),
    "of itself": ("F", [function("F", "F")], ["MS104"]),
    "of each other": ("F", [function("F", "G"), function("G", "F")], ["MS104"]),
    "of a name that is none": ("F", [function("F", "G")], ["MS101"]),
    "without a name": ("F", [function("")], ["MS101"]),
}


@pytest.mark.parametrize(("called", "functions", "codes"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions(
    called: str, functions: list[onnx.FunctionProto], codes: list[str], tmp_path: Path
) -> None:
    proto = bad_models.model([helper.make_node(called, ["x"], ["y"], domain="my")])
    proto.opset_import.add(domain="my", version=1)
    proto.functions.extend(functions)
    assert outcome(proto, tmp_path) == codes


def test_a_domain_that_is_not_imported_is_refused(tmp_path: Path) -> None:
    for domain in ("other", "ai.onnx.ml", "\n", "\x00", "é"):
        proto = bad_models.model([helper.make_node("F", ["x"], ["y"], domain=domain)])
        assert outcome(proto, tmp_path) == ["MS104"]


PIECES = (*"_./:#019٣é模'\"\\\n\x00\u2028{}% ", "class", "None", "self", "ms", "nn", "ops")
PIECES += ("__class__", "construct", "weight", "bias", "layers", "onnx::", "super().__init__", " ")
HARD = ("_0", "_._.weight", "/_/__1", "_", "__", "__1", "._.", "__0.weight", "0", "__init__", "___")
HARD += ("1_0_weight", "a.__1.weight", "class.0.def", "/_0/_/x", "/__0/__1/Relu", "-", "1.2.3", "")


def word(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.choice((1, 1, 2, 3, 6))))


def named(names: Sequence[str]) -> onnx.ModelProto:
    """A small network of which everything that has a name takes the next one of `names`."""
    left = iter(names)
    free = (f"{name}{'' if i == 0 else i}" for i, name in enumerate(left))
    unique = list(dict.fromkeys(next(free) or "?" for _ in range(8)))
    while len(unique) < 8:
        unique.append(f"{unique[-1]}+")
    x, w, b, h1, h2, h3, y, p = unique
    rest = list(names)[8:]
    weights = [
        numpy_helper.from_array(np.ones((3, 3), np.float32), w),
        numpy_helper.from_array(np.ones(3, np.float32), b),
    ]
    nodes = [
        helper.make_node("MatMul", [x, w], [h1], name=rest[0]),
        helper.make_node("Mul", [h1, b], [h2], name=rest[1]),
        helper.make_node("Gemm", [h2, w], [h3], name=rest[2]),
        helper.make_node(rest[3] or "F", [h3], [p], name=rest[4], domain="my.domain"),
        helper.make_node("Relu", [p], [y], name=rest[5]),
    ]
    for node in nodes[:3]:
        scopes, classes = repr(["", rest[6], rest[7]]), repr(["A", rest[7], rest[6]])
        node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=scopes)
        node.metadata_props.add(key="pkg.torch.onnx.class_hierarchy", value=classes)
    nodes[4].metadata_props.add(key="pkg.torch.onnx.name_scopes", value=rest[6])
    values = [helper.make_tensor_value_info(name, 1, (rest[8] or 2, 3)) for name in (x, y)]
    graph = helper.make_graph(nodes, rest[9] or "g", values[:1], values[1:], weights)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name=rest[10])


@pytest.mark.parametrize("seed", range(8))
def test_random_names_become_plain_ones(seed: int, tmp_path: Path) -> None:
    """Twenty models of nineteen names for each seed: 3,000 names."""
    rng = random.Random(seed)
    for _ in range(20):
        names = [rng.choice(HARD) if rng.random() < 0.3 else word(rng) for _ in range(19)]
        assert outcome(named(names), tmp_path) == ["MS101"], names


def test_hard_names_in_every_position(tmp_path: Path) -> None:
    for name, other in product(HARD[:9], HARD[9:]):
        names = [
            f"{name}{i}" if i in (0, 3, 4, 5, 6, 7) else (name, other)[i % 2] for i in range(19)
        ]
        assert outcome(named(names), tmp_path) == ["MS101"], names


def test_an_attribute_is_a_plain_identifier_whatever_the_word() -> None:
    rng = random.Random(1)
    for text in [*HARD, *(word(rng) for _ in range(2000))]:
        name = attribute_name(text)
        assert name.isidentifier()
        assert name.isascii()
        assert not name.startswith("__")
        assert attribute_name(name) == name, "a name that is plain stays as it is"


@pytest.mark.parametrize(
    "text", ["", "1if", "[" * 5000, "[1]", "['a', 1]", "\x00", "{[]: 1}", "[]"]
)
def test_metadata_that_spells_no_list_tells_nothing(text: str) -> None:
    assert strings_in(text) == ()


def external(**entries: str) -> onnx.ModelProto:
    proto = bad_models.external("data")
    for key, value in entries.items():
        proto.graph.initializer[0].external_data.add(key=key, value=value)
    return proto


@pytest.mark.parametrize("number", ["٣", "1_2", " 12", "+12", "-1", "0x0c", "1e1", "9" * 5000, "²"])
@pytest.mark.parametrize("key", ["offset", "length"])
def test_offsets_and_lengths_are_plain_digits(key: str, number: str, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(64))
    assert outcome(external(**{key: number}), tmp_path) == ["MS103"]


def test_the_checksum_of_external_data_is_checked(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(12))
    right = hashlib.sha1(bytes(12)).hexdigest()
    for good in (right, right.upper(), "", "of another kind"):
        assert outcome(external(checksum=good), tmp_path) == []
    for wrong in ("0" * 40, hashlib.sha1(b"").hexdigest(), right[::-1]):
        assert outcome(external(checksum=wrong), tmp_path) == ["MS103"]


def test_a_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    for name in (b"\xff.onnx", b"a\x80b.onnx", b"\xc3", b"\xed\xa0\x80.onnx", b"m\xe4.onnx"):
        path = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
        path.write_bytes(bad_models.relu().SerializeToString())
        with pytest.raises(MsconvertError, match="no UTF-8") as caught:
            understood(Options(path, output=tmp_path))
        assert caught.value.code == "MS102"


def test_a_script_is_formatted_where_the_current_folder_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert outcome(bad_models.relu(), tmp_path) == []


@pytest.mark.parametrize("operand", ["x", "first", "y" * 8, "a_name", "b" * 12, "self.one"])
def test_a_chain_of_methods_on_three_lines_stays_python(operand: str) -> None:
    made = f"ops.matmul(ops.expand_dims({operand}, -2), ops.expand_dims(other, -1))"
    source = f"class C:\n    def f(self):\n        return {made}.squeeze(-1).squeeze(-1)\n"
    assert ast.unparse(ast.parse(formatted(source))) == ast.unparse(ast.parse(source))
