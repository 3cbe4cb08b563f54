"""mindspore.dataset.debug: hooks that look at what goes into the functions of `map` and out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence, Sized
from typing import Any

import numpy as np

from ..engine.failure import RefusedError, missing_names
from .transforms.operation import is_image

__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]


class DebugHook:
    """What is called with the values before the first function of `map`, and behind each.

    A subclass defines `compute`; a hook can also stand among the functions of `map` itself.
    """

    def __init__(self, prev_op_name: str | None = None) -> None:
        self.prev_op_name = prev_op_name
        self.is_first_op: bool | None = None

    def __call__(self, *args: Any) -> Any:
        if self.prev_op_name:
            which = "INPUT" if self.is_first_op else "OUTPUT"
            name = self.prev_op_name
            print(f"[Dataset debugger] Print the [{which}] of the operation [{name}].", flush=True)
        self.compute(args)
        return args

    def compute(self, *args: Any) -> Any:
        """Looks at the values, which are the first argument."""
        problem = f"{type(self).__name__} defines no compute"
        raise RefusedError("mindspore.dataset.debug.DebugHook", problem)

    def set_previous_op_name(self, prev_op_name: str | None) -> None:
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op: bool) -> None:
        self.is_first_op = is_first_op


class PrintMetaDataHook(DebugHook):
    """Prints element types and shapes."""

    def compute(self, *args: Any) -> Any:
        for number, value in enumerate(*args):
            print(f"Column {number}. {described(value)}", flush=True)
        return args


def described(value: Any) -> str:
    """The element type and the shape of a value, as far as it has some."""
    if isinstance(value, np.ndarray):
        return f"The dtype is [{value.dtype}]. The shape is [{value.shape}]."
    if is_image(value):
        return f"The type is [{type(value)}]. The shape is [{value.size}]."
    if isinstance(value, Sized):
        return f"The type is [{type(value)}]. The size is [{len(value)}]."
    return ""


class PrintDataHook(DebugHook):
    """Prints the values."""

    def compute(self, *args: Any) -> Any:
        for number, value in enumerate(*args):
            data = np.asarray(value) if is_image(value) else value
            print(f"Column {number}. The data is [{data}].", flush=True)
        return args


def hooked(functions: Sequence[Callable[..., Any]], hooks: Sequence[Any]) -> list[Any]:
    """The functions with copies of the hooks before the first, and behind each."""
    found = [behind(hook, functions[0], True) for hook in hooks]
    for function in functions:
        found += [function, *(behind(hook, function, False) for hook in hooks)]
    return found


def behind(hook: Any, function: Callable[..., Any], is_first: bool) -> Any:
    """A copy of a hook that tells the name of a function."""
    own = copy.deepcopy(hook)
    own.set_previous_op_name(getattr(function, "__name__", type(function).__name__))
    own.set_is_first(is_first)
    return own


__getattr__ = missing_names("mindspore.dataset.debug", __all__)
