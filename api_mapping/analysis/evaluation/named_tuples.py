"""collections.namedtuple: classes whose objects are tuples with names."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from ...table.kinds import UNKNOWN, Kind
from ..frame import Frame
from .elements import element_of

if TYPE_CHECKING:
    from .calls import Arguments


def class_of_tuples(frame: Frame, arguments: Arguments) -> Kind:
    """The class; unknown if its fields are not written out."""
    fields = fields_in(arguments.node)
    return Kind("tuple_class", "", (), same(fields)) if fields else UNKNOWN


def fields_in(call: ast.Call) -> tuple[str, ...]:
    """`namedtuple("Step", ["state", "action"])`, or the fields in one text."""
    given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "field_names")]
    try:
        names = ast.literal_eval(given[0]) if given else ()
    except ValueError:
        return ()
    names = names.replace(",", " ").split() if isinstance(names, str) else names
    is_plain = isinstance(names, list | tuple) and all(isinstance(n, str) for n in names)
    return tuple(names) if is_plain else ()


@cache
def same(fields: tuple[str, ...]) -> tuple[str, ...]:
    """One object for all looks at the fields: kinds are compared by it."""
    return fields


def tuple_of_class(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    """An object: a tuple that knows the names of its parts."""
    fields = called.target
    if arguments.starred:  # of `Step(*(torch.stack(column) for column in zip(*steps)))`
        is_alone = len(node.args) == 1 and not node.keywords
        parts = (element_of(arguments.positional[0]) if is_alone else UNKNOWN,) * len(fields)
    else:
        parts = tuple(arguments.get(n, field) or UNKNOWN for n, field in enumerate(fields))
    return Kind("tuple", "", parts, fields)


def field_of(receiver: Kind, name: str) -> Kind | None:
    """What a field of an object is; None if it has none of this name."""
    fields = receiver.target if isinstance(receiver.target, tuple) else ()
    return receiver.parts[fields.index(name)] if name in fields else None
