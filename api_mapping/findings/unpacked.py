"""What `*name` and `**name` stand for where the code says it: `name = {"device": device, ...}`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from ..analysis import Use
from ..syntax.containers import CHANGING
from ..syntax.unpacking import is_text
from ..syntax.walk import FunctionNode, Layout, all_in, of_types

CHANGES = frozenset({ast.Subscript, ast.Attribute})

Display = ast.Dict | ast.List | ast.Tuple | ast.IfExp
DISPLAYS = (ast.Dict, ast.List, ast.Tuple)


def displays(uses: Iterable[Use], layout: Layout, module: ast.Module) -> dict[int, ast.expr]:
    """The displays that calls unpack, by the ids of the names behind `*` and `**`.

    Only those that are written out in the same function, and that nothing changes, nor the
    variables in them.
    """
    found: dict[int, ast.expr] = {}
    known: dict[ast.AST, Mapping[str, Display]] = {}
    assigned = layout.of_type(ast.Assign)
    candidates = {
        n.id for s in assigned if is_display(s.value) for n in s.targets if type(n) is ast.Name
    }
    for use in uses:
        for name in (n for n in unpacked_names(use.node) if n.id in candidates):
            scope = layout.scope_of(use.node)
            if scope.function is None and scope.owner is not None:
                continue
            block = scope.function or module
            written = known.get(block)
            if written is None:
                written = known[block] = constant_displays(block)
            if name.id in written:
                found[id(name)] = written[name.id]
    return found


def unpacked_names(node: ast.AST) -> list[ast.Name]:
    if not isinstance(node, ast.Call):
        return []
    values = [keyword.value for keyword in node.keywords if keyword.arg is None]
    values += [arg.value for arg in node.args if type(arg) is ast.Starred]
    return [value for value in values if isinstance(value, ast.Name)] if values else []


def constant_displays(block: FunctionNode | ast.Module) -> Mapping[str, Display]:
    """The variables of a function or file that are one display from first to last."""
    nodes = list(of_types(all_in(block), CHANGES | {ast.Name, ast.Assign}))
    stored = Counter([n.id for n in nodes if type(n) is ast.Name and type(n.ctx) is not ast.Load])
    changed = {n.value.id for n in nodes if type(n) in CHANGES and is_change(n)}
    settled = {n.id for s in block.body if isinstance(s, ast.Assign) for n in targets_of(s)}
    found: dict[str, Display] = {}
    for node in (node for node in nodes if type(node) is ast.Assign):
        value = display_of(node.value)
        if value is None:
            continue
        target = node.targets[0]
        if isinstance(target, ast.Name) and stored[target.id] == 1 and target.id not in changed:
            inner = {n.id for n in all_in(value) if type(n) is ast.Name}
            if not any(stored[name] > (name in settled) for name in inner):
                found[target.id] = value
    return found


def targets_of(node: ast.Assign) -> Iterator[ast.Name]:
    return (n for target in node.targets for n in all_in(target) if type(n) is ast.Name)


def display_of(node: ast.expr) -> Display | None:
    """The display that an expression is, `dict(a=1)` as the dictionary that it makes.

    One of two dictionaries with names for keys, `dict(fused=True) if ok else {}`, is a choice.
    """
    if isinstance(node, DISPLAYS):
        return node
    if isinstance(node, ast.IfExp):
        one, other = display_of(node.body), display_of(node.orelse)
        if is_of_names(one) and is_of_names(other):
            return ast.IfExp(node.test, one, other)
        return None
    if not isinstance(node, ast.Call) or not is_display(node):
        return None
    return ast.Dict([ast.Constant(k.arg) for k in node.keywords], [k.value for k in node.keywords])


def is_of_names(node: ast.expr | None) -> TypeGuard[ast.Dict]:
    """Whether it is a dictionary whose keys are written out."""
    return isinstance(node, ast.Dict) and all(map(is_text, node.keys))


def is_display(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return is_display(node.body) and is_display(node.orelse)
    if not isinstance(node, ast.Call):
        return isinstance(node, DISPLAYS)
    called = node.func
    is_dict = isinstance(called, ast.Name) and called.id == "dict" and not node.args
    return is_dict and all(keyword.arg is not None for keyword in node.keywords)


def is_change(node: Any) -> bool:
    """Whether an index or attribute may change the elements of a variable."""
    if not isinstance(node.value, ast.Name):
        return False
    is_method = isinstance(node, ast.Attribute)
    return node.attr in CHANGING if is_method else not isinstance(node.ctx, ast.Load)
