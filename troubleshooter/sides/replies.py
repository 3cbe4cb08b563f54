"""Whether what came back from another process is what its method gives, by its annotations."""

from __future__ import annotations

import math
import os
import stat
import types
import typing
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

from .child.messages import Failure, Stored
from .child.side import Side

BEGIN = "begin"
"""What a process is asked first: it gives True when it has its framework."""


def is_reply(method: str, value: Any) -> bool:
    """Whether a method of a side gives such a value; a Failure any of them may."""
    if isinstance(value, Failure):
        return fits(value, Failure)
    return value is True if method == BEGIN else fits(value, result_of(method))


@cache
def result_of(method: str) -> Any:
    return typing.get_type_hints(getattr(Side, method))["return"]


@cache
def types_in(kind: Any) -> dict[str, Any]:
    """The types of a dataclass's fields."""
    return typing.get_type_hints(kind)


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type as it is written in annotations."""
    if kind is Any:
        return True
    origin: Any = typing.get_origin(kind) or kind
    parts = typing.get_args(kind)
    if origin is types.UnionType or origin is typing.Union:
        return any(fits(value, part) for part in parts)
    if origin in (None, types.NoneType):
        return value is None
    if origin is float:
        return isinstance(value, float | int)
    if not isinstance(value, origin):
        return False
    if origin is tuple:
        return fits_tuple(value, parts)
    if origin is dict:
        return all(fits(k, parts[0]) and fits(v, parts[1]) for k, v in value.items())
    if is_dataclass(origin):
        inner = types_in(kind)
        if not all(fits(getattr(value, part.name), inner[part.name]) for part in fields(value)):
            return False
        return origin is not Stored or is_there(value)
    return origin is not np.ndarray or not value.dtype.hasobject


def is_there(stored: Stored) -> bool:
    """Whether a recorded array is in its file, which is neither a link nor a pipe."""
    try:
        dtype, status = np.dtype(stored.dtype), os.lstat(stored.file)
    except (OSError, ValueError, TypeError):
        return False
    if dtype.hasobject or not stat.S_ISREG(status.st_mode):
        return False
    if min(stored.shape, default=0) < 0 or stored.offset < 0:
        return False
    return stored.offset + math.prod(stored.shape) * dtype.itemsize <= status.st_size


def fits_tuple(value: tuple[Any, ...], parts: tuple[Any, ...]) -> bool:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return all(fits(item, parts[0]) for item in value)
    return len(value) == len(parts) and all(map(fits, value, parts))
