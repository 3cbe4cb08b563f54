"""The scan sees all that is in a tree, for every form of syntax."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.syntax.walk import Scope, all_in, every, layout_of

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


EXPRESSIONS = (ast.Call, ast.Subscript, ast.IfExp, ast.Compare, ast.FormattedValue)
"""What rules and tests of types are looked for in, among what the analysis has evaluated."""

EVALUATED = """
def f(a: "list[int]", b=g(1)) -> h[0]:
    a[b[0]] = c[1:d(2)] if e < f else (g(), *h[3])
    a[1][2] += {k(4): l[5] for m in n[6] if o(7) > 8}[9]
    for a[10], *b[11] in p(q[12]): r: s[13] = t[14]
    with u(15) as v[16], w: del x[17]
    async def y(): await z(18); return f"{a[19]!r:>{b[20]}}"
    assert not -c(21) or d[22], lambda e: e[23]
    while (f := g[24]): raise h(25) from i[26]
    try: yield j[27]
    except k(28) as l: m[29].n = o[30] = yield from p[31]
    match q[32]:
        case r.s if t[33]: u[34]
class V(W(35), metaclass=X(36)):
    y = z[37]
"""


@pytest.mark.parametrize("walk", [every, all_in])
def test_every_visits_all_nodes(walk: Callable[[ast.AST], list[ast.AST]]) -> None:
    tree = ast.parse(SOURCE)
    nodes = [node for node in ast.walk(tree) if not isinstance(node, LEFT_OUT)]
    assert sorted(map(id, walk(tree))) == sorted(map(id, nodes))


@pytest.mark.parametrize("text", [SOURCE, EVALUATED])
def test_the_layout_has_all_statements(text: str) -> None:
    tree = ast.parse(text)
    layout = layout_of(tree, text.count("\n"))
    statements = [node for nodes in layout.statements.values() for node in nodes]
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    assert sorted(map(id, statements)) == sorted(map(id, found))


def test_the_analysis_evaluates_all_expressions(tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(EVALUATED)
    analysis = Project([file]).analyse(file)
    wanted = [node for node in ast.walk(analysis.tree) if isinstance(node, EXPRESSIONS)]
    left_out = [ast.unparse(node) for node in wanted if node not in analysis.kinds]
    assert left_out == ["h[0]", "s[13]"]  # annotations


def test_a_node_knows_its_function_and_class() -> None:
    tree = ast.parse("class A:\n    @d\n    def f(self):\n        g()\nh()\n")
    layout = layout_of(tree, 5)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    inner, outer = sorted(map(layout.scope_of, calls), key=lambda scope: scope.function is None)
    assert inner.function is not None
    assert inner.owner is not None
    assert (inner.function.name, inner.owner.name) == ("f", "A")
    assert outer == Scope()
