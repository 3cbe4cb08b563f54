"""Primitive classes that see gradients."""

from __future__ import annotations

from typing import Any

from ..hooks import hook_backward, insert_gradient_of
from .operation import operation


@operation("InsertGradientOf")
def inserted_gradient(input_x: Any, *, f: Any) -> Any:
    return insert_gradient_of(input_x, f)


@operation("HookBackward")
def hooked_backward(*inputs: Any, hook_fn: Any, cell_id: str = "") -> Any:
    return hook_backward(inputs, hook_fn)
