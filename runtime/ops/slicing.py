"""Strided slices with masks, and axes reversed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_type
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from ..primitives import shaping as p
from .registry import op
from .shaping import axis_of, expand_dims, flip, sizes_of, sliced, squeeze

MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
"""Whose bits say how an item of a strided slice is meant."""


@op
def strided_slice(
    input_x: Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """input_x[begin:end:strides, ...]; bit i of a mask is about item i.

    begin and end: as if left out; ellipsis: as many whole axes as are missing; new_axis: an axis
    of size 1; shrink_axis: the one place `begin`, without the axis.
    """
    check_type("strided_slice", "input_x", input_x, Tensor)
    lists = [sizes_of(given) for given in (begin, end, strides)]
    if len({len(given) for given in lists}) > 1:
        raise ShapeError("strided_slice", "begin, end and strides are of one length",
                         got=str([len(given) for given in lists]))  # fmt: skip
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return applied(input_x, items_of(input_x.ndim, [*zip(*lists, strict=True)], masks))


def items_of(rank: int, triples: list[tuple[int, int, int]], masks: tuple[int, ...]) -> list[Any]:
    """The items as Python would write them: slices, None, Ellipsis, numbers."""
    items: list[Any] = []
    for k, (first, last, step) in enumerate(triples):
        no_begin, no_end, rest, fresh, single = (bool(mask >> k & 1) for mask in masks)
        if step == 0:
            raise ShapeError("strided_slice", "strides must not be 0", got=str(triples))
        if rest:
            items.append(Ellipsis)
        elif fresh:
            items.append(None)
        elif single:
            items.append(first)
        else:
            items.append(slice(None if no_begin else first, None if no_end else last, step))
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > rank:
        raise ShapeError("strided_slice", "too many items", got=str(used), expected=f"{rank} axes")
    whole = [slice(None)] * (rank - used)
    if Ellipsis not in items:
        return items + whole
    place = items.index(Ellipsis)
    return items[:place] + whole + items[place + 1 :]


def applied(x: Tensor, items: list[Any]) -> Tensor:
    """`x` with the items of an index, one for each axis, and None for new ones."""
    steps, gone, axis = {}, [], 0
    for item in items:
        if item is None:
            continue
        size = x.shape[axis]
        if isinstance(item, int):
            if not -size <= item < size:
                raise ShapeError("strided_slice", "there is no such place", got=str(item))
            steps[axis] = (item % size, item % size + 1, 1)
            gone.append(axis)
        else:
            first, last, step = item.indices(size)
            steps[axis] = (first, -(2**62) if step < 0 and last < 0 else last, step)
        axis += 1
    y = sliced(x, steps)
    y = squeeze(y, gone) if gone else y
    kept = [item for item in items if not isinstance(item, int)]
    for place, item in enumerate(kept):
        y = expand_dims(y, place) if item is None else y
    return y


@op
def reverse(x: Tensor, axis: Any) -> Tensor:
    """The elements along the axes in reverse order."""
    return flip(x, check_type("reverse", "axis", axis, tuple, list))


@op
def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = 0) -> Tensor:
    """The first `seq_lengths[b]` elements along `seq_dim` of each batch in reverse order."""
    check_type("reverse_sequence", "seq_lengths", seq_lengths, Tensor)
    lengths = convert(seq_lengths, dtypes.int64)
    time, batch = (axis_of(a, x.ndim, "reverse_sequence") for a in (seq_dim, batch_dim))
    if lengths.shape != (x.shape[batch],):
        raise ShapeError("reverse_sequence", "one length for each batch", got=str(lengths.shape))
    return p.reverse_sequence(x, lengths, batch_axis=batch, time_axis=time)
