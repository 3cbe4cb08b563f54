"""What the reader of a converted model must know, and the file alone does not say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..reporting.report import Finding
from .graph.graph import Graph, Node
from .graph.masks import masked_without_guard

FUSED = "pkg.onnxscript.rewriter.rule_name"
"""Where PyTorch's newer exporter says which of its rewrites made a node."""


def remarks(original: Graph, graph: Graph, target: str = "bundled") -> Iterator[Finding]:
    """On a model as it was loaded, and as it is after preparing: MS109, for the whole file."""
    folded = [n for n in original.nodes if _took_batch_norm(n, original.producer)]
    if folded:
        message = f"the exporter folded BatchNorm into {_count(folded, 'convolution')}"
        advice = "to train further from its statistics, export in training mode and convert again"
        yield Finding("MS109", "the graph", message, advice, "note")
    yield from _dequantised(original, graph)
    yield from _frozen_batch(original, graph)
    if target == "mindspore":
        yield from _spoiled_rows(graph)
        yield from _untrained_steps(graph)


def _dequantised(original: Graph, graph: Graph) -> Iterator[Finding]:
    """Weights that the file holds in a few bits, and a layer of the script as real numbers."""
    left = graph.producers()
    found = [n for n in original.nodes if n.op == "DequantizeLinear" and n.outputs[0] not in left]
    held = [n for n in found if n.inputs[0] in original.constants]
    if held:
        message = f"{_count(held, 'quantised weight')} written as what the numbers stand for"
        advice = "as real numbers they take more space, and can be trained"
        yield Finding("MS109", "the weights", message, advice, "note")


def _spoiled_rows(graph: Graph) -> Iterator[Finding]:
    """MindSpore 2.10's softmax on the CPU gives 0 in rows behind one that is all -inf."""
    nodes = masked_without_guard(graph)
    if nodes:
        message = (
            f"{_count(nodes, 'softmax', 'softmaxes')} may get a row that is masked whole: the "
            "original gives NaN there, and MindSpore on the CPU wrong numbers in other rows, too"
        )
        advice = "leave something to be seen in each row, or mask with a large negative number"
        yield Finding("MS109", nodes[0].label, message, advice, "note")


def _untrained_steps(graph: Graph) -> Iterator[Finding]:
    """MindSpore 2.10 on the CPU reads the gradient of steps along an inner axis out of bounds."""
    stepping = [n for n in graph.nodes if _steps_inside(n, graph)]
    trained = _of_weights(graph) if stepping else set()
    nodes = [n for n in stepping if n.inputs[0] in trained]
    if nodes:
        message = (
            f"{_count(nodes, 'slice')} with steps along an inner axis: MindSpore's CPU runs "
            "that, and ends in an error where it is trained (StridedSliceGrad)"
        )
        advice = "train on Ascend, on the bundled runtime, or by ops.gather"
        yield Finding("MS109", nodes[0].label, message, advice, "note")


def _of_weights(graph: Graph) -> set[str]:
    """The values that are computed with weights, and so have a gradient to hand on."""
    found = {name for name, array in graph.constants.items() if _is_weight(array)}
    for node in graph.nodes:
        if not found.isdisjoint(node.inputs):
            found.update(node.outputs)
    return found


def _is_weight(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype.kind == "f" and array.size > 1


def _steps_inside(node: Node, graph: Graph) -> bool:
    """Whether a Slice takes every other element of an axis that is neither first nor last."""
    if node.op != "Slice" or node.domain or len(node.inputs) < 5:
        return False
    rank, steps = graph.type_of(node.inputs[0]).rank, graph.constants.get(node.inputs[4])
    axes = graph.constants.get(node.inputs[3])
    if rank is None or steps is None or (axes is None and node.inputs[3]):
        return False
    along = range(len(steps)) if axes is None else map(int, axes.reshape(-1))
    return any(
        step > 1 and 0 < axis % max(rank, 1) < rank - 1
        for axis, step in zip(along, steps.reshape(-1), strict=False)
    )


def written_otherwise(told: Iterable[tuple[Node, str]]) -> list[Finding]:
    """What handlers say of the nodes that they write otherwise than a reader expects."""
    texts = {text: node for node, text in reversed(list(told))}
    return [Finding("MS109", node.label, text, "", "note") for text, node in texts.items()]


def _took_batch_norm(node: Node, producer: str) -> bool:
    """Whether a convolution's weight was multiplied by a BatchNorm's scale in the export.

    PyTorch's older exporter renames such a weight and its bias "onnx::Conv_193" (one that a weight
    norm computes keeps its bias's name), the newer names its rewrite.
    """
    if "BatchNorm" in node.metadata.get(FUSED, ""):
        return True
    is_biased = node.op.startswith("Conv") and len(node.inputs) > 2
    if not (is_biased and producer.startswith("pytorch")):
        return False
    return all(name.startswith("onnx::Conv") for name in node.inputs[1:3])


def _frozen_batch(original: Graph, graph: Graph) -> Iterator[Finding]:
    fixed = _reshapes(graph)
    for name in graph.inputs:
        shape = graph.type_of(name).shape
        if shape is None or len(shape) < 2 or not isinstance(shape[0], int):
            continue
        holds = fixed.get(shape[0])
        if holds:
            before = original.type_of(name).shape
            is_chosen = before is not None and not isinstance(before[0], int)
            yield Finding(
                "MS109",
                f"input {name!r}",
                f"the batch size is frozen to {shape[0]}: {_count(holds, 'reshape')} would not "
                "take another",
                "give -1 for it in --shape" if is_chosen else "export with a dynamic batch axis",
                "note",
            )
            return


def _reshapes(graph: Graph) -> dict[int, list[Node]]:
    """The Reshapes to constant shapes of several sizes, by the first of these."""
    found: dict[int, list[Node]] = {}
    for node in graph.nodes:
        name = node.inputs[1] if node.op == "Reshape" and len(node.inputs) > 1 else ""
        sizes = graph.constants.get(name)
        if sizes is not None and sizes.size > 1 and sizes.dtype.kind in "iu":
            found.setdefault(int(sizes.ravel()[0]), []).append(node)
    return found


def _count(nodes: list[Node], noun: str, plural: str = "") -> str:
    return f"{len(nodes)} {noun if len(nodes) == 1 else plural or noun + 's'}"
