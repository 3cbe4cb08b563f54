"""Whether what came back from another process is what its method gives, by its annotations."""

from __future__ import annotations

import math
import os
import stat
import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

from .child.messages import Failure, Stored
from .child.side import Side

Check = Callable[[Any], bool]

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


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type as it is written in annotations."""
    return check_of(kind)(value)


@cache
def check_of(kind: Any) -> Check:
    """What asks whether a value is of the type: each is read once, not at every value."""
    origin: Any = typing.get_origin(kind) or kind
    parts = typing.get_args(kind)
    if kind is Any:
        return lambda value: True
    if origin is types.UnionType or origin is typing.Union:
        several = [check_of(part) for part in parts]
        return lambda value: any(check(value) for check in several)
    if origin in (None, types.NoneType):
        return lambda value: value is None
    if origin is float:
        return lambda value: isinstance(value, float | int)
    if origin is tuple:
        return check_of_tuple(parts)
    if origin is dict:
        key, item = map(check_of, parts)
        return lambda value: (
            isinstance(value, dict) and all(key(k) and item(v) for k, v in value.items())
        )
    if is_dataclass(origin):
        return check_of_fields(kind, origin)
    if origin is np.ndarray:
        return lambda value: isinstance(value, np.ndarray) and not value.dtype.hasobject
    return lambda value: isinstance(value, origin)


def check_of_fields(kind: Any, origin: Any) -> Check:
    """A dataclass may hold others of its own kind: its fields are read at its first value."""
    inner: list[tuple[str, Check]] = []

    def check(value: Any) -> bool:
        if not isinstance(value, origin):
            return False
        if not inner:
            types_of = typing.get_type_hints(kind)
            inner.extend((part.name, check_of(types_of[part.name])) for part in fields(origin))
        if not all(part(getattr(value, name)) for name, part in inner):
            return False
        return origin is not Stored or is_there(value)

    return check


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


def check_of_tuple(parts: tuple[Any, ...]) -> Check:
    if len(parts) == 2 and parts[1] is Ellipsis:
        each = check_of(parts[0])
        return lambda value: isinstance(value, tuple) and all(map(each, value))
    several = [check_of(part) for part in parts]
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(several)
        and all(check(item) for check, item in zip(several, value, strict=True))
    )
