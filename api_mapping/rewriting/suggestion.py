"""What becomes of one use by itself: the row that fits, and what a reader would write."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache, cached_property

from ..syntax.code import Code, text_of
from ..table import registry
from ..table.renaming import Renaming
from ..table.rule import Rule, is_plain_call, syntax_of
from ..table.template import plain_callee


@dataclass(frozen=True)
class Suggestion:
    """What becomes of one use: the row that fits, its code, or the reason why there is none.

    `whole` is the text of the statement around it, where that is written anew.
    """

    row: int
    new: Code | None = None
    refusal: str = ""
    whole: str = ""

    @cached_property
    def code(self) -> str:
        return self.whole or ("" if self.new is None else text_of(self.new))


NOTHING = Suggestion(0)

SAME_MODULES = {"torch": "ms", "torch.nn": "nn", "torch.nn.functional": "ops"}
"""MindSpore's modules for those of PyTorch's that are values: `dir(torch.nn)`."""

AS_TYPES = SAME_MODULES | {"torch.tensor": "ms.Tensor"}
"""What stands for names that are no types and are written for one: `x: torch.tensor`."""

Key = tuple[str, bool, bool, Renaming, str]
ALIKE: dict[Key, Suggestion] = {}
"""The suggestions for calls that only their text decides on: projects repeat themselves."""
MOST_ALIKE = 10_000


def remembered(key: Key, suggestion: Suggestion) -> Suggestion:
    """The suggestion, kept for calls of the same text."""
    if len(ALIKE) >= MOST_ALIKE:
        ALIKE.clear()
    ALIKE[key] = suggestion
    return suggestion


@cache
def first_row(api: str, is_callable: bool) -> int:
    """The first row of an API that is for calls, or for values."""
    rows = enumerate(registry.find(api))
    return next((row for row, rule in rows if rule.is_callable == is_callable), 0)


@cache
def is_by_text(api: str) -> bool:
    """Whether the rows of an API ask for nothing but the text of a call that names it alone."""
    return not any(rule.writes or rule.kinds for rule in registry.find(api))


def base_alone(rule: Rule) -> str:
    """MindSpore's name of a class that takes the arguments of a base; "" if it has none."""
    return plain_callee(rule) if rule.target and is_plain_call(syntax_of(rule.target)) else ""


def name_alone(rule: Rule) -> str:
    """MindSpore's name of a class that is an annotation; "" if it has none."""
    if not rule.target:
        return ""
    callee, tree = plain_callee(rule), syntax_of(rule.target)
    is_class = isinstance(tree, ast.Call) and callee.rpartition(".")[2][:1].isupper()
    return callee if is_class or is_plain_call(tree) else ""
