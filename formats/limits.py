"""What the weight formats cannot hold: refused when written, not when somebody reads it."""

from __future__ import annotations

from ..errors import MsconvertError
from .blocks import Content
from .element_types import ElementType, element_type_of


def unholdable(where: str, problem: str, advice: str) -> MsconvertError:
    """The MS305 error about a value that a weight format cannot hold."""
    return MsconvertError("MS305", where, problem, advice=advice)


def take_name(name: str, taken: set[str]) -> None:
    """Add a parameter's name to `taken`. Raises: MS305 if empty, repeated or not Unicode"""
    if not name:
        raise unholdable("a parameter", "its name is empty", "name it")
    if name in taken:
        raise unholdable(f"parameter '{name}'", "the name occurs twice", "rename one of them")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        problem = "its name is not valid Unicode"
        raise unholdable(f"parameter {name!a}", problem, "rename it") from error
    taken.add(name)


def holdable_type(name: str, array: Content) -> ElementType:
    """The element type of a parameter. Raises: MS305 if MindSpore would not read it back"""
    kind = element_type_of(array.dtype)
    if kind is None:
        raise unholdable(
            f"parameter '{name}'",
            f"MindSpore reads no {array.dtype} elements from a checkpoint",
            "cast it to float32; of complex numbers, store the real and the imaginary part",
        )
    return kind
