"""Elements written at places: slices, rows, masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_tensors, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.parameter import assign
from ..engine.primitive import convert
from ..engine.promotion import as_tensor, constant
from ..engine.tensor import Tensor
from ..primitives import reduction as r
from ..primitives import shaping as p
from .arithmetic import maximum, neg, reciprocal, sub, where
from .registry import alias, op
from .shaping import axis_of, broadcast_to, check_indices, expand_dims, gather, movedim, reshape


def set_if_variable(x: Tensor, y: Tensor) -> Tensor:
    """`y`; a parameter `x` gets it."""
    if x.variable and x.is_traced:
        x.assign_value(y.content)
    elif x.variable:
        assign(x, y)
    return y


def combined(x: Tensor, indices: Tensor, updates: Any, how: str) -> Tensor:
    """`x` with `updates` combined at the index tuples; "sub" and "div" as "add" and "mul"."""
    at = convert(indices, dtypes.int64)
    new = convert(as_tensor(updates), x.dtype)
    depth = at.shape[-1]
    new = broadcast_to(new, (*at.shape[:-1], *x.shape[depth:])) if not new.ndim else new
    if how == "update":
        return p.scatter_nd(x, at, new)
    if how == "sub":
        return p.scatter_nd(x, at, neg(new), reduction="add")
    if how == "div" and x.dtype in dtypes.INTEGERS:
        return convert(combined(convert(x, dtypes.float64), at, new, how), x.dtype)
    if how == "div":
        return p.scatter_nd(x, at, reciprocal(new), reduction="mul")
    return p.scatter_nd(x, at, new, reduction=how)


REDUCTIONS = ("add", "sub", "mul", "div", "max", "min", "update")
"""What `scatter_...` does with the element that is there and the new one."""


def check_pieces(where: str, expected: tuple[int, ...], updates: Any) -> None:
    """Raises: ValueError (MS304) if the updates are of another shape."""
    if isinstance(updates, Tensor) and updates.ndim and updates.shape != expected:
        raise ShapeError(where, "updates of another shape", got=str(updates.shape),
                         expected=str(expected))  # fmt: skip


def scattering_rows(how: str) -> Any:
    """How the op `scatter_...` works."""

    def function(input_x: Tensor, indices: Tensor, updates: Any) -> Tensor:
        check_indices(f"scatter_{how}", indices)
        check_pieces(f"scatter_{how}", (*indices.shape, *input_x.shape[1:]), updates)
        made = combined(input_x, expand_dims(indices, -1), updates, how)
        return set_if_variable(input_x, made)

    function.__doc__ = f"The rows at `indices` of a parameter combined with `updates` ({how})."
    return function


def scattering_tuples(how: str) -> None:
    name = f"scatter_nd_{how}"

    def function(
        input_x: Tensor, indices: Tensor, updates: Any, use_locking: bool = False
    ) -> Tensor:
        check_type(name, "use_locking", use_locking, bool)
        check_indices(name, indices)
        check_pieces(name, (*indices.shape[:-1], *input_x.shape[indices.shape[-1] :]), updates)
        return set_if_variable(input_x, combined(input_x, indices, updates, how))

    function.__doc__ = f"A parameter with `updates` combined at index tuples ({how})."
    alias(name, function)


def tensor_scattering(how: str) -> None:
    name = f"tensor_scatter_{how}"

    def function(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        check_indices(name, indices)
        check_tensors(name, input_x=input_x, updates=updates)
        check_pieces(name, (*indices.shape[:-1], *input_x.shape[indices.shape[-1] :]), updates)
        return combined(input_x, indices, updates, how)

    function.__doc__ = f"`input_x` with `updates` combined at the index tuples ({how})."
    alias(name, function)


for _how in REDUCTIONS:
    if _how != "sub":
        alias(f"scatter_{_how}", scattering_rows(_how))
    scattering_tuples(_how)
    tensor_scattering(_how)


scatter_sub = scattering_rows("sub")
"""Of the primitive class: there is no such op."""


def along_axis(x: Tensor, indices: Tensor, new: Tensor, axis: int, how: str) -> Tensor:
    """`x` with the slices `new` combined at places along `axis`."""
    check_indices("index_add", indices)
    place = axis_of(axis, x.ndim, "index_add")
    expected = (*x.shape[:place], indices.size, *x.shape[place + 1 :])
    check_pieces("index_add", expected, new)
    rows, updates = movedim(x, place, 0), movedim(convert(new, x.dtype), place, 0)
    return movedim(combined(rows, reshape(indices, (-1, 1)), updates, how), 0, place)


@op
def index_add(
    x: Tensor,
    indices: Tensor,
    y: Tensor,
    axis: int,
    use_lock: bool = True,
    check_index_bound: bool = True,
) -> Tensor:
    """The parameter `x` with the slices `y` added at places along `axis`."""
    check_type("index_add", "axis", axis, int)
    check_tensors("index_add", x=x, y=y)
    if x.ndim != y.ndim:
        raise ShapeError("index_add", "y has other axes", got=f"{y.shape}, {x.shape}")
    return set_if_variable(x, along_axis(x, indices, y, axis, "add"))


@op
def inplace_index_add(var: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """As `index_add`."""
    return index_add(var, indices, updates, axis)


@op
def index_fill(x: Tensor, axis: Any, index: Tensor, value: Any) -> Tensor:
    """`x` with `value` in the slices at places along `axis`."""
    check_tensors("index_fill", x=x, index=index)
    if index.dtype is not dtypes.int32:
        raise ElementTypeError("index_fill", "index is int32", got=index.dtype.name)
    place = axis_of(int(as_tensor(axis).asnumpy()), x.ndim, "index_fill")
    shape = (*x.shape[:place], index.size, *x.shape[place + 1 :])
    new = broadcast_to(convert(as_tensor(value, "index_fill"), x.dtype), shape)
    return along_axis(x, reshape(index, (-1,)), new, place, "update")


def in_rows(name: str, how: str) -> None:
    """`inplace_...`: the first axis at constant places."""

    def function(x: Tensor, v: Tensor, indices: Any) -> Tensor:
        places = [indices] if isinstance(indices, int) else indices
        check_tensors(name, x=x, v=v)
        check_type(name, "indices", indices, int, tuple, Tensor)
        at = indices if isinstance(indices, Tensor) else constant(list(places))
        if x.dtype is not v.dtype:
            raise ElementTypeError(
                name, "other element types", got=f"{x.dtype.name}, {v.dtype.name}"
            )
        if v.shape != (at.size, *x.shape[1:]):
            raise ShapeError(name, "v of another shape", got=str(v.shape))
        return along_axis(x, at, v, 0, how)

    function.__doc__ = f"`x` with the rows `v` at constant places ({how})."
    alias(name, function)


for _name, _how in {"add": "add", "sub": "sub", "update": "update"}.items():
    in_rows(f"inplace_{_name}", _how)


@op
def slice_scatter(
    input: Tensor,
    src: Tensor,
    axis: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """`input` with `src` written in a slice along `axis`."""
    check_tensors("slice_scatter", input=input, src=src)
    place = axis_of(axis, input.ndim, "slice_scatter")
    at = range(input.shape[place])[start:end:step]
    expected = (*input.shape[:place], len(at), *input.shape[place + 1 :])
    if src.shape != expected:
        raise ShapeError("slice_scatter", "src of another shape", got=str(src.shape),
                         expected=str(expected))  # fmt: skip
    return along_axis(input, constant(at), src, place, "update")


@op
def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor:
    """`input` with `src` written at one place along `axis`."""
    check_tensors("select_scatter", input=input, src=src)
    place = axis_of(axis, input.ndim, "select_scatter")
    at = index % input.shape[place]
    return slice_scatter(input, expand_dims(src, place), place, at, at + 1)


def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`x` with the elements of `source`, one after the other, where `mask` is true."""
    check_tensors("masked_scatter", x=x, mask=mask, source=source)
    if mask.dtype is not dtypes.bool_ or x.dtype is not source.dtype:
        kinds = ", ".join(t.dtype.name for t in (x, mask, source))
        raise ElementTypeError("masked_scatter", "needs a mask, and one element type", got=kinds)
    chosen = broadcast_to(mask, x.shape)
    count = r.cum_sum(convert(reshape(chosen, (-1,)), dtypes.int64), constant(0))
    place = maximum(sub(count, 1), 0)
    new = gather(reshape(source, (-1,)), place, 0)
    return where(chosen, reshape(new, x.shape), x)


def put(x: Tensor, indices: Any, values: Tensor, accumulate: bool) -> Tensor:
    """`x` with `values` at the places that index Tensors tell, one for each of the first axes."""
    check_type("index_put", "indices", indices, tuple, list)
    check_tensors("index_put", x=x, values=values)
    parts = [convert(as_tensor(i), dtypes.int64) for i in indices]
    shape = np.broadcast_shapes(*[i.shape for i in parts])
    at = p.concat(*[expand_dims(broadcast_to(i, shape), -1) for i in parts], axis=len(shape))
    lengths = constant(x.shape[: len(parts)])
    at = where(at < 0, at + lengths, at)
    new = broadcast_to(values, (*shape, *x.shape[len(parts) :]))
    return combined(x, at, new, "add" if accumulate else "update")
