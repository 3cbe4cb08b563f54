"""The parameters of the project's functions: what the calls say of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...table.kinds import BOOL, COLLATED, FLOAT, INT, NEVER, STR, UNKNOWN, Kind, handed_over, join
from .. import classes, lightning
from ..definitions import Function
from ..frame import HOLDER

if TYPE_CHECKING:
    from ..frame import Frame
    from .calls import Arguments

MAX_CALLS = 40
"""Calls of one function that are compared; one called more often is taken as it is annotated."""


def observe(
    frame: Frame, function: Function, node: ast.Call, arguments: Arguments, bound: bool
) -> None:
    """Notes what a call gives to the function's parameters."""
    if function.escapes or len(function.calls) > MAX_CALLS or not is_own(frame, function):
        return
    given = bind_arguments(function, arguments, bound)
    if function.calls.get(node) != given:
        function.calls[node] = given
        frame.engine.changed(function, by_call=True)


def is_own(frame: Frame, function: Function) -> bool:
    """Whether the call is of the analysed module, and stands where all calls of it are seen."""
    engine = frame.engine
    return function.module is engine.active and frame.module in (engine.active, engine.witness)


def positional_names(function: Function, bound: bool) -> list[str]:
    arguments = function.node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    return names[1:] if bound else names


def bind_arguments(function: Function, arguments: Arguments, bound: bool) -> dict[str, Kind]:
    """Parameter -> kind of what is given to it; unknown what a splat may give, or leave out."""
    names = positional_names(function, bound)
    node = arguments.node
    plain = next((i for i, a in enumerate(node.args) if isinstance(a, ast.Starred)), len(node.args))
    given = {
        name: _plain(kind) for name, kind in zip(names, arguments.positional[:plain], strict=False)
    }
    given.update((name, _plain(kind)) for name, kind in arguments.by_name.items())
    if any(keyword.arg is None for keyword in node.keywords):
        names = [*names, *(a.arg for a in function.node.args.kwonlyargs)]
    elif plain == len(node.args):
        return given
    return dict.fromkeys(names, UNKNOWN) | given


def _plain(kind: Kind) -> Kind:
    """Without the mark of a caller's own parameter."""
    return UNKNOWN if kind.tag == "unknown" else kind


def kind_of_parameter(function: Function, name: str) -> Kind:
    """By annotation, by calls that all agree, by use, by default; unknown otherwise."""
    return handed_over(_kind_of_parameter(function, name))


def _kind_of_parameter(function: Function, name: str) -> Kind:
    annotated = function.annotated.get(name, UNKNOWN)
    if annotated.tag != "unknown" and not refinable(annotated):
        return annotated
    if is_batch(function, name):
        return COLLATED
    default = function.defaults.get(name)
    if not function.escapes and function.calls:
        called = by_calls(function, name, default)
        if called.tag not in ("unknown", "never", "none") and fits(called, annotated):
            return called
    if annotated.tag != "unknown":
        return annotated
    if name in function.given:
        return function.given[name]
    found = function.found.get(name)
    if found is not None and found.tag in ("tensor", "module", "collated"):
        return found if default is None else join(found, default)
    is_open = found is None or found is HOLDER
    if is_open and (default is None or default.tag == "none"):
        return Kind("unknown", "param", (), (function, name))
    if default is not None and default.tag in _BY_DEFAULT:
        return Kind(default.tag, "default")
    return UNKNOWN


def is_batch(function: Function, name: str) -> bool:
    """Whether a Trainer gives a batch for this parameter."""
    owner, taken = function.owner, function.node.args.args
    if owner is None or function.name not in lightning.STEPS or len(taken) < 2:
        return False
    return taken[1].arg == name and classes.torch_base(owner) == lightning.MODULE


_BY_DEFAULT = frozenset({INT.tag, FLOAT.tag, BOOL.tag, STR.tag})


def by_calls(function: Function, name: str, default: Kind | None) -> Kind:
    found = NEVER
    for given in function.calls.values():
        kind = given.get(name, default)
        found = join(found, UNKNOWN if kind is None else kind)
    return found


def refinable(kind: Kind) -> bool:
    """Whether an annotation leaves open what the calls may tell: nn.Module, list, dict."""
    if kind.tag == "union":
        return any(map(refinable, kind.parts))
    general = kind.name in ("torch.nn.Module", "torch.utils.data.DataLoader")
    if kind.tag in ("module", "loader") and general:
        return kind.target is None and not kind.parts
    return bool(kind.parts) and any(part.tag == "unknown" for part in kind.parts)


def fits(kind: Kind, annotated: Kind) -> bool:
    """Whether what the calls give is of the sort that the annotation names."""
    if annotated.tag == "unknown":
        return True
    allowed = annotated.parts if annotated.tag == "union" else (annotated,)
    members = kind.parts if kind.tag == "union" else (kind,)
    tags = {part.tag for part in allowed} | ({"tuple"} if annotated.tag == "list" else set())
    return all(member.tag in tags for member in members)
