"""Weights and statistics that a norm may lack, where it is asked for them: MindSpore's has them.

norm.weight is None  ->  compat.weight(norm) is None
"""

from __future__ import annotations

import ast

from ....syntax.code import Code
from ....syntax.quotation import expression
from ...rewriter import Rewriter

NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm")
INSTANCE_NORMS = ("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d")
APIS = frozenset(
    f"torch.nn.{norm}.{name}"
    for norm in (*NORMS, *INSTANCE_NORMS)
    for name in ("weight", "bias", "running_mean", "running_var")
)


def asked_for(node: ast.expr, parent: ast.AST, to: Rewriter) -> Code | None:
    """The weight, or None, where it is compared with None."""
    if not isinstance(node, ast.Attribute) or not isinstance(parent, ast.Compare):
        return None
    if not any(isinstance(sign, ast.Is | ast.IsNot) for sign in parent.ops):
        return None
    named = to.places.resolve(node)
    if named is None or named.api not in APIS:
        return None
    holes = {"compat": to.name("compat"), "norm": to.code(node.value)}
    return expression(f"compat.{node.attr}(norm)", **holes)
