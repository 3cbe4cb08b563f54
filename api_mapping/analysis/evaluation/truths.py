"""Which functions and methods give tensors of bools, of integers or of complex numbers.

Of these, `~`, `abs` and `exp` give something else in MindSpore, or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...table.facts.element_types import (
    BOOLS,
    COMPLEX_MADE,
    COMPLEX_TYPES,
    INTEGER_TYPES,
    INTEGERS,
    KEPT,
    OF_ALIKE,
    REAL_PARTS,
    SUMS,
    TYPED,
)
from ...table.kinds import BOOL, COMPLEX, INT, INTS, TENSOR, TRUTHS, Kind

if TYPE_CHECKING:
    from .calls import Arguments


BOOL_TYPE = Kind("dtype", "torch.bool")


def of_elements(name: str, given: Kind, first: Kind | None, arguments: Arguments) -> Kind:
    """The tensor that a function or method gives, which may be one of bools.

    `given` is what is known without the types of elements, `first` the tensor that it is made of.
    """
    if given != TENSOR or "out" in arguments.by_name:
        return given
    if name in BOOLS or (name in KEPT and first == TRUTHS and not of_others(name, arguments)):
        return TRUTHS
    if name in TYPED and (BOOL_TYPE in types_of(arguments) or is_of_bools(name, arguments)):
        return TRUTHS
    if is_complex(name, first, arguments):
        return COMPLEX
    if is_whole(name, first, arguments):
        return INTS
    is_alike = name.endswith("_like") and "dtype" not in arguments.by_name
    return TRUTHS if is_alike and first == TRUTHS else given


def is_complex(name: str, first: Kind | None, arguments: Arguments) -> bool:
    """Whether what a function or method gives is a tensor of complex numbers."""
    if name in COMPLEX_MADE or (name == "stft" and arguments.flag("return_complex") is True):
        return True
    if any(kind.tag == "dtype" for kind in types_of(arguments)):
        return any(kind.name in COMPLEX_TYPES for kind in types_of(arguments))
    given = (first, *arguments.positional)
    return name not in REAL_PARTS and COMPLEX in given


def is_whole(name: str, first: Kind | None, arguments: Arguments) -> bool:
    """Whether what a function or method gives is a tensor of integers."""
    if name == "arange" and "dtype" not in arguments.by_name:
        return is_whole_range(arguments)
    types = [kind for kind in types_of(arguments) if kind.tag not in INDEX_TAGS]
    if name in TYPED and types:
        return {kind.name for kind in types} <= INTEGER_TYPES
    if any(kind.tag in ("dtype", "unknown") for kind in types):
        return all(kind.name in INTEGER_TYPES for kind in types)
    if name in INTEGERS or (name == "to" and first == INTS and not arguments.tensors):
        return True
    if name in ("full", "tensor", "as_tensor", "new_tensor", "new_full"):
        return holds(name, arguments, INT, INTS)
    if name in SUMS:
        return first in (INTS, TRUTHS)
    return first == INTS and (name in OF_ALIKE or name.endswith("_like"))


def is_whole_range(arguments: Arguments) -> bool:
    """Whether nothing says that a range goes from, to or by a float."""
    bounds = [kind for word, kind in arguments.by_name.items() if word in BOUNDS]
    return {kind.tag for kind in (*arguments.positional, *bounds)} <= {"int", "unknown", "never"}


INDEX_TAGS = frozenset({"int", "shape", "tuple", "list", "bool", "tensor", "device", "str", "none"})
"""Kinds of arguments that say nothing of the type of elements."""
BOUNDS = frozenset({"start", "end", "step"})


def of_others(name: str, arguments: Arguments) -> bool:
    """Whether a second tensor, perhaps of numbers, has a part in the type."""
    return name.startswith("bitwise_") and not {*arguments.positional} <= {TRUTHS}


def types_of(arguments: Arguments) -> tuple[Kind, ...]:
    """What may say the type of elements."""
    named = arguments.by_name.get("dtype")
    return tuple(arguments.positional) if named is None else (named,)


def is_of_bools(name: str, arguments: Arguments) -> bool:
    """Whether a tensor is made of bools, and no type is given."""
    return name in ("full", "tensor", "as_tensor") and holds(name, arguments, BOOL, TRUTHS)


def holds(name: str, arguments: Arguments, number: Kind, tensor: Kind) -> bool:
    """Whether a tensor is made of numbers or of a tensor of a kind, and no type is given."""
    is_filled = name in ("full", "new_full")
    value = arguments.get(is_filled, "fill_value" if is_filled else "data")
    if value is None or "dtype" in arguments.by_name:
        return False
    while value.tag in ("list", "tuple") and len(set(value.parts)) == 1:
        value = value.parts[0]
    return value in (number, tensor)
