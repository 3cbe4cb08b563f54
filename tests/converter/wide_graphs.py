"""Graphs of many of one thing, for what `growth` bounds: n is how many, the file grows with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx
from onnx import helper

from msconvert.tests.converter.small_models import floats, model

node = helper.make_node
ONE = np.array(0.5, np.float32)


def unnamed(n: int) -> onnx.ModelProto:
    """Products, sums and activations by turns, with weights and without a name of a node."""
    nodes, weights = [], {}
    for i in range(n):
        op, word = ("MatMul", "Add", "Relu")[i % 3], f"w{i}"
        if op != "Relu":
            weights[word] = np.full((3, 3) if op == "MatMul" else 3, i, np.float32)
        more = [word] if op != "Relu" else []
        nodes.append(node(op, [f"v{i}", *more], [f"v{i + 1}"]))
    return model(nodes, {"v0": (2, 3)}, [f"v{n}"], weights)


def modules(n: int) -> onnx.ModelProto:
    """As `unnamed`, with the names that PyTorch's exporter gives."""
    proto = unnamed(n)
    named = {}
    for i, one in enumerate(proto.graph.node):
        place = f"encoder/layers.{i // 3}/{('fc', 'fc', 'act')[i % 3]}"
        one.name = f"/{place}/{one.op_type}"
        if len(one.input) > 1:
            part = ("weight", "bias")[i % 3]
            named[one.input[1]] = f"{place.replace('/', '.')}.{part}"
            one.input[1] = named[one.input[1]]
    for tensor in proto.graph.initializer:
        tensor.name = named[tensor.name]
    return proto


def described(n: int) -> onnx.ModelProto:
    """A chain whose nodes have the metadata of PyTorch's newer exporter."""
    proto = one_by_one("Relu", n)
    for i, one in enumerate(proto.graph.node):
        one.metadata_props.add(key="namespace", value=f": Net/layers.{i}: ReLU/relu_{i}: aten.relu")
        one.metadata_props.add(
            key="pkg.torch.onnx.name_scopes", value=f"['', 'layers.{i}', 'relu_{i}']"
        )
        one.metadata_props.add(
            key="pkg.torch.onnx.class_hierarchy", value="['Net', 'ReLU', 'aten.relu.default']"
        )
        one.doc_string = "said of it " * 5
    return proto


def one_by_one(op: str, n: int, *more: str, **attributes: object) -> onnx.ModelProto:
    """A chain of n unnamed nodes, the constants that `more` names beside each."""
    nodes = [node(op, [f"v{i}", *more], [f"v{i + 1}"], **attributes) for i in range(n)]
    known = {
        "shape": np.array([3, 2]),
        "axes": np.array([0]),
        "starts": np.array([0]),
        "ends": np.array([2]),
        "one": ONE,
        "zero": np.array(0, np.uint8),
        "c": np.ones(3, np.float32),
    }
    weights = {name: known[name] for name in more}
    return model(nodes, {"v0": (2, 3)}, [f"v{n}"], weights)


def open_sizes(n: int) -> onnx.ModelProto:
    nodes = [node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(n)]
    return model(nodes, {"v0": ("a", "b")}, [f"v{n}"])


def reshaped(n: int) -> onnx.ModelProto:
    """Sizes read, put together and used, again and again."""
    nodes = []
    for i in range(n // 5):
        nodes += [
            node("Shape", [f"v{i}"], [f"s{i}"]),
            node("Gather", [f"s{i}", "axes"], [f"g{i}"], axis=0),
            node("Concat", [f"g{i}", "rest"], [f"c{i}"], axis=0),
            node("Reshape", [f"v{i}", f"c{i}"], [f"r{i}"]),
            node("Relu", [f"r{i}"], [f"v{i + 1}"]),
        ]
    weights = {"axes": np.array([0]), "rest": np.array([-1])}
    return model(nodes, {"v0": ("a", 3)}, [f"v{n // 5}"], weights)


def residual(n: int) -> onnx.ModelProto:
    nodes = []
    for i in range(n // 2):
        nodes += [
            node("Tanh", [f"v{i}"], [f"t{i}"]),
            node("Add", [f"v{i}", f"t{i}"], [f"v{i + 1}"]),
        ]
    return model(nodes, {"v0": (2, 3)}, [f"v{n // 2}"])


def towers(n: int) -> onnx.ModelProto:
    """Two chains whose nodes stand by turns."""
    nodes = [node("Relu", [f"v{i}"], [f"v{i + 2}"]) for i in range(n)]
    return model(nodes, {"v0": (2, 3), "v1": (2, 3)}, [f"v{n}", f"v{n + 1}"])


def constants(n: int) -> onnx.ModelProto:
    """Constants as nodes, each added."""
    nodes = []
    for i in range(n // 2):
        value = helper.make_tensor("", 1, [3], [i, i, i])
        nodes += [
            node("Constant", [], [f"c{i}"], value=value),
            node("Add", [f"v{i}", f"c{i}"], [f"v{i + 1}"]),
        ]
    return model(nodes, {"v0": (2, 3)}, [f"v{n // 2}"])


def tied(n: int) -> onnx.ModelProto:
    """One weight under n names."""
    nodes = []
    for i in range(n // 2):
        nodes += [
            node("Identity", ["w"], [f"w{i}"]),
            node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]),
        ]
    weights = {"w": np.ones((3, 3), np.float32)}
    return model(nodes, {"v0": (2, 3)}, [f"v{n // 2}"], weights)


def normalised(n: int) -> onnx.ModelProto:
    parts = ("scale", "bias", "mean", "var")
    nodes, weights = [], {}
    for i in range(n):
        words = [f"bn{i}.{part}" for part in parts]
        weights |= {word: np.ones(3, np.float32) for word in words}
        nodes.append(node("BatchNormalization", [f"v{i}", *words], [f"v{i + 1}"]))
    return model(nodes, {"v0": (2, 3)}, [f"v{n}"], weights)


def convolved(n: int) -> onnx.ModelProto:
    """Convolutions, each with the same weight."""
    nodes = [node("Conv", [f"v{i}", "w"], [f"v{i + 1}"]) for i in range(n)]
    return model(nodes, {"v0": (1, 3, 2, 2)}, [f"v{n}"], {"w": np.ones((3, 3, 1, 1), np.float32)})


def layer_norms(n: int) -> onnx.ModelProto:
    """Normalisations as exporters spell them out: nine nodes each."""
    nodes, weights = [], {"two": np.array(2.0, np.float32), "eps": np.array(1e-5, np.float32)}
    for i in range(n // 9):
        weights |= {f"{i}.weight": np.ones(3, np.float32), f"{i}.bias": np.ones(3, np.float32)}
        nodes += [
            node("ReduceMean", [f"v{i}"], [f"m{i}"], axes=[-1]),
            node("Sub", [f"v{i}", f"m{i}"], [f"d{i}"]),
            node("Pow", [f"d{i}", "two"], [f"p{i}"]),
            node("ReduceMean", [f"p{i}"], [f"s{i}"], axes=[-1]),
            node("Add", [f"s{i}", "eps"], [f"e{i}"]),
            node("Sqrt", [f"e{i}"], [f"q{i}"]),
            node("Div", [f"d{i}", f"q{i}"], [f"n{i}"]),
            node("Mul", [f"n{i}", f"{i}.weight"], [f"k{i}"]),
            node("Add", [f"k{i}", f"{i}.bias"], [f"v{i + 1}"]),
        ]
    return model(nodes, {"v0": (2, 3)}, [f"v{n // 9}"], weights)


def quantised(n: int) -> onnx.ModelProto:
    nodes = []
    for i in range(n // 2):
        nodes += [
            node("QuantizeLinear", [f"v{i}", "one", "zero"], [f"q{i}"]),
            node("DequantizeLinear", [f"q{i}", "one", "zero"], [f"v{i + 1}"]),
        ]
    weights = {"one": ONE, "zero": np.array(0, np.uint8)}
    return model(nodes, {"v0": (2, 3)}, [f"v{n // 2}"], weights)


def branch(nodes: Sequence[onnx.NodeProto], out: str) -> onnx.GraphProto:
    return helper.make_graph(nodes, "branch", [], [floats(out, None)])


def ifs(n: int) -> onnx.ModelProto:
    """n choices one after the other, on one condition that is given."""
    nodes = []
    for i in range(n):
        yes = branch([node("Relu", [f"v{i}"], [f"a{i}"])], f"a{i}")
        no = branch([node("Neg", [f"v{i}"], [f"b{i}"])], f"b{i}")
        nodes.append(node("If", ["c"], [f"v{i + 1}"], then_branch=yes, else_branch=no))
    proto = model(nodes, {"v0": (2, 3)}, [f"v{n}"])
    proto.graph.input.append(floats("c", [], onnx.TensorProto.BOOL))
    return proto


def wide_if(n: int) -> onnx.ModelProto:
    """One choice of two long chains."""
    yes = branch([node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(n // 2)], f"v{n // 2}")
    no = branch([node("Neg", [f"v{i}"], [f"v{i + 1}"]) for i in range(n // 2)], f"v{n // 2}")
    for graph in (yes, no):
        graph.node[0].input[0] = "x"
    whole = node("If", ["c"], ["y"], then_branch=yes, else_branch=no)
    proto = model([whole], {"x": (2, 3)}, ["y"])
    proto.graph.input.append(floats("c", [], onnx.TensorProto.BOOL))
    return proto


def deep_if(n: int) -> onnx.ModelProto:
    """Choices in choices."""
    inner = branch([node("Relu", ["x"], ["b0"])], "b0")
    for i in range(n):
        no = branch([node("Neg", ["x"], [f"n{i}"])], f"n{i}")
        step = node("If", ["c"], [f"b{i + 1}"], then_branch=inner, else_branch=no)
        inner = branch([step], f"b{i + 1}")
    proto = model([*inner.node], {"x": (2, 3)}, [f"b{n}"])
    proto.graph.input.append(floats("c", [], onnx.TensorProto.BOOL))
    return proto


def long_function(n: int) -> onnx.ModelProto:
    """One local function of n nodes."""
    opsets = [helper.make_opsetid("", 17)]
    steps = [node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(n)]
    proto = model([node("F", ["x"], ["y"], domain="my")], {"x": (2, 3)}, ["y"])
    proto.opset_import.add(domain="my", version=1)
    proto.functions.append(helper.make_function("my", "F", ["v0"], [f"v{n}"], steps, opsets))
    return proto


def short() -> onnx.ModelProto:
    return one_by_one("Relu", 2)


def texts(n: int) -> onnx.ModelProto:
    """Two nodes, and texts of 100 n characters wherever a file may have some."""
    proto = short()
    text = "said " * 20 * n
    proto.doc_string = proto.producer_name = proto.graph.doc_string = text
    for one in proto.graph.node:
        one.doc_string = text
        one.metadata_props.add(key="namespace", value=text)
    proto.metadata_props.add(key=text, value=text)
    return proto


def long_names(n: int) -> onnx.ModelProto:
    """Two nodes whose names and values have 10 n characters."""
    proto = short()
    word = "a.b/c" * 2 * n
    for i, one in enumerate(proto.graph.node):
        one.name = f"/{word}/{i}"
    proto.graph.node[0].output[0] = proto.graph.node[1].input[0] = word
    return proto


def entries(n: int) -> onnx.ModelProto:
    """Metadata of the file, n of them."""
    proto = short()
    for i in range(n):
        proto.metadata_props.add(key=f"key {i}", value=f"value {i}")
    return proto


def declared(n: int) -> onnx.ModelProto:
    """A chain whose values the file declares."""
    proto = one_by_one("Relu", n)
    proto.graph.value_info.extend(floats(f"v{i}", (2, 3)) for i in range(1, n))
    return proto


def domains(n: int) -> onnx.ModelProto:
    proto = short()
    for i in range(n):
        proto.opset_import.add(domain=f"domain.{i}", version=1)
    return proto


def loop(n: int) -> onnx.ModelProto:
    """A loop with n nodes in its body."""
    steps = [node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(n)]
    body = helper.make_graph(
        [node("Identity", ["k"], ["k2"]), *steps],
        "body",
        [floats("i", [], 7), floats("k", [], 9), floats("v0", (2, 3))],
        [floats("k2", [], 9), floats(f"v{n}", (2, 3))],
    )
    proto = model([node("Loop", ["n", "", "x"], ["y"], body=body)], {"x": (2, 3)}, ["y"])
    proto.graph.input.append(floats("n", [], 7))
    return proto


def sequence(n: int) -> onnx.ModelProto:
    """A list of n tensors, put together."""
    parts = [node("Relu", ["x"], [f"v{i}"]) for i in range(n)]
    ends = [
        node("SequenceConstruct", [f"v{i}" for i in range(n)], ["s"]),
        node("ConcatFromSequence", ["s"], ["y"], axis=0),
    ]
    return model([*parts, *ends], {"x": (2, 3)}, ["y"])


def gathered(n: int) -> onnx.ModelProto:
    """n inputs, put together by one node."""
    names = [f"x{i}" for i in range(n)]
    return model([node("Concat", names, ["y"], axis=0)], dict.fromkeys(names, (2, 3)), ["y"])


def given_weights(n: int) -> onnx.ModelProto:
    """n weights, put together by one node."""
    weights = {f"w{i}": np.full((1, 3), i, np.float32) for i in range(n)}
    return model([node("Concat", ["x", *weights], ["y"], axis=0)], {"x": (2, 3)}, ["y"], weights)


def handed_on(n: int) -> onnx.ModelProto:
    """One value, given by n outputs."""
    nodes = [node("Relu", ["x"], ["y"]), *(node("Identity", ["y"], [f"y{i}"]) for i in range(n))]
    return model(nodes, {"x": (2, 3)}, [f"y{i}" for i in range(n)])


def linked(n: int) -> onnx.ModelProto:
    """Each node reads the value before it and one of long ago."""
    nodes = [node("Max", [f"v{i}", f"v{i // 2}"], [f"v{i + 1}"]) for i in range(n)]
    return model(nodes, {"v0": (2, 3)}, [f"v{n}"])


def turned(n: int) -> onnx.ModelProto:
    """Turned and turned back by nodes with others between."""
    nodes = []
    for i in range(n // 3):
        nodes += [
            node("Transpose", [f"v{i}"], [f"t{i}"], perm=[1, 0]),
            node("Relu", [f"t{i}"], [f"r{i}"]),
            node("Transpose", [f"r{i}"], [f"v{i + 1}"], perm=[1, 0]),
        ]
    return model(nodes, {"v0": (2, 3)}, [f"v{n // 3}"])


WIDE: dict[str, Callable[[int], onnx.ModelProto]] = {
    "unnamed": unnamed,
    "modules": modules,
    "described": described,
    "open sizes": open_sizes,
    "sizes read": reshaped,
    "residual": residual,
    "towers": towers,
    "constants": constants,
    "one weight": tied,
    "normalised": normalised,
    "convolved": convolved,
    "layer norms": layer_norms,
    "quantised": quantised,
    "choices": ifs,
    "a wide choice": wide_if,
    "choices in choices": deep_if,
    "a long function": long_function,
    "texts": texts,
    "long names": long_names,
    "metadata": entries,
    "declared": declared,
    "domains": domains,
    "a loop": loop,
    "a list": sequence,
    "inputs put together": gathered,
    "weights put together": given_weights,
    "one value given": handed_on,
    "linked": linked,
    "turned": turned,
    "a chain without names": lambda n: one_by_one("Relu", n),
    "a chain of turns": lambda n: one_by_one("Transpose", n, perm=[1, 0]),
    "a chain of powers": lambda n: one_by_one("Pow", n, "one"),
    "a chain of divisions": lambda n: one_by_one("Div", n, "c"),
    "a chain of slices": lambda n: one_by_one("Slice", n, "starts", "ends", "axes"),
    "a chain of new shapes": lambda n: one_by_one("Reshape", n, "shape"),
    "a chain of softmaxes": lambda n: one_by_one("Softmax", n, axis=-1),
    "a chain of casts": lambda n: one_by_one("Cast", n, to=1),
}
