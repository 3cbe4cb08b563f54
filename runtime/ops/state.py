"""Ops that change a variable, or say something of gradients."""

from __future__ import annotations

from typing import Any

from ..parameter import Parameter
from ..parameter import assign as set_variable
from ..promotion import as_tensor
from ..tape import detached, recording
from ..tensor import Tensor
from .arithmetic import add, sub
from .registry import op


@op
def assign(variable: Parameter, value: Any) -> Tensor:
    """Sets `variable` to `value`, in its own element type, and gives it back."""
    return set_variable(variable, as_tensor(value, "assign"))


@op
def assign_add(variable: Parameter, value: Any) -> Tensor:
    return set_variable(variable, add(variable, value))


@op
def assign_sub(variable: Parameter, value: Any) -> Tensor:
    return set_variable(variable, sub(variable, value))


@op
def stop_gradient(value: Any) -> Any:
    """`value`; gradients do not flow through it."""
    return detached(value) if recording.tapes and isinstance(value, Tensor) else value
