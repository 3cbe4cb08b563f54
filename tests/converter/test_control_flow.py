"""If, Loop, Scan and sequences: Python's `if`, `while`, `for` and lists, equal to ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.converter.convert import Options, converted
from msconvert.tests.converter.in_process import assert_agrees, conversion
from msconvert.tests.converter.small_models import saved

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
Array = np.ndarray[Any, Any]


def node(op: str, inputs: str, outputs: str, **attrs: Any) -> onnx.NodeProto:
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), **attrs)


def info(name: str, kind: int = FLOAT, shape: Sequence[int | str] | None = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def graph(
    nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], **held: Any
) -> onnx.GraphProto:
    constants = [numpy_helper.from_array(np.asarray(x), name) for name, x in held.items()]
    return helper.make_graph(nodes, "g", inputs, outputs, constants)


def model(
    nodes: Sequence[Any], inputs: Mapping[str, Array], outputs: Sequence[str], **held: Any
) -> onnx.ModelProto:
    infos = [
        info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for name, x in inputs.items()
    ]
    made = [helper.make_value_info(name, onnx.TypeProto()) for name in outputs]
    whole = graph(nodes, infos, made, **held)
    return helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


X = np.random.default_rng(3).standard_normal((3, 4)).astype(np.float32)
W = np.random.default_rng(4).standard_normal((4, 4)).astype(np.float32)
TRUE = {"going": np.array(True)}


def branch(then: Sequence[Any], other: Sequence[Any], outputs: int = 1, **held: Any) -> Any:
    """An If on whether x has a positive sum; both branches give p0, p1, ..."""
    names = [info(f"p{i}") for i in range(outputs)]
    both = [graph(nodes, [], names, **held) for nodes in (then, other)]
    made = " ".join(f"y{i}" for i in range(outputs))
    asked = node("If", "is", made, then_branch=both[0], else_branch=both[1])
    return [node("ReduceSum", "x", "s", keepdims=0), node("Greater", "s zero", "is"), asked]


BRANCHES: dict[str, tuple[list[Any], int]] = {
    "one value": (branch([node("Neg", "x", "p0")], [node("Exp", "x", "p0")]), 1),
    "a layer in each": (branch([node("MatMul", "x w", "p0")], [node("Add", "x x", "p0")]), 1),
    "two values": (
        branch(
            [node("Neg", "x", "p0"), node("Abs", "x", "p1")],
            [node("Abs", "x", "p0"), node("Neg", "x", "p1")],
            2,
        ),
        2,
    ),
    "another shape": (branch([node("ReduceSum", "x", "p0")], [node("Tanh", "x", "p0")]), 1),
    "what stands around it": (
        branch([node("Identity", "x", "p0")], [node("Mul", "x s", "p0")]),
        1,
    ),
    "constants of its own": (
        branch([node("Add", "x c", "p0")], [node("Mul", "x c", "p0")], c=W[:1]),
        1,
    ),
    "a branch in a branch": (
        branch(
            [
                node("Greater", "s one", "big"),
                node(
                    "If",
                    "big",
                    "p0",
                    then_branch=graph([node("Neg", "x", "q")], [], [info("q")]),
                    else_branch=graph([node("Tanh", "x", "q")], [], [info("q")]),
                ),
            ],
            [node("Exp", "x", "p0")],
        ),
        1,
    ),
}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("case", BRANCHES)
def test_if(case: str, sign: int, tmp_path: Path) -> None:
    nodes, outputs = BRANCHES[case]
    x = sign * np.abs(X) / 12
    proto = model(nodes, {"x": x}, [f"y{i}" for i in range(outputs)], zero=0.0, one=1.0, w=W)
    for constant in proto.graph.initializer:
        if constant.name in ("zero", "one"):
            value = np.float32(numpy_helper.to_array(constant))
            constant.CopyFrom(numpy_helper.from_array(np.asarray(value), constant.name))
    text = assert_agrees(proto, tmp_path, [x])
    assert "if condition:" in text


def body(
    nodes: Sequence[Any], states: Sequence[Any], outputs: Sequence[Any], **held: Any
) -> onnx.GraphProto:
    inputs = [info("i", INT64, ()), info("on", BOOL, ()), *states]
    return graph(nodes, inputs, outputs, **held)


STEP = [node("Identity", "on", "on2"), node("MatMul", "h w", "m"), node("Tanh", "m", "h2")]
ONE_STATE = ([info("h")], [info("on2", BOOL), info("h2")])
UNTIL = [
    node("Mul", "h half", "h2"),
    node("ReduceSum", "h2", "s", keepdims=0),
    node("Abs", "s", "a"),
    node("Greater", "a limit", "on2"),
]
SMALL = {"half": np.float32(0.5), "limit": np.float32(0.1)}
COLLECTED = [*STEP, node("ReduceSum", "h2", "c", keepdims=0), node("Cast", "i", "k", to=1)]

LOOPS: dict[str, tuple[Any, str, str]] = {
    "so often": (body(STEP, *ONE_STATE), "n going x", "y"),
    "so often, without a condition": (body(STEP, *ONE_STATE), "n _ x", "y"),
    "until": (body(UNTIL, *ONE_STATE, **SMALL), "_ going x", "y"),
    "until, at most so often": (body(UNTIL, *ONE_STATE, **SMALL), "n going x", "y"),
    "what each step gives": (
        body(COLLECTED, [info("h")], [*ONE_STATE[1], info("c"), info("k")]),
        "n going x",
        "y c1 k1",
    ),
    "never": (body(COLLECTED, [info("h")], [*ONE_STATE[1], info("c")]), "none going x", "y c1"),
    "a state that grows": (
        body(
            [node("Identity", "on", "on2"), node("Concat", "h h", "h2", axis=0)],
            *ONE_STATE,
        ),
        "n going x",
        "y",
    ),
    "with the number of the step": (
        body(
            [
                node("Identity", "on", "on2"),
                node("Cast", "i", "k", to=1),
                node("Add", "h k", "h2"),
            ],
            *ONE_STATE,
        ),
        "n going x",
        "y",
    ),
}


@pytest.mark.parametrize("case", LOOPS)
def test_loop(case: str, tmp_path: Path) -> None:
    inner, inputs, outputs = LOOPS[case]
    held = {"n": np.array(3), "none": np.array(0), "w": W, **TRUE}
    proto = model([node("Loop", inputs, outputs, body=inner)], {"x": X}, outputs.split(), **held)
    text = assert_agrees(proto, tmp_path, [X])
    assert "while going" in text or "for i in range(" in text or "while i < count" in text


SCANS: dict[str, dict[str, Any]] = {
    "sum": {},
    "backwards": {"scan_input_directions": [1]},
    "written backwards": {"scan_output_directions": [1]},
    "both": {"scan_input_directions": [1], "scan_output_directions": [1]},
    "said to be forwards": {"scan_input_directions": [0], "scan_input_axes": [0]},
}


@pytest.mark.parametrize("case", SCANS)
def test_scan(case: str, tmp_path: Path) -> None:
    inner = graph(
        [node("Add", "a e", "t"), node("Tanh", "t", "a2"), node("Mul", "t e", "o")],
        [info("a"), info("e")],
        [info("a2"), info("o")],
    )
    scan = node("Scan", "start x", "last y", body=inner, num_scan_inputs=1, **SCANS[case])
    proto = model([scan], {"start": X[0], "x": X}, ["last", "y"])
    text = assert_agrees(proto, tmp_path, [X[0], X])
    assert "for i in range(e.shape[0]):" in text


def test_scan_of_other_shapes(tmp_path: Path) -> None:
    """State, sequences and what each step gives have different ranks: a recurrence of states."""
    inner = graph(
        [
            node("Mul", "a e", "t"),
            node("Add", "t f", "a2"),
            node("Unsqueeze", "g last", "g2"),
            node("MatMul", "a2 g2", "o2"),
            node("Squeeze", "o2 last", "o"),
        ],
        [info(name) for name in "aefg"],
        [info("a2"), info("o")],
    )
    given = {"scan_input_axes": [1, 1, 1], "scan_output_axes": [1]}
    scan = node("Scan", "start e f g", "last_state y", body=inner, num_scan_inputs=3, **given)
    rng = np.random.default_rng(0)
    shapes = {"start": (2, 3, 4), "e": (2, 5, 3, 4), "f": (2, 5, 3, 4), "g": (2, 5, 4)}
    inputs = {n: rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()}
    proto = model([scan], inputs, ["last_state", "y"], last=np.array([-1]))
    assert_agrees(proto, tmp_path, list(inputs.values()))


AXES: dict[str, tuple[list[int], list[int], list[str]]] = {
    "second": ([1, 0], [1, 0], ["e[:, i], f[i]", "ops.stack(o, axis=1)"]),
    "last": ([-1, 2], [-1, 2], ["e[..., i], f[:, :, i]", "ops.stack(o, axis=-1)"]),
    "one before the last": ([-2, -3], [-2, 0], ["e[..., i, :], f[..., i, :, :]"]),
}


@pytest.mark.parametrize("back", [0, 1])
@pytest.mark.parametrize("case", AXES)
def test_scan_along_other_axes(case: str, back: int, tmp_path: Path) -> None:
    """Each step takes (2, 3) of either sequence, which stands along the axis that is said."""
    given, made, told = AXES[case]
    inner = graph(
        [node("Add", "a e", "t"), node("Mul", "t f", "a2"), node("Tanh", "a2", "o")],
        [info("a"), info("e"), info("f")],
        [info("a2"), info("o"), info("t")],
    )
    directions = {"scan_input_directions": [back, 0], "scan_output_directions": [0, back]}
    axes = {"scan_input_axes": given, "scan_output_axes": made}
    scan = node(
        "Scan", "start e f", "last o t", body=inner, num_scan_inputs=2, **axes, **directions
    )
    rng = np.random.default_rng(0)
    start = rng.standard_normal((2, 3)).astype(np.float32)
    rows = rng.standard_normal((2, 4, 2, 3)).astype(np.float32)
    e, f = (np.moveaxis(row, 0, axis) for row, axis in zip(rows, given, strict=True))
    proto = model([scan], {"start": start, "e": e, "f": f}, ["last", "o", "t"])
    text = assert_agrees(proto, tmp_path, [start, e, f])
    assert back or all(words in text for words in told)


LISTS: dict[str, list[Any]] = {
    "made and joined": [
        node("SequenceConstruct", "x b x", "l"),
        node("ConcatFromSequence", "l", "y", axis=0),
    ],
    "stacked": [
        node("SequenceConstruct", "x b", "l"),
        node("ConcatFromSequence", "l", "y", axis=1, new_axis=1),
    ],
    "filled": [
        node("SequenceEmpty", "", "e"),
        node("SequenceInsert", "e x", "f"),
        node("SequenceInsert", "f b zero", "g"),
        node("ConcatFromSequence", "g", "y", axis=0),
    ],
    "read": [node("SequenceConstruct", "x b", "l"), node("SequenceAt", "l one", "y")],
    "shortened": [
        node("SequenceConstruct", "x b x", "l"),
        node("SequenceErase", "l one", "m"),
        node("ConcatFromSequence", "m", "y", axis=0),
    ],
    "without its end": [
        node("SequenceConstruct", "x b x", "l"),
        node("SequenceErase", "l", "m"),
        node("ConcatFromSequence", "m", "y", axis=0),
    ],
    "counted": [
        node("SequenceConstruct", "x b x", "l"),
        node("SequenceLength", "l", "k"),
        node("Cast", "k", "f", to=1),
        node("Add", "x f", "y"),
    ],
    "split": [
        node("SplitToSequence", "x two", "l", axis=1),
        node("SequenceAt", "l one", "y"),
    ],
}


@pytest.mark.parametrize("case", LISTS)
def test_sequences(case: str, tmp_path: Path) -> None:
    held = {"zero": np.array(0), "one": np.array(1), "two": np.array(2)}
    proto = model(LISTS[case], {"x": X, "b": -X}, ["y"], **held)
    read = {name for item in LISTS[case] for name in item.input}
    given = {"x": X, "b": -X}
    assert_agrees(proto, tmp_path, [given[n] for n in given])
    assert read


def test_the_command_compares_in_pynative_mode_and_says_so(tmp_path: Path) -> None:
    nodes, _ = BRANCHES["a layer in each"]
    proto = model(nodes, {"x": X}, ["y0"], zero=np.float32(0), w=W)
    report = converted(Options(saved(proto, tmp_path), output=tmp_path / "out"), lambda step: None)
    assert report.ok
    assert report.verification is not None
    assert {item.mode for item in report.verification.differences} == {"pynative"}
    assert any("PyNative mode only" in remark for remark in report.verification.remarks)


def test_what_cannot_be_converted_inside_is_refused_as_a_whole(tmp_path: Path) -> None:
    then = [node("Unknown", "x", "p0", domain="com.example")]
    nodes = branch(then, [node("Neg", "x", "p0")])
    proto = model(nodes, {"x": X}, ["y0"], zero=np.float32(0))
    proto.opset_import.append(helper.make_opsetid("com.example", 1))
    left = conversion(proto, tmp_path).written.traced.left
    assert [item.node.op for item in left] == ["If"]
    assert left[0].error.code == "MS101"


def test_graphs_that_are_nested_too_deep_are_refused(tmp_path: Path) -> None:
    inner = [node("Neg", "x", "p0")]
    for _ in range(12):
        branches = [graph(inner, [], [info("p0")]) for _ in range(2)]
        inner = [node("If", "c", "p0", then_branch=branches[0], else_branch=branches[1])]
    inner[0].output[0] = "y"
    proto = model(inner, {"x": X, "c": np.array(True)}, ["y"])
    left = conversion(proto, tmp_path).written.traced.left
    assert [item.node.op for item in left] == ["If"]
