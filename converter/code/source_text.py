"""Expressions as Python source, with parentheses by how strongly what stands there binds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .expr import (
    Attribute,
    Binary,
    Call,
    Code,
    Expr,
    FunctionName,
    IfElse,
    Index,
    List,
    Literal,
    Plain,
    Ref,
    Size,
    Slice,
    Tuple,
    Unary,
)

_BINDING = {"or": 1, "and": 2, "<": 4, ">": 4, "<=": 4, ">=": 4, "==": 4, "!=": 4}
_BINDING |= {"|": 5, "^": 6, "&": 7, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10}
_BINDING |= {"@": 10, "~": 11, "neg": 11, "**": 12}
ATOM = 20
_NUMBER = 19
"""Binding strengths. A number stands in parentheses before a dot: `(1).bit_length()`."""


def literal_text(value: Plain) -> str:
    """`value` as Python source; floats in their shortest exact form, infinities spelled out."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f'float("{value}")'
    return repr(value)


Shown = Callable[[str], tuple[str, int]]
"""How the variable of a tensor is written: source and binding strength, by the tensor's name."""


def _unnamed(name: str) -> tuple[str, int]:
    raise TypeError(f"{name[:80]!r} cannot be printed before it has a name")


def render(e: Expr, shown: Shown = _unnamed) -> str:
    """`e` as Python source. Every constant and layer must have become `Code` before."""
    return bound_text(e, shown)[0]


def bound_text(e: Expr, shown: Shown) -> tuple[str, int]:
    """Source and binding strength of `e`."""
    text = _TEXTS.get(type(e))
    if text is None:
        raise TypeError(f"{type(e).__name__} cannot be printed before it has a name")
    return text(e, shown)


def _literal_text(e: Literal, shown: Shown) -> tuple[str, int]:
    text = literal_text(e.value)
    return text, _BINDING["neg"] if text.startswith("-") else _NUMBER


def _listed(items: tuple[Expr, ...], shown: Shown) -> str:
    return ", ".join([bound_text(item, shown)[0] for item in items])


def _tuple_text(e: Tuple, shown: Shown) -> tuple[str, int]:
    inner = _listed(e.items, shown)
    return f"({inner},)" if len(e.items) == 1 else f"({inner})", ATOM


def _call_text(e: Call, shown: Shown) -> tuple[str, int]:
    inner = _listed(e.args, shown)
    if e.kwargs:
        named = [f"{k}={render(v, shown)}" for k, v in e.kwargs]
        inner = ", ".join([inner, *named] if e.args else named)
    return f"{_tight(e.func, ATOM, shown)}({inner})", ATOM


def _choice_text(e: IfElse, shown: Shown) -> tuple[str, int]:
    then, condition = _tight(e.then, 1, shown), _tight(e.condition, 1, shown)
    return f"{then} if {condition} else {render(e.other, shown)}", 0


def _unary_text(e: Unary, shown: Shown) -> tuple[str, int]:
    binding = _BINDING["neg" if e.op == "-" else e.op]
    return f"{e.op}{_tight(e.operand, binding, shown)}", binding


def _binary_text(e: Binary, shown: Shown) -> tuple[str, int]:
    binding = _BINDING[e.op]
    right_to_left = e.op == "**"
    comparison = binding == _BINDING["<"]
    left = _tight(e.left, binding + (right_to_left or comparison), shown)
    right = _tight(e.right, binding + (not right_to_left), shown)
    return f"{left} {e.op} {right}", binding


def _slice_text(e: Slice, shown: Shown) -> tuple[str, int]:
    parts = (e.start, e.stop, e.step)
    start, stop, step = ("" if p == Literal(None) else render(p, shown) for p in parts)
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}", ATOM


def _tight(e: Expr, binding: int, shown: Shown) -> str:
    text, own = bound_text(e, shown)
    return f"({text})" if own < binding else text


_TEXTS: dict[type[Expr], Callable[[Any, Shown], tuple[str, int]]] = {
    Literal: _literal_text,
    Code: lambda e, shown: (e.text, ATOM),
    FunctionName: lambda e, shown: (e.text, ATOM),
    Ref: lambda e, shown: shown(e.name),
    Binary: _binary_text,
    Unary: _unary_text,
    Tuple: _tuple_text,
    List: lambda e, shown: (f"[{_listed(e.items, shown)}]", ATOM),
    Slice: _slice_text,
    Call: _call_text,
    Attribute: lambda e, shown: (f"{_tight(e.obj, ATOM, shown)}.{e.name}", ATOM),
    Index: lambda e, shown: (f"{_tight(e.obj, ATOM, shown)}[{_listed(e.items, shown)}]", ATOM),
    IfElse: _choice_text,
    Size: lambda e, shown: bound_text(e.value, shown),
}
"""How each is written; found by type, as lines are drawn several times before they are written."""
