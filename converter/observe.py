"""What the user must know of a model beyond its nodes: what the exporter lost or froze."""

from __future__ import annotations

from collections.abc import Iterator

from ..report import Finding
from .graph import Graph, Node
from .trace import Traced

FOLDED_RULES = ("FuseBatchNormIntoConv", "FuseBatchNormIntoConvTranspose")
"""The rewrites of PyTorch's newer exporter that fold a BatchNorm away."""


def observations(original: Graph, traced: Traced, file: str) -> list[Finding]:
    """Remarks on the whole model, in the order in which they matter."""
    found = [*_folded(original, file), *_frozen(original, file)]
    texts = dict.fromkeys(text for _, text in traced.remarks)
    return found + [Finding("MS109", file, text, severity="note") for text in texts]


def _folded(graph: Graph, file: str) -> Iterator[Finding]:
    count = sum(_is_folded(node) for node in graph.nodes)
    if count:
        what = f"the exporter had folded BatchNorm into {count} convolutions"
        advice = "to train further from BatchNorm statistics, export in training mode"
        yield Finding("MS109", file, what, advice)


def _is_folded(node: Node) -> bool:
    """Whether a convolution carries a BatchNorm: PyTorch's exporters rename its weights then."""
    if node.op not in ("Conv", "ConvTranspose") or len(node.inputs) < 3:
        return False
    rule = node.metadata.get("pkg.onnxscript.rewriter.rule_name", "")
    return rule.split(",")[0].strip() in FOLDED_RULES or node.inputs[1].startswith("onnx::Conv")


def _frozen(graph: Graph, file: str) -> Iterator[Finding]:
    for name in graph.inputs:
        shape = graph.type_of(name).shape
        if shape and len(shape) > 1 and isinstance(shape[0], int):
            what = f"the batch size is frozen at {shape[0]}"
            advice = "export with a dynamic batch axis for other sizes"
            yield Finding("MS109", file, what, advice, severity="note")
            return
