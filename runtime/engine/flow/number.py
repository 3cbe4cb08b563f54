"""Python's numbers where only the running graph knows them: a counter of a loop, `int(tensor)`.

They are computed as Python computes them (whole numbers of 64 bits, floats in double precision) and
take a Tensor's element type as Python's numbers do. What asks for the number itself, a size or a
place in a list, gets MS306.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtype as dtypes
from ..primitive import convert
from ..tensor import Tensor, wrap

KINDS: dict[type, dtypes.DType] = {
    bool: dtypes.bool_,
    int: dtypes.int64,
    float: dtypes.float64,
}


class Number:
    """A bool, int or float (`kind`), held by a traced Tensor without axes."""

    __slots__ = ("kind", "tensor")
    __hash__ = None  # type: ignore[assignment]  # a key of a dictionary must be known

    def __init__(self, tensor: Tensor, kind: type) -> None:
        self.tensor, self.kind = tensor, kind

    def __bool__(self) -> bool:
        return bool(self.tensor.asnumpy())

    def __int__(self) -> int:
        return int(self.tensor.asnumpy())

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.tensor.asnumpy())

    def __str__(self) -> str:
        return str(self.tensor)

    def __abs__(self) -> Any:
        return number_of(abs(self.tensor), int if self.kind is bool else self.kind)

    def __neg__(self) -> Any:
        return computing(operator.mul, None, int)(self, -1)

    def __pos__(self) -> Any:
        return self

    def item(self) -> Any:
        return self


def number_of(x: Tensor, kind: type) -> Any:
    """`x`, one element, as a number of Python's: a plain one if it is known."""
    if x.is_traced:
        return Number(convert(x, KINDS[kind]), kind)
    return kind(x.item())


def held(x: Any, kind: type) -> Tensor:
    """A Number, or a number, as a Tensor of the type in which `kind` is computed."""
    if isinstance(x, Number):
        return convert(x.tensor, KINDS[kind])
    return wrap(np.array(x, KINDS[kind].numpy))


def kind_of(x: Any) -> type:
    return x.kind if isinstance(x, Number) else type(x)


def computing(function: Callable[[Any, Any], Any], result: type | None, least: type) -> Any:
    """An operator of Number: `result` is the kind it gives (None: that of its operands)."""

    def operation(self: Number, other: Any) -> Any:
        if not isinstance(other, (Number, bool, int, float)):
            return NotImplemented  # a Tensor then does it: it converts numbers itself
        is_float = float in (kind_of(self), kind_of(other), least)
        kind = float if is_float else int
        return number_of(function(held(self, kind), held(other, kind)), result or kind)

    return operation


def reflected(function: Callable[[Any, Any], Any], least: type) -> Any:
    return computing(lambda a, b: function(b, a), None, least)


for _name in ("add", "sub", "mul", "floordiv", "mod", "truediv"):
    _function = getattr(operator, _name)
    _least = float if _name == "truediv" else int
    setattr(Number, f"__{_name}__", computing(_function, None, _least))
    setattr(Number, f"__r{_name}__", reflected(_function, _least))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Number, f"__{_name}__", computing(getattr(operator, _name), bool, int))
