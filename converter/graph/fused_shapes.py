"""Shapes of results that ONNX's inference does not know: of com.microsoft, of ai.onnx.ml."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .graph import Dim, Graph, Node

Shape = Callable[[Node, Graph], "tuple[Dim, ...] | None"]


def same_shape(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """The shape of the first input."""
    return graph.type_of(node.inputs[0]).shape


def fused_matmul(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """The shape of a matrix product whose operands may be transposed; None if one is a vector."""
    left, right = (graph.type_of(name).shape for name in node.inputs[:2])
    if left is None or right is None or min(len(left), len(right)) < 2:
        return None
    rows = left[-1] if node.attrs.get("transA", 0) else left[-2]
    columns = right[-2] if node.attrs.get("transB", 0) else right[-1]
    rank = max(len(left), len(right)) - 2
    pairs = zip(_padded(left, rank), _padded(right, rank), strict=True)
    return (*(b if a == 1 else a for a, b in pairs), rows, columns)


def _padded(shape: tuple[Dim, ...], rank: int) -> tuple[Dim, ...]:
    """The axes before the matrix, as many as `rank`."""
    return (1,) * (rank + 2 - len(shape)) + shape[:-2]


def attention(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """Each place of the input, with the features of the values."""
    shape, weights = (graph.type_of(name).shape for name in node.inputs[:2])
    sizes = node.attrs.get("qkv_hidden_sizes")
    width = weights[-1] if weights else None
    if shape is None or len(shape) != 3 or not (sizes or isinstance(width, int)):
        return None
    return (*shape[:2], int(sizes[2]) if sizes else int(str(width)) // 3)


def embedding(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """Each index, with the features of the table of words."""
    ids, words = (graph.type_of(node.inputs[i]).shape for i in (0, 2))
    return None if ids is None or not words else (*ids, words[-1])


def per_row(count: str) -> Shape:
    """One row for each row of the input, with as many targets as the attribute `count` says."""

    def shape_of(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
        shape = graph.type_of(node.inputs[0]).shape
        return None if not shape else (shape[0], int(node.attrs.get(count, 1)))

    return shape_of


def one_number(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """One number for each row of the input."""
    shape = graph.type_of(node.inputs[0]).shape
    return None if not shape else (shape[0], 1)


def side_by_side(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """The rows of the first input, with the features of all."""
    shape = graph.type_of(node.inputs[0]).shape
    return None if not shape else (shape[0], sum(node.attrs.get("inputdimensions") or ()))


def columns(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """The first input's shape with as many columns as the second has numbers."""
    shape, indices = (graph.type_of(name).shape for name in node.inputs[:2])
    if not shape or indices is None:
        return None
    sizes = [n for n in indices if isinstance(n, int)]
    count = math.prod(sizes) if len(sizes) == len(indices) else None
    return (*(shape[:-1] or (1,)), count)


def one_hot(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """The first input's shape and an axis for the categories."""
    shape = graph.type_of(node.inputs[0]).shape
    return None if shape is None else (*shape, len(node.attrs.get("cats_int64s") or ()))


def scores(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """One number for each row and class."""
    shape = graph.type_of(node.inputs[0]).shape
    names = ("classlabels_ints", "classlabels_int64s", "classlabels_strings")
    labels = [node.attrs[name] for name in names if node.attrs.get(name)]
    return (shape[0], len(labels[0])) if shape and labels else None


SHAPES: dict[tuple[str, str], Shape] = {
    ("com.microsoft", "Attention"): attention,
    ("com.microsoft", "BiasGelu"): same_shape,
    ("com.microsoft", "EmbedLayerNormalization"): embedding,
    ("com.microsoft", "FusedMatMul"): fused_matmul,
    ("com.microsoft", "QuickGelu"): same_shape,
    ("com.microsoft", "SkipLayerNormalization"): same_shape,
    ("com.microsoft", "SkipSimplifiedLayerNormalization"): same_shape,
    ("ai.onnx.ml", "ArrayFeatureExtractor"): columns,
    ("ai.onnx.ml", "FeatureVectorizer"): side_by_side,
    ("ai.onnx.ml", "Imputer"): same_shape,
    ("ai.onnx.ml", "LinearRegressor"): per_row("targets"),
    ("ai.onnx.ml", "Normalizer"): same_shape,
    ("ai.onnx.ml", "OneHotEncoder"): one_hot,
    ("ai.onnx.ml", "Scaler"): same_shape,
    ("ai.onnx.ml", "SVMRegressor"): one_number,
    ("ai.onnx.ml", "TreeEnsembleRegressor"): per_row("n_targets"),
}
"""What is known of the first output's shape."""

CLASSIFIERS = frozenset({"LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier"})
"""Operators of ai.onnx.ml whose second output is a score for each class."""


def element_type(node: Node, graph: Graph) -> np.dtype[Any] | None:
    """Of the first output: what ai.onnx.ml computes from features is float32."""
    if node.domain == "ai.onnx.ml" and node.op not in ("ArrayFeatureExtractor", "Imputer"):
        return np.dtype("float32")
    telling = 2 if node.op == "EmbedLayerNormalization" else 0  # its first are indices
    return graph.type_of(node.inputs[telling]).dtype
