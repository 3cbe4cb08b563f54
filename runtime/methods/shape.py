"""Shapes, slices, gathering and scattering."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..tensor import Tensor
from ..tensor_methods import methods, same, sizes

same(
    """
    broadcast_to chunk expand_dims flip gather gather_elements gather_nd index_select
    masked_select moveaxis movedim narrow nonzero repeat_interleave roll scatter split squeeze
    swapaxes swapdims t tril triu unbind unsqueeze
    """
)


def reversed_axes(x: Any) -> Any:
    return ops.transpose(x, tuple(range(x.ndim))[::-1])


@methods
class Shapes:
    def reshape(self: Any, *shape: Any) -> Any:
        return ops.reshape(self, sizes(shape))

    view = reshape

    def transpose(self: Any, *axes: Any) -> Any:
        """The axes reversed without arguments; two axes exchanged; or all in a new order."""
        order = sizes(axes)
        if not axes:
            return reversed_axes(self)
        if len(order) == 2 and self.ndim != 2:
            return ops.swapaxes(self, *order)
        return ops.transpose(self, order)

    def permute(self: Any, *axis: Any) -> Any:
        return ops.transpose(self, sizes(axis))

    def expand(self: Any, *size: Any) -> Any:
        return ops.broadcast_to(self, sizes(size))

    def tile(self: Any, *reps: Any) -> Any:
        return ops.tile(self, sizes(reps))

    def flatten(self: Any, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Any:
        return ops.flatten(self, order, start_dim=start_dim, end_dim=end_dim)

    def ravel(self: Any) -> Any:
        return ops.reshape(self, (-1,))

    def view_as(self: Any, other: Tensor) -> Any:
        return ops.reshape(self, other.shape)

    reshape_as = view_as

    def expand_as(self: Any, other: Tensor) -> Any:
        return ops.broadcast_to(self, other.shape)

    T = property(reversed_axes)
