"""Branches, loops and what decides in expressions, as calls of `interface` on functions."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Any

from .jumps import Straightened, UnsupportedError
from .liveness import REFUSED, SCOPES, bound, bound_by, kept, mark, read

LOCALS = "_flow_locals"
"""The local names of a function, for what decides in its expressions."""
DYNAMIC = {"locals", "vars", "eval", "exec", "globals"}
"""Functions that see a frame: what calls them is left to Python."""


def of_flow(function: str, *args: ast.expr, place: ast.AST) -> ast.Call:
    called = ast.Attribute(ast.Name("_flow", ast.Load()), function, ast.Load())
    return ast.fix_missing_locations(ast.copy_location(ast.Call(called, [*args], []), place))


class Expressions(ast.NodeTransformer):
    """Calls, tests and texts in expressions, by what decides between known and unknown values."""

    def __init__(self, first: str, owner: str) -> None:
        self.first, self.owner = first, owner
        self.passing: list[str] = []
        """The names of comprehensions around: a function made there keeps what they hold then."""

    def thunk(self, body: ast.expr) -> ast.Lambda:
        """A function of nothing that gives what `body` gives."""
        names = [n for n in dict.fromkeys(self.passing) if n in read(body)]
        values: list[ast.expr] = [ast.Name(n, ast.Load()) for n in names]
        given = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, values)
        return ast.fix_missing_locations(ast.copy_location(ast.Lambda(given, body), body))

    def decided(self, function: str, *args: ast.expr, place: ast.AST) -> ast.Call:
        """A call of what decides in an expression, with the names that it may see."""
        return of_flow(function, ast.Name(LOCALS, ast.Load()), *args, place=place)

    def visit_comprehension(self, node: Any) -> ast.AST:
        count = len(self.passing)
        for one in node.generators:
            one.iter = self.visit(one.iter)
            self.passing += bound_by(one.target)
            one.ifs = [self.test(test) for test in one.ifs]
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                setattr(node, part, self.visit(getattr(node, part)))
        del self.passing[count:]
        return node  # type: ignore[no-any-return]  # any of the four

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in DYNAMIC:
            raise UnsupportedError(node.func.id)
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            if node.args:
                return node
            args: list[ast.expr] = [ast.Name(n, ast.Load()) for n in ("__class__", self.first)]
            return ast.copy_location(ast.Call(node.func, args, []), node)
        self.generic_visit(node)
        node.func = of_flow("called", node.func, place=node.func)
        return node

    def test(self, node: ast.expr) -> ast.expr:
        """An expression of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            function = "both_true" if isinstance(node.op, ast.And) else "either_true"
            first, *rest = map(self.test, node.values)
            return self.decided(function, first, *map(self.thunk, rest), place=node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return of_flow("opposite", self.test(node.operand), place=node)
        found: ast.expr = self.visit(node)
        return found

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self.test(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        sides = self.thunk(node.body), self.thunk(node.orelse)
        return self.decided("choice", node.test, *sides, place=node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        function = "both" if isinstance(node.op, ast.And) else "either"
        first, *rest = node.values
        return self.decided(function, first, *map(self.thunk, rest), place=node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not):
            return self.test(node)
        self.generic_visit(node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kinds = [type(op).__name__ for op in node.ops]
        if len(kinds) == 1 and kinds[0] not in ("In", "NotIn"):
            return node
        names = ast.Tuple([ast.Constant(kind) for kind in kinds], ast.Load())
        first, *rest = node.comparators
        others = map(self.thunk, rest)
        return self.decided("compared", names, node.left, first, *others, place=node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.slice, (ast.Constant, ast.Slice)):
            node.slice = of_flow("place", node.slice, place=node.slice)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        parts: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                style = part.format_spec or ast.Constant("")
                value = self.visit(part.value)
                items = [value, ast.Constant(part.conversion), self.visit(style)]
                parts.append(ast.Tuple(items, ast.Load()))
            else:
                parts.append(part)
        return of_flow("text", *parts, place=node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return node if not self.is_private(node.id) else renamed(node, "id", self.owner)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return node if not self.is_private(node.attr) else renamed(node, "attr", self.owner)

    def is_private(self, identifier: str) -> bool:
        return bool(self.owner) and identifier.startswith("__") and not identifier.endswith("__")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # it is rewritten when it is called

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.body = self.visit(node.body)
        return node


def renamed(node: ast.AST, attribute: str, owner: str) -> ast.AST:
    """As Python names what is private to a class."""
    setattr(node, attribute, f"_{owner.lstrip('_')}{getattr(node, attribute)}")
    return node


@dataclass
class Rewriter:
    """One function: its statements as calls of what decides."""

    names: list[str]
    """The local names, arguments included."""
    expressions: Expressions
    count: int = 0
    count_of_state: int = 0
    kept: set[str] = field(default_factory=set)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [made for node in body for made in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.If):
            return self.branch(node)
        if isinstance(node, ast.While):
            return self.loop(node)
        if isinstance(node, ast.For):
            return self.each(node)
        if isinstance(node, ast.Assert):
            return [self.asserted(node)]
        if isinstance(node, ast.Raise):
            return self.raised(node)
        if isinstance(node, ast.FunctionDef):
            return [nested(node)]
        if isinstance(node, ast.AnnAssign):  # a name of the function around has no annotation
            if node.value is None:
                return [ast.copy_location(ast.Pass(), node)]
            node = ast.copy_location(ast.Assign([node.target], node.value), node)
        if isinstance(node, ast.Try):
            node.body = self.tried(node.body, node)
            node.orelse, node.finalbody = self.block(node.orelse), self.block(node.finalbody)
            for handler in node.handlers:
                handler.body = self.block(handler.body)
            return [node]
        if isinstance(node, ast.With):
            node.body = self.tried(node.body, node)
            node.items = [self.expressions.visit(item) for item in node.items]
            return [node]
        return [self.expressions.visit(node)]

    def raised(self, node: ast.Raise) -> list[ast.stmt]:
        made = self.expressions.visit(node)
        if made.exc is None:
            return [made]
        first = ast.Expr(
            of_flow("raised", self.expressions.thunk(copy.deepcopy(made.exc)), place=node)
        )
        return [ast.copy_location(first, node), made]

    def tried(self, body: list[ast.stmt], place: ast.AST) -> list[ast.stmt]:
        """The body of a `try` or `with`: what is raised in it may be caught."""
        inside = ast.With([ast.withitem(of_flow("Trying", place=place))], self.block(body))
        return [ast.fix_missing_locations(ast.copy_location(inside, place))]

    def asserted(self, node: ast.Assert) -> ast.stmt:
        message = node.msg if node.msg is not None else ast.Constant(None)
        test, message = self.expressions.test(node.test), self.expressions.visit(message)
        return ast.copy_location(
            ast.Expr(of_flow("asserted", test, self.expressions.thunk(message), place=node)), node
        )

    def branch(self, node: Any) -> list[ast.stmt]:
        changed = [n for n in bound([*node.body, *node.orelse]) if n in self.names]
        parts = [*node.body, *node.orelse]
        test = self.expressions.test(node.test)
        then = self.function("then", self.block(node.body), changed, node)
        other = self.function("other", self.block(node.orelse), changed, node)
        state = self.state(changed, node.after, parts, node)
        return [then, other, *state, self.call("branch", node, test, then.name, other.name)]

    def loop(self, node: Any) -> list[ast.stmt]:
        changed = [n for n in bound(node.body) if n in self.names]
        test = self.function("test", [ast.Return(self.expressions.test(node.test))], [], node)
        body = self.function("turn", self.block(node.body), changed, node)
        parts = [*node.body, ast.Expr(node.test)]
        state = self.state(changed, node.head, parts, node)
        return [test, body, *state, self.call("loop", node, test.name, body.name)]

    def each(self, node: Any) -> list[ast.stmt]:
        changed = [n for n in bound([node]) if n in self.names]
        self.count += 1
        item = f"_flow_item{self.count}"
        start = ast.Assign([self.expressions.visit(node.target)], ast.Name(item, ast.Load()))
        body = self.function(
            "turn", [ast.copy_location(start, node), *self.block(node.body)], changed, node, item
        )
        stop: ast.expr = ast.Constant(None)
        if getattr(node, "stop", None) is not None:
            stop = self.expressions.thunk(self.expressions.test(node.stop))
        state = self.state(changed, node.head, [*node.body, ast.Expr(stop)], node)
        items = self.expressions.visit(node.iter)
        return [body, *state, self.call("each", node, items, body.name, stop)]

    def call(self, function: str, place: ast.AST, *args: ast.expr | str) -> ast.stmt:
        """A statement that calls what decides, with names of functions and of the last state."""
        given = [ast.Name(x, ast.Load()) if isinstance(x, str) else x for x in args]
        names = ast.Name(f"_flow_names{self.count_of_state}", ast.Load())
        return ast.copy_location(ast.Expr(of_flow(function, *given, names, place=place)), place)

    def function(
        self, kind: str, body: list[ast.stmt], changed: list[str], place: ast.AST, item: str = ""
    ) -> ast.FunctionDef:
        self.count += 1
        shared: list[ast.stmt] = [ast.Nonlocal([*changed])] if changed else []
        args = [ast.arg(item)] if item else []
        made = ast.FunctionDef(
            f"_flow_{kind}{self.count}", ast.arguments([], args, None, [], [], None, []),
            [*shared, *(body or [ast.Pass()])], [],
        )  # fmt: skip
        return ast.fix_missing_locations(ast.copy_location(made, place))

    def state(
        self, changed: list[str], live: set[str], parts: list[ast.stmt], place: ast.AST
    ) -> list[ast.stmt]:
        """`_flow_names = _flow.Names(...)`: how the names are read and set."""
        self.count += 1
        self.count_of_state, live = self.count, (live | self.kept) & {*changed}
        there = {n for part in parts for n in read(part)} | self.kept
        there &= {*self.names}
        seen = sorted(there - {*changed})
        own, other = f"_flow_set{self.count}", f"_flow_see{self.count}"
        text = (
            f"{setter(own, changed)}{setter(other, seen)}"
            f"_flow_names{self.count} = _flow.Names({(*changed,)!r}, {(*sorted(live),)!r}, "
            f"lambda: {values_of(changed)}, {own}, lambda: {values_of(seen)}, {other})"
        )
        made = ast.parse(text).body
        for node in made:
            for part in ast.walk(node):
                ast.copy_location(part, place)
        return made


def values_of(names: list[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"


def setter(function: str, names: list[str]) -> str:
    """The text of a function that sets local names around it."""
    if not names:
        return f"def {function}(_flow_values):\n    pass\n"
    first = f"def {function}(_flow_values):\n    nonlocal {', '.join(names)}\n"
    return f"{first}    {values_of(names)} = _flow_values\n"


def nested(node: ast.FunctionDef) -> ast.FunctionDef:
    """A function in a function, rewritten where that can be."""
    made = copy.deepcopy(node)
    try:
        made = rewritten(made, "")
    except UnsupportedError:
        return node
    made.decorator_list = node.decorator_list
    return made


def rewritten(node: ast.FunctionDef, owner: str) -> ast.FunctionDef:
    """`node` with its control flow as calls. Raises: UnsupportedError."""
    for part in own_parts(node):
        if isinstance(part, REFUSED):
            raise UnsupportedError(type(part).__name__)
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    given = [one.arg for one in every]
    body = Straightened(node).body()
    names = [*dict.fromkeys([*given, *bound(body)])]
    held = kept(body)
    mark(body, held)
    made = Rewriter(names, Expressions(given[0] if given else "", owner), kept=held)
    unset = "".join(f"{n} = " for n in names if n not in given)
    first = f"{unset}_flow.UNSET\n" if unset else ""
    seeing = f"{LOCALS} = _flow.Names((), (), tuple, _flow.nothing, lambda: {values_of(names)}, "
    start = ast.parse(f"{first}{setter('_flow_see', names)}{seeing}_flow_see)").body
    for node_of_start in start:
        for part in ast.walk(node_of_start):
            ast.copy_location(part, node.body[0])
    node.body = [*start, *made.block(body)]
    node.decorator_list, node.returns = [], None
    for one in every:
        one.annotation = None
    return ast.fix_missing_locations(node)


def own_parts(node: ast.AST) -> list[ast.AST]:
    """The parts of a function, without those of functions and classes in it."""
    found = []
    for child in ast.iter_child_nodes(node):
        found.append(child)
        if not isinstance(child, SCOPES):
            found += own_parts(child)
    return found
