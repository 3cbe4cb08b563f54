"""What `**name` stands for where the function says it: `name = {"device": device, ...}`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..analysis import Use
from .tree import FunctionNode, Scope

CHANGING = frozenset({"update", "pop", "popitem", "setdefault", "clear"})


def dictionaries(uses: Iterable[Use], places: Mapping[int, Scope]) -> dict[int, ast.Dict]:
    """The dictionaries that calls unpack, by the ids of the names behind `**`.

    Only those that are written out in the same function, and that nothing changes, nor the
    variables in them. `places` are the scopes of the calls, by id.
    """
    found: dict[int, ast.Dict] = {}
    known: dict[ast.AST, Mapping[str, ast.Dict]] = {}
    for use in uses:
        for name in unpacked_names(use.node):
            function = places.get(id(use.node), Scope()).function
            if function is None:
                continue
            written = known.get(function)
            if written is None:
                written = known[function] = constant_dictionaries(function)
            if name.id in written:
                found[id(name)] = written[name.id]
    return found


def unpacked_names(node: ast.AST) -> Iterator[ast.Name]:
    keywords = node.keywords if isinstance(node, ast.Call) else ()
    values = (keyword.value for keyword in keywords if keyword.arg is None)
    return (value for value in values if isinstance(value, ast.Name))


def constant_dictionaries(function: FunctionNode) -> Mapping[str, ast.Dict]:
    """The variables of a function that are one dictionary from first to last."""
    nodes = list(ast.walk(function))
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and is_stored(n))
    changed = {name for node in nodes for name in changed_by(node)}
    found: dict[str, ast.Dict] = {}
    for node in nodes:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict):
            continue
        target = node.targets[0]
        inner = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        if isinstance(target, ast.Name) and stored[target.id] == 1 and target.id not in changed:
            found |= {} if any(stored[name] for name in inner) else {target.id: node.value}
    return found


def is_stored(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def changed_by(node: ast.AST) -> Iterator[str]:
    """The names whose elements a node may change."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield from (n.id for n in [node.value] if isinstance(n, ast.Name))
    if isinstance(node, ast.Attribute) and node.attr in CHANGING:
        yield from (n.id for n in [node.value] if isinstance(n, ast.Name))
