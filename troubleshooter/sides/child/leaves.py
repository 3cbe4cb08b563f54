"""A nested result as a flat list of values, each with its place."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from .messages import Inputs, Leaf, Tensor

DEEPEST = 30
AS_THEY_ARE = (bool, int, float, str, type(None), np.ndarray, np.generic)


def leaves(
    value: Any, is_tensor: Callable[[Any], bool], place: str = "", deep: int = 0
) -> Iterator[tuple[str, Any]]:
    """Tensors, numbers, text and None by their places, as `[0].logits['a']`, in order.

    Tuples, lists, mappings and data classes are looked into; so a model's output is the same
    whether it is a dict or an object that behaves as one.
    """
    if is_tensor(value) or isinstance(value, AS_THEY_ARE):
        yield place, value
        return
    if isinstance(value, Mapping):
        parts = [(f"[{key!r}]", part) for key, part in value.items()]
    elif isinstance(value, (tuple, list)):
        parts = [(f"[{i}]", part) for i, part in enumerate(value)]
    elif is_dataclass(value):
        parts = [(f".{part.name}", getattr(value, part.name)) for part in fields(value)]
    else:
        parts = []
        yield place, f"an object of {type(value).__name__}, which is not compared"
    for name, part in parts if deep < DEEPEST else ():
        yield from leaves(part, is_tensor, place + name, deep + 1)


def replaced(value: Any, is_tensor: Callable[[Any], bool], by: Iterator[Any], deep: int = 0) -> Any:
    """`value` with other tensors, in the order of `leaves`; what it consists of is made anew."""
    if is_tensor(value):
        return next(by)
    if isinstance(value, AS_THEY_ARE) or deep == DEEPEST:
        return value
    if isinstance(value, Mapping):
        mapping: Any = copy.copy(value)
        for key, part in value.items():
            mapping[key] = replaced(part, is_tensor, by, deep + 1)
        return mapping
    if isinstance(value, (tuple, list)):
        parts = [replaced(part, is_tensor, by, deep + 1) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if is_dataclass(value):
        new = copy.copy(value)
        for part in fields(value):
            other = replaced(getattr(value, part.name), is_tensor, by, deep + 1)
            object.__setattr__(new, part.name, other)
        return new
    return value


def leaf(label: str, value: Any, tensor: Callable[[Any], Tensor], is_tensor: Any) -> Leaf:
    """A value as it travels."""
    if is_tensor(value):
        return Leaf(label, tensor(value))
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        return Leaf(label, Tensor(str(array.dtype), array))
    return Leaf(label, value)


def handed_over(value: Any, tensor: Callable[[Any], Tensor], is_tensor: Any) -> Any:
    """Inputs as they travel: arrays of NumPy's become tensors on the other side."""
    if is_tensor(value):
        return tensor(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return Tensor(str(value.dtype), np.asarray(value))
    if isinstance(value, (tuple, list)):
        kind = list if isinstance(value, list) else tuple
        return kind([handed_over(part, tensor, is_tensor) for part in value])
    if isinstance(value, Mapping):
        return {key: handed_over(part, tensor, is_tensor) for key, part in value.items()}
    return value


def given(value: Any, make: Callable[[Tensor], Any]) -> Any:
    """Inputs as the network takes them: `make` gives its framework's tensor."""
    if isinstance(value, Tensor):
        return make(value)
    if isinstance(value, Inputs):
        return Inputs(given(value.args, make), given(value.kwargs, make))
    if isinstance(value, (tuple, list)):
        return type(value)([given(part, make) for part in value])
    if isinstance(value, dict):
        return {key: given(part, make) for key, part in value.items()}
    return value
