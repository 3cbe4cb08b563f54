"""Ops on Python's values: tuples, lists, dictionaries, numbers and texts.

MindSpore's graphs need them; here they are what Python does.
"""

from __future__ import annotations

import copy
import math
import operator
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.promotion import as_tensor
from ..engine.tensor import Tensor, wrap
from .registry import OPS, alias, op

VALUES: dict[str, Any] = {
    "tuple_getitem": operator.getitem,
    "list_getitem": operator.getitem,
    "dict_getitem": operator.getitem,
    "tuple_len": len,
    "list_len": len,
    "tuple_equal": operator.eq,
    "list_equal": operator.eq,
    "string_eq": operator.eq,
    "string_concat": operator.add,
    "bool_eq": operator.eq,
    "bool_and": lambda x, y: bool(x and y),
    "bool_or": lambda x, y: bool(x or y),
    "is_": operator.is_,
    "is_not": operator.is_not,
    "in_dict": lambda key, values: key in values,
    "not_in_dict": lambda key, values: key not in values,
    "scalar_log": math.log,
    "scalar_max": max,
    "scalar_min": min,
    "make_slice": slice,
    "make_range": lambda *bounds: tuple(range(*bounds)),
    "make_dict": lambda keys, values: dict(zip(keys, values, strict=True)),
    "tuple_reversed": lambda x: tuple(reversed(x)),
    "tuple_div": lambda x, y: tuple([a // b for a, b in zip(x, y, strict=True)]),
    "shape_mul": math.prod,
    "isconstant": lambda x: not (isinstance(x, Tensor) and x.is_traced),
    "is_sequence_value_unknown": lambda x: False,
    "is_sequence_shape_unknown": lambda x: False,
    "is_dynamic_sequence_element_unknown": lambda x: False,
    "switch": lambda condition, first, second: first if condition else second,
    "switch_layer": lambda index, layers: layers[int(index)],
    "array_to_scalar": lambda x: x.item(),
    "scalar_to_array": lambda x: Tensor(x),
}
"""What each does in Python."""

for _name, _function in VALUES.items():
    alias(_name, _function)


@op
def deepcopy(x: Any) -> Any:
    """A copy of a value and of all that it holds; gradients flow through Tensors."""
    if isinstance(x, (list, tuple)):
        return type(x)([deepcopy(part) for part in x])
    if isinstance(x, dict):
        return {key: deepcopy(value) for key, value in x.items()}
    return x.copy() if isinstance(x, Tensor) else copy.deepcopy(x)


@op
def bool_not(x: Any) -> Any:
    return OPS["logical_not"](as_tensor(x))


@op
def tuple_setitem(data: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return tuple(list_setitem(list(data), index, value))


@op
def list_setitem(data: list[Any], index: int, value: Any) -> list[Any]:
    made = list(data)
    made[index] = value
    return made


@op
def dict_setitem(data: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    return {**data, key: value}


@op
def reduced_shape(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """The shape after a reduction over `axis` (all axes if it is empty) that keeps the axes."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    places = {k % len(shape) for k in axes} if axes else set(range(len(shape)))
    return tuple([1 if k in places else n for k, n in enumerate(shape)])


@op
def broadcast_gradient_args(
    x: tuple[int, ...], y: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes along which gradients of broadcast operands are summed, for each of them."""
    rank = max(len(x), len(y))
    first, second = ((1,) * (rank - len(s)) + tuple(s) for s in (x, y))
    return (
        tuple([k for k in range(rank) if first[k] == 1]) if first != second else (),
        tuple([k for k in range(rank) if second[k] == 1]) if first != second else (),
    )


@op
def mixed_precision_cast(dst_dtype: dtypes.DType, x: Any) -> Any:
    """`x` with its floating Tensors converted to `dst_dtype`."""
    if isinstance(x, (tuple, list)):
        return type(x)([mixed_precision_cast(dst_dtype, part) for part in x])
    if isinstance(x, dict):
        return {key: mixed_precision_cast(dst_dtype, part) for key, part in x.items()}
    floating = isinstance(x, Tensor) and x.dtype in dtypes.FLOATS
    return OPS["cast"](x, dst_dtype) if floating else x


@op
def tensor_range(start: Any, end: Any, step: Any) -> Tensor:
    first, last, by = (as_tensor(x).item() for x in (start, end, step))
    return wrap(np.arange(first, last, by, dtype=as_tensor(start).content.dtype))


for _name, _other in {
    "tensor_ge": "greater_equal",
    "tensor_le": "less_equal",
    "tensor_expm1": "expm1",
    "tensor_floordiv": "floor_divide",
    "floordiv": "floor_divide",
    "tensor_mod": "floor_mod",
    "floormod": "floor_mod",
    "tensor_muls": "mul",
    "pows": "pow",
    "soft_shrink": "softshrink",
}.items():
    if _other in OPS and _name not in OPS:
        alias(_name, OPS[_other])
