"""`x[index]` and `x[index] = value`, with NumPy's rules."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .engine import dtype as dtypes
from .engine import trace as tracing
from .engine.parameter import assign
from .engine.primitive import convert
from .engine.promotion import as_tensor, constant
from .engine.tape import is_watched
from .engine.tensor import Tensor, wrap
from .engine.trace import remember
from .ops.arithmetic import add, greater_equal, mul, where
from .ops.shaping import (
    broadcast_to,
    concat,
    expand_dims,
    reshape,
    sliced,
    squeeze,
    transpose,
)
from .primitives import shaping as p

POSITIONS = {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.bool_}
"""Element types of Tensors that can be indices."""


@dataclass
class Selection:
    """An index taken apart, by axis of the indexed tensor.

    `kinds` has one letter per item: s slice, i number, n new axis, a array.
    """

    steps: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    arrays: dict[int, Tensor] = field(default_factory=dict)
    kinds: str = ""


def getitem(x: Tensor, index: Any) -> Tensor:
    """`x[index]`. Raises: IndexError for a number or a count of items that is out of range."""
    at_once = tracing.active() is None and x.ndim and not is_watched((x,))
    if at_once and is_plain(index):
        return part(x, index, wrap(np.asarray(x.asnumpy()[index]).copy()))
    chosen = select(x, index)
    y = sliced(x, chosen.steps)
    if chosen.arrays:
        y, places = take(y, chosen)
    else:
        y = squeeze(y, chosen.numbers) if chosen.numbers else y
        places = new_axes(chosen.kinds.replace("i", ""))
    for place in places:
        y = expand_dims(y, place)
    return y if chosen.arrays or y is x else part(x, index, y)


def part(x: Tensor, index: Any, y: Tensor) -> Tensor:
    """`y`, which remembers that it is `x[index]`."""
    y.view_of = (x, index, x.version)
    return y


def is_plain(index: Any) -> bool:
    """Whether an index has only numbers, slices of numbers, None and Ellipsis."""
    if isinstance(index, tuple):
        return all(is_plain(i) for i in index)
    if isinstance(index, slice):
        bounds = (index.start, index.stop, index.step)
        return all(bound is None or type(bound) is int for bound in bounds)
    return index is None or index is Ellipsis or type(index) is int


def new_axes(kinds: str) -> list[int]:
    """Where the new axes are among the axes of the result."""
    return [k for k, kind in enumerate(kinds) if kind == "n"]


def items_of(index: Any, rank: int) -> list[Any]:
    """The items of an index; Ellipsis and what is left out at the end become whole slices."""
    if isinstance(index, list) and any(isinstance(i, (list, tuple, slice)) for i in index):
        index = tuple(index)
    items = [as_item(i) for i in (index if isinstance(index, tuple) else (index,))]
    if sum(i is Ellipsis for i in items) > 1:
        raise IndexError("an index can only have a single ellipsis")
    if not rank and any(isinstance(i, int) for i in items):
        raise TypeError("Cannot iterate over a scalar tensor")
    used = sum(consumed(i) for i in items if i is not Ellipsis)
    if used > rank:
        raise IndexError(f"too many indices: {used} for {rank} axes")
    whole = [slice(None)] * (rank - used)
    if not any(i is Ellipsis for i in items):
        return items + whole
    place = next(k for k, i in enumerate(items) if i is Ellipsis)
    return items[:place] + whole + [i for i in items[place + 1 :] if i is not Ellipsis]


def as_item(item: Any) -> Any:
    """Lists and arrays as Tensors, numbers of any kind as ints."""
    if isinstance(item, list) and not item:
        raise IndexError("a list as an index cannot be empty")
    if isinstance(item, (list, tuple, np.ndarray, range)):
        array = np.asarray(item)
        if array.dtype.kind not in "biu":
            raise TypeError(f"an index cannot be a list of {array.dtype}")
        return wrap(array)
    if isinstance(item, Tensor) and item.dtype not in POSITIONS:
        raise IndexError(f"the tensor index must be of integers or booleans, not {item.dtype}")
    if item is True:
        return None
    if item is False:
        raise IndexError("an index cannot be False")
    if isinstance(item, np.integer):
        return int(item)
    return item


def consumed(item: Any) -> int:
    """How many axes of the indexed tensor an item is for."""
    if item is None:
        return 0
    return item.ndim if isinstance(item, Tensor) and item.dtype is dtypes.bool_ else 1


def select(x: Tensor, index: Any) -> Selection:
    chosen = Selection()
    axis = 0
    for item in items_of(index, x.ndim):
        if item is None:
            chosen.kinds += "n"
        elif isinstance(item, slice):
            add_slice(chosen, axis, item, x.shape[axis])
        elif isinstance(item, Tensor):
            check_mask(item, x.shape[axis:])
            for k, part in enumerate(positions(item)):
                check_within(part, axis + k, x.shape[axis + k])
                chosen.arrays[axis + k] = part
            chosen.kinds += "a"
        elif isinstance(item, int):
            add_number(chosen, axis, item, x.shape[axis])
        else:
            raise IndexError(f"an index cannot be a {type(item).__name__}")
        axis += consumed(item)
    if chosen.arrays:
        numbers_to_arrays(chosen)
    return chosen


def add_slice(chosen: Selection, axis: int, item: slice, length: int) -> None:
    bounds = (item.start, item.stop, item.step)
    parts = [None if v is None else operator.index(v) for v in bounds]
    start, stop, step = slice(*parts).indices(length)
    chosen.kinds += "s"
    if (start, stop, step) != (0, length, 1):
        before_first = -(2**62) if step < 0 and stop < 0 else stop
        chosen.steps[axis] = (start, before_first, step)


def add_number(chosen: Selection, axis: int, item: int, length: int) -> None:
    if not -length <= item < length:
        raise IndexError(f"index {item} is out of range for axis {axis} of size {length}")
    at = item % length
    chosen.kinds += "i"
    chosen.steps[axis] = (at, at + 1, 1)
    chosen.numbers.append(axis)


def numbers_to_arrays(chosen: Selection) -> None:
    """Beside arrays, a number is an array without axes."""
    for axis in chosen.numbers:
        chosen.arrays[axis] = constant(chosen.steps.pop(axis)[0])
    chosen.numbers = []
    chosen.kinds = chosen.kinds.replace("i", "a")


def check_mask(item: Tensor, sizes: tuple[int, ...]) -> None:
    """Raises: ValueError if a mask is not of the shape of what it is for."""
    if item.dtype is dtypes.bool_ and item.shape != sizes[: item.ndim]:
        raise ValueError(f"a mask of shape {item.shape} for axes of {sizes[: item.ndim]}")


def check_within(part: Tensor, axis: int, length: int) -> None:
    """Raises: IndexError for a place that is not there, if it is known."""
    if not part.is_traced and not part.variable and part.size:
        places = part.asnumpy()
        if places.min() < -length or places.max() >= length:
            raise IndexError(f"an index is out of range for axis {axis} of size {length}")


def positions(item: Tensor) -> list[Tensor]:
    """An index array as positions: a mask gives one per axis."""
    if item.dtype is dtypes.bool_ and item.is_traced:
        found = p.non_zero(item)
        return [reshape(sliced(found, {0: (k, k + 1, 1)}), (-1,)) for k in range(item.ndim)]
    if item.dtype is dtypes.bool_:
        return [wrap(np.asarray(a)) for a in np.nonzero(item.asnumpy())]
    return [convert(item, dtypes.int64)]


def take(y: Tensor, chosen: Selection) -> tuple[Tensor, list[int]]:
    """Gathers by the arrays; also gives the places of the new axes in the result."""
    axes = sorted(chosen.arrays)
    first = chosen.kinds.index("a")
    together = chosen.kinds.strip("sn").replace("a", "") == ""
    at = chosen.kinds[:first].replace("n", "") if together else ""
    if len(axes) == 1:
        indices = chosen.arrays[axes[0]]
        result = p.gather(y, indices, axis=axes[0])
    else:
        indices, result = take_many(y, chosen.arrays, len(at))
    block = "x" * indices.ndim
    rest = chosen.kinds.replace("a", "")
    kinds = (
        chosen.kinds[:first] + block + chosen.kinds[first:].replace("a", "")
        if together
        else (block + rest)
    )
    return result, new_axes(kinds)


def together(arrays: list[Tensor]) -> list[Tensor]:
    """The arrays, broadcast; also where a traced mask leaves their sizes open."""
    shapes = {a.shape for a in arrays}
    if len(shapes) == 1:
        return arrays
    if any(-1 in shape for shape in shapes):
        nothing = mul(arrays[0], 0)
        for a in arrays[1:]:
            nothing = add(nothing, mul(a, 0))
        return [add(a, nothing) for a in arrays]
    shape = np.broadcast_shapes(*shapes)
    return [broadcast_to(a, shape) for a in arrays]


def take_many(y: Tensor, arrays: dict[int, Tensor], at: int) -> tuple[Tensor, Tensor]:
    """Gathers by several arrays at once; their common axes come at place `at` of the result."""
    axes = sorted(arrays)
    indices = together([arrays[a] for a in axes])
    shape = indices[0].shape
    rest = [a for a in range(y.ndim) if a not in axes]
    found = p.gather_nd(
        transpose(y, axes + rest), concat([expand_dims(i, len(shape)) for i in indices], -1)
    )
    count = len(shape)
    others = range(count, count + len(rest))
    order = [*others[:at], *range(count), *others[at:]]
    return indices[0], transpose(found, order)


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`, in place; also in what `x` is a part of, as `whole[0]`."""
    if x.view_of is None:
        write(x, index, value)
        return
    whole, place, version = x.view_of
    if whole.version != version:
        assign(x, getitem(whole, place))
    write(x, index, value)
    setitem(whole, place, x)
    x.view_of = (whole, place, whole.version)


def write(x: Tensor, index: Any, value: Any) -> None:
    if isinstance(value, str):
        raise IndexError(f"an element cannot be {value!r}")
    new = as_tensor(Tensor(value) if isinstance(value, (list, tuple)) else value)
    new = convert(new, x.dtype)
    new = reshape(new, ()) if new.shape == (1,) else new
    symbolic = new.is_traced or x.variable or is_watched((x, new)) or not is_known(index)
    if isinstance(x.content, np.ndarray) and not symbolic:
        array = x.content.copy()
        array[array_index(index)] = new.asnumpy()
        remember(x)
        x.assign_value(array)
    elif not new.shape and is_mask(index, x):
        assign(x, where(index, new, x))
    else:
        assign(x, written(x, index, new))


def is_mask(index: Any, x: Tensor) -> bool:
    """Whether an index has a bool for each element."""
    return isinstance(index, Tensor) and index.dtype is dtypes.bool_ and index.shape == x.shape


def is_known(index: Any) -> bool:
    """Whether the values of all Tensors of an index are known."""
    if isinstance(index, (tuple, list)):
        return all(is_known(i) for i in index)
    return not (isinstance(index, Tensor) and index.is_traced)


def array_index(index: Any) -> Any:
    """`index` with its Tensors as arrays."""
    if isinstance(index, tuple):
        return tuple(array_index(i) for i in index)
    if isinstance(index, list) and any(isinstance(i, (list, tuple, slice)) for i in index):
        return tuple(array_index(i) for i in index)
    return index.asnumpy() if isinstance(index, Tensor) else index


def written(x: Tensor, index: Any, new: Tensor) -> Tensor:
    """`x` with `new` at `index`, without changing `x`."""
    every = np.arange(x.size).reshape(x.shape)
    known = is_known(index)
    places = wrap(np.asarray(every[array_index(index)])) if known else getitem(wrap(every), index)
    if -1 in places.shape:
        updates = where(greater_equal(places, 0), new, new)
    else:
        updates = broadcast_to(new, places.shape)
    flat = reshape(x, (-1,))
    made = p.scatter_nd(flat, reshape(places, (-1, 1)), reshape(updates, (-1,)))
    return reshape(made, x.shape)
