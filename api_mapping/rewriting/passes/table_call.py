"""Calls of PyTorch's API: by their rows, with `out=` and `requires_grad=` around.

torch.sum(x, 1)                         ->  x.sum(1)
torch.add(x, y, out=z)                  ->  (z := x.add(y).astype(z.dtype))
torch.zeros(3, requires_grad=True)      ->  ms.Parameter(ops.zeros(3))
"""

from __future__ import annotations

import ast
from dataclasses import replace

import libcst as cst

from ...memory.write_form import Way
from ...syntax.code import Code
from ...syntax.quotation import expression
from ...table import registry
from ...table.named import Named
from ...table.refusal import Refusal
from ...table.side_arguments import NO_ASIDES, asides_of, check_all
from ..rewriter import Rewriter
from ..rows import called


def table_call(node: ast.Call, to: Rewriter) -> Code | None:
    """The code of a call that only gives a value."""
    named = to.places.resolve(node.func)
    if named is None or not registry.is_callable(named.api):
        return None  # of a value that is called, only its name is another
    code = called(named, node, to)
    whole = around(named, node, code, to)
    if whole is not code:
        to.chosen[node] = replace(to.chosen[node], new=whole)
    return whole


def around(named: Named, node: ast.Call, code: Code, to: Rewriter) -> Code:
    """The code of a call with what `out` and `requires_grad` make of it.

    Raises: Refusal if `out` is not known to be a variable
    """
    asides = asides_of(node, registry.find(named.api)) if node.keywords else NO_ASIDES
    if asides is NO_ASIDES:
        return code
    if asides.requires_grad is not None and node in to.notes.registered:
        raise Refusal("requires_grad: what a module holds is registered: use nn.Parameter")
    code = asides.as_parameter(code, to.name("ms"), to.code)
    if asides.out is None:
        return code
    check_all([asides.out], to.places.kind_of)
    assert isinstance(asides.out, ast.Name)
    value, name = asides.in_type(code), asides.out.id
    way = to.form_of(node).way
    if way not in (Way.NAME, Way.WHOLE):
        raise Refusal("it writes to a part of a tensor: assign, x[...] = value")
    if way is Way.WHOLE:
        return expression("n.copy_(value)", n=cst.Name(name), value=value)
    return value if name in to.let_go else expression("(n := value)", n=cst.Name(name), value=value)
