"""`torch.autograd.grad`: the function that is differentiated is written before the statement.

du = torch.autograd.grad(u, t, v, create_graph=True)[0]
    ->  du = compat.graph_gradients(u_of_t, (t,), gradient=v)[0]
"""

from __future__ import annotations

import ast

from ...syntax.code import Code
from ...syntax.quotation import expression
from ...table.facts.gradients import DETACHED, IN_GRAPH
from ..rewriter import Rewriter


def differentiated(node: ast.Call, to: Rewriter) -> Code | None:
    """The call that gives the gradients of the function."""
    known = to.notes.differentiated.get(node)
    if known is None:
        return None
    maker = IN_GRAPH if known.keeps_graph else DETACHED
    tensors = ", ".join(known.tensors) + ("," if len(known.tensors) == 1 else "")
    parts = [known.function, f"({tensors})"]
    holes: dict[str, Code] = {"compat": to.name("compat")}
    if not known.tensors:
        parts.append("weights=weights")
        holes["weights"] = to.code(known.inputs)
    if known.gradient is not None:
        parts.append("gradient=gradient")
        holes["gradient"] = to.code(known.gradient)
    if isinstance(known.keeps_graph, ast.expr):
        holes["keeps"] = to.code(known.keeps_graph)
        chosen = f"(compat.{IN_GRAPH} if keeps else compat.{DETACHED})"
        return expression(f"{chosen}({', '.join(parts)})", **holes)
    return expression(f"compat.{maker}({', '.join(parts)})", **holes)
