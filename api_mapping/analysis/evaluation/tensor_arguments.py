"""Arguments that only tensors can be: what a call says of what it is given."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...table.facts.tensor_arguments import GIVEN_TENSORS, SECOND, takes_tensor
from ...table.kinds import Kind
from ..frame import Frame

if TYPE_CHECKING:
    from .calls import Arguments


def note_tensor_arguments(frame: Frame, name: str, arguments: Arguments) -> None:
    """A parameter handed to a function that takes only tensors there is one."""
    if takes_tensor(name):
        note_tensor(frame, arguments, 0, "input")
    if name in SECOND:
        second = SECOND[name]
        note_tensor(frame, arguments, bool(second), second)


def note_method_arguments(frame: Frame, name: str, arguments: Arguments) -> None:
    """A parameter handed to a method that takes only tensors there is one."""
    position = GIVEN_TENSORS.get(name)
    if position is not None:
        note_tensor(frame, arguments, position * (name != "take_along_dim"), "")


def note_tensor(frame: Frame, arguments: Arguments, position: int, name: str) -> None:
    """Notes that an argument is taken as only a tensor is."""
    given = arguments.get(position, name)
    if given is not None and given.is_unknown:
        frame.takes_as_tensor(given)
        frame.shows_tensor(arguments.written(position, name))


PYTHON_TYPES = {
    "builtins.bool": "torch.bool",
    "builtins.int": "torch.int64",
    "builtins.float": "torch.float64",
    "builtins.complex": "torch.complex128",
}
"""Python's types, where PyTorch takes them for types of elements."""
TYPE_FIRST = frozenset({"to"})
"""Methods that take a type of elements by its place."""


def note_python_types(frame: Frame, name: str, arguments: Arguments) -> None:
    """`dtype=bool` says torch.bool, and is a use of it."""
    given = arguments.by_name.get("dtype")
    if given is not None and given.name in PYTHON_TYPES:
        arguments.by_name["dtype"] = element_type(frame, arguments, 0, "dtype")
    first = arguments.get(0)
    if name in TYPE_FIRST and first is not None and first.name in PYTHON_TYPES:
        arguments.positional[0] = element_type(frame, arguments, 0, "")


def element_type(frame: Frame, arguments: Arguments, position: int, name: str) -> Kind:
    """The type of elements that one of Python's types stands for there."""
    written = arguments.written(position, name)
    given = arguments.get(position, name)
    assert written is not None
    assert given is not None
    meant = PYTHON_TYPES[given.name]
    if isinstance(written, ast.Name):
        frame.mention(written, meant, "dtype")
    return Kind("dtype", meant)
