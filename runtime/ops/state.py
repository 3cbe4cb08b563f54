"""Ops that change a variable, or say something of gradients."""

from __future__ import annotations

from typing import Any

from ..dtype import FLOATS
from ..failure import ElementTypeError, ShapeError
from ..parameter import Parameter
from ..parameter import assign as set_variable
from ..promotion import as_tensor
from ..tape import detached, recording
from ..tensor import Tensor
from .arithmetic import add, sub
from .registry import op
from .shaping import reshape


@op
def assign(variable: Parameter, value: Any) -> Tensor:
    """Sets `variable` to `value`, in its own element type, and gives it back."""
    return set_variable(variable, fitting("assign", variable, value))


@op
def assign_add(variable: Parameter, value: Any) -> Tensor:
    return set_variable(variable, add(variable, fitting("assign_add", variable, value)))


@op
def assign_sub(variable: Parameter, value: Any) -> Tensor:
    return set_variable(variable, sub(variable, fitting("assign_sub", variable, value)))


def fitting(where: str, variable: Tensor, value: Any) -> Tensor:
    """`value` as a Tensor; one number fits one number, of whatever axes.

    Raises: MS304 for another shape, or fractions for whole numbers
    """
    new = as_tensor(value, where)
    if new.shape != variable.shape and new.size == variable.size == 1:
        new = reshape(new, variable.shape)
    if new.shape != variable.shape:
        problem = "the value has another shape than the variable"
        raise ShapeError(where, problem, got=str(new.shape), expected=str(variable.shape))
    if new.dtype in FLOATS and variable.dtype not in FLOATS:
        problem = "the value would lose its fraction"
        raise ElementTypeError(where, problem, got=new.dtype.name, expected=variable.dtype.name)
    return new


@op
def stop_gradient_(input: Tensor) -> Tensor:
    """`stop_gradient` in place."""
    input.content = stop_gradient(input).content
    return input


@op
def stop_gradient(value: Any) -> Any:
    """`value`; gradients do not flow through it."""
    return detached(value) if recording.tapes and isinstance(value, Tensor) else value
