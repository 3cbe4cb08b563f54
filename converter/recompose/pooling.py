"""Pooling over everything: a mean or a maximum over axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..graph.graph import Dim, Node
from .pattern import Pattern, Value, either, op
from .rule import NO_FIT, Match, Rule, rule

x = Value("x")
KINDS = {
    "GlobalAveragePool": "ReduceMean",
    "AveragePool": "ReduceMean",
    "GlobalMaxPool": "ReduceMax",
    "MaxPool": "ReduceMax",
}


@rule(either(op.GlobalAveragePool(x), op.GlobalMaxPool(x)))
def global_pool(m: Match) -> Node:
    """The mean or maximum over the spatial axes, kept as size 1."""
    return _over(m, KINDS[m.root.op], tuple(range(2, len(m.shape(m["x"])))), keep=True)


@rule(either(op.AveragePool(x), op.MaxPool(x)))
def full_pool(m: Match) -> Node:
    """Pooling whose kernel covers everything, as adaptive pooling to 1 x 1 becomes."""
    attrs, shape = m.root.attrs, m.shape(m["x"])
    m.require(_covers(attrs["kernel_shape"], attrs.get("pads"), shape[2:], m.shape(m.out)), NO_FIT)
    m.require(not _is_one_of_many(m), "the same kernel elsewhere does not cover everything")
    counted = any(attrs.get("pads", ())) and attrs.get("count_include_pad", 0)
    m.require(not counted, "its padding is averaged too")
    m.require(set(attrs.get("dilations", ())) <= {1}, "it is dilated")
    m.require(attrs.get("auto_pad", "NOTSET") in ("NOTSET", b"NOTSET", "VALID", b"VALID"), "padded")
    return _over(m, KINDS[m.root.op], tuple(range(2, len(shape))), keep=True)


def _covers(
    kernel: Sequence[int], pads: Sequence[int] | None, sizes: Sequence[Dim], out: Sequence[Dim]
) -> bool:
    """Whether the one window of a pool reaches over every position of every axis."""
    before = list(pads or [0] * 2 * len(kernel))[: len(kernel)]
    reached = zip(kernel, before, sizes, strict=True)
    return set(out[2:]) == {1} and all(isinstance(s, int) and p + s <= k for k, p, s in reached)


def _is_one_of_many(m: Match) -> bool:
    """Whether a pool like this one leaves more than one position: then it is no adaptive pool."""
    kernel = m.root.attrs["kernel_shape"]
    others = (node for node in m.graph.nodes() if node.op == m.root.op and node is not m.root)
    twins = (node for node in others if node.attrs.get("kernel_shape") == kernel)
    shapes = (m.graph.type_of(node.inputs[0]).shape or () for node in twins)
    return any(shape[2:] != tuple(kernel) for shape in shapes)


@rule(
    either(
        op.ReduceMean(op.Transpose(x).named("move")), op.ReduceMax(op.Transpose(x).named("move"))
    )
)
def pool_of_transposed(m: Match) -> Node:
    """A mean or maximum over axes that were only moved behind the others."""
    rank = len(m.shape(m["x"]))
    perm = [int(axis) for axis in m.call("move").attrs.get("perm", range(rank - 1, -1, -1))]
    axes = m.axes(m.root)
    m.require(m.root.attrs.get("keepdims", 1) == 0, "a reduced axis is kept")
    rest = [perm[axis] for axis in range(rank) if axis not in axes]
    m.require(rest == sorted(rest), "the axes that stay are in another order")
    return _over(m, m.root.op, tuple(sorted(perm[axis] for axis in axes)), keep=False)


pooled: Pattern = either(op.ReduceMean(x).named("pool"), op.ReduceMax(x).named("pool"))
squeezed = (
    op.Flatten(pooled).named("flat"),
    op.Squeeze(pooled).named("squeeze"),
    op.Reshape(pooled, Value("target", constant=True)),
)


@rule(either(*squeezed))
def pool_and_flatten(m: Match) -> Node:
    """A mean or maximum over the spatial axes, made (n, c)."""
    axes, shape = m.reduced("pool"), m.shape(m["x"])
    if "squeeze" in m.found.calls:
        m.require(m.axes(m.call("squeeze")) == axes, "other axes are squeezed")
    else:
        m.require(axes == tuple(range(2, len(shape))), "other axes than the spatial ones")
        is_rows = m.call("flat").attrs.get("axis", 1) == 1 if "flat" in m.found.calls else _rows(m)
        m.require(is_rows, "the result is not (n, c)")
    return _over(m, m.call("pool").op, axes, keep=False)


def _rows(m: Match) -> bool:
    """Whether the reshape's target is (n, c)."""
    target, (n, c) = m.array("target").reshape(-1), m.shape(m["x"])[:2]
    is_n = target.size == 2 and (target[0] == n or (target[0] == 0 and not _is_strict(m)))
    is_c = target.size == 2 and target[1] == c
    return bool((is_n and (is_c or target[1] == -1)) or (is_c and target[0] == -1))


def _is_strict(m: Match) -> bool:
    return bool(m.root.attrs.get("allowzero", 0))


def _over(m: Match, op_name: str, axes: tuple[int, ...], keep: bool) -> Node:
    name = m.constant(f"{m.out}_axes", np.array(axes, np.int64))
    return m.node(op_name, 18, [m["x"], name], keepdims=int(keep), noop_with_empty_axes=0)


RULES: tuple[Rule, ...] = (global_pool, full_pool, pool_and_flatten, pool_of_transposed)
