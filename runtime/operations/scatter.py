"""Writing at places: into Tensors and into parameters."""

from __future__ import annotations

from typing import Any, Literal

from .. import ops
from ..engine.tensor import Tensor
from ..ops import writing
from ..ops.registry import OPS
from ..primitives import shaping as p
from .operation import operation, same

for _how in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Update"):
    same(f"TensorScatter{_how}", f"tensor_scatter_{_how.lower()}")
same("ScatterNd", "scatter_nd")
for _how in ("Assign", "AssignAdd", "AssignSub"):
    same(_how, {"Assign": "assign", "AssignAdd": "assign_add", "AssignSub": "assign_sub"}[_how])


def on_parameter(name: str, op: Any, locks: bool) -> None:
    """A class that writes into a parameter; `use_locking` has no effect on one machine."""

    @operation(name)
    def function(input_x: Any, indices: Any, updates: Any, *, use_locking: bool = locks) -> Any:
        return op(input_x, indices, updates)


for _how in ("add", "mul", "div", "max", "min", "update"):
    on_parameter(f"Scatter{_how.title()}", OPS[f"scatter_{_how}"], _how == "update")
on_parameter("ScatterSub", writing.scatter_sub, False)
for _how in ("add", "sub", "mul", "div", "max", "min", "update"):
    on_parameter(f"ScatterNd{_how.title()}", OPS[f"scatter_nd_{_how}"], _how == "update")


@operation("TensorScatterElements")
def tensor_scatter_elements(
    data: Any,
    indices: Any,
    updates: Any,
    *,
    axis: int = 0,
    reduction: Literal["none", "add"] = "none",
) -> Any:
    return ops.tensor_scatter_elements(data, indices, updates, axis, reduction)


@operation("ScatterAddWithAxis")
def scatter_add_with_axis(input_x: Any, indices: Any, updates: Any, *, axis: int = 0) -> Any:
    return p.scatter_elements(input_x, indices, updates, axis=axis, reduction="add")


@operation("IndexAdd")
def index_add(
    input_x: Any,
    indices: Any,
    input_y: Any,
    *,
    axis: int,
    use_lock: bool = True,
    check_index_bound: bool = True,
) -> Any:
    return ops.index_add(input_x, indices, input_y, axis)


@operation("InplaceIndexAdd")
def inplace_index_add(var: Any, indices: Any, updates: Any, *, axis: int) -> Any:
    return ops.inplace_index_add(var, indices, updates, axis)


@operation("IndexPut")
def index_put(x1: Any, x2: Any, indices: Any, *, accumulate: Literal[0, 1] = 0) -> Any:
    return writing.put(x1, indices, x2, bool(accumulate))


@operation("InplaceAdd")
def inplace_add(x: Any, input_v: Any, *, indices: int | tuple[int, ...]) -> Any:
    return ops.inplace_add(x, input_v, indices)


@operation("InplaceSub")
def inplace_sub(x: Any, input_v: Any, *, indices: int | tuple[int, ...]) -> Any:
    return ops.inplace_sub(x, input_v, indices)


@operation("InplaceUpdate")
def inplace_update(x: Any, v: Any, *, indices: int | tuple[int, ...]) -> Any:
    return ops.inplace_update(x, v, indices)


@operation("InplaceUpdateV2")
def inplace_update_v2(x: Any, indices: int | tuple[int, ...] | Tensor, v: Any) -> Any:
    return ops.inplace_update(x, v, indices)
