"""Arguments that only tensors can be: what a call says of what it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...table.facts.tensor_arguments import GIVEN_TENSORS, SECOND, takes_tensor
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
