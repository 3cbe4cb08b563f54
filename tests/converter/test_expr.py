"""Rendered expressions: Python reads back the tree that was meant."""

from __future__ import annotations

import ast
import math
import operator
import random
from typing import Any

import pytest

from msconvert.converter.code.expr import (
    Attribute,
    Binary,
    Call,
    Cell,
    CellCall,
    Code,
    Expr,
    ForEach,
    IfElse,
    Index,
    List,
    Literal,
    Ref,
    Size,
    Slice,
    Tuple,
    Unary,
    children,
    expr,
    rebuild,
    refs,
    transform,
    walk,
)
from msconvert.converter.code.source_text import ATOM, bound_text, render

OPERATORS = "+ - * / // % @ ** | ^ & < > <= >= == !=".split()
TEXTS = ["", "a'b", 'a"b', "\n\t\\", "é\u2028", "\x00", "'''", '"""', "{x}", "%s", "\ud7ff"]
NUMBERS = [0, 1, -1, 2**63, -(2**70), 0.1, -0.0, 1e300, -1e-300, math.inf, -math.inf, True, None]


def random_expr(rng: random.Random, depth: int) -> Expr:
    if depth == 0:
        leaves = (Literal(rng.choice(NUMBERS)), Literal(rng.choice(TEXTS)), Code(rng.choice("xyz")))
        return rng.choice(leaves)

    def part() -> Expr:
        return random_expr(rng, rng.randrange(depth))

    def index() -> Expr:
        return Slice(part(), part(), part()) if rng.random() < 0.4 else part()

    match rng.randrange(9):
        case 0 | 1 | 2:
            return Binary(rng.choice(OPERATORS), part(), part())
        case 3:
            return Unary(rng.choice("-~"), part())
        case 4:
            return IfElse(part(), part(), part())
        case 5:
            keywords = tuple((name, part()) for name in "kl"[: rng.randrange(3)])
            return Call(part(), tuple(part() for _ in range(rng.randrange(3))), keywords)
        case 6:
            return Attribute(part(), "attribute")
        case 7:
            return Index(part(), tuple(index() for _ in range(rng.randint(1, 3))))
    kind = rng.choice((Tuple, List))
    return kind(tuple(part() for _ in range(rng.randrange(4))))


def meant(e: Expr) -> ast.expr:
    """The tree that the expression stands for, every bracket where the tree has one."""
    match e:
        case Literal(value):
            return ast.parse(f"({_number(value)})", mode="eval").body
        case Code(text):
            return ast.Name(text)
        case Binary(op, left, right):
            return ast.parse(f"({_text(left)}) {op} ({_text(right)})", mode="eval").body
        case Unary(op, operand):
            return ast.parse(f"{op}({_text(operand)})", mode="eval").body
        case IfElse(then, condition, other):
            parts = (_text(then), _text(condition), _text(other))
            return ast.parse("({}) if ({}) else ({})".format(*parts), mode="eval").body
        case Call(func, args, kwargs):
            shown = [f"({_text(a)})" for a in args] + [f"{k}=({_text(v)})" for k, v in kwargs]
            return ast.parse(f"({_text(func)})({', '.join(shown)})", mode="eval").body
        case Attribute(obj, name):
            return ast.parse(f"({_text(obj)}).{name}", mode="eval").body
        case Index(obj, items):
            shown = ", ".join(_item(i) for i in items)
            return ast.parse(f"({_text(obj)})[{shown}]", mode="eval").body
        case Tuple(items):
            return ast.Tuple([meant(i) for i in items])
        case List(items):
            return ast.List([meant(i) for i in items])
    raise AssertionError(e)


def _number(value: Any) -> str:
    if isinstance(value, float) and math.isinf(value):
        return f'float("{value}")'
    return repr(value)


def _text(e: Expr) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Expression(meant(e))))


def _item(e: Expr) -> str:
    if not isinstance(e, Slice):
        return f"({_text(e)})"
    shown = ["" if p == Literal(None) else f"({_text(p)})" for p in (e.start, e.stop, e.step)]
    return ":".join(shown)


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_random_trees_read_back_as_meant(start: int) -> None:
    for seed in range(start, start + 500):
        tree = random_expr(random.Random(seed), 5)
        got = ast.parse(render(tree), mode="eval").body
        assert ast.unparse(got) == _text(tree), seed


def value_of(e: Expr) -> Any:
    """What numbers and operators compute, by Python's own operators."""
    functions = {"+": operator.add, "-": operator.sub, "*": operator.mul, "**": operator.pow}
    match e:
        case Literal(value):
            return value
        case Unary(_, operand):
            return -value_of(operand)
        case Binary(op, left, right):
            return functions[op](value_of(left), value_of(right))
    raise AssertionError(e)


def test_random_arithmetic_has_the_value_of_the_tree() -> None:
    def tree(rng: random.Random, depth: int) -> Expr:
        if depth == 0:
            return Literal(rng.randint(-3, 3))
        if rng.random() < 0.2:
            return -tree(rng, depth - 1)
        op = rng.choice(("+", "-", "*", "**"))
        right = Literal(rng.randint(0, 3)) if op == "**" else tree(rng, depth - 1)
        return Binary(op, tree(rng, depth - 1), right)

    for seed in range(500):
        e = tree(random.Random(seed), 3)
        assert eval(render(e)) == value_of(e)


X = Code("x")
WRITTEN = [
    (Literal(-2) ** X, "(-2) ** x"),
    (-(X**2), "-x ** 2"),
    ((-X) ** 2, "(-x) ** 2"),
    (X ** (X**2), "x ** x ** 2"),
    ((X**2) ** X, "(x ** 2) ** x"),
    (X - (X - 1), "x - (x - 1)"),
    ((X < 1) > X, "(x < 1) > x"),
    (Binary("or", Binary("and", X, X), X), "x and x or x"),
    (Binary("and", Binary("or", X, X), X), "(x or x) and x"),
    (IfElse(X, X, X) + 1, "(x if x else x) + 1"),
    (expr(5).method("astype", X), "(5).astype(x)"),
    (expr(-5).method("astype", X), "(-5).astype(x)"),
    (expr(0.5)[0], "(0.5)[0]"),
    (X[:, None, ..., slice(1, None, 2)], "x[:, None, ..., 1::2]"),
    (expr((1,)), "(1,)"),
    (expr(float("nan")), 'float("nan")'),
    (expr(-math.inf), 'float("-inf")'),
]


@pytest.mark.parametrize(("e", "text"), WRITTEN, ids=[text for _, text in WRITTEN])
def test_brackets_stand_where_they_are_needed(e: Expr, text: str) -> None:
    assert render(e) == text


def test_literals_are_equal_if_they_are_written_alike() -> None:
    nan = float("nan")
    assert Literal(nan) == Literal(float("nan"))
    assert len({Literal(1), Literal(1.0), Literal(True), Literal(0.0), Literal(-0.0)}) == 5


def test_rebuild_is_the_inverse_of_children() -> None:
    for seed in range(300):
        tree = random_expr(random.Random(seed), 4)
        assert all(rebuild(part, children(part)) == part for part in walk(tree))
        assert transform(tree, lambda e: e) is tree


NAMES = ("a", "bb", "long_name", "x2", "y", "_z")


@pytest.mark.parametrize("seed", range(40))
def test_variables_are_printed_as_if_they_stood_in_the_tree(seed: int) -> None:
    rng = random.Random(seed)

    def drawn(levels: int) -> Expr:
        if levels == 0:
            return rng.choice(
                [Ref(rng.choice(NAMES)), Literal(rng.randint(-3, 3)), Code("ops.abs")]
            )
        parts = [drawn(levels - 1) for _ in range(3)]
        call = Call(Code("ops.add"), (parts[0],), (("other", parts[1]),))
        wide = [call, Tuple(tuple(parts)), IfElse(*parts), Index(parts[0], (parts[1],))]
        return rng.choice([*wide, Binary(rng.choice("+-*"), *parts[:2]), Unary("-", parts[0])])

    tree = drawn(4)
    inner = drawn(2)
    put = transform(tree, lambda e: inner if e == Ref("a") else e)
    plain = transform(put, lambda e: Code(e.name) if isinstance(e, Ref) else e)
    within = bound_text(inner, lambda name: (name, ATOM))
    shown = {name: (name, ATOM) for name in NAMES} | {"a": within}
    assert render(tree, shown.__getitem__) == render(plain)


def test_a_tensor_without_a_name_is_not_printed() -> None:
    with pytest.raises(TypeError, match="before it has a name"):
        render(Binary("+", Ref("a"), Literal(1)))


def test_each_kind_of_expression_has_its_parts() -> None:
    made = [
        Slice(*[Ref(n) for n in "abc"]),
        Size(Ref("a")),
        ForEach("cells", Ref("a"), (Ref("b"),)),
    ]
    made += [CellCall(Cell("ReLU", ()), (Ref("a"),)), List((Ref("a"),)), Attribute(Ref("a"), "T")]
    for e in made:
        other = rebuild(e, children(transform(e, lambda p: Ref("z") if p == Ref("a") else p)))
        assert [*refs(other)] == ["z" if name == "a" else name for name in refs(e)]
        assert type(other) is type(e)
