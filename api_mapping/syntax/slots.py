"""Where expressions stand in LibCST's trees: the fields that hold them, and how tightly they bind.

A slot binds as tightly as what stands in it must, or it needs parentheses. Source: the grammar of
Python's reference, "Operator precedence".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, TypeGuard

import libcst as cst

from .code import Code, Verbatim

ANY, TUPLE, LAMBDA, OR, AND, NOT, COMPARISON, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT = range(
    13
)
SIGN, POWER, AWAIT, ATOM = range(13, 17)

OPERATORS: dict[type[cst.BaseBinaryOp], int] = {
    cst.BitOr: BIT_OR,
    cst.BitXor: BIT_XOR,
    cst.BitAnd: BIT_AND,
    cst.LeftShift: SHIFT,
    cst.RightShift: SHIFT,
    cst.Add: SUM,
    cst.Subtract: SUM,
    cst.Multiply: PRODUCT,
    cst.MatrixMultiply: PRODUCT,
    cst.Divide: PRODUCT,
    cst.FloorDivide: PRODUCT,
    cst.Modulo: PRODUCT,
    cst.Power: POWER,
}
OF_AST: dict[type[ast.AST], int] = {
    ast.BitOr: BIT_OR,
    ast.BitXor: BIT_XOR,
    ast.BitAnd: BIT_AND,
    ast.LShift: SHIFT,
    ast.RShift: SHIFT,
    ast.Add: SUM,
    ast.Sub: SUM,
    ast.Mult: PRODUCT,
    ast.MatMult: PRODUCT,
    ast.Div: PRODUCT,
    ast.FloorDiv: PRODUCT,
    ast.Mod: PRODUCT,
    ast.Pow: POWER,
    ast.NamedExpr: ANY,
    ast.Yield: ANY,
    ast.YieldFrom: ANY,
    ast.Starred: ANY,
    ast.Tuple: TUPLE,
    ast.Slice: ANY,
    ast.Lambda: LAMBDA,
    ast.IfExp: LAMBDA,
    ast.Or: OR,
    ast.And: AND,
    ast.Not: NOT,
    ast.Compare: COMPARISON,
    ast.UAdd: SIGN,
    ast.USub: SIGN,
    ast.Invert: SIGN,
    ast.Await: AWAIT,
}
"""How tightly syntax of `ast` binds, by its operator where it has one; the rest are atoms."""

OF_CST: dict[type[cst.CSTNode], int] = {
    cst.NamedExpr: ANY,
    cst.Yield: ANY,
    cst.GeneratorExp: ANY,
    cst.Tuple: TUPLE,
    cst.Lambda: LAMBDA,
    cst.IfExp: LAMBDA,
    cst.Comparison: COMPARISON,
    cst.Await: AWAIT,
}

FIELDS: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Attribute: ("value",),
    cst.Call: ("func", "args"),
    cst.Arg: ("value",),
    cst.Subscript: ("value", "slice"),
    cst.SubscriptElement: ("slice",),
    cst.Index: ("value",),
    cst.Slice: ("lower", "upper", "step"),
    cst.BinaryOperation: ("left", "right"),
    cst.BooleanOperation: ("left", "right"),
    cst.UnaryOperation: ("expression",),
    cst.Comparison: ("left", "comparisons"),
    cst.ComparisonTarget: ("comparator",),
    cst.IfExp: ("body", "test", "orelse"),
    cst.Lambda: ("params", "body"),
    cst.Parameters: ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
    cst.Param: ("default",),
    cst.Tuple: ("elements",),
    cst.List: ("elements",),
    cst.Set: ("elements",),
    cst.Element: ("value",),
    cst.StarredElement: ("value",),
    cst.Dict: ("elements",),
    cst.DictElement: ("key", "value"),
    cst.StarredDictElement: ("value",),
    cst.ListComp: ("elt", "for_in"),
    cst.SetComp: ("elt", "for_in"),
    cst.GeneratorExp: ("elt", "for_in"),
    cst.DictComp: ("key", "value", "for_in"),
    cst.CompFor: ("target", "iter", "ifs", "inner_for_in"),
    cst.CompIf: ("test",),
    cst.Await: ("expression",),
    cst.Yield: ("value",),
    cst.From: ("item",),
    cst.NamedExpr: ("target", "value"),
    cst.FormattedString: ("parts",),
    cst.FormattedStringExpression: ("expression", "format_spec"),
    cst.ConcatenatedString: ("left", "right"),
    cst.Expr: ("value",),
    cst.Assign: ("targets", "value"),
    cst.AssignTarget: ("target",),
    cst.AnnAssign: ("target", "annotation", "value"),
    cst.Annotation: ("annotation",),
    cst.AugAssign: ("target", "value"),
    cst.Return: ("value",),
    cst.Raise: ("exc", "cause"),
    cst.Assert: ("test", "msg"),
    cst.Del: ("target",),
}
"""The fields with expressions in them, in the order of the text."""

NEEDS: dict[tuple[type[cst.CSTNode], str], int] = {
    (cst.Attribute, "value"): ATOM,
    (cst.Call, "func"): ATOM,
    (cst.Subscript, "value"): ATOM,
    (cst.Await, "expression"): ATOM,
    (cst.Comparison, "left"): BIT_OR,
    (cst.ComparisonTarget, "comparator"): BIT_OR,
    (cst.IfExp, "body"): OR,
    (cst.IfExp, "test"): OR,
    (cst.StarredElement, "value"): BIT_OR,
    (cst.StarredDictElement, "value"): BIT_OR,
    (cst.CompFor, "target"): TUPLE,
    (cst.CompFor, "iter"): OR,
    (cst.CompIf, "test"): OR,
    (cst.FormattedStringExpression, "expression"): OR,
    (cst.Expr, "value"): TUPLE,
    (cst.Assign, "value"): TUPLE,
    (cst.AssignTarget, "target"): TUPLE,
    (cst.AnnAssign, "value"): TUPLE,
    (cst.AugAssign, "value"): TUPLE,
    (cst.Return, "value"): TUPLE,
}
"""How tightly slots bind, where it is more or less than an argument's place."""


def needed(parent: cst.CSTNode, field: str) -> int:
    """How tightly what stands in a field must bind."""
    if isinstance(parent, cst.BinaryOperation):
        own = OPERATORS[type(parent.operator)]
        if own == POWER:
            return AWAIT if field == "left" else SIGN
        return own + (field == "right")
    if isinstance(parent, cst.BooleanOperation):
        return boolean(parent) + (field == "right")
    if isinstance(parent, cst.UnaryOperation):
        is_sign = signed(parent) == SIGN
        return SIGN if is_sign else BIT_OR  # `not (x < y)`, as people write it
    return NEEDS.get((type(parent), field), LAMBDA)


def boolean(node: cst.BooleanOperation) -> int:
    return OR if isinstance(node.operator, cst.Or) else AND


def signed(node: cst.UnaryOperation) -> int:
    return NOT if isinstance(node.operator, cst.Not) else SIGN


def strength(code: Code) -> int:
    """How tightly an expression binds; with parentheses around it as tightly as a name."""
    if code.lpar:
        return ATOM
    if isinstance(code, Verbatim):
        return code.binding
    if isinstance(code, cst.BinaryOperation):
        return OPERATORS[type(code.operator)]
    if isinstance(code, cst.BooleanOperation):
        return boolean(code)
    if isinstance(code, cst.UnaryOperation):
        return signed(code)
    return OF_CST.get(type(code), ATOM)


def strength_of(node: ast.expr, text: str) -> int:
    """How tightly an expression of `ast` binds whose text this is."""
    if text.startswith("(") and is_enclosed(text):
        return ATOM
    operator = getattr(node, "op", None)
    return OF_AST.get(type(node if operator is None else operator), ATOM)


def is_enclosed(text: str) -> bool:
    """Whether the parenthesis that a text begins with closes at its end."""
    return isinstance(ast.parse(f"({text} .end\n)", mode="eval").body, ast.Attribute)


def fitted(code: Code, least: int) -> Code:
    """The expression for a slot that needs this strength: in parentheses if it is weaker."""
    return code if strength(code) >= least else enclosed(code)


def enclosed(code: Code) -> Code:
    """The expression in parentheses."""
    return code.with_changes(
        lpar=[cst.LeftParen(), *code.lpar], rpar=[*code.rpar, cst.RightParen()]
    )


KINDS: dict[type, bool] = {}


def is_expression(child: object) -> TypeGuard[Code]:
    """Whether it is an expression: `isinstance` asks LibCST's abstract classes, which is slow."""
    kind = type(child)
    known = KINDS.get(kind)
    if known is None:
        known = KINDS[kind] = issubclass(kind, Code)
    return known


def inner(node: cst.CSTNode) -> Iterator[Code]:
    """The expressions right under a node, in the order of the text.

    `a and b and c` has three, a text in pieces those of all its pieces, `x[a, b]` also a and b.
    """
    for field in FIELDS.get(type(node), ()):
        held = getattr(node, field)
        for child in held if type(held) in (list, tuple) else (held,):
            yield from in_place(child, node)


def in_place(child: Any, parent: cst.CSTNode) -> Iterator[Code]:
    """The expressions that a child is, or that stand in it where it is none."""
    if is_expression(child) and not is_part(child, parent):
        yield child
    elif type(child) in FIELDS:
        yield from inner(child)


def is_part(child: Code, parent: cst.CSTNode) -> bool:
    """Whether an expression is but a part of what `ast` has as one."""
    if isinstance(child, cst.StarredElement) or isinstance(parent, cst.ConcatenatedString):
        return True
    if isinstance(parent, cst.Del):
        return isinstance(child, cst.Tuple) and not child.lpar
    if isinstance(child, cst.BooleanOperation) and isinstance(parent, cst.BooleanOperation):
        return not child.lpar and type(child.operator) is type(parent.operator)
    return False
