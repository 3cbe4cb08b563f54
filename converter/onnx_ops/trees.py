"""Ensembles of decision trees: every row walks all trees at once, by the numbers of its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..code.expr import Code, Expr, helper
from .machine_learning import (
    classes,
    floats,
    labels_of,
    machine_learning,
    of_attribute,
    two_classes,
)
from .registry import NodeView

Array = np.ndarray[Any, Any]

BRANCHES = {
    "BRANCH_LEQ": "less_equal",
    "BRANCH_LT": "less",
    "BRANCH_GTE": "greater_equal",
    "BRANCH_GT": "greater",
}
"""ONNX's modes of nodes -> MindSpore's comparisons. BRANCH_EQ and BRANCH_NEQ are refused."""

LEAF = "LEAF"


@dataclass(frozen=True)
class Forest:
    """All trees' nodes in one row; what a leaf leads to is itself.

    `numbers` maps (tree, node) of the file to the place in that row, `depth` is the most steps
    from a root to a leaf.
    """

    numbers: dict[tuple[int, int], int]
    features: Array
    thresholds: Array
    if_true: Array
    if_false: Array
    missing: Array
    is_leaf: Array
    roots: Array
    depth: int
    compare: str


def forest_of(node: NodeView) -> Forest:
    """The node's trees. Raises: MS101 for mixed comparisons, MS104 for nodes that are no trees"""
    trees, ids = (numbers(node, f"nodes_{name}") for name in ("treeids", "nodeids"))
    modes = [str(mode) for mode in node.attr("nodes_modes") or ()]
    keys = list(zip(trees.tolist(), ids.tolist(), strict=True))
    places = {key: i for i, key in enumerate(keys)}
    is_leaf = np.array([mode == LEAF for mode in modes])
    next_true, next_false = (
        _next(node, places, keys, is_leaf, name) for name in ("truenodeids", "falsenodeids")
    )
    features, thresholds = numbers(node, "nodes_featureids"), thresholds_of(node)
    missing = numbers(node, "nodes_missing_value_tracks_true")
    if {len(features), len(thresholds), len(missing) or len(keys)} != {len(keys)}:
        raise node.malformed("lists of nodes that are not equally long")
    roots = _roots(next_true, next_false, is_leaf)
    if roots.tolist() != sorted(np.unique(trees, return_index=True)[1].tolist()):
        raise node.malformed("trees that do not start at their first nodes")
    return Forest(
        places,
        np.where(is_leaf, 0, features),
        thresholds,
        next_true,
        next_false,
        (missing if missing.size else np.zeros(len(keys), np.int64)).astype(bool) & ~is_leaf,
        is_leaf,
        roots,
        _depth(node, next_true, next_false, is_leaf, roots),
        comparison(node, set(modes) - {LEAF}),
    )


def numbers(node: NodeView, name: str) -> Array:
    """Integers of an attribute; none if it is left out."""
    return np.array(node.attr(name) or (), np.int64)


def thresholds_of(node: NodeView) -> Array:
    """The numbers that features are compared with, as float32."""
    return weights_of(node, "nodes_values")


def weights_of(node: NodeView, name: str) -> Array:
    """An attribute's float32; those that are tensors of float64 are refused."""
    if node.attr(f"{name}_as_tensor") is not None:
        raise node.refuse(f"{name} that are a tensor", expected="trees of float32")
    return np.array(node.attr(name) or (), np.float32)


def comparison(node: NodeView, modes: set[str]) -> str:
    """The one comparison of all nodes."""
    if len(modes) > 1 or not modes <= BRANCHES.keys():
        expected = "one of " + ", ".join(BRANCHES)
        raise node.refuse("nodes of other modes", got=", ".join(sorted(modes)), expected=expected)
    return BRANCHES[min(modes, default="BRANCH_LEQ")]


def _next(
    node: NodeView,
    places: dict[tuple[int, int], int],
    keys: list[tuple[int, int]],
    is_leaf: Array,
    name: str,
) -> Array:
    """Where each node leads to. Raises: MS104 for a node that is not there"""
    targets = numbers(node, f"nodes_{name}")
    if len({len(keys), len(places), len(targets), len(is_leaf)}) != 1:
        raise node.malformed("lists of nodes that are not equally long, or a node twice")
    found = [
        i if leaf else places.get((key[0], target), -1)
        for i, (key, target, leaf) in enumerate(zip(keys, targets.tolist(), is_leaf, strict=True))
    ]
    if -1 in found:
        raise node.malformed(f"nodes_{name} name a node that is not there")
    return np.array(found, np.int64)


def _roots(if_true: Array, if_false: Array, is_leaf: Array) -> Array:
    """The nodes that no other leads to."""
    reached = np.concatenate([if_true[~is_leaf], if_false[~is_leaf]])
    return np.setdiff1d(np.arange(len(is_leaf)), reached)


def _depth(node: NodeView, if_true: Array, if_false: Array, is_leaf: Array, roots: Array) -> int:
    """The most steps from a root to a leaf. Raises: MS104 if nodes lead in a circle"""
    level, depth = roots, 0
    while not is_leaf[level].all():
        level = np.unique(np.concatenate([if_true[level], if_false[level]]))
        depth += 1
        if depth > len(is_leaf):
            raise node.malformed("nodes that lead in a circle")
    return depth


def leaf_weights(node: NodeView, forest: Forest, what: str, columns: int) -> tuple[Array, Array]:
    """What each node adds to each target or class, and which of them it names at all."""
    trees, ids, targets = (
        numbers(node, f"{what}_{name}") for name in ("treeids", "nodeids", "ids")
    )
    given = weights_of(node, f"{what}_weights")
    if len({len(trees), len(ids), len(targets), len(given)}) != 1:
        raise node.malformed(f"lists of {what}_weights that are not equally long")
    named_by = zip(trees.tolist(), ids.tolist(), strict=True)
    rows = np.array([forest.numbers.get(key, -1) for key in named_by], np.int64)
    if (rows < 0).any() or (targets < 0).any() or (targets >= columns).any():
        raise node.malformed(f"{what}_weights of a node or column that is not there")
    table = np.zeros((len(forest.is_leaf), columns), np.float32)
    np.add.at(table, (rows, targets), given)
    named = np.zeros(table.shape, bool)
    named[rows, targets] = True
    return table, named


def sums(node: NodeView, x: Expr, forest: Forest, table: Array) -> Expr:
    """The sum of what the leaves hold that each row reaches: (rows, columns)."""
    width = node.shape()[-1]
    if isinstance(width, int) and (forest.features.max() >= width or forest.features.min() < 0):
        raise node.malformed(f"feature {forest.features.max()} of {width}")
    parts = {
        "leaves": table,
        "roots": forest.roots,
        "features": forest.features,
        "thresholds": forest.thresholds,
        "if_true": forest.if_true,
        "if_false": forest.if_false,
    }
    held = [of_attribute(node, name, array) for name, array in parts.items()]
    missing = of_attribute(node, "missing", forest.missing) if forest.missing.any() else None
    compare = Code(f"ops.{forest.compare}")
    return helper.onnx_sum_trees(floats(node, x), *held, forest.depth, compare, missing)


def base_of(node: NodeView, columns: int) -> Array | None:
    """What is added to each column; None if nothing is."""
    base = weights_of(node, "base_values")
    if base.size not in (0, columns):
        raise node.refuse("base_values for other columns", got=f"{base.size} for {columns}")
    return base if base.size else None


@machine_learning("TreeEnsembleRegressor", 1, 3)
def tree_ensemble_regressor(node: NodeView, x: Expr) -> Expr:
    """TreeEnsembleRegressor(X; nodes_*, target_*, n_targets=1) -> the trees' sum or mean."""
    node.choice("post_transform", "NONE", {"NONE": ""})
    how = node.choice("aggregate_function", "SUM", {"SUM": "sum", "AVERAGE": "mean"})
    forest, targets = forest_of(node), int(node.attr("n_targets", 1))
    table, _ = leaf_weights(node, forest, "target", targets)
    base = base_of(node, targets)
    y = sums(node, x, forest, table)
    y = y / float(len(forest.roots)) if how == "mean" else y
    return y if base is None else y + of_attribute(node, "base_values", base)


@machine_learning("TreeEnsembleClassifier", 1, 3)
def tree_ensemble_classifier(node: NodeView, x: Expr) -> tuple[Expr, ...]:
    """TreeEnsembleClassifier(X; nodes_*, class_*, classlabels_int64s) -> labels, scores."""
    labels = labels_of(node, "classlabels_int64s")
    count = len(node.attr("classlabels_strings") or labels or ())
    forest = forest_of(node)
    if count == 2 and len(set(numbers(node, "class_ids").tolist())) == 1:
        return of_two_classes(node, x, forest, labels)
    table, named = leaf_weights(node, forest, "class", count)
    base = base_of(node, count)
    check_classes(node, always_scored(forest, named), base, count)
    scores = sums(node, x, forest, table)
    scores = scores if base is None else scores + of_attribute(node, "base_values", base)
    return classes(node, labels, scores)


def always_scored(forest: Forest, named: Array) -> bool:
    """Whether each class has a tree all of whose leaves give it a weight."""
    trees = [tree_of for tree_of, _ in forest.numbers]
    tree = np.unique(np.array(trees), return_inverse=True)[1]
    misses = np.zeros((tree.max() + 1, named.shape[1]), bool)
    np.logical_or.at(misses, tree[forest.is_leaf], ~named[forest.is_leaf])
    return bool((~misses).any(axis=0).all())


def check_classes(node: NodeView, is_full: bool, base: Array | None, count: int) -> None:
    """Refuses where ONNX Runtime's labels are not those of the largest scores."""
    if count < 2 or (count == 2 and base is not None):
        raise node.refuse("base_values of two classes", expected="three classes, or one's weights")
    if not node.is_read(0):
        return
    if base is None and not is_full:
        raise node.refuse("the label where a class may have no weight at all")
    if count == 2:
        raise node.refuse(
            "the label of two classes that both have weights, which ONNX Runtime gives as 0 or 1",
            advice=node.without(node.node.outputs[0]),
        )


def of_two_classes(
    node: NodeView, x: Expr, forest: Forest, labels: list[int] | None
) -> tuple[Expr, ...]:
    """Two classes of which one alone has weights: its score says which of the two it is."""
    if set(numbers(node, "class_ids").tolist()) != {0}:
        raise node.refuse("weights of the second class alone", expected="of the first, or of both")
    table, _ = leaf_weights(node, forest, "class", 1)
    base = base_of(node, 1)
    score = sums(node, x, forest, table)
    score = score if base is None else score + of_attribute(node, "base_values", base)
    if (weights_of(node, "class_weights") < 0).any():
        return two_classes(node, labels, score, 0.0, 0.0)
    return two_classes(node, labels, score, 0.5, 1.0)
