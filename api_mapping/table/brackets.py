"""Whether code needs parentheses in the place where it is put, and other quotes."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from .refusal import Refusal

ATOMS = (
    *(ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.JoinedStr),
    *(ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp),
)
"""Syntax that stands beside any operator without parentheses."""

NEVER_BARE = (ast.NamedExpr, ast.Yield, ast.YieldFrom)
"""Syntax that needs parentheses even between commas."""

NAME = re.compile(r"[A-Za-z_][\w.]*")
QUOTE = re.compile(r"""[A-Za-z]*("{3}|'{3}|"|')""")


@lru_cache(1_000)
def tree_of(code: str) -> ast.expr | None:
    """The syntax of an expression; None if it is none, or needs parentheses for its line ends."""
    try:
        return ast.parse(code, mode="eval").body
    except SyntaxError:
        return None


@lru_cache(10_000)
def is_atom(code: str) -> bool:
    """Whether code can stand beside any operator, and before `(` and `[`."""
    if NAME.fullmatch(code):
        return True
    tree = tree_of(code)
    if tree is None or isinstance(tree, ATOMS):
        return tree is not None
    if isinstance(tree, ast.Tuple):
        return bool(tree.elts) and tree.elts[0].col_offset > tree.col_offset
    return tree.col_offset > 0 or isinstance(tree, ast.GeneratorExp)  # it has parentheses


COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def beside(code: str, behind: str = "") -> str:
    """Code to stand beside an operator, or before what `behind` begins with."""
    is_number = behind.startswith(".") and code[:1].isdigit()
    return code if is_atom(code) and not is_number else f"({code})"


def between_commas(code: str) -> str:
    """Code to stand between commas or brackets, or behind `=`."""
    may_need = (":=" in code or "yield" in code) and tree_of(code) is None
    return f"({code})" if may_need and isinstance(tree_of(f"({code})"), NEVER_BARE) else code


def fitted(code: str, child: ast.AST, parent: ast.AST) -> str:
    """Code that is put in place of `child` under `parent`."""
    if isinstance(child, ast.stmt | ast.mod) or NAME.fullmatch(code):
        return code
    if isinstance(parent, ast.JoinedStr):
        return f"({code})" if code.startswith("{") else beside(code)
    tree = tree_of(code)
    if stands_alone(child, parent) and tree is not None:
        return code
    if isinstance(parent, ast.IfExp | ast.BoolOp) and isinstance(tree, ast.Compare):
        return code  # a comparison binds more tightly than they do
    return beside(code, "." if isinstance(parent, ast.Attribute) else "")


def stands_alone(child: ast.AST, parent: ast.AST) -> bool:
    """Whether a part of the syntax stands between commas or brackets, or behind `=`."""
    if isinstance(parent, ast.Call):
        return child is not parent.func
    if isinstance(parent, ast.Subscript):
        return child is parent.slice
    if isinstance(parent, ast.If | ast.While):
        return child is parent.test
    if isinstance(parent, ast.For | COMPREHENSIONS):
        loops = [parent] if isinstance(parent, ast.For) else parent.generators
        return any(child is loop.target or child is loop.iter for loop in loops)
    between = (ast.keyword, ast.List, ast.Tuple, ast.Dict, ast.Set)
    behind = (ast.Expr, ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.With)
    return isinstance(parent, between + behind)


def within_string(code: str, string: str) -> str:
    """Code for a field of an f-string, in the quotes that the string leaves.

    Raises: Refusal if it has quotes of both kinds
    """
    opening = QUOTE.match(string)
    mark = opening[1] if opening else '"'
    if mark not in code:
        return code
    other = "'" if mark == '"' else '"'
    if other in code or len(mark) == 3:
        raise Refusal("its code has quotes that do not fit into the f-string: take it out")
    return code.replace(mark, other)
