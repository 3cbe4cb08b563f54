"""Numbers, ranks and indices in lines: small graphs, each run against ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from msconvert.converter.code.expr import Call, Code, Expr, Ref
from msconvert.converter.modules.plan import Layer, Line, Plan
from msconvert.converter.text.nesting import nested
from msconvert.tests.converter.hand_graphs import FLOAT, W, X, graph, inputs_for, node
from msconvert.tests.converter.in_process import assert_agrees

DYNAMIC = {"x": (FLOAT, ("n", 3))}


def arithmetic(dtype: type, number: np.ndarray, op: str = "Mul") -> onnx.ModelProto:
    kind = (dtype, (2, 3))
    return graph([node(op, "x c", "y")], {"x": kind}, {"y": kind}, {"c": number})


def gathered() -> onnx.ModelProto:
    """An index of an index: x[1][2] + 0.1."""
    nodes = [
        node("Gather", "x one", "a", axis=0),
        node("Gather", "a two", "b", axis=0),
        node("Add", "b c", "y"),
    ]
    weights = {"one": np.array(1), "two": np.array(2), "c": np.array(0.1, FLOAT)}
    return graph(nodes, X, {"y": (FLOAT, ())}, weights)


def of_rank_0(constant: np.ndarray) -> onnx.ModelProto:
    """A scalar and a constant of one element, whose rank the result has."""
    nodes = [node("ReduceSum", "x", "a", keepdims=0), node("Add", "a c", "y")]
    return graph(nodes, X, {"y": (FLOAT, constant.shape)}, {"c": constant})


def sizes(*nodes: onnx.NodeProto, dtype: type = np.int64, rank: int = 1) -> onnx.ModelProto:
    """The steps on the shape s of x (n, 3); y holds two sizes, or one at rank 2."""
    shape = (2,) if rank == 1 else (1, 1)
    weights = {
        "zero": np.array([0]),
        "first": np.array(0),
        "axes": np.array([0, 1]),
        "two": np.array([2, 2]),
        "seven": np.array([7, 7]),
        "flags": np.array([True, False]),
    }
    used = {name: w for name, w in weights.items() if any(name in n.input for n in nodes)}
    return graph([node("Shape", "x", "s"), *nodes], DYNAMIC, {"y": (dtype, shape)}, used)


def chosen() -> onnx.ModelProto:
    nodes = [node("Greater", "x c", "b"), node("Where", "b x d", "y")]
    return graph(nodes, weights={"c": np.array(0, FLOAT), "d": np.array(-np.inf, FLOAT)})


def parts(used: str) -> onnx.ModelProto:
    nodes = [node("Split", "x s", "a b c", axis=1), node("Add", used, "y")]
    return graph(nodes, X, {"y": (FLOAT, (2, 1))}, {"s": np.array([1, 1, 1])})


MODELS = {
    "float16 scalar": arithmetic(np.float16, np.array(0.1, np.float16)),
    "float16 vector": arithmetic(np.float16, np.array([0.3], np.float16)),
    "float64": arithmetic(np.float64, np.array(0.1, np.float64)),
    "int64 beyond int32": arithmetic(np.int64, np.array([2**40]), "Sub"),
    "int32 division": arithmetic(np.int32, np.array(2, np.int32), "Div"),
    "int8 wraps": arithmetic(np.int8, np.array(100, np.int8), "Add"),
    "uint8 wraps": arithmetic(np.uint8, np.array(200, np.uint8), "Sub"),
    "integer exponent": arithmetic(np.float32, np.array(2, np.int64), "Pow"),
    "infinity": arithmetic(np.float32, np.array(np.inf, FLOAT)),
    "shape (1, 1)": arithmetic(np.float32, np.array([[0.5]], FLOAT)),
    "rank raised by (1,)": of_rank_0(np.array([0.5], FLOAT)),
    "rank raised by (1, 1)": of_rank_0(np.array([[0.5]], FLOAT)),
    "rank kept": of_rank_0(np.array(0.5, FLOAT)),
    "index of an index": gathered(),
    "where": chosen(),
    "first and last part": parts("a c"),
    "middle part": parts("b b"),
    "shape as int32": sizes(node("Cast", "s", "y", to=onnx.TensorProto.INT32), dtype=np.int32),
    "shape as int8": sizes(node("Cast", "s", "y", to=onnx.TensorProto.INT8), dtype=np.int8),
    "negative size halved": sizes(node("Sub", "s seven", "d"), node("Div", "d two", "y")),
    "size halved": sizes(node("Add", "s seven", "d"), node("Div", "d two", "y")),
    "size of rank 2": sizes(
        node("Gather", "s first", "g"), node("Unsqueeze", "g axes", "y"), rank=2
    ),
    "chosen sizes": sizes(node("Where", "flags s seven", "y")),
}


@pytest.mark.parametrize("name", MODELS)
def test_numbers_agree(name: str, tmp_path: Path) -> None:
    assert_agrees(MODELS[name], tmp_path, inputs_for(MODELS[name]))


def test_inputs_of_one_name_get_one_each(tmp_path: Path) -> None:
    names = ("a/x", "b/x", "self", "ms", "class", "d", "é", "nn.ops", "x")
    inputs = dict.fromkeys(names, (FLOAT, (2, 3)))
    nodes = [node("Add", "b/x x", "s"), node("Mul", "s self", "y")]
    text = assert_agrees(graph(nodes, inputs), tmp_path, inputs_for(graph(nodes, inputs)))
    line = next(t for t in text.splitlines() if "def construct" in t)
    given = line.split("(")[1].split(")")[0].split(", ")
    assert len(set(given)) == len(names) + 1


def test_a_long_graph_without_names_reuses_its_variables(tmp_path: Path) -> None:
    ops = ("Relu", "Neg", "Tanh", "Abs")
    nodes = [node(ops[i % 4], f"v{i}" if i else "x", f"v{i + 1}") for i in range(200)]
    nodes.append(node("Add", "v200 x", "y"))
    text = assert_agrees(graph(nodes), tmp_path, inputs_for(graph(nodes)))
    made = {t.split(" = ")[0].strip() for t in text.splitlines() if t.startswith("        ")}
    assert len([name for name in made if name.isidentifier()]) <= 4


def test_random_sums_keep_their_values(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, nodes = ["x"], []
        for i in range(40):
            read = rng.choice(values[-12:], 2)
            nodes.append(node(str(rng.choice(["Add", "Mul", "Max"])), " ".join(read), f"v{i}"))
            nodes.append(node("Tanh", f"v{i}", f"t{i}"))
            values.append(f"t{i}")
        nodes.append(node("Sum", " ".join(values[-8:]), "y"))
        model = graph(nodes, weights={"w": W})
        assert_agrees(model, tmp_path, inputs_for(model))


def test_what_stands_before_others_is_written_where_it_is_used(tmp_path: Path) -> None:
    nodes = [
        node("IsNaN", "x", "b"),
        node("Tanh", "x", "t"),
        node("Exp", "t", "e"),
        node("Add", "e t", "s"),
        node("Where", "b s x", "y"),
    ]
    text = assert_agrees(graph(nodes), tmp_path, inputs_for(graph(nodes)))
    assert "ops.where(ops.isnan(x), " in text


def test_several_results_are_returned_as_they_are_made(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", "r"), node("Cos", "r", "a"), node("Sin", "r", "b")]
    outputs = {"a": (FLOAT, (2, 3)), "b": (FLOAT, (2, 3))}
    text = assert_agrees(graph(nodes, X, outputs), tmp_path, inputs_for(graph(nodes, X, outputs)))
    assert "return ops.cos(x), ops.sin(x)" in text


def line(target: str, e: Expr) -> Line:
    return Line(target, e)


def test_what_draws_random_numbers_does_so_in_its_order() -> None:
    """Two dropouts that are read the other way round: neither moves past the other."""
    a, b = (Call(Code(f"self.drop{i}"), (Ref("x"),)) for i in (1, 2))
    layers = {f"drop{i}": Layer("Dropout", (), ()) for i in (1, 2)}
    lines = [line("a", a), line("b", b), line("y", Ref("b") - Ref("a"))]
    plan = Plan(dict(layers), lines, ["x"], ["y"])
    assert nested(plan) == [line("a", a), line("y", b - Ref("a"))]
    plan.lines[2] = line("y", Ref("a") - Ref("b"))
    assert nested(plan) == [line("y", a - b)]


def guarded(number: float, shares: str = "Softmax") -> onnx.ModelProto:
    """Shares of x over its last axis, `number` where they are NaN: as attention is exported."""
    nodes = [node(shares, "x", "s"), node("IsNaN", "s", "b"), node("Where", "b n s", "y")]
    return graph(nodes, weights={"n": np.array(number, FLOAT)})


def test_shares_of_nothing_are_nothing(tmp_path: Path) -> None:
    masked = np.array([[-np.inf] * 3, [0.5, -np.inf, 2.0]], FLOAT)
    text = assert_agrees(guarded(0.0), tmp_path, [masked])
    assert "ops.nan_to_num(ops.softmax(x, axis=-1), 0.0)" in text


@pytest.mark.parametrize(("number", "shares"), [(1.0, "Softmax"), (0.0, "Exp")])
def test_what_may_be_infinite_or_another_number_stays(
    tmp_path: Path, number: float, shares: str
) -> None:
    text = assert_agrees(guarded(number, shares), tmp_path, [np.full((2, 3), np.nan, FLOAT)])
    assert "nan_to_num" not in text
