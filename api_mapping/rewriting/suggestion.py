"""The MindSpore code of each use by itself: what a reader would write in its place."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from ..syntax.nodes import end_of
from ..table import registry
from ..table.argument import Call, FinalRefusal, Refusal
from ..table.named import Named
from ..table.renaming import Renaming, in_names
from ..table.rule import Rule, is_plain_call, syntax_of
from ..table.side_arguments import is_told_to_write
from ..table.template import instantiate, plain_callee
from .editor import Editor
from .places import check_assignable, is_assignable

FUNCTION = ast.Name("function")
"""Stands for what is decorated."""


class Suggestion(NamedTuple):
    """What becomes of one use: the row that fits, its code, or the reason why there is none."""

    row: int
    code: str = ""
    refusal: str = ""


NOTHING = Suggestion(0)

SAME_MODULES = {"torch": "ms", "torch.nn": "nn", "torch.nn.functional": "ops"}
"""MindSpore's modules for those of PyTorch's that are values: `dir(torch.nn)`."""

AS_TYPES = SAME_MODULES | {"torch.tensor": "ms.Tensor"}
"""What stands for names that are no types and are written for one: `x: torch.tensor`."""

Key = tuple[str, bool, bool, Renaming, str]
ALIKE: dict[Key, Suggestion] = {}
"""The suggestions for calls that only their text decides on: projects repeat themselves."""
MOST_ALIKE = 10_000


@dataclass(frozen=True)
class Suggester(Editor):
    """An editor that leaves what is refused as it is, so that each use is judged by itself.

    `chosen` has the suggestion of each node that names an API, by the node's id; every node is
    written once, however deep the expression; `parents` are the statements around the calls that
    write in place, and around the attributes of modules that are set, `tested` the classes that
    types are tested by. `ends` has the places where what may change ends, in order: an expression
    with none of them is written as it is.
    """

    chosen: dict[int, Suggestion] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    parents: Mapping[int, ast.AST] = field(default_factory=dict)
    tested: Collection[int] = ()
    ends: Sequence[tuple[int, int]] = ()

    def text(self, node: ast.AST) -> str:
        known = self.texts.get(id(node))
        if known is None:
            if isinstance(node, ast.expr) and not self.has_use(node):
                return self.source.of_node(node)
            known = self.texts[id(node)] = super().text(node)
        return known

    def has_use(self, node: ast.AST, several: bool = False) -> bool:
        """Whether in the text of a node something ends that may change, or several such things."""
        start = node.lineno, node.col_offset  # type: ignore[attr-defined]
        found = bisect_right(self.ends, start) + several
        return found < len(self.ends) and self.ends[found] <= end_of(node)

    def rewritten(self, node: ast.AST) -> str | None:
        try:
            return super().rewritten(node)
        except Refusal as refusal:
            call = node.value if isinstance(node, ast.Expr) else node
            known = self.chosen.get(id(call))
            if isinstance(call, ast.Call) and not (known and known.refusal):
                self.chosen[id(call)] = Suggestion(0, refusal=str(refusal))
            return None

    def called(self, named: Named, node: ast.Call) -> str:
        """Raises: Refusal of the row that comes nearest, noted as the use's own"""
        key = self.key_of(named, node)
        found = ALIKE.get(key) if key else None
        if found is None:
            found = self.found(named, node)
            if len(ALIKE) >= MOST_ALIKE:
                ALIKE.clear()
            if key:
                ALIKE[key] = found
        self.chosen[id(node)] = found
        if found.refusal:
            raise Refusal(found.refusal)
        return found.code

    def key_of(self, named: Named, node: ast.Call) -> Key | None:
        """What the code of a call follows from, None if more than its text says it."""
        if (
            not is_by_text(named.api)
            or named.receiver is node.func
            or self.has_use(node, several=True)
        ):
            return None
        is_spread = None in [k.arg for k in node.keywords] or ast.Starred in map(type, node.args)
        if is_spread or is_told_to_write(node, registry.find(named.api)):
            return None
        text = self.source.of_node(node)
        return named.api, named.receiver is None, self.mint, self.names, text

    def found(self, named: Named, node: ast.Call) -> Suggestion:
        """The code by the first row that fits, or the refusal of the row that comes nearest."""
        call = self.call_of(named, node)
        reason, last = "the table has no row for it", 0
        for row, rule in enumerate(self.rules(named.api)):
            if not rule.is_callable:
                continue
            try:
                self.check_kinds(rule, call)
                code = in_names(instantiate(rule, call, mint=self.mint), self.names)
            except Refusal as refusal:
                reason, last = (str(refusal), row) if str(refusal) else (reason, last)
                if isinstance(refusal, FinalRefusal):
                    break
                continue
            return Suggestion(row, code)
        return Suggestion(last, refusal=reason)

    def around(self, named: Named, node: ast.Call, code: str) -> str:
        whole = super().around(named, node, code)
        if whole != code:
            self.chosen[id(node)] = self.chosen[id(node)]._replace(code=whole)
        return whole

    def held_called(self, named: Named, node: ast.Call) -> str:
        code = super().held_called(named, node)
        self.chosen[id(node)] = self.chosen[id(node)]._replace(code=code)
        return code

    def suggestion(self, node: ast.AST, named: Named, kind: str) -> Suggestion:
        """What becomes of a use whose node this is, of a value and not of its class."""
        if isinstance(node, ast.Call) and kind != "getattr":
            return self.of_call(node)
        row = first_row(named.api, id(node) in self.tested or kind == "decorator")
        try:
            return Suggestion(row, self.alone(node, named, kind))
        except Refusal as refusal:
            return Suggestion(row, refusal=str(refusal))

    def of_call(self, node: ast.Call) -> Suggestion:
        statement = self.parents.get(id(node))
        text = self.text(node if statement is None else statement)
        found = self.chosen.get(id(node))
        if found is None:
            return Suggestion(0, text)  # of a value, its name only
        return found if found.refusal or statement is None else found._replace(code=text)

    def alone(self, node: ast.AST, named: Named, kind: str) -> str:
        """The code of a name that is not called here.

        Raises: Refusal
        """
        if kind == "decorator":
            return decorated(self.rules(named.api))
        if isinstance(node, ast.Call):
            return self.by_literal(named, node) or ""
        if id(node) in self.tested:
            return self.class_code(node)
        text = self.name_in_layer(named) if isinstance(node, ast.Constant) else self.referred(named)
        is_set = isinstance(getattr(node, "ctx", None), ast.Store)
        if text is not None and is_set and not self.is_flag(self.parents.get(id(node))):
            check_assignable(text, named)
        return text or ""

    def is_flag(self, node: ast.AST | None) -> bool:
        """Whether a statement sets what MindSpore has no place for, and nothing else."""
        return isinstance(node, ast.Assign) and all(map(self.is_without_place, node.targets))

    def is_without_place(self, target: ast.expr) -> bool:
        named = self.resolve(target) if isinstance(target, ast.Attribute) else None
        if named is None or named.receiver is not None:
            return False
        code = self.referred(named)
        return code is not None and not is_assignable(code)


@cache
def first_row(api: str, is_callable: bool) -> int:
    """The first row of an API that is for calls, or for values."""
    rows = enumerate(registry.find(api))
    return next((row for row, rule in rows if rule.is_callable == is_callable), 0)


@cache
def is_by_text(api: str) -> bool:
    """Whether the rows of an API ask for nothing but the text of a call that names it alone."""
    return not any(rule.writes or rule.kinds for rule in registry.find(api))


def decorated(rules: Sequence[Rule]) -> str:
    """What stands for a decorator without a call: it is called with the function it decorates.

    "" if it is left out. Raises: Refusal if no row takes a function
    """
    reason = "it takes no function"
    for rule in (rule for rule in rules if rule.is_callable):
        try:
            code = instantiate(rule, Call.of(None, [FUNCTION], (), ast.unparse))
        except Refusal as refusal:
            reason = str(refusal)
            continue
        return "" if code == FUNCTION.id else code
    raise Refusal(reason)


def name_alone(rule: Rule) -> str:
    """MindSpore's name of a class that is a base or an annotation; "" if it has none."""
    return plain_callee(rule) if rule.target and is_plain_call(syntax_of(rule.target)) else ""
