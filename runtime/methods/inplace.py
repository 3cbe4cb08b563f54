"""Methods that change the Tensor itself, as their documentation says."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine import dtype as dtypes
from ..engine.parameter import assign
from ..engine.promotion import as_tensor
from ..engine.tensor import Tensor
from ..ops import writing
from ..ops.registry import OPS
from ..tensor_methods import method, methods

CHANGES = {
    "add_": "add",
    "clamp_": "clamp",
    "div_": "div",
    "erfinv_": "erfinv",
    "exp_": "exp",
    "floor_": "floor",
    "floor_divide_": "floor_divide",
    "log_": "log",
    "masked_fill_": "masked_fill",
    "mul_": "mul",
    "remainder_": "remainder",
    "sigmoid_": "sigmoid",
    "sign_": "sign",
    "sub_": "sub",
    "tanh_": "tanh",
}
"""Methods that set the Tensor to what an op makes of it."""


def changing(name: str) -> Any:
    def change(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return assign(self, OPS[name](self, *args, **kwargs))

    change.__doc__ = f"Sets the Tensor to what `ops.{name}` gives, and gives it back."
    return change


for _name, _op in CHANGES.items():
    if _op in OPS:
        method(_name, changing(_op))


@methods
class Changes:
    def zero_(self: Any) -> Any:
        return assign(self, ops.zeros_like(self))

    def fill_(self: Any, value: Any) -> Any:
        return assign(self, ops.broadcast_to(as_tensor(value), self.shape))

    def index_fill_(self: Any, dim: int, index: Any, value: Any) -> Any:
        new = ops.index_fill(self, dim, ops.cast(index, dtypes.int32), value)
        return assign(self, new)

    def index_add_(self: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
        given = source if alpha == 1 else ops.mul(source, alpha)
        return assign(self, writing.along_axis(self, index, given, dim, "add"))

    def index_put_(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
        return assign(self, writing.put(self, indices, values, accumulate))

    def masked_scatter_(self: Any, mask: Any, source: Any) -> Any:
        return assign(self, writing.masked_scatter(self, mask, source))

    def scatter_(self: Any, dim: int, index: Any, src: Any) -> Any:
        return assign(self, ops.scatter(self, dim, index, src))

    def scatter_add_(self: Any, dim: int, index: Any, src: Any) -> Any:
        return assign(self, ops.tensor_scatter_elements(self, index, src, dim, "add"))

    def scatter_add(self: Any, dim: int, index: Any, src: Any) -> Any:
        """A copy with `src` added along an axis, as `tensor_scatter_elements`."""
        return ops.tensor_scatter_elements(self, index, src, dim, "add")
