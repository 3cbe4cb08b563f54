"""What the tests of recomposing share: small models as text, and running both sides.

The oracle is ONNX Runtime on the graph before and after; a Dense is run as the MatMul and Add it
stands for, a merged recurrent layer with the Transpose and Reshape that were merged into it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper, parser

from msconvert.converter.graph import Graph, Node, ValueType
from msconvert.converter.load import load
from msconvert.converter.prepare import prepare
from msconvert.converter.proto import to_model
from msconvert.converter.recompose import Recomposed, recompose

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
        elif node.attrs.get("msconvert_layout") == "merged":
            nodes += merged_nodes(node)
        else:
            attrs = {k: v for k, v in node.attrs.items() if not k.startswith("msconvert")}
            nodes.append(replace(node, attrs=attrs))
    constants = {**graph.constants, "minus one": np.array([0, 0, -1], np.int64)}
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


def merged_nodes(node: Node) -> list[Node]:
    y, raw, moved = node.outputs[0], f"{node.outputs[0]} raw", f"{node.outputs[0]} moved"
    attrs = {k: v for k, v in node.attrs.items() if not k.startswith("msconvert")}
    return [
        replace(node, outputs=[raw, *node.outputs[1:]], attrs=attrs),
        Node("Transpose", [raw], [moved], {"perm": [0, 2, 1, 3]}, version=13),
        Node("Reshape", [moved, "minus one"], [y], version=14),
    ]


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
