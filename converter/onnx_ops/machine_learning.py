"""Operators of ai.onnx.ml: linear models, and what is done to features before a model and after."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..code.expr import Code, Constant, Expr, Weight, helper, ops
from .registry import MOST_ASKED, NodeView, dtype_code, onnx_op, shortest, tensor

machine_learning = partial(onnx_op, domain="ai.onnx.ml")

FLOAT, INT64 = (np.dtype(name) for name in ("float32", "int64"))

TRANSFORMS = {"NONE": "", "SOFTMAX": "ops.softmax", "LOGISTIC": "ops.sigmoid"}
"""ONNX's `post_transform` -> what is done to scores. SOFTMAX_ZERO and PROBIT are refused."""


def floats(node: NodeView, x: Expr) -> Expr:
    """The features as float32, in which ONNX Runtime computes. Refuses float64, where it doesn't"""
    dtype = node.type().dtype
    if dtype == np.float64:
        raise node.refuse("features of float64", expected="float32 or integers")
    return x if dtype == FLOAT else x.method("astype", dtype_code(FLOAT))


def of_attribute(node: NodeView, name: str, array: np.ndarray[Any, Any]) -> Constant:
    """Numbers that an attribute says, as a weight of the script."""
    key = f"{node.node.outputs[0] or node.node.outputs[-1]}/{name}"
    return Constant(key, Weight(array, (key,), f"attributes of {node.node.op}"))


def labels_of(node: NodeView, integers: str) -> list[int] | None:
    """The classes' labels where they are integers; None for text that nothing reads."""
    labels = node.attr(integers)
    if labels is None and node.is_read(0):
        raise node.refuse(
            "the labels are text, of which MindSpore has no tensors",
            expected="labels that are integers",
            advice=node.without(node.node.outputs[0]),
        )
    return None if labels is None else [int(label) for label in labels]


def classes(node: NodeView, labels: Sequence[int] | None, scores: Expr) -> tuple[Expr, ...]:
    """Labels and scores of classes that have one score each."""
    transform = node.choice("post_transform", "NONE", TRANSFORMS)
    made = helper.onnx_classes(scores, Code(transform) if transform else None)
    return labelled(labels, made[0]), made[1]


def two_classes(
    node: NodeView, labels: Sequence[int] | None, score: Expr, least: float, total: float
) -> tuple[Expr, ...]:
    """Labels and scores of two classes, from the score of the second, (rows, 1)."""
    known = {name: TRANSFORMS[name] for name in ("NONE", "LOGISTIC")}
    transform = node.choice("post_transform", "NONE", known)
    total = 0.0 if transform else total
    made = helper.onnx_two_classes(score, least, total, Code(transform) if transform else None)
    return labelled(labels, made[0]), made[1]


def labelled(labels: Sequence[int] | None, index: Expr) -> Expr:
    """The labels of classes by number; without labels that can be read, the numbers alone."""
    index = index.method("astype", dtype_code(INT64))
    if labels is None or list(labels) == list(range(len(labels))):
        return index
    return ops.gather(tensor(np.array(labels, np.int64)), index, 0)


def check_width(node: NodeView, width: int) -> None:
    """Raises: MS104 for numbers of another count than there are features, where that is known"""
    shape = node.type().shape
    if shape and isinstance(shape[-1], int) and shape[-1] != width:
        raise node.malformed(f"numbers for {width} features, of {shape[-1]}")


def linear(node: NodeView, x: Expr, rows: int) -> Expr:
    """x coefficients^T + intercepts, for a matrix of so many rows."""
    matrix = np.array(node.attr("coefficients"), np.float32)
    if not rows or not matrix.size or matrix.size % rows:
        raise node.malformed(f"{matrix.size} coefficients for {rows} rows")
    check_width(node, matrix.size // rows)
    weight = of_attribute(node, "coefficients", matrix.reshape(rows, -1).T)
    y: Expr = ops.matmul(floats(node, x), weight)
    bias = node.attr("intercepts")
    if not bias:
        return y
    return y + of_attribute(node, "intercepts", np.array(bias, np.float32))


@machine_learning("LinearRegressor", 1)
def linear_regressor(node: NodeView, x: Expr) -> Expr:
    """LinearRegressor(X; coefficients, intercepts, targets=1) -> x coefficients^T + intercepts."""
    node.choice("post_transform", "NONE", {"NONE": ""})
    return linear(node, x, node.attr("targets", 1))


@machine_learning("LinearClassifier", 1)
def linear_classifier(node: NodeView, x: Expr) -> tuple[Expr, ...]:
    """LinearClassifier(X; coefficients, intercepts, classlabels_ints) -> labels, scores."""
    labels = labels_of(node, "classlabels_ints")
    count = len(node.attr("classlabels_strings") or labels or ())
    rows = len(node.attr("intercepts") or ()) or count
    if rows == 1 and count == 2:
        return two_classes(node, labels, linear(node, x, 1), 0.0, 1.0)
    if rows != count or rows < 2:
        raise node.refuse("scores that are not one for each class", got=f"{rows} for {count}")
    return classes(node, labels, linear(node, x, rows))


@machine_learning("ZipMap", 1)
def zip_map(node: NodeView, x: Expr) -> Expr:
    """ZipMap(X; classlabels_int64s) -> X itself: a dictionary for each row, whose values it has."""
    keys = node.attr("classlabels_int64s") or node.attr("classlabels_strings") or ()
    shown = ", ".join(repr(str(k)) if isinstance(k, str) else str(k) for k in keys[:10])
    more = f" and {len(keys) - 10} more" if len(keys) > 10 else ""
    node.remarks.append(
        f"{node.node.outputs[0]!r} is a tensor, not a list of dictionaries: "
        f"its columns are the keys {shown}{more}"
    )
    return x


def per_feature(node: NodeView, name: str) -> Expr | float | int | bool:
    """One number for each feature, or one for all; many are weights of the script."""
    array = np.array(node.attr(name) or (), np.float32)
    if not array.size:
        raise node.malformed(f"no {name}")
    if array.size > 1:
        check_width(node, array.size)
    if array.size > MOST_ASKED:
        return of_attribute(node, name, array)
    return shortest(array[0]) if array.size == 1 else tensor(array)


@machine_learning("Scaler", 1)
def scaler(node: NodeView, x: Expr) -> Expr:
    """Scaler(X; offset, scale) -> (x - offset) scale."""
    return (floats(node, x) - per_feature(node, "offset")) * per_feature(node, "scale")


@machine_learning("Normalizer", 1)
def normalizer(node: NodeView, x: Expr) -> Expr:
    """Normalizer(X; norm="MAX") -> x divided by the norm of its row."""
    x = floats(node, x)
    if node.rank() != 2:
        raise node.refuse("features that are no rows", got=f"{node.rank()} axes", expected="2 axes")
    kind = node.choice("norm", "MAX", {"MAX": "max", "L1": "1", "L2": "2"})
    if kind == "max":
        return helper.onnx_divide_by_largest(x)
    return helper.onnx_lp_normalize(x, 1, int(kind))


@machine_learning("Binarizer", 1)
def binarizer(node: NodeView, x: Expr) -> Expr:
    """Binarizer(X; threshold=0) -> 1 where x > threshold, else 0."""
    return (x > float(node.attr("threshold", 0.0))).method("astype", x.attribute("dtype"))


@machine_learning("Imputer", 1)
def imputer(node: NodeView, x: Expr) -> Expr:
    """Imputer(X; imputed_value_floats, replaced_value_float) -> X with what is missing filled."""
    whole = node.type().dtype == INT64
    kind = "int64" if whole else "float"
    x = x if whole else floats(node, x)
    values = node.attr(f"imputed_value_{kind}s")
    if not values:
        raise node.malformed(f"no imputed_value_{kind}s for features of {node.type().dtype}")
    gone = node.attr(f"replaced_value_{kind}", 0)
    is_gone = ops.isnan(x) if np.isnan(gone) else ops.equal(x, shortest(np.float32(gone)))
    array = np.array(values, np.int64 if whole else np.float32)
    filled = tensor(array[0] if array.size == 1 else array)
    return ops.where(is_gone, filled, x)


@machine_learning("ArrayFeatureExtractor", 1)
def array_feature_extractor(node: NodeView, x: Expr, indices: Expr) -> Expr:
    """ArrayFeatureExtractor(X, Y) -> the columns Y of X; of a vector, one row."""
    if node.rank() == 1:
        x = ops.expand_dims(x, 0)
    return ops.gather(x, indices.method("reshape", -1), max(node.rank(), 2) - 1)


@machine_learning("FeatureVectorizer", 1)
def feature_vectorizer(node: NodeView, *features: Expr) -> Expr:
    """FeatureVectorizer(X...; inputdimensions) -> the features side by side, as float32."""
    sizes = node.attr("inputdimensions") or []
    shapes = [node.shape(i) for i in range(len(features))]
    if any(len(shape) != 2 for shape in shapes) or [shape[1] for shape in shapes] != sizes:
        raise node.refuse("features that are cut or padded", got=f"{shapes}", expected=f"{sizes}")
    parts = [x.method("astype", dtype_code(FLOAT)) for x in features]
    return ops.concat(tuple(parts), 1) if len(parts) > 1 else parts[0]


@machine_learning("OneHotEncoder", 1)
def one_hot_encoder(node: NodeView, x: Expr) -> Expr:
    """OneHotEncoder(X; cats_int64s, zeros=1) -> a new last axis, 1 at the category of x."""
    categories = node.attr("cats_int64s")
    if not categories:
        raise node.refuse("categories that are text", expected="cats_int64s")
    if not node.attr("zeros", 1):
        node.remarks.append("an unknown category gives zeros, for which the file has an error")
    x = ops.expand_dims(x.method("astype", dtype_code(INT64)), -1)
    hot = ops.equal(x, tensor(np.array(categories, np.int64)))
    return hot.method("astype", dtype_code(FLOAT))


@machine_learning("LabelEncoder", 2, 4)
def label_encoder(node: NodeView, x: Expr) -> Expr:
    """LabelEncoder(X; keys_*, values_*, default_*) -> the value of each key; numbers alone."""
    keys, values = (numbers_of(node, name) for name in ("keys", "values"))
    if np.unique(keys).size < keys.size or len(keys) != len(values):
        raise node.refuse("keys that are twice there, NaN or without a value")
    default = node.attr("default_tensor")
    if default is None:
        default = -0.0 if values.dtype == FLOAT else -1
        default = node.attr("default_float" if values.dtype == FLOAT else "default_int64", default)
    other = np.asarray(default, values.dtype).reshape(-1)[0]
    return helper.onnx_look_up(x, tensor(keys), tensor(values), shortest(other))


def numbers_of(node: NodeView, name: str) -> np.ndarray[Any, Any]:
    """A LabelEncoder's keys or values. Raises: MS101 if they are text"""
    for kind, dtype in (("int64s", INT64), ("floats", FLOAT)):
        if node.attr(f"{name}_{kind}"):
            return np.array(node.attr(f"{name}_{kind}"), dtype)
    array = node.attr("keys_tensor" if name == "keys" else "values_tensor")
    if array is None or np.asarray(array).dtype not in (INT64, FLOAT):
        raise node.refuse(f"{name} that are no numbers", expected=f"{name}_int64s or {name}_floats")
    return np.asarray(array).reshape(-1)
