"""The weights of an ONNX graph by the names that its network had for them, or may have had."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from onnx import NodeProto

from .messages import Array, Held, Layer
from .onnx_graph import Graph, Node, scope_of

PATH = re.compile(r"[^\W\d]\w*(\.\w+)+")
"""A name such as PyTorch gives: `layer1.0.conv.weight`."""

LEAVES = {
    **dict.fromkeys(("W", "scale", "Scale", "data", "slope"), "weight"),
    **dict.fromkeys(("input_mean", "mean"), "running_mean"),
    **dict.fromkeys(("input_var", "var"), "running_var"),
    "bias": "bias",
}
"""What constants of nodes are called in PyTorch, by the schema's names of them."""

MATRICES = {"Gemm": {"B": "weight", "C": "bias"}, "MatMul": {"A": "weight", "B": "weight"}}

NN = "torch.nn.modules."
CLASSES = {
    "BatchNormalization": "batchnorm._BatchNorm",
    "Gather": "sparse.Embedding",
    "Gemm": "linear.Linear",
    "GroupNormalization": "normalization.GroupNorm",
    "InstanceNormalization": "instancenorm._InstanceNorm",
    "LayerNormalization": "normalization.LayerNorm",
    "MatMul": "linear.Linear",
    "PRelu": "activation.PReLU",
}
"""PyTorch's classes of layers that such nodes come from."""

CONVOLUTIONS = {"Conv": "conv.Conv", "ConvTranspose": "conv.ConvTranspose"}
PLAIN = ("Add", "Div", "Mul", "Pow", "Sub", "Where")
"""What has no parameters: a constant that it takes may be one of its module's."""

OTHER = "onnx.Graph"


Form = tuple[tuple[int, ...], bytes]


@dataclass(frozen=True)
class Weight:
    """A weight by its name, its elements as PyTorch has them; `is_said`: its name is the file's."""

    held: Held
    array: Array
    is_said: bool

    @property
    def forms(self) -> set[Form]:
        """What tells its elements; those of a matrix also with its axes exchanged."""
        both = [self.array, self.array.T] if self.array.ndim == 2 else [self.array]
        return {(tuple(n for n in x.shape if n != 1), x.tobytes()) for x in both}


def weights_of(graph: Graph, folder: str) -> tuple[Weight, ...]:
    """Each distinct one once, in the order in which the nodes take them.

    What only stands in the graph, as a mask, may be among them; equal ones without names of
    their own, as of a layer that is called twice, are one.
    """
    every = list(all_weights(graph, folder))
    seen = {form for weight in every if weight.is_said for form in weight.forms}
    found: dict[str, Weight] = {}
    for weight in every:
        if weight.is_said or not seen & weight.forms:
            found.setdefault(weight.held.name, weight)
            seen |= weight.forms
    return tuple(found.values())


def all_weights(graph: Graph, folder: str) -> Iterator[Weight]:
    makers = {name: node for node in graph.model.graph.node for name in node.output}
    before: dict[str, str] = {}
    taken = ((node, *item) for node in graph.nodes for item in node.constants.items())
    for node, formal, given in taken:
        sources = sources_of(graph, makers, given)
        paths = [name for name in sources if PATH.fullmatch(name)]
        arrays = {name: graph.constant(name, folder) for name in paths or sources[:1]}
        floats = {k: x for k, x in arrays.items() if x is not None and x.dtype.kind == "f"}
        for name, array in floats.items():
            if paths:
                yield from said(node, name, array)
            elif array.size > 1 and name == given:
                weight = placed(node, formal, array, before)
                before[node.outputs[0]] = weight.held.name.rpartition(".")[0]
                yield weight


def sources_of(graph: Graph, makers: Mapping[str, NodeProto], name: str) -> list[str]:
    """The constants that a constant is computed of; those that are no tensors of the file aside."""
    waiting, found = [name], list[str]()
    while waiting:
        name = waiting.pop(0)
        node = makers.get(name)
        if name in found or name not in graph.constants:
            continue
        if node is None or not node.input:
            found.append(name)
        else:
            waiting += node.input
    return found


def said(node: Node, name: str, array: Array) -> Iterator[Weight]:
    """By its name; of another module, too, where an exporter has made one of two that are equal."""
    own = held(node, name, array)
    yield Weight(own, array, True)
    scope = scope_of(node)
    if scope and scope != name.rpartition(".")[0]:
        alias = held(node, f"{scope}.{own.leaf}", array)
        yield Weight(replace(alias, same_as=name), array, True)


def placed(node: Node, formal: str, array: Array, before: Mapping[str, str]) -> Weight:
    """By its place: the module, or the node, and what the node takes it for.

    `before`: the owner by what a node gives: without a module a sum belongs to the product that it
    is added to.
    """
    kind = node.proto.op_type
    is_turned = kind == "MatMul" or (kind == "Gemm" and not is_transposed(node))
    if is_turned and array.ndim == 2:
        array = np.ascontiguousarray(array.T)
    leaf = MATRICES.get(kind, LEAVES).get(formal) or leaf_of(node, formal)
    owner = scope_of(node)
    if not owner and kind == "Add":
        owner = next((before[x] for x in node.inputs if x in before), "")
    return Weight(held(node, f"{owner or node.path}.{leaf}", array), array, False)


def is_transposed(node: Node) -> bool:
    return any(x.name == "transB" and x.i for x in node.proto.attribute)


def leaf_of(node: Node, formal: str) -> str:
    """Of a constant that an operator takes: `mul`, `add`; a convolution's B is its bias."""
    return (
        "bias" if formal == "B" and node.proto.op_type not in PLAIN else node.proto.op_type.lower()
    )


def held(node: Node, name: str, array: Array) -> Held:
    scope, _, leaf = name.rpartition(".")
    layers = [Layer(part, (OTHER,)) for part in scope.split(".")]
    kind = class_of(node.proto.op_type, leaf, array.ndim)
    layers[-1] = Layer(layers[-1].name, (kind,))
    return Held(name, tuple(layers), leaf, tuple(array.shape), str(array.dtype), False)


def class_of(kind: str, leaf: str, ndim: int) -> str:
    """The class of PyTorch's layers whose parameter this may be: other names have no class."""
    if leaf not in ("weight", "bias", "running_mean", "running_var"):
        return OTHER
    if kind in CONVOLUTIONS and ndim > 1:
        return f"{NN}{CONVOLUTIONS[kind]}{ndim - 2}d"
    return NN + CLASSES[kind] if kind in CLASSES else OTHER
