"""What becomes of each use by itself: what a reader would write in its place."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ..syntax.code import Code, text_of
from ..syntax.reading import Unreadable
from ..table.named import Named
from ..table.refusal import Refusal
from .passes.class_test import class_code
from .passes.literal_name import by_literal, name_in_layer
from .passes.references import reference, referred
from .passes.roles import FUNCTION, decorated, name_in_role
from .places import check_assignable, is_assignable
from .rewriter import Rewriter
from .rows import judged
from .suggestion import NOTHING, Suggestion, first_row, name_alone

FLAG = "torch.Tensor.requires_grad"
UNTOLD = "only a Parameter of MindSpore's has it: write here whether it is True, or leave it out"
PARAMETER_MADE = re.compile(r"requires_grad\s*=\s*True|Parameter\(|\.(?:weight|bias)\b")
"""What makes a Parameter in MindSpore."""


def suggestion(node: ast.AST, named: Named, kind: str, to: Rewriter) -> Suggestion:
    """What becomes of a use whose node this is, of a value and not of its class."""
    if isinstance(node, ast.Call) and kind != "getattr":
        try:
            return of_call(node, to)
        except Unreadable as problem:
            return Suggestion(0, refusal=str(problem))
    row = first_row(named.api, node in to.notes.tested or kind == "decorator")
    try:
        return Suggestion(row, alone(node, named, kind, to))
    except Refusal as refusal:
        return Suggestion(row, refusal=str(refusal))


def of_call(node: ast.Call, to: Rewriter) -> Suggestion:
    statement = to.notes.statements.get(node)
    whole = "" if statement is None else to.whole(statement)
    code = None if whole else to.code(node)
    found = to.chosen.get(node)
    if found is None:
        return Suggestion(0, code, whole=whole)  # of a value, its name only
    return found if found.refusal or not whole else replace(found, whole=whole)


def supposed(node: ast.expr, named: Named, to: Rewriter) -> Suggestion:
    """What would become of a use if it were of the API that it may be of.

    Without code and refusal where the same code serves, whatever the receiver is.
    """
    try:
        found = of_supposed(node, named, to)
        stays = text_of(to.code(node))
    except (Refusal, Unreadable) as problem:
        return Suggestion(0, refusal=str(problem))
    return NOTHING if is_alike(found.code, stays) else found


def is_alike(one: str, other: str) -> bool:
    """Whether two expressions are the same but for brackets: `(~x).sum()`, `f(x).sum()`."""
    if one == other or not one or not other:
        return one == other
    return ast.unparse(ast.parse(one)) == ast.unparse(ast.parse(other))


def of_supposed(node: ast.expr, named: Named, to: Rewriter) -> Suggestion:
    """The code of a use whose receiver is taken for what is supposed."""
    if isinstance(node, ast.Call):
        return judged(named, node, to)
    new = referred(named, to)
    return Suggestion(first_row(named.api, False), to.code(node) if new is None else new)


def alone(node: ast.AST, named: Named, kind: str, to: Rewriter) -> Code | None:
    """The code of a name that is not called here.

    Raises: Refusal
    """
    if kind == "decorator":
        decorator = decorated(to.rules(named.api))
        return None if text_of(decorator) == FUNCTION.id else decorator
    if isinstance(node, ast.Call):
        return by_literal(named, node, to)
    if named.api == FLAG and isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        check_told(node.value, to)
    if isinstance(node, ast.expr) and node in to.notes.tested:
        return class_code(node, to)
    if isinstance(node, ast.Name | ast.Attribute) and node in to.notes.twofold:
        return reference(node, to)
    is_text = isinstance(node, ast.Constant)
    code = name_in_layer(named, to) if is_text else referred(named, to)
    is_set = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    if code is not None and is_set and not is_flag(to.notes.statements.get(node), to):
        check_assignable(code, named)
    return code


def check_told(tensor: ast.expr, to: Rewriter) -> None:
    """Raises: Refusal for a name that is computed in the file, and is no Parameter

    An argument may be one, and what a loop is over.
    """
    if not isinstance(tensor, ast.Name) or to.places.holder_of(tensor):
        return
    begun = re.compile(rf"^\s*{re.escape(tensor.id)}\s*=[^=]")
    made = [line for line in to.reading.source.lines if begun.match(line)]
    is_computed = bool(made) and not any(map(PARAMETER_MADE.search, made))
    if is_computed and to.places.kind_of(tensor) == "tensor":
        raise Refusal(UNTOLD)


def base(named: Named, to: Rewriter) -> Suggestion:
    """What becomes of a class that another one is derived from."""
    rule = to.rules(named.api)[0]
    if not rule.target or rule.base or name_in_role(named, "base", False, to) is not None:
        return Suggestion(0, whole=name_alone(rule))
    return Suggestion(0, refusal=f"MindSpore has no class to derive from in place of {named.api}")


def is_flag(node: ast.AST | None, to: Rewriter) -> bool:
    """Whether a statement sets what MindSpore has no place for, and nothing else."""
    if not isinstance(node, ast.Assign):
        return False
    return all(is_without_place(target, to) for target in node.targets)


def is_without_place(target: ast.expr, to: Rewriter) -> bool:
    named = to.places.resolve(target) if isinstance(target, ast.Attribute) else None
    if named is None or named.receiver is not None:
        return False
    code = referred(named, to)
    return code is not None and not is_assignable(code)
