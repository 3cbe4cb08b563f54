"""Diagonals of matrices: taken, written, and matrices made of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_tensors, check_type
from ..engine.failure import RefusedError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import as_tensor, common_type, constant
from ..engine.tensor import Tensor, wrap
from ..primitives import shaping as p
from .arithmetic import where
from .creation import zeros
from .reduction import sum
from .registry import op
from .shaping import axis_of, broadcast_to, gather, movedim, reshape, sizes_of

ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
"""Where the shorter of several diagonals stand: those above, then those below the main one."""


class Places(NamedTuple):
    """Where the elements of a diagonal are, as rows and columns."""

    rows: np.ndarray[Any, Any]
    columns: np.ndarray[Any, Any]

    @staticmethod
    def of(rows: int, columns: int, offset: int) -> Places:
        count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
        steps = np.arange(count)
        return Places(steps - min(offset, 0), steps + max(offset, 0))


def taken(x: Tensor, offset: int) -> Tensor:
    """The diagonals of the last two axes, as the last axis."""
    *front, rows, columns = x.shape
    places = Places.of(rows, columns, offset)
    if not len(places.rows):
        return zeros((*front, 0), x.dtype)
    flat = reshape(x, (*front, rows * columns))
    return gather(flat, constant(places.rows * columns + places.columns), -1)


def embedded(x: Tensor, offset: int) -> Tensor:
    """The last axis as the diagonal of square matrices."""
    *front, count = x.shape
    size = count + abs(offset)
    places = Places.of(size, size, offset)
    flat = broadcast_to(constant(0, x.dtype), (*front, size * size))
    at = constant(np.broadcast_to(places.rows * size + places.columns, x.shape))
    return reshape(p.scatter_elements(flat, at, x, axis=len(front)), (*front, size, size))


@op
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonals of the axes `dim1` and `dim2`, as the last axis."""
    check_type("diagonal", "input", input, Tensor)
    if input.ndim < 2:
        raise ShapeError("diagonal", "needs two axes", got=str(input.shape))
    a, b = (axis_of(d, input.ndim, "diagonal") for d in (dim1, dim2))
    if a == b:
        raise ShapeError("diagonal", "the dims must differ", got=f"{dim1}, {dim2}")
    return taken(movedim(input, (a, b), (-2, -1)), offset)


@op
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last axis as the diagonal of matrices in the axes `dim1` and `dim2`."""
    check_type("diag_embed", "input", input, Tensor)
    check_type("diag_embed", "offset", offset, int)
    rank = input.ndim + 1
    a, b = (axis_of(d, rank, "diag_embed") for d in (dim1, dim2))
    if a == b:
        raise ShapeError("diag_embed", "the dims must differ", got=f"{dim1}, {dim2}")
    return movedim(embedded(input, offset), (-2, -1), (a, b))


@op
def diag(input: Tensor) -> Tensor:
    """Zeros of shape input.shape * 2 with `input` on the diagonal."""
    check_type("diag", "input", input, Tensor)
    if not input.ndim:
        raise ShapeError("diag", "needs an axis", got="()")
    return reshape(embedded(reshape(input, (-1,)), 0), (*input.shape, *input.shape))


def diag_part(x: Tensor) -> Tensor:
    """The diagonal of a Tensor whose shape is some sizes twice."""
    half = x.ndim // 2
    if not half or x.ndim % 2 or x.shape[:half] != x.shape[half:]:
        raise ShapeError("DiagPart", "needs the same sizes twice", got=str(x.shape))
    count = x.size and int(np.prod(x.shape[:half]))
    return reshape(taken(reshape(x, (count, count)), 0), x.shape[:half])


@op
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements of `input` on a diagonal."""
    check_type("diagflat", "input", input, Tensor)
    check_type("diagflat", "offset", offset, int)
    if not input.size:
        return zeros((abs(offset), abs(offset)), input.dtype)
    return embedded(reshape(input, (-1,)), offset)


@op
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """`input` with `src` written on the diagonals of two axes."""
    check_tensors("diagonal_scatter", input=input, src=src)
    shape = diagonal(input, offset, dim1, dim2).shape
    if shape != src.shape:
        raise ShapeError(
            "diagonal_scatter", "another shape", got=str(src.shape), expected=str(shape)
        )
    both = common_type(input.dtype, src.dtype)
    moved = movedim(convert(input, both), (dim1, dim2), (-2, -1))
    return movedim(written(moved, convert(src, both), offset), (-2, -1), (dim1, dim2))


def written(x: Tensor, line: Tensor, offset: int) -> Tensor:
    """`x` with `line` on the diagonals of the last two axes."""
    *front, rows, columns = x.shape
    places = Places.of(rows, columns, offset)
    flat = reshape(x, (*front, rows * columns))
    at = constant(np.broadcast_to(places.rows * columns + places.columns, line.shape))
    return reshape(p.scatter_elements(flat, at, line, axis=len(front)), x.shape)


@op
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    check_type("trace", "input", input, Tensor)
    if input.ndim != 2:
        raise RefusedError("trace", "needs a matrix", got=str(input.shape))
    return sum(taken(input, 0), dtype=input.dtype)


def fill_diagonal(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """`input` with `fill_value` on its diagonal; with `wrap` it starts anew below a tall matrix."""
    if input.ndim < 2 or (input.ndim > 2 and len(set(input.shape)) > 1):
        raise ShapeError("fill_diagonal", "needs a matrix, or equal sizes", got=str(input.shape))
    array = np.zeros(input.shape, bool)
    np.fill_diagonal(array, True, wrap)
    if not wrap and input.ndim == 2:
        array[input.shape[1] :] = False
    return where(constant(array, dtypes.bool_), constant(fill_value, input.dtype), input)


def triangle(upper: bool, row: int, col: int, offset: int, target: dtypes.DType) -> Tensor:
    for name, value in (("row", row), ("col", col), ("offset", offset)):
        check_type("tri_indices", name, value, int)
    if row < 0 or col < 0:
        raise ShapeError("tri_indices", "sizes must not be negative", got=f"{row}, {col}")
    find: Any = np.triu_indices if upper else np.tril_indices
    return wrap(np.stack(find(row, offset, col)).astype(target.numpy))


@op
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtypes.DType = dtypes.int64
) -> Tensor:
    """The rows and columns of the elements on and below a diagonal."""
    return triangle(False, row, col, offset, dtype)


@op
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtypes.DType = dtypes.int64
) -> Tensor:
    return triangle(True, row, col, offset, dtype)


@op
def matrix_band_part(x: Tensor, lower: Any, upper: Any) -> Tensor:
    """The elements within `lower` diagonals below and `upper` above the main one; -1: all."""
    check_type("matrix_band_part", "x", x, Tensor)
    low, high = (int(as_tensor(v).asnumpy()) for v in (lower, upper))
    *_, rows, columns = x.shape
    apart = np.arange(columns) - np.arange(rows)[:, None]
    kept = ((-apart <= low) | (low < 0)) & ((apart <= high) | (high < 0))
    return where(constant(kept, dtypes.bool_), x, constant(0, x.dtype))


def bounds_of(k: Any) -> tuple[int, int]:
    """The lowest and the highest diagonal."""
    found = sizes_of(k)
    return found[0], found[-1]


def placed(
    rows: int, columns: int, k: tuple[int, int], align: str
) -> list[tuple[int, int, Places]]:
    """For each diagonal: its row and first place in the table of diagonals, and its places."""
    check_choice("matrix_diag", "align", align, ALIGNMENTS)
    above, below = align.split("_")
    lines = [Places.of(rows, columns, offset) for offset in range(k[0], k[1] + 1)]
    width = max(len(line.rows) for line in lines)
    found = []
    for offset, line in zip(range(k[0], k[1] + 1), lines, strict=True):
        side = above if offset >= 0 else below
        start = width - len(line.rows) if side == "RIGHT" else 0
        found.append((k[1] - offset, start, line))
    return found


@op
def matrix_diag_part(x: Tensor, k: Any, padding_value: Any, align: str = "RIGHT_LEFT") -> Tensor:
    """The diagonals `k` (one, or from the lowest to the highest) as the last axes."""
    low, high = bounds_of(k)
    *front, rows, columns = x.shape
    lines = placed(rows, columns, (low, high), align)
    width = max(len(line.rows) for _, _, line in lines)
    at = np.full((high - low + 1, width), rows * columns)
    for row, start, line in lines:
        at[row, start : start + len(line.rows)] = line.rows * columns + line.columns
    padding = broadcast_to(convert(as_tensor(padding_value), x.dtype), (*front, 1))
    flat = p.concat(reshape(x, (*front, rows * columns)), padding, axis=len(front))
    return gather(flat, constant(at[0] if low == high else at), -1)


@op
def matrix_diag(
    x: Tensor,
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with `x` on the diagonals `k`, `padding_value` elsewhere."""
    low, high = bounds_of(k)
    width = x.shape[-1]
    rows, columns = matrix_sizes(width, (low, high), int(num_rows), int(num_cols))
    front = x.shape[:-1] if low == high else x.shape[:-2]
    filled = broadcast_to(convert(as_tensor(padding_value), x.dtype), (*front, rows, columns))
    return matrix_set_diag(filled, x, k, align)


def matrix_sizes(width: int, k: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """The sizes of the matrices; -1 is the least that holds the diagonals."""
    least_rows, least_columns = width - min(k[1], 0), width + max(k[0], 0)
    if rows < 0 and columns < 0:
        return max(least_rows, least_columns), max(least_rows, least_columns)
    return least_rows if rows < 0 else rows, least_columns if columns < 0 else columns


@op
def matrix_set_diag(x: Tensor, diagonal: Tensor, k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """`x` with the diagonals `k` replaced."""
    low, high = bounds_of(k)
    lines = placed(x.shape[-2], x.shape[-1], (low, high), align)
    front = x.shape[:-2]
    table = reshape(diagonal, (*front, 1, -1)) if low == high else diagonal
    width = table.shape[-1]
    flat = reshape(table, (*front, table.shape[-2] * width))
    targets = np.concatenate([line.rows * x.shape[-1] + line.columns for _, _, line in lines])
    sources = [row * width + start + np.arange(len(line.rows)) for row, start, line in lines]
    values = gather(flat, constant(np.concatenate(sources)), -1)
    spread = constant(np.broadcast_to(targets, values.shape))
    whole = reshape(x, (*front, x.shape[-2] * x.shape[-1]))
    return reshape(p.scatter_elements(whole, spread, values, axis=len(front)), x.shape)
