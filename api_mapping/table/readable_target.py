"""Targets as people read them: what a row writes where every argument is a name."""

from __future__ import annotations

import ast
from functools import cache

import libcst as cst

from ..syntax.code import text_of
from .argument import Argument, Refusal
from .rule import Rule
from .template import compiled, fill, names_in


@cache
def readable(rule: Rule, *, mint: bool = False) -> str:
    """The target with PyTorch's parameters in it: `alpha=always(slope)` is `alpha=slope`.

    A macro that refuses names stays as it stands in the row.
    """
    target = rule.mint if mint else rule.target
    if not target:
        return ""
    target = target.replace("starred(args, kwargs)", "*args, **kwargs")
    target = target.replace("lengths(axes_lengths)", "axes_lengths")
    names = names_in(target) | {p.name for p in rule.params} | {"self"}
    bound = {name: Argument(cst.Name(name), ast.Name(name)) for name in names}
    try:
        return text_of(fill(compiled(rule, target, frozenset(names)), bound))
    except Refusal:
        return target
