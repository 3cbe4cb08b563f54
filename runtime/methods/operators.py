"""What Python's operators call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.tensor import Tensor
from ..indexing import getitem, setitem
from ..ops.registry import OPS
from ..tensor_methods import method


def of_lists(op: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """An operator that takes lists beside Tensors, converted to the Tensor's element type."""

    def call(a: Any, b: Any) -> Tensor:
        if isinstance(a, (list, tuple)):
            return op(Tensor(a, b.dtype), b)
        return op(a, Tensor(b, a.dtype) if isinstance(b, (list, tuple)) else b)

    return call


def reflected(op: Callable[..., Tensor]) -> Callable[[Tensor, Any], Tensor]:
    return lambda self, other: op(other, self)


def comparison(op: Callable[..., Tensor], unlike: bool) -> Callable[[Tensor, Any], Any]:
    """An operator that is `unlike` for what is neither a Tensor nor a number."""

    def compare(self: Tensor, other: Any) -> Any:
        if other is None or isinstance(other, (str, list, tuple, np.ndarray)):
            return unlike
        return op(self, other)

    return compare


def bitwise(on_booleans: Any, on_integers: Any) -> Callable[[Any, Any], Any]:
    """&, | and ^: logical for two booleans, bitwise for integers."""

    def operator(self: Any, other: Any) -> Any:
        if not isinstance(self, Tensor):
            return NotImplemented
        both = self.dtype is dtypes.bool_ and (
            isinstance(other, bool) or (isinstance(other, Tensor) and other.dtype is dtypes.bool_)
        )
        chosen: Tensor = (on_booleans if both else on_integers)(self, other)
        return chosen

    return operator


OPERATORS: dict[str, Callable[..., Any]] = {
    "add": of_lists(ops.add),
    "sub": of_lists(ops.sub),
    "mul": ops.mul,
    "truediv": ops.div,
    "floordiv": of_lists(ops.floor_divide),
    "mod": ops.floor_mod,
    "pow": ops.pow,
    "matmul": ops.matmul,
    **{k: bitwise(OPS[f"logical_{k}"], OPS[f"bitwise_{k}"]) for k in ("and", "or", "xor")},
}
"""Operators of two values; the reflected ones are made of them."""

OTHERS: dict[str, Callable[..., Any]] = {
    "neg": ops.neg,
    "pos": lambda self: self,
    "abs": ops.abs,
    "invert": ops.logical_not,
    "eq": comparison(ops.equal, False),
    "ne": comparison(ops.not_equal, True),
    "lt": ops.less,
    "gt": ops.greater,
    "le": ops.less_equal,
    "ge": ops.greater_equal,
    "getitem": getitem,
    "setitem": setitem,
    "round": lambda self: ops.round(self),
}

for _name, _operator in OPERATORS.items():
    method(f"__{_name}__", _operator)
    method(f"__r{_name}__", reflected(_operator))
for _name, _operator in OTHERS.items():
    method(f"__{_name}__", _operator)
