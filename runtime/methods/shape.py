"""Shapes, slices, gathering and scattering."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.dtype import DType
from ..engine.tensor import Tensor, wrap
from ..ops.registry import OPS
from ..tensor_methods import method, methods, renamed, same, sizes

same(
    """
    broadcast_to expand_dims flip gather_elements gather_nd masked_select moveaxis movedim
    narrow nonzero roll squeeze swapaxes swapdims t tril triu unbind unsqueeze
    """
)
for _name in ("chunk", "index_select", "split"):
    method(_name, renamed(OPS[_name], dim="axis"))


def reversed_axes(x: Any) -> Any:
    return ops.transpose(x, tuple(range(x.ndim))[::-1])


@methods
class Shapes:
    def reshape(self: Any, *args: Any, shape: Any = None) -> Any:
        return ops.reshape(self, sizes(args) if shape is None else shape)

    def view(self: Any, *shape: Any) -> Any:
        """Other sizes; or the same bytes as another element type."""
        if isinstance(sizes(shape), DType):
            return wrap(self.asnumpy().view(sizes(shape).numpy))
        return ops.reshape(self, sizes(shape))

    def transpose(self: Any, *axes: Any, dim0: Any = None, dim1: Any = None) -> Any:
        """The axes reversed without arguments; two axes exchanged; or all in a new order."""
        if dim0 is not None:
            return ops.swapaxes(self, dim0, dim1)
        order = sizes(axes)
        if not axes:
            return reversed_axes(self)
        if len(axes) == 2:
            return ops.swapaxes(self, *axes)
        return ops.transpose(self, order)

    def permute(self: Any, *axis: Any) -> Any:
        return ops.transpose(self, sizes(axis))

    def expand(self: Any, *size: Any) -> Any:
        return ops.broadcast_to(self, sizes(size))

    def tile(self: Any, *reps: Any) -> Any:
        return ops.tile(self, sizes(reps))

    def flatten(
        self: Any, order: Any = "C", last: int = -1, *, start_dim: int = 0, end_dim: int = -1
    ) -> Any:
        """One axis, in the order "C" or "F"; or from an axis to another made one."""
        if isinstance(order, int):
            return ops.flatten(self, start_dim=order, end_dim=last if end_dim == -1 else end_dim)
        return ops.flatten(self, order, start_dim=start_dim, end_dim=end_dim)

    def repeat_interleave(
        self: Any, repeats: Any, dim: Any = None, *, output_size: Any = None, axis: Any = None
    ) -> Any:
        """Each element repeated in place; `output_size` is only a hint."""
        return ops.repeat_interleave(self, repeats, dim if axis is None else axis)

    def gather(self: Any, *args: Any, **options: Any) -> Any:
        """gather(dim, index) as `gather_elements`, gather(indices, axis) as `ops.gather`."""
        by_element = "dim" in options or (bool(args) and isinstance(args[0], int))
        return (ops.gather_elements if by_element else ops.gather)(self, *args, **options)

    def scatter(
        self: Any, axis: Any = None, index: Any = None, src: Any = None, **names: Any
    ) -> Any:
        """`src`, also a number, written along an axis."""
        return ops.scatter(self, names.pop("dim", axis), index, src, **names)

    def ravel(self: Any) -> Any:
        return ops.reshape(self, (-1,))

    def view_as(self: Any, other: Tensor) -> Any:
        return ops.reshape(self, other.shape)

    reshape_as = view_as

    def expand_as(self: Any, x: Tensor) -> Any:
        return ops.broadcast_to(self, x.shape)

    T = property(reversed_axes)
