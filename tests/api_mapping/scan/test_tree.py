"""The walks of the scan visit what `ast.walk` does, for every form of syntax."""

from __future__ import annotations

import ast

from msconvert.api_mapping.scan.tree import every, nodes_with_scopes

LEFT_OUT = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop, ast.alias)
"""Nodes that say only which operator or name it is."""

SOURCE = """
import a.b as c
from d import e
@f
async def g(h, /, i=1, *j, k: int = 2, **l) -> str:
    global m
    async with n as o, p: await q
    async for r in s: yield t
    return (yield from u)
class V(W, metaclass=X):
    y: list[int] = [z for z in range(3) if z]
    def method(self): nonlocal_ = lambda *v: {**v, "k": f"{v!r:>{3}}"}
match point:
    case Point(0, x=1, y=[a, *b]) | {"k": c, **rest} if a: del a, b[1:2]
    case None | "text" as q: pass
try: raise A from B
except* E as e: x = not -a + b if a < b <= c and d else (w := {1, *s})
else: assert a, "b"
finally: x.y += z[..., None]
"""


def test_both_walks_visit_all_nodes() -> None:
    tree = ast.parse(SOURCE)
    nodes = [node for node in ast.walk(tree) if not isinstance(node, LEFT_OUT)]
    assert {*map(id, every(tree))} == {*map(id, nodes)}
    kinds = {type(node) for node in nodes} - {ast.Name}
    found = {id(node) for node, _ in nodes_with_scopes(tree, kinds)}
    assert found == {id(node) for node in nodes if not isinstance(node, ast.Name)}


def test_a_node_knows_its_function_and_class() -> None:
    tree = ast.parse("class A:\n    def f(self):\n        g()\n")
    ((_, scope),) = nodes_with_scopes(tree, {ast.Call})
    assert scope.function is not None
    assert scope.owner is not None
    assert (scope.function.name, scope.owner.name) == ("f", "A")
