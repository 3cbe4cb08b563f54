"""The modules that Sequential, ModuleList, ModuleDict and wrappers hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...table.facts.results import CONTAINERS, WRAPPERS
from ...table.kinds import UNKNOWN, Kind, join_all
from ..frame import Frame
from .elements import element_of

if TYPE_CHECKING:
    from .calls import Arguments

GROWING = frozenset({"append", "extend", "insert"})


def is_growing(name: str, owner: str, receiver: Kind) -> bool:
    """Whether a method gives a container one module more."""
    if name == "add_module":
        return receiver.name == "torch.nn.Sequential" and receiver.target is None
    return name in GROWING and owner in CONTAINERS


def container(frame: Frame, called: Kind, arguments: Arguments) -> Kind:
    """Sequential, ModuleList and wrappers: with what they hold as parts.

    Of a ModuleDict, behind what any element is: what is known of each by its key.
    """
    name = called.name
    if name in WRAPPERS:
        inner = arguments.get(0, "module")
        return Kind("module", name, (inner,) if inner is not None else ())
    if name == "torch.nn.Sequential":
        return Kind("module", name, _sequential_parts(arguments))
    held = arguments.get(0, "modules")
    if held is None:
        return Kind("module", name, (Kind("never"),))
    part = held.parts[1] if held.tag == "dict" and len(held.parts) == 2 else element_of(held)
    if held.tag == "list" and part.tag == "tuple" and len(part.parts) == 2:
        part = part.parts[1]
    named = _named_modules(frame, arguments) if name == "torch.nn.ModuleDict" else ()
    return Kind("module", name, (part, *named))


def _named_modules(frame: Frame, arguments: Arguments) -> tuple[Kind, ...]:
    """The modules of `{"a": module}` or `dict(a=module)`, each an entry with its key."""
    written = arguments.node.args[0] if arguments.node.args else None
    pairs: list[tuple[object, ast.expr]] = []
    if isinstance(written, ast.Dict):
        keys = (key.value for key in written.keys if isinstance(key, ast.Constant))
        whole = all(isinstance(key, ast.Constant) for key in written.keys)
        pairs = list(zip(keys, written.values, strict=True)) if whole else []
    elif isinstance(written, ast.Call) and not written.args:
        pairs = [(keyword.arg, keyword.value) for keyword in written.keywords]
    if any(not isinstance(key, str) for key, _ in pairs):
        return ()
    kinds = frame.recorder.kinds
    return tuple(Kind("entry", str(key), (kinds.get(v, UNKNOWN),)) for key, v in pairs)


def _sequential_parts(arguments: Arguments) -> tuple[Kind, ...]:
    if arguments.starred or len(arguments.positional) > 40:
        kinds = [
            element_of(kind) if isinstance(a, ast.Starred) else kind
            for a, kind in zip(arguments.node.args, arguments.positional, strict=True)
        ]
        return (join_all(kinds),)
    if len(arguments.positional) == 1 and arguments.positional[0].tag in ("dict", "list"):
        held = arguments.positional[0]
        part = held.parts[-1]
        return (part.parts[1] if part.tag == "tuple" and len(part.parts) == 2 else part,)
    return tuple(arguments.positional)
