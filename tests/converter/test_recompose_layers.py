"""Recomposing what text says badly: group norms, half precision, recurrent layers, names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.converter.graph.graph import Graph, Node
from msconvert.converter.recompose import Derived, recompose
from msconvert.converter.recompose.scope import CLASSES, SCOPES, scope, speaker
from msconvert.tests.converter.recomposed import F32, check, graph_of

RNG = np.random.default_rng(2)


def built(
    folder: Path,
    nodes: list[object],
    x: tuple[int | str, ...],
    constants: dict[str, np.ndarray],
    dtype: int = TensorProto.FLOAT,
) -> Graph:
    """The prepared graph of `nodes`, from x to y and, if it is made, z."""
    outputs = [name for name in ("y", "z") if any(name in node.output for node in nodes)]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", dtype, x)],
        [helper.make_tensor_value_info(name, dtype, None) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return graph_of(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), folder)


def node(op: str, inputs: str, outputs: str, **attrs: object) -> object:
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), name=f"/{outputs}", **attrs)


def random(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(F32)


# -- group normalisation --------------------------------------------------------------------

GROUP = [
    node("Reshape", "x split", "a"),
    node("InstanceNormalization", "a ones zeros", "b", epsilon=1e-3),
    node("Shape", "x", "s"),
    node("Reshape", "b s", "c"),
]
AFFINE = [node("Mul", "c w", "d"), node("Add", "v d", "y")]


def group_constants(**changed: np.ndarray) -> dict[str, np.ndarray]:
    usual = {
        "split": np.array([0, 2, -1]),
        "ones": np.ones(2, F32),
        "zeros": np.zeros(2, F32),
        "w": random(4, 1, 1),
        "v": random(4, 1, 1),
    }
    return usual | changed


@pytest.mark.parametrize("x", [(2, 4, 3, 3), ("n", 4, 3, "w")])
def test_group_norm(tmp_path: Path, x: tuple[int | str, ...]) -> None:
    done = check(built(tmp_path, GROUP + AFFINE, x, group_constants()), "GroupNormalization")
    (norm,) = done.graph.nodes
    assert norm.attrs["num_groups"] == 2
    assert done.derived[norm.inputs[1]] == Derived("w", "reshaped to (4,)")
    assert done.derived[norm.inputs[2]] == Derived("v", "reshaped to (4,)")
    assert set(done.graph.constants) == set(norm.inputs[1:])


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"split": np.array([0, 2, 18])}, ""),
        ({"ones": np.full(2, 3, F32)}, "groups are scaled"),
        ({"zeros": np.full(2, 3, F32)}, "groups are scaled"),
        ({"w": random(1, 3, 3)}, "the constant is not one per channel"),
        ({"w": np.full((1, 1, 1), 3, F32)}, "the constant is not one per channel"),
        ({"v": random(3)}, "the constant is not one per channel"),
    ],
)
def test_group_norm_near_misses(
    tmp_path: Path, changed: dict[str, np.ndarray], reason: str
) -> None:
    before = built(tmp_path, GROUP + AFFINE, (2, 4, 3, 3), group_constants(**changed))
    ops = {
        "": "GroupNormalization",
        "groups are scaled": "Reshape InstanceNormalization Reshape Mul Add",
    }
    kept = "GroupNormalization Add" if "v" in changed else "GroupNormalization Mul Add"
    done = check(before, ops.get(reason, kept), atol=1e-5)
    assert not reason or reason in {item.reason for item in done.kept}


def test_groups_of_another_split_stay(tmp_path: Path) -> None:
    """(n * c / 2, 2, rest) normalises other numbers together."""
    nodes = [*GROUP[:2], node("Reshape", "b back", "y")]
    constants = group_constants(split=np.array([4, 2, -1]), back=np.array([2, 4, 3, 3]))
    before = built(tmp_path, nodes, (2, 4, 3, 3), constants)
    check(before, "Reshape InstanceNormalization Reshape")


BATCH = [
    node("BatchNormalization", "x s o mean var", "c"),
    node("Mul", "w c", "d"),
    node("Add", "d v", "y"),
]


def test_batch_norm_and_scale_layer(tmp_path: Path) -> None:
    """As Caffe's pairs of BatchNorm and Scale were exported."""
    constants = group_constants(mean=random(4), var=random(4) ** 2 + 1, s=random(4), o=random(4))
    before = built(tmp_path, BATCH, (2, 4, 3, 3), constants)
    done = check(before, "BatchNormalization", atol=1e-5)
    scale, bias = done.graph.nodes[0].inputs[1:3]
    assert done.derived[scale] == Derived("s", "multiplied by w")
    assert done.derived[bias].how == "plus v"
    odd = constants | {"w": random(1, 3, 3), "v": random(3)}
    before = built(tmp_path, BATCH, (2, 4, 3, 3), odd)
    check(before, "BatchNormalization Mul Add", atol=1e-5)


# -- half precision -------------------------------------------------------------------------

HALF = TensorProto.FLOAT16


def cast(inputs: str, outputs: str, to: int) -> object:
    return node("Cast", inputs, outputs, to=to)


RMS = [
    node("Mul", "f f", "s"),
    node("ReduceMean", "s", "m", axes=[-1]),
    node("Add", "m eps", "e"),
    node("Sqrt", "e", "r"),
    node("Reciprocal", "r", "i"),
    node("Mul", "f i", "n"),
]
LAYER = [
    node("ReduceMean", "f", "m", axes=[-1]),
    node("Sub", "f m", "d"),
    node("Mul", "d d", "s"),
    node("ReduceMean", "s", "v", axes=[-1]),
    node("Add", "v eps", "e"),
    node("Sqrt", "e", "r"),
    node("Div", "d r", "n"),
]


@pytest.mark.parametrize(
    ("nodes", "op"), [(RMS, "RMSNormalization"), (LAYER, "LayerNormalization")]
)
def test_norm_computed_in_float32(tmp_path: Path, nodes: list[object], op: str) -> None:
    ends = [cast("n", "h", HALF), node("Mul", "w h", "y")]
    constants = {"eps": np.array(1e-5, F32), "w": random(8).astype(np.float16)}
    before = built(tmp_path, [cast("x", "f", 1), *nodes, *ends], (4, 8), constants, HALF)
    done = check(before, op, atol=4e-3)
    assert done.graph.nodes[0].attrs["stash_type"] == 1
    assert done.graph.constants[done.graph.nodes[0].inputs[1]].dtype == np.float16


def test_norm_cast_to_another_type_stays(tmp_path: Path) -> None:
    constants = {"eps": np.array(1e-5, F32)}
    nodes = [cast("x", "f", 1), *RMS, cast("n", "h", TensorProto.DOUBLE), cast("h", "y", HALF)]
    before = built(tmp_path, nodes, (4, 8), constants, HALF)
    done = check(before, "Cast RMSNormalization Cast Cast", atol=4e-3)
    assert "it is cast to another element type" in {item.reason for item in done.kept}


def test_gelu_with_half_precision_constants(tmp_path: Path) -> None:
    nodes = [
        node("Div", "x root", "a"),
        node("Erf", "a", "b"),
        node("Add", "b one", "c"),
        node("Mul", "x c", "d"),
        node("Mul", "d half", "y"),
    ]
    numbers = {"root": 2**0.5, "one": 1, "half": 0.5}
    constants = {name: np.array(number, np.float16) for name, number in numbers.items()}
    check(built(tmp_path, nodes, (4, 8), constants, HALF), "Gelu", atol=1e-2)
    odd = constants | {"root": np.array(1.41, np.float16)}
    check(built(tmp_path, nodes, (4, 8), odd, HALF), "Div Erf Add Mul Mul", atol=1e-2)


# -- recurrent ------------------------------------------------------------------------------

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def recurrent_constants(op: str, dirs: int) -> dict[str, np.ndarray]:
    gates = GATES[op] * 4
    return {
        "w": random(dirs, gates, 8),
        "r": random(dirs, gates, 4),
        "b": random(dirs, 2 * gates),
        "dirs": np.array([dirs]),
        "four": np.array([4]),
        "one": np.array(1),
        "row": np.array([0]),
        "axis": np.array([1]),
        "flat": np.array([0, 0, -1]),
    }


def zeros_of_x(fill: float = 0.0) -> list[object]:
    """h: (dirs, n, 4), made of x's shape."""
    value = numpy_helper.from_array(np.array([fill], F32))
    return [
        node("Shape", "x", "shape"),
        node("Gather", "shape one", "n"),
        node("Unsqueeze", "n row", "n1"),
        node("Concat", "dirs n1 four", "hs", axis=0),
        node("ConstantOfShape", "hs", "h", value=value),
    ]


def recurrent(op: str, dirs: int, outputs: str = "raw") -> object:
    direction = "bidirectional" if dirs == 2 else "forward"
    extra = {"linear_before_reset": 1} if op == "GRU" else {}
    if op == "RNN":
        extra = {"activations": ["Tanh"] * dirs}
    states = "x w r b - h h" if op == "LSTM" else "x w r b - h"
    return node(op, states, outputs, direction=direction, hidden_size=4, **extra)


MERGE = [node("Transpose", "raw", "moved", perm=[0, 2, 1, 3]), node("Reshape", "moved flat", "y")]
SQUEEZE = [node("Squeeze", "raw axis", "y")]


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize(("dirs", "tail"), [(1, SQUEEZE), (1, MERGE), (2, MERGE)])
def test_recurrent(tmp_path: Path, op: str, dirs: int, tail: list[object]) -> None:
    nodes = [*zeros_of_x(), recurrent(op, dirs), *tail]
    before = built(tmp_path, nodes, (5, "n", 8), recurrent_constants(op, dirs))
    done = check(before, op, atol=1e-5)
    (cell,) = done.graph.nodes
    assert (cell.domain, cell.attrs["num_layers"], cell.attrs["batch_first"]) == ("msconvert", 1, 0)
    assert cell.inputs == ["x", "", "", "w", "r", "b"]
    assert set(cell.origin) == {label for old in before.nodes for label in old.origin}


def test_recurrent_whose_last_state_is_read(tmp_path: Path) -> None:
    """Y_h is made at the place of the LSTM, before its reader."""
    nodes = [
        *zeros_of_x(),
        recurrent("LSTM", 2, "raw hidden"),
        node("Relu", "hidden", "z"),
        *MERGE,
    ]
    before = built(tmp_path, nodes, (5, "n", 8), recurrent_constants("LSTM", 2))
    check(before, "LSTM Relu", atol=1e-5)


def test_recurrent_near_misses(tmp_path: Path) -> None:
    constants = recurrent_constants("LSTM", 2)
    cell = recurrent("LSTM", 2)
    ones = built(tmp_path, [*zeros_of_x(0.5), cell, *MERGE], (5, "n", 8), constants)
    state = [item.op for item in ones.nodes if item.op not in ("LSTM", "Transpose", "Reshape")]
    check(ones, " ".join([*state, "LSTM"]), atol=1e-5)
    mixed = [cell, node("Transpose", "raw", "moved", perm=[0, 2, 3, 1]), MERGE[1]]
    before = built(tmp_path, [*zeros_of_x(), *mixed], (5, "n", 8), constants)
    check(before, "LSTM Transpose Reshape", atol=1e-5)
    swapped = constants | {"flat": np.array([2, 5, 8])}
    before = built(tmp_path, [*zeros_of_x(), cell, *MERGE], (5, 2, 8), swapped)
    check(before, "LSTM Transpose Reshape", atol=1e-5)


# -- names ----------------------------------------------------------------------------------


def named(name: str, scopes: str = "", classes: str = "") -> Node:
    known = {SCOPES: scopes, CLASSES: classes}
    return Node("Add", [], [], name=name, metadata={k: v for k, v in known.items() if v})


def test_scope() -> None:
    assert scope(named("/layer1/layer1.0/conv1/Conv")) == ("", "layer1", "layer1.0", "conv1")
    assert scope(named("/Add")) == ("",)
    assert scope(named("Add_3")) is None
    assert scope(named("node_add", "['', 'fc', 'linear']")) == ("", "fc")
    assert scope(named("node_add", "no list[")) is None
    assert scope(named("n", "['_empty_nn_module_stack_from_metadata_hook', 'size']")) is None


def test_speaker_is_the_last_node_of_the_common_scope() -> None:
    inner, outer = named("/fc/MatMul"), named("/Flatten")
    assert speaker([inner, named("/fc/Add")])[0] == "/fc/Add"
    assert speaker([inner, outer])[0] == "/Flatten"
    assert speaker([outer, inner, named("Constant_3")])[0] == "/Flatten"
    assert speaker([named("a"), named("b")])[0] == "b"


def test_speaker_is_lifted_to_the_common_scope() -> None:
    nodes = [named("/block/fc/MatMul"), named("/block/act/Mul")]
    assert speaker(nodes)[0] == "/block/Mul"
    scopes = ["['', 'block', 'block.fc', 'linear']", "['', 'block', 'block.act', 'mul']"]
    classes = ["['Net', 'Block', 'Linear', 'aten']", "['Net', 'Block', 'Act', 'aten.mul']"]
    nodes = [named(f"n{i}", scopes[i], classes[i]) for i in range(2)]
    name, metadata = speaker(nodes)
    assert name == "n1"
    assert metadata[SCOPES] == "['', 'block', 'mul']"
    assert metadata[CLASSES] == "['Net', 'Block', 'aten.mul']"


def test_report_names_what_became_of_each_node(tmp_path: Path) -> None:
    nodes = [node("MatMul", "x w", "a"), node("Add", "a b", "c"), node("Relu", "c", "y")]
    before = built(tmp_path, nodes, (2, 8), {"w": random(8, 3), "b": random(3)})
    done = recompose(before)
    assert [(change.origin, change.became) for change in done.changes] == [
        (("/a", "/c"), "msconvert::Dense '/c'")
    ]
    assert done.graph.nodes[1].origin == ("/y",)


def test_a_constant_that_others_read_stays(tmp_path: Path) -> None:
    nodes = [node("Gemm", "x w", "a", alpha=2.0), node("Gemm", "x w", "c"), node("Add", "a c", "y")]
    before = built(tmp_path, nodes, (2, 8), {"w": random(8, 3)})
    done = check(before, "Dense Dense Add", atol=1e-5)
    scaled, plain = (item.inputs[1] for item in done.graph.nodes[:2])
    assert plain == "w"
    assert done.derived == {scaled: Derived("w", "multiplied by 2.0")}


def test_fresh_names_avoid_those_in_use(tmp_path: Path) -> None:
    nodes = [
        node("GlobalAveragePool", "x", "y_axes"),
        node("Relu", "y_axes", "y_axes_1"),
        node("GlobalMaxPool", "y_axes_1", "y"),
    ]
    done = check(built(tmp_path, nodes, (2, 4, 3, 3), {}), "ReduceMean Relu ReduceMax")
    assert done.graph.nodes[2].inputs[1] == "y_axes_2"
