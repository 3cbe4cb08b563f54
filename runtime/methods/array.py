"""Functions on arrays: written places, searches, joining, diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import as_tensor, constant
from ..engine.tensor import Tensor
from ..ops import writing
from ..ops.diagonals import fill_diagonal
from ..ops.registry import OPS
from ..tensor_methods import method, methods, same, sizes

same(
    """
    addcdiv addcmul aminmax approximate_equal arctan2 argwhere bincount bitwise_left_shift
    bitwise_right_shift col2im copysign cov cummax cummin cumprod diag diagflat diagonal_scatter
    diff dsplit fliplr flipud float_power fmax fold frac gcd heaviside histc hsplit hypot
    index_add index_fill inplace_update invert is_complex is_floating_point isclose isneginf
    isposinf isreal lcm ldexp logaddexp logaddexp2 logcumsumexp msort nan_to_num nanmean
    nanmedian nextafter positive renorm reverse rot90 select_scatter sgn signbit slice_scatter
    tensor_split top_k unfold unique_consecutive unique_with_pad unsorted_segment_max
    unsorted_segment_min unsorted_segment_prod vsplit xdivy xlogy
    """
)
method("masked_scatter", writing.masked_scatter)
method("fill_diagonal", fill_diagonal)
for _how in ("sub", "mul", "div", "max", "min"):
    method(f"scatter_{_how}", OPS[f"tensor_scatter_{_how}"])


@methods
class Arrays:
    def index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
        check_type("index_put", "accumulate", accumulate, bool)
        return writing.put(self, indices, values, accumulate)

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        return ops.diagonal(self, offset, axis1, axis2)

    def trace(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
        """The sums of the diagonals of two axes; of integers as int64."""
        y = ops.sum(ops.diagonal(self, offset, axis1, axis2), -1)
        return y if dtype is None else convert(y, dtype)

    def reverse_sequence(self: Any, seq_lengths: Any, seq_dim: int = 0, batch_dim: int = 0) -> Any:
        return ops.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)

    def searchsorted(self: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
        """As `ops.searchsorted`, as int32."""
        check_choice("searchsorted", "side", side, ("left", "right"))
        values = v if isinstance(v, Tensor) else Tensor(v)
        order = sorter if sorter is None or isinstance(sorter, Tensor) else Tensor(sorter)
        return ops.searchsorted(self, values, out_int32=True, side=side, sorter=order)

    def take(self: Any, indices: Any, axis: Any = None, mode: str = "clip") -> Any:
        """The slices at `indices`; those out of range are clipped, wrapped or refused."""
        check_choice("take", "mode", mode, ("raise", "wrap", "clip"))
        x = ops.reshape(self, (-1,)) if axis is None else self
        place = 0 if axis is None else axis
        at = within(as_tensor(indices), x.shape[place], mode)
        return ops.gather(x, at, place)

    def choose(self: Any, choices: Any, mode: str = "clip") -> Any:
        """At each place the element of the choice that the Tensor names there."""
        check_choice("choose", "mode", mode, ("raise", "wrap", "clip"))
        parts = [*choices] if isinstance(choices, Tensor) else [Tensor(c) for c in choices]
        shape = np.broadcast_shapes(self.shape, *[c.shape for c in parts])
        table = ops.stack([ops.broadcast_to(c, shape) for c in parts])
        if not self.ndim:
            raise ShapeError("choose", "a scalar cannot choose", got=str(self.shape))
        place = convert(self, dtypes.int64)
        at = ops.broadcast_to(within(place, table.shape[0], mode), table.shape[1:])
        return ops.squeeze(ops.gather_elements(table, 0, ops.expand_dims(at, 0)), 0)

    def ptp(self: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The largest minus the smallest element."""
        check_type("ptp", "keepdims", keepdims, bool)
        return ops.sub(ops.amax(self, axis, keepdims), ops.amin(self, axis, keepdims))

    def fill(self: Any, value: Any) -> Any:
        """A Tensor of this shape that is `value` everywhere (NaN if it is None)."""
        if value is None and self.dtype not in dtypes.FLOATS:
            raise ElementTypeError("fill", "None fills floats only", got=self.dtype.name)
        return ops.full_like(self, float("nan") if value is None else value)

    def resize(self: Any, *new_shape: Any) -> Any:
        """Other sizes: the elements in order, cut or filled with zeros."""
        shape = sizes(new_shape)
        if not new_shape:
            return self
        count = 1
        for n in shape:
            count *= n
        flat = ops.reshape(self, (-1,))
        if count > self.size:
            flat = ops.concat((flat, ops.zeros((count - self.size,), self.dtype)))
        return ops.reshape(flat[:count], shape)

    def sum_to_size(self: Any, *size: Any) -> Any:
        """Summed over the axes that are 1, or missing, in `size`."""
        shape = sizes(size)
        extra = self.ndim - len(shape)
        pairs = [*zip(self.shape[max(extra, 0) :], shape, strict=False)]
        if extra < 0 or any(n not in (m, 1) for m, n in pairs):
            raise ShapeError("sum_to_size", "does not expand to the Tensor", got=str(shape))
        axes = [*range(extra), *[extra + k for k, (m, n) in enumerate(pairs) if m != n]]
        return ops.reshape(ops.sum(self, axes, dtype=self.dtype), shape) if axes else self

    def itemset(self: Any, *args: Any) -> Any:
        """A copy with the one element, or the one at an index, replaced."""
        if len(args) not in (1, 2):
            raise ShapeError("itemset", "takes an index and a value", got=f"{len(args)} arguments")
        check_type("itemset", "value", args[-1], int, float, bool)
        if len(args) == 1 and self.shape != (1,):
            raise IndexError(f"itemset needs an index for a Tensor of shape {self.shape}")
        place: Any = args[0] if len(args) == 2 else 0
        chosen = np.zeros(self.shape, bool)
        if isinstance(check_type("itemset", "index", place, int, tuple), int):
            chosen.reshape(-1)[place] = True
        elif len(place) != self.ndim:
            raise IndexError(f"itemset: {len(place)} indices for {self.ndim} axes")
        else:
            chosen[place] = True
        return ops.where(constant(chosen, dtypes.bool_), constant(args[-1], self.dtype), self)

    def argmax_with_value(self: Any, axis: int = 0, keep_dims: bool = False) -> Any:
        """The largest elements and their places."""
        return ops.max(self, axis, keep_dims)

    def argmin_with_value(self: Any, axis: int = 0, keep_dims: bool = False) -> Any:
        return ops.min(self, axis, keep_dims)


def within(at: Tensor, count: int, mode: str) -> Tensor:
    """Places from 0 to count - 1."""
    if mode == "wrap":
        y: Tensor = ops.remainder(at, constant(count, at.dtype))
        return y
    if mode == "clip":
        at = ops.clamp(at, 0, count - 1)
    elif not (abs(2 * at.asnumpy() + 1) <= 2 * count).all():
        raise ShapeError("take", "there is no such place", got=str(at), expected=str(count))
    return at
