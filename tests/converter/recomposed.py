"""What the tests of recomposing share: small models as text, and running both sides.

The oracle is ONNX Runtime on the graph before and after; a Dense is run as the MatMul and Add it
stands for, a recurrent module as ONNX's node for each layer, with the nodes around and between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper, parser

from msconvert.converter.graph.graph import Graph, Node, ValueType
from msconvert.converter.graph.prepare import prepare
from msconvert.converter.graph.proto import to_model
from msconvert.converter.recompose import Recomposed, recompose
from msconvert.converter.source.load import load

F32 = np.float32


@dataclass(frozen=True)
class Case:
    """`text`: what y is made of, in onnx.parser's language; `ops`: the operators it becomes.

    `x`: the input's shape; `weights`: shape of each constant; numbers in the text are scalars.
    """

    name: str
    text: str
    ops: str
    x: str = "2,8"
    weights: tuple[tuple[str, tuple[int, ...]], ...] = ()
    opset: int = 17
    reason: str = ""


def model_of(case: Case) -> onnx.ModelProto:
    """`a = Mul(x, 0.5)` a line; the last line makes y; numbers become constants."""
    lines, constants = [], {}
    for line in case.text.strip().splitlines():
        target, call = (part.strip() for part in line.split("=", 1))
        head, inside = call.split("(", 1) if ">" not in call else call.rsplit("(", 1)
        args = [arg.strip() for arg in inside.rsplit(")", 1)[0].split(",") if arg.strip()]
        for i, arg in enumerate(args):
            if arg[0] in "-.0123456789":
                args[i] = f"c{len(constants)}"
                constants[args[i]] = np.array(float(arg), F32)
            elif arg[0] == "@":
                args[i] = f"c{len(constants)}"
                constants[args[i]] = np.array(list(map(int, arg[1:].split(":"))), np.int64)
        lines.append(f"{target} = {head}({', '.join(args)})")
    header = f'<ir_version: 8, opset_import: ["" : {case.opset}]>'
    graph = f"g (float[{case.x}] x) => (float y) {{\n" + "\n".join(lines) + "\n}"
    model = parser.parse_model(f"{header}\n{graph}")
    rng = np.random.default_rng(0)
    for name, shape in case.weights:
        constants[name] = rng.standard_normal(shape).astype(F32)
    tensors = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    model.graph.initializer.extend(tensors)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    return model


def graph_of(model: onnx.ModelProto, folder: Path) -> Graph:
    path = folder / "model.onnx"
    onnx.save(model, path)
    return prepared_file(path)


def prepared_file(path: Path) -> Graph:
    return prepare(load(path)).graph


def expanded(graph: Graph) -> Graph:
    """The graph with what ONNX has not written in what it has."""
    nodes = []
    for node in graph.nodes:
        if node.op == "Dense":
            nodes += dense_nodes(node)
        elif node.op == "Roll":
            nodes += roll_nodes(node)
        elif node.op in ("NanToNum", "MaskedSoftmax"):
            (x,), (y,) = node.inputs, node.outputs
            if node.op == "MaskedSoftmax":
                nodes.append(Node("Softmax", [x], [f"{y} raw"], attrs=node.attrs, version=13))
                x = f"{y} raw"
            nodes.append(Node("IsNaN", [x], [f"{y} none"], version=13))
            nodes.append(Node("Where", [f"{y} none", "nothing", x], [y], version=16))
        elif node.domain == "msconvert":
            nodes += module_nodes(node)
        else:
            attrs = {k: v for k, v in node.attrs.items() if not k.startswith("msconvert")}
            nodes.append(replace(node, attrs=attrs))
    constants = {**graph.constants, "minus one": np.array([0, 0, -1], np.int64)}
    constants["nothing"] = np.array(0, F32)
    constants |= {f"rows {k}": np.array([k], np.int64) for k in range(9)}
    types = {name: ValueType() for name in graph.outputs}
    for name in graph.outputs:
        types[name] = ValueType(graph.type_of(name).dtype)
    types.update({name: graph.type_of(name) for name in graph.inputs})
    return replace(graph, nodes=nodes, constants=constants, types=types)


def with_axes_as_inputs(graph: Graph) -> Graph:
    """What opset 18 wants of nodes of older versions."""
    nodes, constants = [], dict(graph.constants)
    for node in graph.nodes:
        attrs = dict(node.attrs)
        inputs = list(node.inputs)
        if "axes" in attrs:
            inputs.append(f"{node.outputs[0]} axes")
            constants[inputs[-1]] = np.array(attrs.pop("axes"), np.int64)
        nodes.append(replace(node, inputs=inputs, attrs=attrs))
    return replace(graph, nodes=nodes, constants=constants)


def dense_nodes(node: Node) -> list[Node]:
    (y,) = node.outputs
    w, product = node.inputs[1], y if len(node.inputs) == 2 else f"{y} product"
    nodes = []
    if node.attrs["transB"]:
        nodes.append(Node("Transpose", [w], [f"{y} w"], {"perm": [1, 0]}, version=13))
        w = f"{y} w"
    nodes.append(Node("MatMul", [node.inputs[0], w], [product], version=13))
    if len(node.inputs) == 3:
        nodes.append(Node("Add", [product, node.inputs[2]], [y], version=14))
    return nodes


def roll_nodes(node: Node) -> list[Node]:
    """ONNX's nodes for a move around the end, axis by axis."""
    nodes: list[Node] = []

    def add(op: str, inputs: list[str], **attrs: object) -> str:
        nodes.append(Node(op, inputs, [f"{node.outputs[0]} {len(nodes)}"], attrs, version=13))
        return nodes[-1].outputs[0]

    def cut(value: str, *numbers: int) -> str:
        return add("Slice", [value, *(add("Constant", [], value_ints=[n]) for n in numbers)])

    x = node.inputs[0]
    for shift, axis in zip(node.attrs["shifts"], node.attrs["axes"], strict=True):
        parts = cut(x, -shift, 2**31, axis), cut(x, 0, -shift, axis)
        x = add("Concat", list(parts), axis=axis)
    nodes[-1].outputs[:] = node.outputs
    return nodes


def module_nodes(module: Node) -> list[Node]:
    """ONNX's nodes for x, h, c, then W R B of each layer -> y, final h, final c."""
    attrs = dict(module.attrs)
    depth, is_batch_first = attrs.pop("num_layers"), attrs.pop("batch_first")
    dirs = 2 if attrs.get("direction") == "bidirectional" else 1
    x, h, c, *weights = module.inputs
    y, count = module.outputs[0], 2 if module.op == "LSTM" else 1
    nodes, finals = [], [[], []]

    def add(op: str, inputs: list[str], version: int, **given: object) -> str:
        nodes.append(Node(op, inputs, [f"{y} {len(nodes)}"], given, version=version))
        return nodes[-1].outputs[0]

    x = add("Transpose", [x], 13, perm=[1, 0, 2]) if is_batch_first else x
    for k in range(depth):
        ends = ["rows " + str(k * dirs), "rows " + str((k + 1) * dirs), "rows 0"]
        states = [add("Slice", [s, *ends], 13) if s else "" for s in (h, c)[:count]]
        x = add(module.op, [x, *weights[3 * k : 3 * k + 3], "", *states], 14, **attrs)
        nodes[-1].outputs += [f"{x} h", f"{x} c"][:count]
        for state, name in zip(finals, nodes[-1].outputs[1:], strict=False):
            state.append(name)
        x = add("Reshape", [add("Transpose", [x], 13, perm=[0, 2, 1, 3]), "minus one"], 14)
    add("Transpose", [x], 13, perm=[1, 0, 2] if is_batch_first else [0, 1, 2])
    nodes[-1].outputs[:] = [y]
    for wanted, parts in zip(module.outputs[1:], finals, strict=False):
        nodes += [Node("Concat", parts, [wanted], {"axis": 0}, version=13)] if wanted else []
    return nodes


def run(graph: Graph, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    graph = expanded(graph)
    opset = max(graph.opsets[""], *(node.version for node in graph.nodes))
    old_softmax = any("Softmax" in node.op and node.version < 13 for node in graph.nodes)
    assert not (old_softmax and opset >= 13), "Softmax means another thing since opset 13"
    if opset >= 18:
        graph = with_axes_as_inputs(graph)
    proto = to_model(replace(graph, opsets={"": opset}))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)


def feeds_for(graph: Graph) -> dict[str, np.ndarray]:
    """Random inputs; a size that is not known is 3."""
    rng = np.random.default_rng(1)
    feeds = {}
    for name in graph.inputs:
        known = graph.type_of(name)
        shape = [size if isinstance(size, int) else 3 for size in known.shape]
        is_whole = known.dtype.kind == "i"
        made = rng.integers(0, 4, shape) if is_whole else rng.standard_normal(shape) * 2
        feeds[name] = np.asarray(made, known.dtype)
    return feeds


def check(before: Graph, ops: str, atol: float = 2e-6) -> Recomposed:
    """Recompose: these operators come out, the numbers stay, and `before` is not changed."""
    listed = [(node, list(node.inputs), list(node.outputs)) for node in before.nodes]
    done = recompose(before)
    assert [node.op for node in done.graph.nodes] == ops.split(), done.kept
    assert [(n, n.inputs, n.outputs) for n in before.nodes] == listed, "the graph given has changed"
    assert_same_numbers(before, done.graph, atol)
    return done


def assert_same_numbers(before: Graph, after: Graph, atol: float = 2e-6) -> None:
    feeds = feeds_for(before)
    for old, new in zip(run(before, feeds), run(after, feeds), strict=True):
        assert old.dtype == new.dtype
        np.testing.assert_allclose(new, old, rtol=1e-5, atol=atol)
