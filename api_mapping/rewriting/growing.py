"""Tensors that begin empty and grow: `seen = torch.empty(0)`, then `torch.cat((seen, x))`.

PyTorch joins them to tensors of any rank; MindSpore wants every tensor of one rank.
"""

from __future__ import annotations

import ast

from ..syntax.nodes import dotted
from ..syntax.unpacking import is_text
from ..syntax.walk import Layout
from ..table.facts.shapes import MAKERS
from ..table.named import Resolve


def begun_empty(layout: Layout, resolve: Resolve) -> frozenset[str]:
    """The names and attributes that hold a tensor of no elements somewhere, as they are written."""
    found = {
        dotted(target)
        for node in layout.of_type(ast.Assign)
        if is_empty(node.value, resolve)
        for target in node.targets
    }
    for call in layout.of_type(ast.Call):
        named = resolve(call.func)
        if named is None or named.api != "torch.nn.Module.register_buffer" or len(call.args) < 2:
            continue
        (name, value), owner = call.args[:2], named.receiver
        if owner is not None and is_text(name) and is_empty(value, resolve):
            found.add(f"{dotted(owner)}.{name.value!s}")
    if is_kept_elsewhere(layout, resolve):
        found.add(ANY)
    return frozenset(found - {""})


ANY = "*"
"""In place of a name: any may hold a tensor of no elements."""


def is_kept_elsewhere(layout: Layout, resolve: Resolve) -> bool:
    """Whether a tensor of no elements is made in a list, a dictionary, a return, a call..."""
    calls = layout.of_type(ast.Call)
    assigned = (n.value for n in layout.of_type(ast.Assign) if is_empty(n.value, resolve))
    joined = (arg for call in calls for arg in call.args if isinstance(arg, ast.List | ast.Tuple))
    seen = {id(part) for node in (*assigned, *joined) for part in ast.walk(node)}
    return any(is_empty(call, resolve) for call in calls if id(call) not in seen)


def is_empty(node: ast.expr, resolve: Resolve) -> bool:
    """Whether an expression makes a tensor of one axis and no elements, cast and moved or not."""
    named = resolve(node.func) if isinstance(node, ast.Call) else None
    if named is None or not isinstance(node, ast.Call):
        return False
    if named.api in MAKERS:
        is_class = named.api.endswith("Tensor")
        return is_nothing(node.args[0]) if len(node.args) == 1 else is_class and not node.args
    return named.receiver is not None and is_empty(named.receiver, resolve)


def is_nothing(node: ast.expr) -> bool:
    """Whether it is `0`, `[]` or `(0,)`: no elements on one axis."""
    if isinstance(node, ast.Tuple) and len(node.elts) == 1:
        return is_nothing(node.elts[0])
    if isinstance(node, ast.List):
        return not node.elts
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 0
