"""Model files that are wrong, or dangerous, in one way each; made in a folder as `model.onnx`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ATTACK = "__import__('os').system('touch executed')"

HOSTILE = (
    ATTACK,
    f"'''\n{ATTACK}\n'''",
    f'"""\n{ATTACK}\n"""',
    f"'); {ATTACK}; ('",
    f'"); {ATTACK}; ("',
    f"\\'); {ATTACK} #",
    f"# \n{ATTACK}",
    f"\u2028{ATTACK}",
    f"{{{{ {ATTACK} }}}}",
    f"{{% {ATTACK} %}}",
    f"${{{ATTACK}}}$(touch executed)`touch executed`",
    "class",
    "self",
    "ops",
    "__class__",
    "../../../executed",
    "\x1b[2J\u202e\x00",
    "模型 ü \U0001f642",
    "x" * 1_000_000,
)
"""Names of nodes and values; the last has a megabyte."""


def model(
    nodes: Sequence[onnx.NodeProto],
    weights: Sequence[onnx.TensorProto] = (),
    shape: Sequence[int | str] = (2, 3),
    opset: int = 17,
) -> onnx.ModelProto:
    """A model from x to y, both float32 of this shape."""
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy"]
    graph = helper.make_graph(nodes, "small", values[:1], values[1:], list(weights))
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("my.domain", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def relu(opset: int = 17) -> onnx.ModelProto:
    return model([helper.make_node("Relu", ["x"], ["y"], name="activation")], opset=opset)


def scaled(factor: float = 2.0, columns: int = 3) -> onnx.ModelProto:
    """x * scale, with a weight of `columns` numbers."""
    weight = numpy_helper.from_array(np.full(columns, factor, np.float32), "scale")
    nodes = [helper.make_node("Mul", ["x", "scale"], ["y"], name="scaling")]
    return model(nodes, [weight], ("batch", columns))


def dense() -> onnx.ModelProto:
    """A layer behind another, of static shape."""
    rng = np.random.default_rng(0)
    weights = [
        numpy_helper.from_array(rng.standard_normal((3, 3), np.float32), f"{name}.weight")
        for name in ("first", "second")
    ]
    nodes = [
        helper.make_node("Gemm", ["x", "first.weight"], ["hidden"], name="/first/Gemm"),
        helper.make_node("Relu", ["hidden"], ["positive"], name="/act/Relu"),
        helper.make_node("Gemm", ["positive", "second.weight"], ["y"], name="/second/Gemm"),
    ]
    return model(nodes, weights)


def unsupported() -> onnx.ModelProto:
    """An operator that nobody knows, with an attribute, between two that everybody does."""
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="/act/Relu"),
        helper.make_node("Swirl", ["a"], ["b"], "/swirl/Swirl", domain="my.domain", angle=3.0),
        helper.make_node("Neg", ["b"], ["y"], name="/neg/Neg"),
    ]
    return model(nodes)


def cyclic() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Add", ["x", "b"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"], name="second"),
        helper.make_node("Neg", ["b"], ["y"], name="third"),
    ]
    return model(nodes)


def external(location: str) -> onnx.ModelProto:
    weight = TensorProto(name="scale", data_type=TensorProto.FLOAT, dims=[3])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value=location)
    return model([helper.make_node("Mul", ["x", "scale"], ["y"], name="scaling")], [weight])


def hostile() -> onnx.ModelProto:
    """A chain of layers whose every name is an attack; weights too."""
    nodes, weights, value = [], [], "x"
    for i, name in enumerate(HOSTILE):
        made = "y" if i == len(HOSTILE) - 1 else f"{name} value"
        array = np.full((3, 3), 0.1 + i, np.float32)
        weights.append(numpy_helper.from_array(array, f"{name} weight"))
        nodes.append(helper.make_node("MatMul", [value, f"{name} weight"], [made], name=name))
        value = made
    proto = model(nodes, weights, (ATTACK, 3))
    proto.graph.name = proto.producer_name = proto.producer_version = HOSTILE[2]
    proto.graph.doc_string = proto.doc_string = HOSTILE[1]
    for node in proto.graph.node[:4]:
        node.metadata_props.add(key="pkg.torch.onnx.class_hierarchy", value=f"['{ATTACK}', 'b']")
        node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=f"['', '{HOSTILE[3]}']")
        node.metadata_props.add(key="namespace", value=HOSTILE[2])
    return proto


def saved(proto: onnx.ModelProto, folder: Path, name: str = "model.onnx") -> Path:
    path = folder / name
    path.write_bytes(proto.SerializeToString())
    return path
