"""What `*name` and `**name` stand for where the code says it: `name = {"device": device, ...}`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..analysis import Use
from .tree import FunctionNode, Layout, every

CHANGING = frozenset("update pop popitem setdefault clear append extend insert remove sort".split())

Display = ast.Dict | ast.List | ast.Tuple


def displays(uses: Iterable[Use], layout: Layout, module: ast.Module) -> dict[int, ast.expr]:
    """The displays that calls unpack, by the ids of the names behind `*` and `**`.

    Only those that are written out in the same function, and that nothing changes, nor the
    variables in them.
    """
    found: dict[int, ast.expr] = {}
    known: dict[ast.AST, Mapping[str, Display]] = {}
    assigned = layout.of_type(ast.Assign)
    candidates = {n.id for s in assigned if display_of(s.value) for n in targets_of(s)}
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


def unpacked_names(node: ast.AST) -> Iterator[ast.Name]:
    if not isinstance(node, ast.Call):
        return
    values = [keyword.value for keyword in node.keywords if keyword.arg is None]
    values += [arg.value for arg in node.args if isinstance(arg, ast.Starred)]
    yield from (value for value in values if isinstance(value, ast.Name))


def constant_displays(block: FunctionNode | ast.Module) -> Mapping[str, Display]:
    """The variables of a function or file that are one display from first to last."""
    nodes = every(block)
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and is_stored(n))
    changed = {name for node in nodes for name in changed_by(node)}
    settled = {n.id for s in block.body if isinstance(s, ast.Assign) for n in targets_of(s)}
    found: dict[str, Display] = {}
    for node in nodes:
        value = display_of(node.value) if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or value is None:
            continue
        target = node.targets[0]
        inner = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        is_open = any(stored[name] > (name in settled) for name in inner)
        if isinstance(target, ast.Name) and stored[target.id] == 1 and target.id not in changed:
            found |= {} if is_open else {target.id: value}
    return found


def targets_of(node: ast.Assign) -> Iterator[ast.Name]:
    return (n for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name))


def display_of(node: ast.expr) -> Display | None:
    """The display that an expression is, `dict(a=1)` as the dictionary that it makes."""
    if isinstance(node, Display):
        return node
    is_dict = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    if not isinstance(node, ast.Call) or not is_dict or node.args:
        return None
    names = [k.arg for k in node.keywords]
    if node.func.id != "dict" or None in names:  # type: ignore[attr-defined]
        return None
    return ast.Dict([ast.Constant(name) for name in names], [k.value for k in node.keywords])


def is_stored(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def changed_by(node: ast.AST) -> Iterator[str]:
    """The names whose elements a node may change."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield from (n.id for n in [node.value] if isinstance(n, ast.Name))
    if isinstance(node, ast.Attribute) and node.attr in CHANGING:
        yield from (n.id for n in [node.value] if isinstance(n, ast.Name))
