"""Which functions and methods give tensors of bools or of complex numbers.

Of these, `~` and `abs` give something else in MindSpore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...table.facts.element_types import (
    BOOLS,
    COMPLEX_MADE,
    COMPLEX_TYPES,
    KEPT,
    REAL_PARTS,
    TYPED,
)
from ...table.kinds import BOOL, COMPLEX, TENSOR, TRUTHS, Kind

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
    if name in TYPED and (BOOL_TYPE in types_of(arguments) or holds_bools(name, arguments)):
        return TRUTHS
    if is_complex(name, first, arguments):
        return COMPLEX
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


def of_others(name: str, arguments: Arguments) -> bool:
    """Whether a second tensor, perhaps of numbers, has a part in the type."""
    return name.startswith("bitwise_") and not {*arguments.positional} <= {TRUTHS}


def types_of(arguments: Arguments) -> tuple[Kind, ...]:
    """What may say the type of elements."""
    named = arguments.by_name.get("dtype")
    return tuple(arguments.positional) if named is None else (named,)


def holds_bools(name: str, arguments: Arguments) -> bool:
    """Whether a tensor is made of bools, and no type is given."""
    value = arguments.get(name == "full", "fill_value" if name == "full" else "data")
    if value is None or name not in ("full", "tensor", "as_tensor") or "dtype" in arguments.by_name:
        return False
    return value in (BOOL, TRUTHS) or (value.tag == "list" and set(value.parts) == {BOOL})
