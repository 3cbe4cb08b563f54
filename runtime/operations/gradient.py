"""Primitive classes that see gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.failure import ElementTypeError
from ..engine.hooks import hook_backward, insert_gradient_of
from .operation import operation


@operation("InsertGradientOf")
def inserted_gradient(input_x: Any, *, f: Any) -> Any:
    return insert_gradient_of(input_x, f)


def check_hook(hook_fn: Any, cell_id: str) -> None:
    if not callable(hook_fn):
        kind = type(hook_fn).__name__
        raise ElementTypeError("HookBackward", "the hook must be a function", got=kind)


@operation("HookBackward", check_hook)
def hooked_backward(*inputs: Any, hook_fn: Any, cell_id: str = "") -> Any:
    return hook_backward(inputs, hook_fn)


@operation("DumpGradient")
def dump_gradient(path: str, x: Any, input_output: str) -> Any:
    """`x`; its gradient is written to the file `path` (.npy) on the way back."""

    def write(gradient: Any) -> Any:
        np.save(path, gradient.asnumpy())
        return gradient

    return insert_gradient_of(x, write)
