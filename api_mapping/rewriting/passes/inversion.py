"""`~x` of what need not be bools: MindSpore's own operator takes nothing else.

~x  ->  ops.bitwise_not(x)
"""

from __future__ import annotations

import ast

from ...syntax.code import Code
from ...table.argument import Call
from ...table.template import instantiate
from ..rewriter import Rewriter


def inverse(node: ast.UnaryOp, to: Rewriter) -> Code | None:
    """The code of the operation, where its operand is not known to be of bools."""
    if node not in to.notes.inverted:
        return None
    mint = to.mint and to.places.kind_of(node.operand) == "tensor"
    (rule,) = to.rules("torch.bitwise_not")
    return instantiate(rule, Call.of(None, [node.operand], (), to.code), mint=mint, names=to.names)
