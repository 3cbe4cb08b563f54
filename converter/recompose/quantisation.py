"""Pairs of QuantizeLinear and DequantizeLinear: a layer that rounds, or nothing at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.graph import Node
from .edit import Derived, Editor
from .pattern import Value, op
from .rule import MSCONVERT, NO_FIT, Match, Refused, Result, Rule, Same, rule

x = Value("x")

MOVES = frozenset(
    {
        *("Expand", "Flatten", "Gather", "Identity", "MaxPool", "Relu", "Reshape", "Slice"),
        *("Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"),
    }
)
"""What gives no number that its first input has not, but 0, which is on each grid."""

FINEST = 1e-30
"""Multiples of smaller steps may have too few digits to be found again."""

FARTHEST = 16
"""So many moves of data are followed."""


def grid_of(node: Node, graph: Editor) -> tuple[float, int, np.dtype[Any]] | None:
    """Scale, zero point and integers of a node that quantises or dequantises; None if computed, or
    if it has several."""
    scale, zero = (graph.constant(name) for name in (*node.inputs[1:], "")[:2])
    given = len(node.inputs) > 2 and node.inputs[2] != ""
    if scale is None or scale.size != 1 or scale.dtype != np.float32 or (given and zero is None):
        return None
    if zero is None:
        kind = _integers(node, graph)
        return None if kind is None else (float(scale.reshape(-1)[0]), 0, kind)
    if zero.size != 1 or zero.dtype.kind not in "iu" or zero.dtype.itemsize > 2:
        return None
    return float(scale.reshape(-1)[0]), int(zero.reshape(-1)[0]), zero.dtype


def _integers(node: Node, graph: Editor) -> np.dtype[Any] | None:
    """The type of the integers where no zero point says it."""
    value = node.outputs[0] if node.op == "QuantizeLinear" else node.inputs[0]
    kind = graph.type_of(value).dtype
    return kind if kind is not None and kind.kind in "iu" and kind.itemsize <= 2 else None


def pair(m: Match) -> tuple[float, int, np.dtype[Any]]:
    """The grid of both nodes. Raises: Refused unless both have the same"""
    grids = [grid_of(node, m.graph) for node in (m.call("quantise"), m.root)]
    m.require(grids[0] is not None and grids[0] == grids[1], NO_FIT)
    assert grids[0] is not None
    m.require(FINEST <= grids[0][0] < np.inf, "its step is no usual number")
    m.require(not m.call("quantise").attrs.get("precision"), "it is divided in another precision")
    dtypes = {m.dtype(m["x"]), m.dtype(m.out)}
    m.require(dtypes == {np.dtype(np.float32)}, "it is not of float32")
    return grids[0]


rounded = op.DequantizeLinear(op.QuantizeLinear(x, ...).named("quantise"), ...)


@rule(rounded)
def rounded_before(m: Match) -> Result:
    """What is rounded to steps that it has been rounded to before, and only moved since."""
    grid, maker = pair(m), m.graph.producer(m["x"])
    for _ in range(FARTHEST):
        if maker is not None and maker.op in MOVES and not maker.domain:
            maker = m.graph.producer(maker.inputs[0])
    known = maker is not None and maker.op == "DequantizeLinear" and not maker.domain
    m.require(known and maker is not None and grid_of(maker, m.graph) == grid, NO_FIT)
    return Same(m["x"], "rounded to the same steps before")


@rule(rounded)
def rounded_beside(m: Match) -> Result:
    """What another pair rounds to the same steps, as quantisers write one for each reader."""
    grid, own = pair(m), m.call("quantise")
    for node in m.graph.readers(m["x"]):
        if node.op != "QuantizeLinear" or node is own or grid_of(node, m.graph) != grid:
            continue
        for last in m.graph.readers(node.outputs[0]):
            is_pair = last.op == "DequantizeLinear" and grid_of(last, m.graph) == grid
            if is_pair and m.graph.place(last) < m.graph.place(m.root):
                return Same(last.outputs[0], "rounded to the same steps beside")
    raise Refused(NO_FIT)


@rule(rounded)
def fake_quantize(m: Match) -> Node:
    """QuantizeLinear and DequantizeLinear with one scale and zero point: numbers on a grid."""
    _, zero, kind = pair(m)
    scale, *given = m.call("quantise").inputs[1:]
    limits = np.iinfo(kind)
    known = Derived(given[0], "as float32") if any(given) else None
    offset = m.constant(f"{m.out}_zero_point", np.array(zero, np.float32), known)
    attrs = {"low": int(limits.min), "high": int(limits.max)}
    inputs = [m["x"], scale, offset]
    return m.like("FakeQuantize", inputs, [m.out], attrs=attrs, version=1, domain=MSCONVERT)


RULES: tuple[Rule, ...] = (rounded_before, rounded_beside, fake_quantize)
