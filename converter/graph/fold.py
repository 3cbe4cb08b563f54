"""Nodes that depend on constants only become constants."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx.defs import ONNX_DOMAIN, ONNX_ML_DOMAIN

from ...child_process import is_no_memory
from .graph import Derivation, Graph, Node, reads, subgraphs
from .growth import growing
from .proto import to_model
from .random_numbers import DRAWS

MAX_BYTES = 64 << 20
"""A folded constant is at most this big; views of smaller arrays may show more."""

INLINE = 1024
"""Bytes: bigger constants are fed to the session, so that they are not copied into the model."""

NEVER = DRAWS | {"Dropout", "Loop"}
"""Random, or without end; not even inside a subgraph."""

KEPT = frozenset({"Identity", "DynamicQuantizeLinear"})
"""Folding these would lose that weights are tied, or how their scale is found."""

GROWING = frozenset(
    {
        "CenterCropPad",
        "ConstantOfShape",
        "Expand",
        "EyeLike",
        "OneHot",
        "Pad",
        "Range",
        "Resize",
        "Tile",
        "Upsample",
    }
)
"""Their outputs may be far bigger than their inputs: folded only if inference knows the size."""

VIEWS = frozenset({"ConstantOfShape", "Expand"})
"""What makes an array of fewer numbers, which NumPy shows without storing it."""

NAMED = 16
"""Elements: smaller integer constants are not remembered as what a constant was made of."""

MOST_SESSIONS = 200
"""Sessions of one round; ONNX Runtime refuses a few nodes of a valid model at most."""

MOST_TOLD = 64
"""Weights and operators that are told of what a constant was made of."""

Array = np.ndarray[Any, Any]


@dataclass
class Folding:
    """What one round did: new constants by name, and the nodes that made them."""

    values: dict[str, Array] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)


def fold(graph: Graph) -> list[Node]:
    """Evaluates the nodes that have only constant inputs; returns those that are gone.

    Broadcasts of constants become views. The rest is one ONNX Runtime session; what it cannot
    run stays in the graph.
    """
    views = Folding()
    for node in graph.nodes:
        view = _view(node, graph.constants)
        if view is not None:
            views.values[node.outputs[0]] = view
            views.nodes.append(node)
    _take(graph, views)
    return views.nodes + _computed(graph)


def _view(node: Node, constants: dict[str, Array]) -> Array | None:
    """ConstantOfShape and Expand of constants as arrays without storage."""
    if node.op not in VIEWS or node.domain:
        return None
    if not all(name in constants for name in node.inputs):
        return None
    if node.op == "ConstantOfShape":
        value = node.attrs.get("value")
        value = np.zeros(1, np.float32) if value is None else value
        return _broadcast(value.reshape(()), constants[node.inputs[0]])
    if node.op == "Expand" and len(node.inputs) == 2:
        x, shape = (constants[name] for name in node.inputs)
        if not _is_shape(shape):
            return None
        try:
            return _broadcast(x, np.array(np.broadcast_shapes(x.shape, tuple(shape)), np.int64))
        except ValueError:
            return None
    return None


def _is_shape(x: Array) -> bool:
    return x.ndim == 1 and x.dtype.kind in "iu" and not np.any(x < 0)


def _broadcast(x: Array, shape: Array) -> Array | None:
    if not _is_shape(shape) or float(np.prod(shape.astype(float))) > 2**48:
        return None
    return np.broadcast_to(x, tuple(int(size) for size in shape))


def _computed(graph: Graph) -> list[Node]:
    """Folds the nodes in one session; a node that cannot be run is found by halving.

    What would make the checkpoint bigger stays.
    After `MOST_SESSIONS` the nodes that are left stay in the graph.
    """
    gone: list[Node] = []
    foldable = _foldable(graph)
    kept = growing(graph, foldable)
    waiting = [[node for node in foldable if id(node) not in kept]]
    for _ in range(MOST_SESSIONS):
        ready = _ready(graph, waiting.pop()) if waiting else []
        result = _run(graph, ready) if ready else None
        if result is not None:
            _take(graph, result)
            gone += ready
        elif len(ready) > 1:
            middle = len(ready) // 2
            waiting += [ready[middle:], ready[:middle]]
    return gone


def _ready(graph: Graph, nodes: list[Node]) -> list[Node]:
    """Those of the nodes whose inputs are known, or made by nodes before them."""
    made: set[str] = set()
    ready = []
    for node in nodes:
        if all(name in graph.constants or name in made for name in reads(node)):
            ready.append(node)
            made.update(node.outputs)
    return ready


def _foldable(graph: Graph) -> list[Node]:
    known = set(graph.constants)
    found = []
    for node in graph.nodes:
        if all(name in known for name in reads(node)) and _may_fold(node, graph):
            found.append(node)
            known.update(node.outputs)
    return found


def _may_fold(node: Node, graph: Graph) -> bool:
    if node.domain not in (ONNX_DOMAIN, ONNX_ML_DOMAIN) or node.op in KEPT or _never(node):
        return False
    if any(_is_big_view(graph.constants.get(name)) for name in reads(node)):
        return False
    return all(_is_small(graph, name, node.op in GROWING) for name in node.outputs if name)


def _never(node: Node) -> bool:
    inner = (_never(item) for graph in subgraphs(node) for item in graph.nodes)
    return node.op in NEVER or any(inner)


def _is_big_view(x: Array | None) -> bool:
    """Whether ONNX Runtime would have to write out an array that takes no memory now."""
    return x is not None and x.nbytes > MAX_BYTES and 0 in x.strides


def _is_small(graph: Graph, name: str, must_know: bool) -> bool:
    known = graph.type_of(name)
    if known.container or known.dtype is None:
        return False
    if known.shape is None or not known.is_static:
        return not must_know
    return math.prod(float(str(dim)) for dim in known.shape) * known.dtype.itemsize <= MAX_BYTES


def _run(graph: Graph, nodes: list[Node]) -> Folding | None:
    """The outputs of the nodes, computed in one session; None if ONNX Runtime refuses."""
    import onnxruntime as ort
    from onnxruntime.capi import onnxruntime_pybind11_state as failures

    made = [name for node in nodes for name in node.outputs if name]
    needed = {name for node in nodes for name in reads(node)}
    constants = {name: graph.constants[name] for name in needed if name in graph.constants}
    part = Graph("fold", nodes, [], made, constants, opsets=graph.opsets)
    part.types = {name: graph.types[name] for name in made if name in graph.types}
    feeds = {name: x for name, x in constants.items() if x.nbytes > INLINE and _feeds(x)}
    part.inputs = list(feeds)
    part.constants = {name: x for name, x in constants.items() if name not in feeds}
    part.types.update({name: graph.type_of(name) for name in feeds})
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        model = to_model(part).SerializeToString()
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        results = session.run(made, feeds)
    except (
        failures.Fail,
        failures.InvalidArgument,
        failures.InvalidGraph,
        failures.NotImplemented,
        failures.RuntimeException,
        ValueError,
        RuntimeError,
    ) as error:
        if is_no_memory(str(error)):  # half of the nodes need as much
            raise MemoryError(str(error)) from error
        return None
    return Folding(dict(zip(made, results, strict=True)), nodes)


def _feeds(x: Array) -> bool:
    """Whether ONNX Runtime takes the array as an input: NumPy's own types only."""
    return x.dtype.kind in "biufc" and x.dtype.num < 24


def _take(graph: Graph, result: Folding) -> None:
    """Moves the results into the graph's constants and the nodes out of it."""
    for node in result.nodes:
        derivation = _derivation(graph, node)
        if derivation is not None:
            graph.derived.update({name: derivation for name in node.outputs if name})
    graph.constants.update(result.values)
    gone = set(map(id, result.nodes))
    graph.nodes[:] = [node for node in graph.nodes if id(node) not in gone]


def _is_weight(x: Array | None) -> bool:
    """Whether a constant is worth remembering: integers are mostly shapes and axes."""
    return x is not None and (x.size >= NAMED or (x.ndim > 0 and x.dtype.kind not in "iub"))


def _derivation(graph: Graph, node: Node) -> Derivation | None:
    weights: list[str] = []
    ops: list[str] = []
    for name in reads(node):
        before = graph.derived.get(name)
        if before is not None:
            weights.extend(before.weights)
            ops.extend(before.ops)
        elif _is_weight(graph.constants.get(name)):
            weights.append(name)
    told = tuple(dict.fromkeys(weights))[:MOST_TOLD], (*ops[: MOST_TOLD - 1], node.op)
    return Derivation(*told) if weights else None
