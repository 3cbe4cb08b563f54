"""Tensors put together and taken apart, as NumPy's stacks and splits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.argument import check_type
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .arithmetic import pow
from .creation import zeros
from .reduction import sort
from .registry import alias, op
from .shaping import (
    axis_of,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    gather,
    meshgrid,
    narrow,
    reshape,
    sizes_of,
    stack,
    swapaxes,
    transpose,
    vstack,
)


def tensors_of(op: str, given: Any) -> Sequence[Tensor]:
    """A list or tuple of Tensors. Raises: TypeError, ValueError (MS304) for others, or for none."""
    check_type(op, "tensors", given, tuple, list)
    if not given:
        raise ShapeError(op, "there is nothing to join")
    found: Sequence[Tensor] = [check_type(op, "each of the tensors", x, Tensor) for x in given]
    return found


def at_least(op: str, rank: Callable[[Tensor], Tensor]) -> None:
    """The op `atleast_...d`: of one Tensor, or of each of several."""

    def function(inputs: Any) -> Any:
        if isinstance(inputs, Tensor):
            return rank(inputs)
        return tuple([rank(check_type(op, "each of the inputs", x, Tensor)) for x in inputs])

    function.__doc__ = f"As `mindspore.ops.{op}`: with axes of size 1 added."
    alias(op, function)


def with_three_axes(x: Tensor) -> Tensor:
    shapes = {0: (1, 1, 1), 1: (1, x.size, 1), 2: (*x.shape, 1)}
    return reshape(x, shapes.get(x.ndim, x.shape))


at_least("atleast_1d", lambda x: x if x.ndim else reshape(x, (1,)))
at_least("atleast_2d", lambda x: x if x.ndim > 1 else reshape(x, (1, x.size)))
at_least("atleast_3d", with_three_axes)


@op
def column_stack(tensors: Any) -> Tensor:
    """Vectors as the columns of a matrix; matrices side by side."""
    return concat(
        [reshape(x, (x.size, 1)) if x.ndim < 2 else x for x in tensors_of("column_stack", tensors)],
        1,
    )


@op
def dstack(tensors: Any) -> Tensor:
    """Joined along the third axis."""
    check_type("dstack", "tensors", tensors, tuple, list)
    if not tensors:
        raise ElementTypeError("dstack", "there is nothing to join")
    return concat([with_three_axes(x) for x in tensors_of("dstack", tensors)], 2)


@op
def row_stack(tensors: Any) -> Tensor:
    return vstack(tensors)


@op
def block_diag(*inputs: Tensor) -> Tensor:
    """The matrices along the diagonal of one that is zero elsewhere."""
    if not inputs:
        raise RefusedError("block_diag", "there is nothing to join")
    blocks = [as_matrix(check_type("block_diag", "each input", x, Tensor)) for x in inputs]
    columns = []
    for k, block in enumerate(blocks):
        width = block.shape[1]
        column = [
            block if k == j else zeros((other.shape[0], width), other.dtype)
            for j, other in enumerate(blocks)
        ]
        columns.append(concat(column))
    return concat(columns, 1)


def as_matrix(x: Tensor) -> Tensor:
    if x.ndim > 2:
        raise ShapeError("block_diag", "takes matrices", got=str(x.shape))
    return x if x.ndim == 2 else reshape(x, (1, x.size))


@op
def cartesian_prod(*inputs: Tensor) -> Tensor:
    """Every combination of an element of each input, as a row."""
    return reshape(stack(meshgrid(*inputs, indexing="ij"), -1), (-1, len(inputs)))


@op
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, as a row."""
    check_type("combinations", "input", input, Tensor)
    check_type("combinations", "r", r, int)
    if input.ndim != 1:
        raise ShapeError("combinations", "takes a vector", got=str(input.shape))
    choose: Any = itertools.combinations
    if with_replacement:
        choose = itertools.combinations_with_replacement
    chosen = [*choose(range(input.size), r)]
    return gather(input, constant(chosen), 0) if chosen else zeros((0,))


@op
def tensor_split(input: Tensor, indices_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """A number of nearly equal pieces, or the pieces between the given indices."""
    check_type("tensor_split", "input", input, Tensor)
    place = axis_of(check_type("tensor_split", "axis", axis, int), input.ndim, "tensor_split")
    given = check_type("tensor_split", "indices_or_sections", indices_or_sections, int, tuple, list)
    length = input.shape[place]
    if isinstance(given, int):
        if given < 1:
            raise ShapeError("tensor_split", "needs one section or more", got=str(given))
        whole, longer = divmod(length, given)
        sizes = [whole + 1] * longer + [whole] * (given - longer)
        bounds = [0, *np.cumsum(sizes).tolist()]
    else:
        for index in given:
            check_type("tensor_split", "each index", index, int)
        bounds = [0, *[slice(n).indices(length)[1] for n in given], length]
    return tuple([piece(input, place, a, b) for a, b in itertools.pairwise(bounds)])


def piece(x: Tensor, axis: int, start: int, stop: int) -> Tensor:
    if stop <= start:
        return zeros((*x.shape[:axis], 0, *x.shape[axis + 1 :]), x.dtype)
    return narrow(x, axis, start, stop - start)


def splitting(name: str, axis: int) -> None:
    def function(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
        check_type(name, "input", input, Tensor)
        if input.ndim < axis + 1:
            raise ShapeError(name, f"needs {axis + 1} axes", got=str(input.shape))
        return tensor_split(input, indices_or_sections, axis)

    function.__doc__ = f"`tensor_split` along axis {axis}."
    alias(name, function)


for _axis, _name in enumerate(("vsplit", "hsplit", "dsplit")):
    splitting(_name, _axis)


@op
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
    check_type("fliplr", "input", input, Tensor)
    if input.ndim < 2:
        raise ShapeError("fliplr", "needs two axes", got=str(input.shape))
    return flip(input, (1,))


@op
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
    check_type("flipud", "input", input, Tensor)
    return flip(input, (0,))


@op
def rot90(input: Tensor, k: int, dims: Any) -> Tensor:
    """Turned `k` times by 90 degrees, from the first of `dims` towards the second."""
    check_type("rot90", "input", input, Tensor)
    check_type("rot90", "k", k, int)
    check_type("rot90", "dims", dims, tuple, list)
    if len(dims) != 2:
        raise ShapeError("rot90", "needs two dims", got=str(dims))
    if abs(dims[0] - dims[1]) in (0, input.ndim):
        raise RefusedError("rot90", "the dims must differ", got=str(dims))
    a, b = (axis_of(d, input.ndim, "rot90") for d in dims)
    if k % 4 == 0:
        return input
    if k % 4 == 2:
        return flip(input, (a, b))
    turned = swapaxes(flip(input, (b,)) if k % 4 == 1 else input, a, b)
    return turned if k % 4 == 1 else flip(turned, (b,))


@op
def msort(input: Tensor) -> Tensor:
    """Sorted along the first axis."""
    return sort(input, 0)[0]


@op
def ravel(input: Tensor) -> Tensor:
    """All elements along one axis."""
    return reshape(input, (-1,))


@op
def view_as(input: Tensor, other: Tensor) -> Tensor:
    return reshape(input, check_type("view_as", "other", other, Tensor).shape)


@op
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    return broadcast_to(input, check_type("expand_as", "other", other, Tensor).shape)


@op
def repeat_elements(x: Tensor, rep: int, axis: int = 0) -> Tensor:
    """Each element `rep` times along `axis`."""
    place = axis_of(axis, x.ndim, "repeat_elements")
    if check_type("repeat_elements", "rep", rep, int) < 1:
        raise ShapeError("repeat_elements", "rep must be 1 or more", got=str(rep))
    wide = (*x.shape[: place + 1], rep, *x.shape[place + 1 :])
    joined = (*x.shape[:place], x.shape[place] * rep, *x.shape[place + 1 :])
    return reshape(broadcast_to(expand_dims(x, place + 1), wide), joined)


@op
def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """The channels of `groups` groups interleaved."""
    check_type("channel_shuffle", "x", x, Tensor)
    n, c, *rest = sizes_of(x.shape)
    if c % groups:
        raise ShapeError("channel_shuffle", "the groups do not divide the channels", got=f"{c}")
    apart = reshape(x, (n, groups, c // groups, *rest))
    order = (0, 2, 1, *range(3, apart.ndim))
    return reshape(transpose(apart, order), x.shape)


@op
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The powers N - 1 to 0 of each element, as a row."""
    check_type("vander", "x", x, Tensor)
    if x.ndim != 1:
        raise ShapeError("vander", "takes a vector", got=str(x.shape))
    count = x.size if N is None else check_type("vander", "N", N, int)
    if count < 1:
        raise ShapeError("vander", "N must be positive", got=str(N))
    powers = constant(range(count)[::-1])
    return pow(expand_dims(x, 1), expand_dims(powers, 0))
