"""What the methods of tensors, modules, optimizers and plain values give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...table.facts.results import (
    METHOD_RETURNS,
    METHODS_OF_OTHERS,
    MODULE_RETURNS,
    PACKED_SEQUENCE,
    PAIR,
    RETURN_SELF,
    TRIPLE,
)
from ...table.kinds import (
    BOOL,
    BYTES,
    INT,
    NONE,
    OTHER,
    STR,
    TENSOR,
    TENSORS,
    UNKNOWN,
    Kind,
    dict_of,
    join,
    list_of,
    tuple_of,
)
from ..frame import Frame
from .elements import element_of
from .optimizer_state import STATE, asked
from .truths import of_elements

if TYPE_CHECKING:
    from .calls import Arguments

REDUCED_IN_PAIRS = frozenset({"max", "min", "median", "nanmedian"})


def of_tensor(frame: Frame, name: str, arguments: Arguments, receiver: Kind) -> Kind:
    """What `tensor.name(...)` gives."""
    usual = overload(name, METHOD_RETURNS.get(name, TENSOR), arguments, 0)
    return of_elements(name, usual, receiver, arguments)


def overload(name: str, usual: Kind, arguments: Arguments, first: int) -> Kind:
    """The result where it depends on the arguments; `first` is where those after x begin."""
    if name in REDUCED_IN_PAIRS and (usual.is_tensor or usual.is_unknown):
        return _reduced(arguments, first)
    if not (usual.is_tensor or usual.tag in ("shape", "str")):
        return usual
    special = _OVERLOADS.get(name)
    return usual if special is None else special(usual, arguments, first)


def _reduced(arguments: Arguments, first: int) -> Kind:
    """max, min, median: of everything a tensor, along an axis a pair, of two tensors a tensor."""
    axis = arguments.get(first, "dim")
    if axis is None:
        if arguments.starred:
            return UNKNOWN
        return TENSOR
    if axis.tag == "int":
        return PAIR
    return TENSOR if axis.tag == "tensor" else UNKNOWN


def _size(usual: Kind, arguments: Arguments, first: int) -> Kind:
    return INT if arguments.count > first else usual


def _type(usual: Kind, arguments: Arguments, first: int) -> Kind:
    return TENSOR if arguments.count > first else STR


def _nonzero(usual: Kind, arguments: Arguments, first: int) -> Kind:
    return {False: TENSOR, True: TENSORS, None: UNKNOWN}[arguments.flag("as_tuple")]


def _where(usual: Kind, arguments: Arguments, first: int) -> Kind:
    return TENSORS if arguments.count == 1 and first == 1 else TENSOR


def _unique(usual: Kind, arguments: Arguments, first: int) -> Kind:
    flags = [arguments.flag(name) for name in ("return_inverse", "return_counts")]
    if len(arguments.positional) > first + 1 or None in flags:
        return UNKNOWN
    return (TENSOR, PAIR, TRIPLE)[flags.count(True)]


_OVERLOADS = {
    "size": _size,
    "stride": _size,
    "type": _type,
    "nonzero": _nonzero,
    "where": _where,
    "unique": _unique,
    "unique_consecutive": _unique,
}


def of_other(frame: Frame, owner: str, name: str, arguments: Arguments, receiver: Kind) -> Kind:
    """What a method of PyTorch's objects other than tensors gives."""
    if name in ("append", "extend", "insert"):
        return NONE
    if owner in ("torch.nn.ModuleDict", "torch.nn.ParameterDict"):
        return _of_module_dict(name, receiver)
    if receiver.tag == "module" or owner == "torch.nn.Module":
        if name in RETURN_SELF:
            return receiver
        if name == "forward":
            return UNKNOWN
        return MODULE_RETURNS.get(name, UNKNOWN)
    if receiver == PACKED_SEQUENCE:
        return PACKED_SEQUENCE
    known = METHODS_OF_OTHERS.get(f"{owner.rpartition('.')[2]}.{name}")
    if known is not None:
        return known
    if owner == "torch.distributions.Distribution":
        return UNKNOWN if name == "expand" else TENSOR
    if owner == "torch.amp.GradScaler" and name == "scale":
        return arguments.get(0) or UNKNOWN
    return UNKNOWN


def _of_module_dict(name: str, receiver: Kind) -> Kind:
    part = receiver.parts[0] if receiver.parts else UNKNOWN
    kinds = {"keys": STR, "values": part, "items": tuple_of((STR, part))}
    return Kind("iterator", "", (kinds[name],)) if name in kinds else UNKNOWN


STR_RETURNS = {
    **dict.fromkeys(
        """format join lower upper strip lstrip rstrip replace title capitalize zfill ljust rjust
        center removeprefix removesuffix decode""".split(),
        STR,
    ),
    "split": list_of(STR),
    "rsplit": list_of(STR),
    "splitlines": list_of(STR),
    "encode": BYTES,
    "partition": tuple_of((STR, STR, STR)),
    "rpartition": tuple_of((STR, STR, STR)),
}


def of_plain(frame: Frame, node: ast.Call, name: str, receiver: Kind, arguments: Arguments) -> Kind:
    """What a method of a str, list, dict, shape gives; appending changes the list's kind."""
    tag = receiver.tag
    if tag in ("str", "bytes"):
        return STR_RETURNS.get(name, BOOL if name.startswith("is") else INT)
    if tag == "dict":
        return _of_dict(frame, node, name, receiver, arguments)
    if tag in ("list", "set"):
        return _of_list(frame, node, name, receiver, arguments)
    if name in ("count", "index"):
        return INT
    return OTHER if tag in ("shape", "iterator") else UNKNOWN


def _of_list(frame: Frame, node: ast.Call, name: str, receiver: Kind, arguments: Arguments) -> Kind:
    if name in ("append", "add", "appendleft"):
        _grow(frame, node, receiver, arguments.get(0) or UNKNOWN)
        return NONE
    if name in ("extend", "update"):
        _grow(frame, node, receiver, element_of(arguments.get(0) or UNKNOWN))
        return NONE
    if name == "insert":
        _grow(frame, node, receiver, arguments.get(1) or UNKNOWN)
        return NONE
    if name in ("pop", "popleft"):
        return element_of(receiver)
    if name in ("copy", "union", "intersection", "difference"):
        return receiver
    return INT if name in ("index", "count") else NONE


def _grow(frame: Frame, node: ast.Call, receiver: Kind, added: Kind) -> None:
    held = join(element_of(receiver), added)
    _put_in(frame, node, Kind(receiver.tag, receiver.name, (held,)))


def _put_in(frame: Frame, node: ast.Call, kind: Kind) -> None:
    """Takes what a container is after a call of its method.

    A method that a name holds has been handed on: what it puts in is not known from then on.
    """
    called = node.func
    if isinstance(called, ast.Attribute):
        frame.engine.rebind(frame, called.value, kind)
    elif isinstance(called, ast.Call) and called.args:  # getattr(x, "append")
        frame.engine.rebind(frame, called.args[0], kind)


def _of_dict(frame: Frame, node: ast.Call, name: str, receiver: Kind, arguments: Arguments) -> Kind:
    if receiver.name == STATE:
        return asked(frame, node, name, receiver, arguments.get(1) or UNKNOWN)
    key, held = receiver.parts if len(receiver.parts) == 2 else (UNKNOWN, UNKNOWN)
    if name == "items":
        return Kind("iterator", "", (tuple_of((key, held)),))
    if name in ("keys", "values"):
        return Kind("iterator", "", (key if name == "keys" else held,))
    if name in ("get", "pop", "setdefault"):
        default = arguments.get(1)
        return held if default is None else join(held, default)
    if name == "copy":
        return receiver
    if name == "update":
        _put_in(frame, node, dict_of(UNKNOWN, UNKNOWN))
        return NONE
    return tuple_of((key, held)) if name == "popitem" else UNKNOWN
