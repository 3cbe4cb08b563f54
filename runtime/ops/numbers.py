"""Python numbers, shapes and element types as ops, and what compilers need."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_type
from ..engine.dtype import DType
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import elementwise
from .registry import alias, op


def number_op(name: str, function: Callable[..., Any]) -> None:
    """An op of two Python numbers."""

    def of_numbers(x: Any, y: Any) -> Any:
        for given in (x, y):
            check_type(name, "operand", given, int, float, bool)
        return function(x, y)

    of_numbers.__doc__ = f"`{function.__name__}` of two numbers."
    alias(name, of_numbers)


NAMES = {"div": "truediv"}
"""Where the operator is called otherwise."""

for _name in (
    "add", "sub", "mul", "div", "floordiv", "mod", "pow", "eq", "ne", "lt", "gt", "le", "ge",
):  # fmt: skip
    number_op(f"scalar_{_name}", getattr(operator, NAMES.get(_name, _name)))


@op
def scalar_uadd(x: Any) -> Any:
    return +x


@op
def scalar_usub(x: Any) -> Any:
    return -x


@op
def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """A Python number as the Python type of an element type."""
    target = dtypes.as_dtype(input_y)
    check_choice("scalar_cast", "input_y", target, (dtypes.int64, dtypes.float64, dtypes.bool_))
    kind = target.numpy.kind
    check_type("scalar_cast", "input_x", input_x, int, float, bool)
    return {"b": bool, "i": int, "u": int}.get(kind, float)(input_x)


@op
def scalar_to_tensor(input_x: Any, dtype: DType = dtypes.float32) -> Tensor:
    """A Python number as a Tensor without axes."""
    check_type("scalar_to_tensor", "input_x", input_x, int, float, bool)
    return constant(input_x, dtype)


@op
def tuple_to_array(input_x: tuple[Any, ...]) -> Tensor:
    """A tuple of numbers as a vector of int32 or float32, as the first one is."""
    check_type("tuple_to_array", "input_x", input_x, tuple)
    whole = isinstance(input_x[0], int)
    return constant(input_x, dtypes.int32 if whole else dtypes.float32)


@op
def dtype(x: Tensor) -> DType:
    return check_type("dtype", "x", x, Tensor).dtype  # type: ignore[no-any-return]  # a Tensor's


@op
def shape_(x: Tensor) -> tuple[int, ...]:
    return tuple(x.shape)


@op
def dyn_shape(input_x: Tensor) -> Tensor:
    """The shape as a vector of int64."""
    return constant(input_x.shape)


@op
def type_as(input: Tensor, other: Tensor) -> Tensor:
    return convert(input, check_type("type_as", "other", other, Tensor).dtype)


@op
def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)


@op
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero."""
    check_type("is_nonzero", "input", input, Tensor)
    if input.size != 1:
        raise ShapeError("is_nonzero", "needs one element", got=str(input.shape))
    return bool(input.asnumpy())


@op
def eps(x: Tensor) -> Tensor:
    """The smallest step of the element type, in the shape of `x`."""
    check_type("eps", "x", x, Tensor)
    if x.dtype not in dtypes.FLOATS:
        raise ElementTypeError("eps", "takes floats", got=x.dtype.name)
    return constant(np.full(x.shape, x.dtype.limits.eps), x.dtype)


@op
def depend(value: Any, expr: Any) -> Any:
    """`value`; what `expr` needs has been computed before."""
    return value


@op
def print_(*input_x: Any) -> None:
    """Prints each on a line of its own, Tensors with their shape and element type."""
    for x in input_x:
        print(Tensor.__repr__(x) if isinstance(x, Tensor) else x)  # noqa: T201  # what the op does


@op
def make_tuple(*args: Any) -> tuple[Any, ...]:
    return args


@op
def make_list(*args: Any) -> list[Any]:
    return [*args]


@op
def tail(sequence: Any) -> Any:
    """All but the first."""
    return sequence[1:]


@op
def partial(function: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    return functools.partial(function, *args)


@op
def shape(input_x: Tensor) -> tuple[int, ...]:
    return input_x.shape


@op
def rank(input_x: Tensor) -> int:
    return input_x.ndim


@op
def size(input_x: Tensor) -> int:
    return input_x.size


@op
def numel(input: Tensor) -> int:
    return input.size


@op
def identity(x: Tensor) -> Tensor:
    return elementwise.identity(x)
