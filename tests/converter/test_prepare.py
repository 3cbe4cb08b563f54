"""Preparing: the numbers stay, what need not be computed goes, shapes are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.converter.graph.graph import Graph
from msconvert.converter.graph.prepare import Prepared, prepare
from msconvert.converter.source.load import load
from msconvert.tests.converter.small_models import floats, model, run, saved

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def prepared(proto: onnx.ModelProto, folder: Path, **options: object) -> Prepared:
    return prepare(load(saved(proto, folder)), **options)


def ops(graph: Graph) -> list[str]:
    return [node.op for node in graph.nodes]


def node(op: str, inputs: str, outputs: str, **attrs: object) -> onnx.NodeProto:
    """Names separated by blanks; "-" is an optional input left out."""
    names = [("" if name == "-" else name) for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), name=f"{op}_{outputs}", **attrs)


@pytest.mark.parametrize("name", ["squeezenet", "shufflenet"])
def test_light_models_compute_the_same(name: str) -> None:
    path = LIGHT / f"light_{name}.onnx"
    graph = prepare(load(path)).graph
    assert not {"ConstantOfShape", "Dropout"} & set(ops(graph))
    assert all(graph.type_of(out).is_static for item in graph.nodes for out in item.outputs)
    shape = graph.type_of(graph.inputs[0]).shape
    x = np.random.default_rng(0).random(shape, np.float32)
    feeds = {graph.inputs[0]: x}
    np.testing.assert_array_equal(run(graph, feeds)[0], run(path, feeds)[0])


def test_weights_of_one_value_take_no_memory() -> None:
    graph = prepare(load(LIGHT / "light_vgg19.onnx")).graph
    assert sum(array.nbytes for array in graph.constants.values()) > 500e6
    weights = [array for array in graph.constants.values() if array.nbytes > 1e6]
    assert all(not any(array.strides) for array in weights)


def test_preparing_is_deterministic_and_leaves_the_graph_as_it_was() -> None:
    graph = load(LIGHT / "light_squeezenet.onnx")
    before = (len(graph.nodes), list(graph.constants), dict(graph.types))
    first, second = prepare(graph), prepare(graph)
    assert (len(graph.nodes), list(graph.constants), dict(graph.types)) == before
    assert first.simplified == second.simplified
    assert [n.label for n in first.graph.nodes] == [n.label for n in second.graph.nodes]
    assert list(first.graph.constants) == list(second.graph.constants)


def test_preparing_twice_changes_nothing() -> None:
    graph = prepare(load(LIGHT / "light_shufflenet.onnx")).graph
    assert prepare(graph).simplified == ()


VIEW = (
    node("Shape", "x", "s"),
    node("Gather", "s zero", "n"),
    node("Unsqueeze", "n axes", "n1"),
    node("Concat", "n1 rest", "target", axis=0),
    node("Reshape", "x target", "y"),
)
"""PyTorch's x.view(x.size(0), -1, 6)."""

VIEW_WEIGHTS = {"zero": np.array(0), "axes": np.array([0]), "rest": np.array([-1, 6])}


def shown(size: int | str | None) -> int | str | None:
    """A size that no file names, which has a name of its own, as "?"."""
    return "?" if isinstance(size, str) and size.startswith("?") else size


@pytest.mark.parametrize(
    ("batch", "shape"), [(2, (2, 4, 6)), ("batch", ("batch", 4, 6)), (None, ("?", 4, 6))]
)
def test_view_under_static_and_dynamic_batch(
    batch: int | str | None, shape: tuple[object, ...], tmp_path: Path
) -> None:
    proto = model(VIEW, {"x": (batch, 24)}, ["y"], VIEW_WEIGHTS)
    graph = prepared(proto, tmp_path).graph
    assert tuple(map(shown, graph.type_of("y").shape or ())) == shape
    x = np.arange(48, dtype=np.float32).reshape(2, 24)
    np.testing.assert_array_equal(run(graph, {"x": x})[0], x.reshape(2, 4, 6))
    if batch is not None:
        assert ops(graph) == ["Reshape"]


def test_a_varying_size_becomes_minus_one(tmp_path: Path) -> None:
    weights = VIEW_WEIGHTS | {"rest": np.array([4, 6])}
    graph = prepared(model(VIEW, {"x": ("batch", 24)}, ["y"], weights), tmp_path).graph
    assert ops(graph) == ["Reshape"]
    assert graph.constants[graph.nodes[0].inputs[1]].tolist() == [-1, 4, 6]
    x = np.zeros((5, 24), np.float32)
    assert run(graph, {"x": x})[0].shape == (5, 4, 6)


def test_sizes_that_stay_in_place_become_zero(tmp_path: Path) -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Slice", "s zero two zero", "front"),
        node("Concat", "front rest", "target", axis=0),
        node("Reshape", "x target", "y"),
    ]
    weights = {"zero": np.array([0]), "two": np.array([2]), "rest": np.array([4, 6])}
    graph = prepared(model(nodes, {"x": ("n", "t", 24)}, ["y"], weights), tmp_path).graph
    assert graph.constants[graph.nodes[-1].inputs[1]].tolist()[2:] == [4, 6]
    assert graph.type_of("y").shape == ("n", "t", 4, 6)
    x = np.arange(144, dtype=np.float32).reshape(2, 3, 24)
    np.testing.assert_array_equal(run(graph, {"x": x})[0], x.reshape(2, 3, 4, 6))


def test_heads_merged_into_the_batch_are_told_apart_again(tmp_path: Path) -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Mul", "n heads", "nh"),
        node("Unsqueeze", "nh axes", "nh1"),
        node("Concat", "nh1 tail", "target", axis=0),
        node("Reshape", "x target", "h"),
        node("Shape", "h", "s2"),
        node("Gather", "s2 zero", "nh2"),
        node("Div", "nh2 heads", "n2"),
        node("Unsqueeze", "n2 axes", "n3"),
        node("Concat", "n3 rest", "target2", axis=0),
        node("Reshape", "h target2", "y"),
    ]
    weights = {
        "zero": np.array(0),
        "axes": np.array([0]),
        "heads": np.array(4),
        "tail": np.array([7, 2]),
        "rest": np.array([4, 7, 2]),
    }
    graph = prepared(model(nodes, {"x": ("batch", 56)}, ["y"], weights), tmp_path).graph
    assert ops(graph) == ["Reshape", "Reshape"]
    assert graph.type_of("h").shape == ("4*batch", 7, 2)
    assert graph.type_of("y").shape == ("batch", 4, 7, 2)


def test_shapes_that_depend_on_values_are_left_alone(tmp_path: Path) -> None:
    proto = model([node("NonZero", "x", "i"), node("Shape", "i", "y")], {"x": (3,)}, [])
    proto.graph.output.append(floats("y", None, TensorProto.INT64))
    graph = prepared(proto, tmp_path).graph
    assert ops(graph) == ["NonZero", "Shape"]


def test_constants_are_folded_and_their_weights_remembered(tmp_path: Path) -> None:
    weight = np.arange(12, dtype=np.float32).reshape(3, 4)
    nodes = [node("Transpose", "fc.weight", "wt", perm=[1, 0]), node("MatMul", "x wt", "y")]
    result = prepared(model(nodes, {"x": (2, 4)}, ["y"], {"fc.weight": weight}), tmp_path)
    assert ops(result.graph) == ["MatMul"]
    np.testing.assert_array_equal(result.graph.constants["wt"], weight.T)
    derivation = result.graph.derived["wt"]
    assert (derivation.weights, derivation.ops) == (("fc.weight",), ("Transpose",))
    assert result.simplified == (("Transpose 'Transpose_wt'", "computed during the conversion"),)


def test_what_onnx_runtime_cannot_run_stays_and_the_rest_is_folded(tmp_path: Path) -> None:
    nodes = [
        node("Neg", "a", "b"),
        node("Bogus", "b", "c"),
        node("Neg", "b", "d"),
        node("Sum", "x c d", "y"),
    ]
    proto = model(nodes, {"x": (3,)}, ["y"], {"a": np.float32([1, 2, 3])})
    graph = prepared(proto, tmp_path).graph
    assert ops(graph) == ["Bogus", "Sum"]
    assert graph.constants["d"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "first",
    [
        node("RandomNormal", "", "c", shape=[3]),
        node("Tile", "w many", "c"),
    ],
    ids=lambda proto: proto.op_type,
)
def test_what_must_not_be_folded(first: onnx.NodeProto, tmp_path: Path) -> None:
    weights = {
        "w": np.ones(3, np.float32),
        "many": np.array([100_000_000]),
    }
    proto = model([first, node("Add", "x c", "y")], {"x": (1,)}, ["y"], weights)
    assert ops(prepared(proto, tmp_path).graph) == [first.op_type, "Add"]


def test_a_view_is_not_written_out_to_fold_what_reads_it(tmp_path: Path) -> None:
    weights = {"shape": np.array([1 << 40])}
    nodes = [
        node("ConstantOfShape", "shape", "big"),
        node("ReduceSum", "big", "s"),
        node("Add", "x s", "y"),
    ]
    graph = prepared(model(nodes, {"x": (1,)}, ["y"], weights), tmp_path).graph
    assert ops(graph) == ["ReduceSum", "Add"]


def test_a_loop_without_end_is_not_run(tmp_path: Path) -> None:
    body = helper.make_graph(
        [node("Identity", "go", "on"), node("Neg", "v", "w")],
        "body",
        [
            floats("i", (), TensorProto.INT64),
            floats("go", (), TensorProto.BOOL),
            floats("v", (1,)),
        ],
        [floats("on", (), TensorProto.BOOL), floats("w", (1,))],
    )
    weights = {"n": np.array(1 << 62), "t": np.array(True), "v0": np.ones(1, np.float32)}
    nodes = [node("Loop", "n t v0", "h", body=body), node("Add", "x h", "y")]
    graph = prepared(model(nodes, {"x": (1,)}, ["y"], weights), tmp_path).graph
    assert ops(graph) == ["Loop", "Add"]


def test_expand_of_a_constant_takes_no_memory(tmp_path: Path) -> None:
    weights = {"w": np.float32([[1], [2]]), "shape": np.array([1 << 20, 2, 1 << 20])}
    nodes = [node("Expand", "w shape", "big"), node("Add", "x big", "y")]
    graph = prepared(model(nodes, {"x": (1,)}, ["y"], weights), tmp_path).graph
    assert ops(graph) == ["Add"]
    assert graph.constants["big"].shape == (1 << 20, 2, 1 << 20)


FULL = np.iinfo(np.int64).max
NO_OPS = {
    "Identity": ([node("Identity", "x", "h")], {}),
    "Dropout": ([node("Dropout", "x", "h")], {}),
    "Dropout off": (
        [node("Dropout", "x ratio off", "h")],
        {"ratio": np.float32(0.5), "off": np.array(False)},
    ),
    "Cast": ([node("Cast", "x", "h", to=TensorProto.FLOAT)], {}),
    "CastLike": ([node("CastLike", "x w", "h")], {"w": np.ones((), np.float32)}),
    "CastLike itself": ([node("CastLike", "x x", "h")], {}),
    "Transpose": ([node("Transpose", "x", "h", perm=[0, 1, 2])], {}),
    "Pad": ([node("Pad", "x pads", "h")], {"pads": np.zeros(6, np.int64)}),
    "Slice": (
        [node("Slice", "x zero end one", "h")],
        {k: np.array([v]) for k, v in (("zero", 0), ("end", FULL), ("one", 1))},
    ),
    "Expand": ([node("Expand", "x shape", "h")], {"shape": np.array([2, 1, 1])}),
    "Concat": ([node("Concat", "x", "h", axis=0)], {}),
    "Reshape": ([node("Reshape", "x shape", "h")], {"shape": np.array([2, -1, 4])}),
    "If": (
        [
            node(
                "If",
                "true",
                "h",
                then_branch=helper.make_graph(
                    [node("Identity", "x", "x2")], "a", [], [floats("x2", None)]
                ),
                else_branch=helper.make_graph(
                    [node("Neg", "x", "x2")], "b", [], [floats("x2", None)]
                ),
            )
        ],
        {"true": np.array(True)},
    ),
}


@pytest.mark.parametrize("case", NO_OPS)
def test_nodes_that_do_nothing_go(case: str, tmp_path: Path) -> None:
    nodes, weights = NO_OPS[case]
    proto = model([*nodes, node("Relu", "h", "y")], {"x": (2, 3, 4)}, ["y"], weights)
    result = prepared(proto, tmp_path)
    assert ops(result.graph) == ["Relu"]
    assert result.graph.nodes[0].inputs == ["x"]
    labels = [label for label, reason in result.simplified if reason]
    assert f"{nodes[0].op_type} '{nodes[0].name}'" in labels


SOMETHING = {
    "Transpose": ([node("Transpose", "x", "h", perm=[0, 2, 1])], {}),
    "Transpose without perm": ([node("Transpose", "x", "h")], {}),
    "Cast": ([node("Cast", "x", "d", to=TensorProto.DOUBLE), node("Cast", "d", "h", to=1)], {}),
    "CastLike": (
        [node("CastLike", "x w", "d"), node("CastLike", "d v", "h")],
        {"w": np.ones((), np.float64), "v": np.ones((), np.float32)},
    ),
    "Pad": ([node("Pad", "x pads", "h")], {"pads": np.array([0, 0, 0, 0, 0, 1])}),
    "Slice": ([node("Slice", "x one end", "h")], {"one": np.array([1]), "end": np.array([9])}),
    "Slice back": (
        [node("Slice", "x start end axes steps", "h")],
        {k: np.array([v]) for k, v in (("start", -1), ("end", -FULL), ("axes", 0), ("steps", -1))},
    ),
    "Slice to before the end": (
        [node("Slice", "x zero one", "h")],
        {"zero": np.array([0]), "one": np.array([1])},
    ),
    "Expand": ([node("Expand", "x shape", "h")], {"shape": np.array([5, 1, 3, 4])}),
    "Reshape": ([node("Reshape", "x shape", "h")], {"shape": np.array([3, 2, 4])}),
    "Dropout in training": (
        [node("Dropout", "x ratio on", "h")],
        {"ratio": np.float32(0.5), "on": np.array(True)},
    ),
}


@pytest.mark.parametrize("case", SOMETHING)
def test_nodes_that_do_something_stay(case: str, tmp_path: Path) -> None:
    nodes, weights = SOMETHING[case]
    proto = model([*nodes, node("Relu", "h", "y")], {"x": (2, 3, 4)}, ["y"], weights)
    result = prepared(proto, tmp_path)
    assert ops(result.graph) == [*(n.op_type for n in nodes), "Relu"]
    assert result.simplified == ()


@pytest.mark.parametrize("size", [0, 4])
def test_slices_backwards(size: int, tmp_path: Path) -> None:
    """onnx's own inference ends the process for the empty one."""
    nodes, weights = SOMETHING["Slice back"]
    proto = model([*nodes, node("Relu", "h", "y")], {"x": (size, 2)}, ["y"], weights)
    graph = prepared(proto, tmp_path).graph
    assert graph.type_of("y").shape == ((4, 2) if size else (None, 2))
    x = np.arange(2.0 * size, dtype=np.float32).reshape(size, 2)
    np.testing.assert_array_equal(run(graph, {"x": x})[0], x[::-1])


@pytest.mark.parametrize("op", ["Reshape", "Expand"])
def test_impossible_shapes_stay_unknown(op: str, tmp_path: Path) -> None:
    proto = model([node(op, "x s", "y")], {"x": (8,)}, ["y"], {"s": np.array([-129, 2])})
    shape = prepared(proto, tmp_path).graph.type_of("y").shape
    assert shape is None or all(size is None or size >= 0 for size in shape)


def test_dropout_is_told_and_its_mask_kept(tmp_path: Path) -> None:
    proto = model([node("Dropout", "x", "h"), node("Relu", "h", "y")], {"x": (2,)}, ["y"])
    (finding,) = prepared(proto, tmp_path).findings
    assert finding.code == "MS109"
    assert "dropout at Dropout_h exists only in training" in finding.message
    masked = model([node("Dropout", "x", "y m"), node("Not", "m", "z")], {"x": (2,)}, ["y"])
    masked.graph.output.append(floats("z", None, TensorProto.BOOL))
    assert ops(prepared(masked, tmp_path).graph) == ["Dropout", "Not"]


def test_outputs_keep_their_names(tmp_path: Path) -> None:
    nodes = [
        node("Relu", "x", "h"),
        node("Identity", "h", "y"),
        node("Neg", "h", "z"),
        node("Identity", "x", "same"),
        node("Identity", "h", "again"),
    ]
    graph = prepared(model(nodes, {"x": (2,)}, ["y", "z", "same", "again"]), tmp_path).graph
    assert graph.outputs == ["y", "z", "same", "again"]
    assert Counter(ops(graph)) == {"Relu": 1, "Neg": 1, "Identity": 2}
    x = np.float32([1, -2])
    results = run(graph, {"x": x})
    np.testing.assert_array_equal(results, [[1, 0], [-1, 0], [1, -2], [1, 0]])


def test_tied_weights_are_one_constant_with_two_names(tmp_path: Path) -> None:
    nodes = [node("Identity", "embed.weight", "head.weight"), node("MatMul", "x head.weight", "y")]
    weights = {"embed.weight": np.ones((2, 3), np.float32)}
    graph = prepared(model(nodes, {"x": (1, 2)}, ["y"], weights), tmp_path).graph
    assert list(graph.constants) == ["embed.weight"]
    assert graph.aliases == {"head.weight": "embed.weight"}
    assert graph.nodes[0].inputs == ["x", "embed.weight"]


def test_equal_weights_stay_apart(tmp_path: Path) -> None:
    weights = {name: np.ones(3, np.float32) for name in ("a.bias", "b.bias")}
    graph = prepared(
        model([node("Sum", "x a.bias b.bias", "y")], {"x": (3,)}, ["y"], weights), tmp_path
    ).graph
    assert list(graph.constants) == ["a.bias", "b.bias"]


def test_dead_nodes_go_with_their_weights(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", "y"), node("Add", "x w", "unread")]
    result = prepared(model(nodes, {"x": (3,)}, ["y"], {"w": np.ones(3, np.float32)}), tmp_path)
    assert ops(result.graph) == ["Relu"]
    assert not result.graph.constants
    assert result.simplified == (("Add 'Add_unread'", "no output needs it"),)


def _branch(name: str, op: str) -> onnx.GraphProto:
    weight = numpy_helper.from_array(np.float32([2, 3]), "k")
    nodes = [node(op, "x k", "r"), node("Neg", "r", "out")]
    return helper.make_graph(nodes, name, [], [floats("out", None)], [weight])


@pytest.mark.parametrize("taken", [True, False])
def test_branches_with_equal_names_are_inlined(taken: bool, tmp_path: Path) -> None:
    branches = {"then_branch": _branch("t", "Mul"), "else_branch": _branch("e", "Add")}
    nodes = [
        node("If", "c", "a", **branches),
        node("If", "c", "b", **branches),
        node("Sum", "a b k", "y"),
    ]
    weights = {"c": np.array(taken), "k": np.float32([100, 200])}
    graph = prepared(model(nodes, {"x": (2,)}, ["y"], weights), tmp_path).graph
    assert "If" not in ops(graph)
    x = np.float32([5, 7])
    one = -(x * [2, 3]) if taken else -(x + np.float32([2, 3]))
    np.testing.assert_array_equal(run(graph, {"x": x})[0], 2 * one + [100, 200])


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity"), (3e38, "")]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_that_are_not_finite_are_told(
    value: float, word: str, dtype: type, tmp_path: Path
) -> None:
    array = np.full(50, value, dtype)
    array[:20] = 1
    proto = model(
        [node("Shape", "w", "s"), node("Relu", "x", "y")], {"x": (1,)}, ["y"], {"w": array}
    )
    proto.graph.node.append(node("Identity", "w", "v"))
    proto.graph.output.append(floats("v", None, helper.np_dtype_to_tensor_dtype(array.dtype)))
    messages = [
        (f.code, f.where, f.severity)
        for f in prepared(proto, tmp_path).findings
        if word in f.message
    ]
    assert messages == ([("MS109", "w", "warning")] if word else [])


@pytest.mark.parametrize("opset", range(7, 27))
def test_every_opset(opset: int, tmp_path: Path) -> None:
    proto = model(
        [node("Add", "x w", "h"), node("Relu", "h", "r"), node("Dropout", "r", "y")],
        {"x": ("batch", 3)},
        ["y"],
        {"w": np.ones(3, np.float32)},
        opset=opset,
    )
    graph = prepared(proto, tmp_path, shapes=[(2, 3)]).graph
    assert ops(graph) == ["Add", "Relu"]
    assert graph.type_of("y").shape == (2, 3)


def test_one_bad_node_does_not_stop_inference(tmp_path: Path) -> None:
    nodes = [node("MatMul", "x x", "bad"), node("Bogus", "x", "odd"), node("Relu", "x", "y")]
    graph = prepared(model(nodes, {"x": (2, 3)}, ["y", "bad", "odd"]), tmp_path).graph
    assert graph.type_of("y").shape == (2, 3)
    assert graph.type_of("odd").shape is None


def chain(opset: int = 17) -> onnx.ModelProto:
    nodes: Sequence[onnx.NodeProto] = [
        helper.make_node("Relu", ["data"], ["v1"], name="first"),
        helper.make_node("Neg", ["v1"], ["v2"], name="second"),
        helper.make_node("Add", ["v2", "mask"], ["prob"], name="third"),
    ]
    return model(nodes, {"data": ("n", 3), "mask": ("n", 3)}, ["prob"], opset=opset)


def test_values_named_in_the_file_only_help_where_inference_is_blind(tmp_path: Path) -> None:
    proto = model(
        [node("Relu", "x", "h"), helper.make_node("Odd", ["h"], ["g"], domain="acme")],
        {"x": ("n", 3)},
        ["g"],
    )
    proto.graph.node.append(node("Relu", "g", "y"))
    proto.graph.ClearField("output")
    proto.graph.output.append(floats("y", None))
    proto.graph.value_info.extend([floats("h", (9, 9)), floats("g", ("n", 5))])
    proto.opset_import.append(helper.make_opsetid("acme", 1))
    graph = prepared(proto, tmp_path).graph
    assert graph.type_of("h").shape == ("n", 3)
    assert graph.type_of("y").shape == ("n", 5)
