"""Ops that change a variable, or say something of gradients."""

from __future__ import annotations

from typing import Any

from ..engine.dtype import DType
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.parameter import Parameter
from ..engine.parameter import assign as set_variable
from ..engine.promotion import as_tensor, common_type, plain, type_with_number
from ..engine.tape import detached
from ..engine.tensor import Tensor
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

    Raises: MS304 for another shape, or an element type that the variable's cannot hold
    """
    new = as_tensor(value, where)
    if new.shape != variable.shape and new.size == variable.size == 1:
        new = reshape(new, variable.shape)
    if new.shape != variable.shape:
        problem = "the value has another shape than the variable"
        raise ShapeError(where, problem, got=str(new.shape), expected=str(variable.shape))
    if common_with(variable.dtype, value, new) is not variable.dtype:
        problem = "the variable's element type cannot hold the value"
        advice = f"convert it with ops.cast(value, ms.{variable.dtype.name})"
        got, expected = new.dtype.name, variable.dtype.name
        raise ElementTypeError(where, problem, got=got, expected=expected, advice=advice)
    return new


def common_with(own: DType, value: Any, new: Tensor) -> DType:
    """The type in which a Tensor of type `own` is computed with `value`, which is `new`."""
    if isinstance(value, Tensor):
        return common_type(own, new.dtype)
    return type_with_number(own, plain(value, "assign"))


@op
def stop_gradient_(input: Tensor) -> Tensor:
    """`stop_gradient` in place."""
    input.content = stop_gradient(input).content
    return input


@op
def stop_gradient(value: Any) -> Any:
    """A Tensor of its own with the memory of `value`; gradients do not flow through it."""
    return detached(value) if isinstance(value, Tensor) else value
