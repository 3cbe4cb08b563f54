"""Samples of a data set that are asked for by their number, outside of its loader.

PyTorch's hold tensors where MindSpore's transforms give arrays, which a loader makes Tensors.

image, label = train[0]  ->  image, label = compat.sample(train, 0)
"""

from __future__ import annotations

import ast

from ...syntax.code import Code
from ...syntax.quotation import expression
from ...table.facts.results import SAMPLING
from ..rewriter import Rewriter


def sampled(node: ast.Subscript, to: Rewriter) -> Code | None:
    """A sample with Tensors for its arrays."""
    named = to.places.resolve(node)
    if named is None or named.api != SAMPLING:
        return None
    holes = {"compat": to.name("compat"), "data": to.code(node.value), "index": to.code(node.slice)}
    return expression("compat.sample(data, index)", **holes)
