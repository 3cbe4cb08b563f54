"""Which functions are NumPy's, and what they take for a Tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy

from .. import ops
from ..engine import dtype as dtypes
from ..engine.failure import ElementTypeError
from ..engine.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Every function by name."""


def public(function: Function) -> Function:
    """Makes `function` public; an underscore at the end of its name avoids Python's own."""
    return named(function.__name__.rstrip("_"), function)


def named(name: str, function: Function) -> Function:
    """Makes `function` public as `name`. Raises: KeyError if there is one already."""
    if name in FUNCTIONS:
        raise KeyError(f"there is a function {name} already")
    FUNCTIONS[name] = function
    return function


def array(x: Any, dtype: Any = None) -> Tensor:
    """`x` as a Tensor: numbers and nested lists of numbers or Tensors, floats as float32."""
    if isinstance(x, Tensor):
        return typed(x, dtype)
    if isinstance(x, (list, tuple)) and any(isinstance(part, Tensor) for part in x):
        parts: list[Tensor] = [array(part) for part in x]
        return typed(ops.stack(parts), dtype)
    if not isinstance(x, (int, float, bool, complex, list, tuple, numpy.ndarray, numpy.generic)):
        raise ElementTypeError("mindspore.numpy", "it is no array", got=type(x).__name__)
    made = numpy.asarray(x)
    narrow = {"f": numpy.float32, "i": numpy.int32}.get(made.dtype.kind)
    if not isinstance(x, (numpy.ndarray, numpy.generic)) and narrow is not None:
        made = made.astype(narrow)
    return typed(Tensor(made), dtype)


def typed(x: Tensor, dtype: Any) -> Tensor:
    """`x` in the element type `dtype`, a DType, Python type, NumPy type or name, if given."""
    if dtype is None:
        return x
    made: Tensor = x.astype(type_of(dtype))
    return made


def type_of(dtype: Any) -> dtypes.DType:
    if isinstance(dtype, dtypes.DType):
        return dtype
    if dtype is int:
        return dtypes.int32
    return dtypes.from_numpy(numpy.dtype(numpy.float32 if dtype is float else dtype))


def floating(x: Any) -> Tensor:
    """`x` as a Tensor of floats: float32 if it is of whole numbers or booleans."""
    given = array(x)
    kinds = (*dtypes.FLOATS, dtypes.complex64, dtypes.complex128)
    return given if given.dtype in kinds else typed(given, dtypes.float32)
