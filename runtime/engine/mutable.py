"""`mutable`: containers whose elements are inputs of a graph, and have gradients."""

from __future__ import annotations

from typing import Any

from .tensor import Tensor


class Mutable:
    """What `mutable` gives is one of these, beside the Python type that it was made of."""

    variable_len = False


class MutableTuple(tuple[Any, ...], Mutable):
    """A tuple of Tensors, numbers and containers."""


class MutableList(list[Any], Mutable):
    """A list of Tensors, numbers and containers."""


class MutableDict(dict[Any, Any], Mutable):
    """A dictionary of Tensors, numbers and containers."""


class MutableInt(int, Mutable):
    """An int; a bool becomes one, too."""


class MutableFloat(float, Mutable):
    """A float."""


KINDS: dict[type, type] = {
    bool: MutableInt,
    int: MutableInt,
    float: MutableFloat,
    tuple: MutableTuple,
    list: MutableList,
    dict: MutableDict,
}
"""What becomes of a value of each type."""


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """`input_data` as an input of graphs and gradients, as `mindspore.mutable`; a Tensor as it is.

    Raises: TypeError for what is, or holds, neither a Tensor, a number nor a container of them.
    """
    check_element(input_data)
    if not isinstance(dynamic_len, bool):
        raise TypeError(
            f"For 'mutable', the second input should be bool, but got: {type(dynamic_len).__name__}"
        )
    if dynamic_len and not isinstance(input_data, (list, tuple)):
        raise TypeError(
            "For 'mutable', when the variable_len is True, the first input should be list or "
            f"tuple, but got: {type(input_data).__name__}"
        )
    if isinstance(input_data, Tensor):
        return input_data
    kind = next(KINDS[base] for base in KINDS if isinstance(input_data, base))
    made = kind(input_data)
    if dynamic_len:
        made.__dict__["variable_len"] = True
    return made


def check_element(value: Any) -> None:
    """Raises: TypeError as `mutable`."""
    parts = value.values() if isinstance(value, dict) else value
    if isinstance(value, (tuple, list, dict)):
        for part in parts:
            check_element(part)
    elif not isinstance(value, (bool, int, float, Tensor)):
        raise TypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, "
            "list, dict) or their nested structures with no self-reference, but got "
            f"{type(value).__name__}: {value}."
        )
