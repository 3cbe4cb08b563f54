"""What Python's operators call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import dtype as dtypes
from .. import ops
from ..indexing import getitem, setitem
from ..ops.registry import OPS
from ..tensor import Tensor
from ..tensor_methods import method


def reflected(op: Callable[..., Tensor]) -> Callable[[Tensor, Any], Tensor]:
    return lambda self, other: op(other, self)


def comparison(op: Callable[..., Tensor]) -> Callable[[Tensor, Any], Any]:
    """An operator that leaves what is neither a Tensor nor a number to Python."""

    def compare(self: Tensor, other: Any) -> Any:
        if other is None or isinstance(other, str):
            return NotImplemented
        return op(self, other)

    return compare


def bitwise(on_booleans: Any, on_integers: Any) -> Callable[[Tensor, Any], Tensor]:
    """&, | and ^: logical for two booleans, bitwise for integers."""

    def operator(self: Tensor, other: Any) -> Tensor:
        both = self.dtype is dtypes.bool_ and (
            isinstance(other, bool) or (isinstance(other, Tensor) and other.dtype is dtypes.bool_)
        )
        chosen: Tensor = (on_booleans if both else on_integers)(self, other)
        return chosen

    return operator


def inverted(self: Tensor) -> Tensor:
    chosen: Any = ops.logical_not if self.dtype is dtypes.bool_ else ops.bitwise_not
    y: Tensor = chosen(self)
    return y


OPERATORS: dict[str, Callable[..., Any]] = {
    "add": ops.add,
    "sub": ops.sub,
    "mul": ops.mul,
    "truediv": ops.div,
    "floordiv": ops.floor_divide,
    "mod": ops.remainder,
    "pow": ops.pow,
    "matmul": ops.matmul,
    **{k: bitwise(OPS[f"logical_{k}"], OPS[f"bitwise_{k}"]) for k in ("and", "or", "xor")},
}
"""Operators of two values; the reflected ones are made of them."""

OTHERS: dict[str, Callable[..., Any]] = {
    "neg": ops.neg,
    "pos": lambda self: self,
    "abs": ops.abs,
    "invert": inverted,
    "eq": comparison(ops.equal),
    "ne": comparison(ops.not_equal),
    "lt": ops.less,
    "gt": ops.greater,
    "le": ops.less_equal,
    "ge": ops.greater_equal,
    "getitem": getitem,
    "setitem": setitem,
    "round": lambda self, digits=0: ops.round(self, decimals=digits),
}

for _name, _operator in OPERATORS.items():
    method(f"__{_name}__", _operator)
    method(f"__r{_name}__", reflected(_operator))
for _name, _operator in OTHERS.items():
    method(f"__{_name}__", _operator)
