"""Which modules are one member and one class: small graphs, each run against ONNX Runtime."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest

from msconvert.converter.modules.homes import uncounted
from msconvert.converter.modules.recipes import counted
from msconvert.tests.converter.hand_graphs import FLOAT, SHAPE, W, X, Y, graph, inputs_for, node
from msconvert.tests.converter.in_process import assert_agrees

Convert = Callable[[onnx.ModelProto], str]


@pytest.fixture
def agreed(tmp_path: Path) -> Convert:
    """Converts a model, asserts that the script agrees with ONNX Runtime, returns its text."""
    return lambda model: assert_agrees(model, tmp_path, inputs_for(model))


def classes(text: str) -> list[str]:
    return [line[6:].split("(")[0] for line in text.splitlines() if line.startswith("class ")]


def two_calls(first: Sequence[str], second: Sequence[str]) -> onnx.ModelProto:
    """Module `m` called twice, each time with two operators of one or two inputs."""

    def step(op: str, x: str, y: str) -> onnx.NodeProto:
        return node(op, f"{x} {x}" if op in ("Add", "Mul") else x, y, "m")

    nodes = [step(first[0], "x", "a"), step(first[1], "a", "b"), node("Mul", "b x", "c", "/Mul")]
    return graph([*nodes, step(second[0], "c", "d"), step(second[1], "d", "y")])


def test_a_module_called_twice_is_one_member(agreed: Convert) -> None:
    text = agreed(two_calls(("Relu", "Neg"), ("Relu", "Neg")))
    assert text.count("self.m(") == 2
    assert text.count("self.m = ") == 1


@pytest.mark.parametrize(
    ("first", "second"), [(("Relu", "Neg"), ("Relu", "Exp")), (("Add", "Relu"), ("Mul", "Relu"))]
)
def test_calls_that_differ_are_two_members(
    agreed: Convert, first: Sequence[str], second: Sequence[str]
) -> None:
    assert agreed(two_calls(first, second)).count("self.m_2 = ") == 1


def test_one_weight_used_two_ways_is_two_layers(agreed: Convert) -> None:
    nodes = [
        node("Gemm", "x fc.weight", "a", "/fc/Gemm", transB=1),
        node("Gemm", "a fc.weight", "y", "/fc_1/Gemm"),
    ]
    assert agreed(graph(nodes, weights={"fc.weight": W})).count("nn.Dense") == 2


def test_what_one_call_gives_all_do(agreed: Convert) -> None:
    nodes = [
        *(node("Relu", "x", "a", "m"), node("Neg", "a", "b", "m"), node("Mul", "b x", "c", "/Mul")),
        *(node("Relu", "c", "d", "m"), node("Neg", "d", "e", "m"), node("Add", "d e", "y", "/Add")),
    ]
    text = agreed(graph(nodes))
    assert (text.count("self.m("), text.count("self.m = "), "_2" in text) == (2, 1, False)


def test_constants_of_two_calls_stay_apart(agreed: Convert) -> None:
    nodes = [
        *(node("Mul", "x s1", "a", "m"), node("Relu", "a", "b", "m")),
        node("Mul", "b x", "c", "/Mul"),
        *(node("Mul", "c s2", "d", "m"), node("Relu", "d", "y", "m")),
    ]
    assert agreed(graph(nodes, weights={"s1": W[0], "s2": W[1]})).count("ms.Parameter") >= 1


def block(i: int, x: str, y: str, calls: int, name: str = "fc") -> list[onnx.NodeProto]:
    """`b.i`: calls of one layer, a number, a shortcut."""
    nodes = []
    value = x
    for k in range(calls):
        token = f"{name}_{k}" if k else name
        made = f"{y}_{k}"
        place = f"/b/b.{i}/{token}/Gemm"
        nodes.append(node("Gemm", f"{value} b.{i}.{name}.weight", made, place, transB=1))
        value = made
    nodes.append(node("Mul", f"{value} number{i}", f"{y}_m", f"/b/b.{i}/Mul"))
    return [*nodes, node("Add", f"{y}_m {x}", y, f"/b/b.{i}/Add")]


def numbers(*values: float) -> dict[str, np.ndarray]:
    return {f"number{i}": np.array(v, FLOAT) for i, v in enumerate(values)}


def test_a_layer_called_twice_is_not_optional(agreed: Convert) -> None:
    nodes = block(0, "x", "a", 2) + block(1, "a", "y", 1)
    weights = {"b.0.fc.weight": W, "b.1.fc.weight": W.T.copy(), **numbers(2, 2)}
    assert classes(agreed(graph(nodes, weights=weights))) == ["B", "B1", "Model"]


@pytest.mark.parametrize("name", ["fc", "size", "in_channels"])
def test_a_layer_that_some_lack_is_optional(agreed: Convert, name: str) -> None:
    nodes = block(0, "x", "a", 1, name) + block(1, "a", "c", 1, name) + block(2, "c", "y", 0)
    weights = {f"b.0.{name}.weight": W, f"b.1.{name}.weight": W.T.copy(), **numbers(2, 3, 4)}
    text = agreed(graph(nodes, weights=weights))
    assert classes(text) == ["B", "Model"]
    assert f"self.{name} is None" in text


def test_only_one_member_is_optional(agreed: Convert) -> None:
    def one(i: int, x: str, y: str, layers: Sequence[str]) -> list[onnx.NodeProto]:
        nodes, value = [], x
        for name in layers:
            made, place = f"{y}_{name}", f"/b/b.{i}/{name}/Gemm"
            nodes.append(node("Gemm", f"{value} b.{i}.{name}.weight", made, place, transB=1))
            value = made
        return [*nodes, node("Add", f"{value} {value}", y, f"/b/b.{i}/Add")]

    chosen = (("c",), (), ("d", "c"), ("c",))
    values = ("x", "p", "q", "r", "y")
    nodes = [n for i, c in enumerate(chosen) for n in one(i, values[i], values[i + 1], c)]
    weights = {f"b.{i}.{n}.weight": W + i for i, c in enumerate(chosen) for n in c}
    agreed(graph(nodes, weights=weights))


@pytest.mark.parametrize(("first", "second"), [(0.0, -0.0), (3.0, 2.0)])
def test_numbers_that_differ_are_arguments(agreed: Convert, first: float, second: float) -> None:
    nodes = [
        *(node("Div", "x number0", "a", "/b/b.0/Div"), node("Tanh", "a", "b", "/b/b.0/Tanh")),
        *(node("Div", "b number1", "c", "/b/b.1/Div"), node("Tanh", "c", "y", "/b/b.1/Tanh")),
    ]
    assert "self.scale" in agreed(graph(nodes, weights=numbers(first, second)))


def test_an_argument_is_not_called_like_a_member(agreed: Convert) -> None:
    nodes = [
        *(node("Mul", "x b.0.scale", "a", "/b/b.0/Mul"), node("Pow", "a n0", "c", "/b/b.0/Pow")),
        *(node("Mul", "c b.1.scale", "d", "/b/b.1/Mul"), node("Pow", "d n1", "y", "/b/b.1/Pow")),
    ]
    weights = {"b.0.scale": W[0], "b.1.scale": W[1], "n0": np.array(2.0), "n1": np.array(4.0)}
    text = agreed(graph(nodes, weights={k: v.astype(FLOAT) for k, v in weights.items()}))
    assert "self.scale_2" in text


def test_a_bias_that_one_lacks_makes_two_classes(agreed: Convert) -> None:
    nodes = [
        node("Gemm", "x b.0.fc.weight b.0.fc.bias", "a", "/b/b.0/fc/Gemm"),
        node("Exp", "a", "b", "/b/b.0/Exp"),
        node("Gemm", "b b.1.fc.weight", "c", "/b/b.1/fc/Gemm"),
        node("Exp", "c", "y", "/b/b.1/Exp"),
    ]
    weights = {"b.0.fc.weight": W, "b.0.fc.bias": W[0], "b.1.fc.weight": W.T.copy()}
    assert classes(agreed(graph(nodes, weights=weights))) == ["B", "B1", "Model"]


@pytest.mark.parametrize(("first", "mask"), [("a", "x"), ("a", "layer"), ("x", "out"), ("y", "a")])
def test_a_loop_keeps_what_it_reads(agreed: Convert, first: str, mask: str) -> None:
    nodes, value = [], first
    for i in range(3):
        place = f"/layers.{i}"
        nodes.append(node("Gemm", f"{value} layers.{i}.fc.weight", f"g{i}", f"{place}/fc/Gemm"))
        nodes.append(node("Add", f"g{i} {mask}", f"h{i}", f"{place}/Add"))
        value = f"h{i}"
    nodes.append(node("Mul", f"{value} {first}", "result", "/Mul"))
    inputs = {first: (FLOAT, SHAPE), mask: (FLOAT, SHAPE)}
    weights = {f"layers.{i}.fc.weight": W + i for i in range(3)}
    text = agreed(graph(nodes, inputs, {"result": (FLOAT, SHAPE)}, weights))
    assert "in self.layers:" in text


CLASS_NAMES = """Path load ms nn ops print super float CHECKPOINT None range Exception self str int
tuple _ _Layer __class__ in_channels""".split()


@pytest.mark.parametrize("name", CLASS_NAMES)
def test_class_names_hide_nothing(agreed: Convert, name: str) -> None:
    nodes = [
        node("Gemm", "x m.fc.weight", "a", "m", name),
        node("Mul", "a number0", "b", "m", name),
        node("Relu", "b", "y", "/Relu"),
    ]
    weights = {"m.fc.weight": W, **numbers(float("inf"))}
    assert "nn.Cell" in agreed(graph(nodes, weights=weights))


NAMES = """self construct training name _x __class__ 1a été a.b a_b class m.self None ms nn ops
scale x y 0 scales.0 scales.1""".split()


def test_constants_of_any_name_have_attributes(agreed: Convert) -> None:
    values = ["x", *(f"v{i}" for i in range(len(NAMES) - 1)), "out"]
    held = [f"{name}_" if name == "x" else name for name in NAMES]
    nodes = [node("Mul", f"{values[i]} {n}", values[i + 1]) for i, n in enumerate(held)]
    weights = {n.input[1]: (W[i % 3] + i).astype(FLOAT) for i, n in enumerate(nodes)}
    text = agreed(graph(nodes, outputs={"out": (FLOAT, SHAPE)}, weights=weights))
    assert text.count("ms.Parameter") == len(NAMES)


def test_a_plain_sequence_is_a_sequential_cell(agreed: Convert) -> None:
    nodes = [node("Gemm", "x 0.weight", "a", "/0/Gemm"), node("Relu", "a", "y", "/1/Relu")]
    assert "class Model(nn.SequentialCell)" in agreed(graph(nodes, weights={"0.weight": W}))


def test_gaps_in_a_list_stay_small(agreed: Convert) -> None:
    nodes = [
        node("Gemm", "x m.0.weight", "a", "/m/m.0/Gemm"),
        node("Gemm", "a m.900.weight", "b", "/m/m.900/Gemm"),
        node("Gemm", "b m.00.weight", "y", "/m/m.00/Gemm"),
    ]
    text = agreed(graph(nodes, weights={"m.0.weight": W, "m.900.weight": W, "m.00.weight": W}))
    assert text.count("nn.Identity()") < 9


def test_texts_do_not_depend_on_hashes(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from msconvert.tests.converter.random_graphs import random_model;"
        "from msconvert.tests.converter.in_process import text_of;"
        "print([text_of(random_model(s), pathlib.Path(sys.argv[1])) for s in (1, 2, 3, 5, 8)])"
    )
    texts = set()
    for seed in "0123":
        own = os.environ | {"PYTHONHASHSEED": seed, "PATH": ""}
        command = [sys.executable, "-c", code, str(tmp_path)]
        done = subprocess.run(command, env=own, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        texts.add(done.stdout)
    assert len(texts) == 1
    assert b"nn.Cell" in texts.pop()


def test_inputs_outputs_and_constants(agreed: Convert) -> None:
    assert "return x" in agreed(graph([node("Identity", "x", "y")]))
    agreed(graph([node("Relu", "x", "y")], outputs={**Y, **X}))
    twice = [node("Identity", "x", "y"), node("Identity", "x", "z")]
    agreed(graph(twice, outputs={**Y, "z": X["x"]}))
    constant = {"z": (FLOAT, (3, 3))}
    both = [node("Relu", "x", "y"), node("Identity", "c", "z")]
    agreed(graph(both, X, {**Y, **constant}, {"c": W}))
    agreed(graph([node("Add", "c c", "z")], {}, constant, {"c": W}))
    more = {"b/x": (FLOAT, (1,)), "c/x": (FLOAT, (1,)), "d": (FLOAT, (1,)), "e": (FLOAT, (1,))}
    agreed(graph([node("Relu", "x", "y")], {**X, **more}))


def test_a_class_is_named_by_where_it_stands_if_its_attribute_says_nothing(agreed: Convert) -> None:
    place = "/encoder/block.0/h/layer.0"
    nodes = [node("Relu", "x", "a", f"{place}/Relu"), node("Neg", "a", "y", f"{place}/Neg")]
    assert "EncoderBlockLayer" in classes(agreed(graph(nodes)))


def masked_layers(count: int, mask_of: Callable[[int], str]) -> list[onnx.NodeProto]:
    """`layers.i.attn`: a product with its weight, and the mask that `mask_of(i)` is called."""
    nodes, value = [], "x"
    for i in range(count):
        place, made = f"/layers.{i}/attn", "y" if i == count - 1 else f"h{i}"
        nodes.append(node("Gemm", f"{value} layers.{i}.fc.weight", f"g{i}", f"{place}/fc/Gemm"))
        nodes.append(node("Neg", f"g{i}", f"n{i}", f"{place}/Neg"))
        nodes.append(node("Mul", f"n{i} {mask_of(i)}", made, f"{place}/Mul"))
        value = made
    return nodes


LAYER_WEIGHTS = {f"layers.{i}.fc.weight": W + i for i in range(3)}


def test_what_the_exporter_computed_once_for_all_layers_stays_in_each(agreed: Convert) -> None:
    nodes = masked_layers(3, lambda _: "wide")
    shared = [
        node("Exp", "mask", "e", "/layers.0/attn/Exp"),
        node("Abs", "e", "wide", "/layers.0/attn/Abs"),
    ]
    inputs = {"x": (FLOAT, SHAPE), "mask": (FLOAT, SHAPE)}
    text = agreed(graph([nodes[0], *shared, *nodes[1:]], inputs, Y, LAYER_WEIGHTS))
    assert classes(text) == ["Attention", "EncoderLayer", "Model"]
    assert text.count("ops.exp(") == 1
    assert " in self.layers:" in text


@pytest.mark.parametrize(
    ("first", "op", "operands"),
    [("wide", "Gemm", "x layers.0.bias.weight"), ("x", "Exp", "x")],
    ids=["computed with weights", "not read by its own layer"],
)
def test_what_a_layer_hands_to_the_next_is_not_computed_again(
    agreed: Convert, first: str, op: str, operands: str
) -> None:
    nodes = masked_layers(3, lambda i: "wide" if i else first)
    nodes.insert(0, node(op, operands, "wide", f"/layers.0/attn/{op}"))
    weights = {**LAYER_WEIGHTS, "layers.0.bias.weight": W.T.copy()}
    text = agreed(graph(nodes, X, Y, weights))
    assert "Attention1" in classes(text)


def test_a_weight_without_a_name_is_no_parameter_of_a_choice(agreed: Convert) -> None:
    """`ops.where` takes numbers, whatever the exporter called them."""
    nodes = [
        node("Greater", "x s", "c", "/m/Greater"),
        node("Where", "c /m/zero /m/low", "w", "/m/Where"),
        node("Add", "w x", "y", "/m/Add"),
    ]
    low, zero, s = (np.full(shape, v, FLOAT) for shape, v in ((1, -np.inf), (1, 0), ((), 0.5)))
    text = agreed(graph(nodes, weights={"/m/zero": zero, "/m/low": low, "s": s}))
    assert "ops.where(" in text
    assert 'float("-inf")' in text
    assert "Parameter" not in text


def test_a_normalisation_that_mindspore_lacks_is_a_layer_at_its_place(agreed: Convert) -> None:
    nodes = [
        node("Mul", "x x", "s", "/norm/Mul"),
        node("ReduceMean", "s", "m", "/norm/ReduceMean", axes=[-1]),
        node("Add", "m eps", "v", "/norm/Add"),
        node("Sqrt", "v", "r", "/norm/Sqrt"),
        node("Div", "x r", "n", "/norm/Div"),
        node("Mul", "n norm.weight", "y", "/norm/Mul_1"),
    ]
    text = agreed(graph(nodes, weights={"eps": np.array(1e-6, FLOAT), "norm.weight": W[0]}))
    assert "self.norm = RMSNorm((3,), epsilon=1e-06)" in text
    assert classes(text) == ["RMSNorm", "Model"]


def test_a_weight_with_a_name_stays_one_where_it_is_chosen(agreed: Convert) -> None:
    nodes = [
        node("Greater", "x s", "c", "/m/Greater"),
        node("Where", "c x m.fill", "w", "/m/Where"),
        node("Add", "w x", "y", "/m/Add"),
    ]
    weights = {"m.fill": np.full(1, -2.5, FLOAT), "s": np.full((), 0.5, FLOAT)}
    text = agreed(graph(nodes, weights=weights))
    assert "self.fill = ms.Parameter(ops.zeros((1,), ms.float32))" in text


@pytest.mark.parametrize("name", ["lifted_tensor_{}", "layers.{}.lifted_tensor_{}", "table_{}"])
def test_numbers_by_which_an_exporter_tells_constants_apart_part_no_classes(
    agreed: Convert, name: str
) -> None:
    names = [name.format(i, i) for i in range(3)]
    nodes, value = [], "x"
    for i, constant in enumerate(names):
        made = "y" if i == 2 else f"h{i}"
        nodes.append(node("Gemm", f"{value} layers.{i}.fc.weight", f"g{i}", f"layers.{i}.fc"))
        nodes.append(node("Add", f"g{i} {constant}", f"a{i}", f"layers.{i}"))
        nodes.append(node("Neg", f"a{i}", made, f"layers.{i}"))
        value = made
    weights = {**LAYER_WEIGHTS, **{constant: W[i] for i, constant in enumerate(names)}}
    text = agreed(graph(nodes, X, Y, weights))
    assert classes(text) == ["M", "M1", "Net"]  # a layer, the list of layers, the network
    assert "lifted" not in text
    assert "requires_grad=False" not in text


@pytest.mark.parametrize(
    ("op", "value", "shape", "stays"),
    [
        ("And", True, (), False),
        ("Or", False, (1,), False),
        ("And", False, (), True),
        ("Or", True, (), True),
        ("And", True, (1, 1, 1), True),
    ],
)
def test_conditions_that_say_nothing_are_dropped(
    agreed: Convert, op: str, value: bool, shape: tuple[int, ...], stays: bool
) -> None:
    nodes = [
        node("Greater", "x z", "g"),
        node(op, "t g" if value else "g t", "h"),
        node("Cast", "h", "y", to=onnx.TensorProto.FLOAT),
    ]
    outputs = {"y": (FLOAT, (*shape[2:], *SHAPE))}
    text = agreed(graph(nodes, X, outputs, {"z": FLOAT(0), "t": np.full(shape, value)}))
    assert ("ops.logical_" in text) == stays


def test_a_module_of_one_operator_that_holds_a_weight_stays_a_module(agreed: Convert) -> None:
    nodes, value = [], "x"
    for i in range(2):
        made = "y" if i else "h"
        nodes.append(node("Gemm", f"{value} b.{i}.fc.weight", f"g{i}", f"/b/b.{i}/fc/Gemm"))
        nodes.append(node("Mul", f"g{i} b.{i}.ls.gamma", f"m{i}", f"/b/b.{i}/ls/Mul"))
        nodes.append(node("Add", f"m{i} {value}", made, f"/b/b.{i}/Add"))
        value = made
    weights = {f"b.{i}.fc.weight": W + i for i in range(2)}
    weights |= {f"b.{i}.ls.gamma": W[i] for i in range(2)}
    text = agreed(graph(nodes, weights=weights))
    assert classes(text) == ["Ls", "B", "Model"]
    assert "self.gamma = ms.Parameter(" in text


def test_a_module_called_past_its_parent_has_the_path_of_its_weights(agreed: Convert) -> None:
    nodes = [
        node("Gemm", "x net.dec.fc.weight", "a", "/dec/fc/Gemm"),
        node("Neg", "a", "b", "/dec/Neg"),
        node("Exp", "b", "c", "/dec/Exp"),
        node("Gemm", "c net.head.weight", "y", "/head/Gemm"),
    ]
    text = agreed(graph(nodes, weights={"net.dec.fc.weight": W, "net.head.weight": W.T.copy()}))
    assert "self.net = Net()" in text
    assert "self.dec = Dec()" in text


def attention_in_halves(read_outside: bool) -> onnx.ModelProto:
    """`b.0.attn` and `b.1.attn`: two layers each, and an operator between that the block has."""
    nodes, value = [], "x"
    for i in range(2):
        made, place = "y" if i else "h", f"/b/b.{i}"
        nodes.append(node("Gemm", f"{value} b.{i}.attn.q.weight", f"q{i}", f"{place}/attn/q/Gemm"))
        nodes.append(node("Neg", f"q{i}", f"n{i}", f"{place}/Neg"))
        nodes.append(node("Exp", f"n{i}", f"e{i}", f"{place}/Exp"))
        nodes.append(node("Gemm", f"e{i} b.{i}.attn.p.weight", f"p{i}", f"{place}/attn/p/Gemm"))
        nodes.append(node("Abs", f"p{i}", f"a{i}", f"{place}/attn/Abs"))
        rest = f"a{i} n{i}" if read_outside else f"a{i} {value}"
        nodes.append(node("Add", rest, made, f"{place}/Add"))
        value = made
    weights = {f"b.{i}.attn.{part}.weight": W * (i + 1) / 3 for i in range(2) for part in "qp"}
    return graph(nodes, weights={name: w + len(name) for name, w in weights.items()})


def test_what_stands_between_two_parts_of_a_module_is_in_it(agreed: Convert) -> None:
    text = agreed(attention_in_halves(read_outside=False))
    assert classes(text) == ["Attention", "B", "Model"]
    assert "attn_2" not in text


def test_what_others_read_too_stays_outside(agreed: Convert) -> None:
    text = agreed(attention_in_halves(read_outside=True))
    assert "attn_2" in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [("table_2", "table"), ("view3", "view"), ("None_1", "None_"), ("_7", ""), ("bias", "bias")],
)
def test_a_name_without_its_number_is_a_plain_one(name: str, expected: str) -> None:
    assert uncounted(name) == expected


def test_a_module_that_is_a_layer_and_more_is_derived_from_it(agreed: Convert) -> None:
    """Its weights have no names: they stand where the module's own do, not a level deeper."""
    nodes = [
        *(node("Neg", "x", "a", "m"), node("Gemm", "a c1", "b", "m", transB=1)),
        *(node("Abs", "b", "c", "m"), node("Sub", "c x", "y", "/Sub")),
    ]
    text = agreed(graph(nodes, weights={"c1": W}))
    assert "class M(nn.Dense):" in text
    assert "super().__init__(3, 3, has_bias=False)" in text
    assert "super().construct(-x)" in text


def test_what_the_exporter_computed_once_is_not_trained(agreed: Convert) -> None:
    """Frequencies of an embedding of positions are named after the function that made them."""
    nodes = [node("Mul", "x unsqueeze_1", "a", "m"), node("Add", "a scale", "y", "m")]
    text = agreed(graph(nodes, weights={"unsqueeze_1": W[0], "scale": W[1]}))
    held = [part.split(")\n")[0] for part in text.split("ms.Parameter(")[1:]]
    assert ["requires_grad=False" in part for part in held] in ([True, False], [False, True])


@pytest.mark.parametrize("shape", [(1,), ()])
@pytest.mark.parametrize(("name", "is_trained"), [("act.scale", True), ("val_3", False)])
def test_a_number_that_a_module_holds_is_trained(
    agreed: Convert, name: str, is_trained: bool, shape: tuple[int, ...]
) -> None:
    nodes = [node("Relu", "x", "r", "act"), node("Mul", f"r {name}", "y", "act")]
    text = agreed(graph(nodes, weights={name: np.full(shape, 1.5, FLOAT)}))
    held = f"self.scale = ms.Parameter(ops.zeros({shape}, ms.float32))"
    assert (held in text) == is_trained


def test_a_table_of_halves_is_one_of_halves(agreed: Convert) -> None:
    """MindSpore's layer makes a table of float32 whatever its dtype, and refuses the checkpoint."""
    nodes = [
        node("Gather", "table.weight tokens", "a", "/table/Gather"),
        node("Cast", "a", "y", "/Cast", to=1),
    ]
    weights = {"table.weight": np.arange(180).reshape(60, 3).astype(np.float16)}
    tokens = {"tokens": (np.dtype("int64"), (2,))}
    outputs = {"y": (FLOAT, (2, 3))}
    text = agreed(graph(nodes, tokens, outputs, weights=weights))
    assert "embedding_table=ops.zeros((60, 3), ms.float16)" in text


def dense_and_norm(place: str, cls: str, x: str, y: str, name: str) -> list[onnx.NodeProto]:
    """tanh(x w) + x, in a module of a class of its own."""
    return [
        node("Gemm", f"{x} {name}", f"{y}/a", f"{place}.fc", cls),
        node("Tanh", f"{y}/a", f"{y}/b", place, cls),
        node("Exp", f"{y}/b", y, place, cls),
    ]


def narrow_and_wide(second: str) -> onnx.ModelProto:
    nodes = dense_and_norm("one", "First", "x", "m", "one.fc.weight")
    nodes += dense_and_norm("two", second, "m", "y", "two.fc.weight")
    rng = np.random.default_rng(3)
    weights = {
        "one.fc.weight": rng.standard_normal((3, 5)).astype(FLOAT),
        "two.fc.weight": rng.standard_normal((5, 3)).astype(FLOAT),
    }
    return graph(nodes, weights=weights)


def test_a_class_that_says_what_another_says_is_derived_from_it(agreed: Convert) -> None:
    text = agreed(narrow_and_wide("Second"))
    assert "class Second(First):" in text
    assert text.count("ops.exp(") == 1, "it is written once"
    assert "self.two = Second(" in text


def test_classes_of_one_name_are_one(agreed: Convert) -> None:
    assert classes(agreed(narrow_and_wide("First"))) == ["First", "Net"]


def test_numbers_that_count_up_are_made_anew(agreed: Convert) -> None:
    nodes = [
        node("Slice", "m.position_ids zero two one", "ids", "m"),
        node("Gather", "m.table.weight ids", "rows", "m"),
        node("Add", "rows x", "y", "m"),
    ]
    weights = {
        "m.position_ids": np.arange(9)[None],
        "m.table.weight": np.random.default_rng(0).standard_normal((9, 3)).astype(FLOAT),
        "zero": np.array([0]),
        "two": np.array([1]),
        "one": np.array([1]),
    }
    y = {"y": (FLOAT, (1, 3))}
    x = {"x": (FLOAT, (1, 3)), "n": (np.int64, (1,))}
    nodes[0].input[:] = ["m.position_ids", "zero", "n", "one"]
    del weights["two"]
    text = agreed(graph(nodes, x, y, weights))
    assert "self.position_ids = ops.arange(9).reshape((1, 9))" in text


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.arange(9)[None], (0, 9, 1)),
        (np.arange(30, 3, -3), (30, 3, -3)),
        (np.array([0, 1, 2, 3, 5, 6]), None),
        (np.arange(6).reshape(2, 3), None),
        (np.arange(9.0), None),
        (np.arange(3), None),
        (np.zeros(9, np.int64), None),
    ],
)
def test_which_numbers_count_up(array: np.ndarray, expected: object) -> None:
    found = counted(array)
    assert (None if found is None else tuple(v for _, v in found.arguments)) == expected


def waves(length: int, width: int) -> np.ndarray:
    """The table as VideoMAE and "Attention is all you need" compute it."""
    column = np.arange(width)
    angles = np.arange(length)[:, None] / np.power(10000, 2 * (column // 2) / width)
    angles[:, 0::2], angles[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
    return angles.astype(FLOAT)[None]


@pytest.mark.parametrize(("name", "is_made"), [("/m/Constant_output_0", True), ("m.pos", False)])
def test_waves_of_positions_are_made_anew(agreed: Convert, name: str, is_made: bool) -> None:
    """Not those that have a name: they may have been trained."""
    x = {"x": (FLOAT, (1, 8, 6))}
    nodes = [node("Relu", "x", "r", "m"), node("Add", f"r {name}", "y", "m")]
    text = agreed(graph(nodes, x, {"y": (FLOAT, (1, 8, 6))}, {name: waves(8, 6)}))
    assert ("onnx_waves(8, 6).reshape((1, 8, 6))" in text) is is_made
    assert ("def onnx_waves(" in text) is is_made
