"""Products of matrices and vectors."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_type
from ..engine.element_types import MULTIPLIED, REAL, check_element_types, check_given, check_ranks
from ..engine.failure import ShapeError
from ..engine.promotion import promote
from ..engine.tensor import Tensor
from ..primitives import reduction as p
from .arithmetic import add, mul, sub
from .complex import conj
from .reduction import broadcast_together, matmul, sum
from .registry import op
from .shaping import axis_of, broadcast_to, expand_dims, reshape, roll, squeeze, swapaxes, transpose

NUMBERS = (*REAL, dtypes.int16, dtypes.int32, dtypes.int64)


def product(where: str, a: Tensor, b: Tensor) -> Tensor:
    """a by b, two matrices or batches. Raises: ValueError (MS304) if their sizes do not fit."""
    inner = (a.shape[-1], b.shape[-2])
    if not (inner[0] == inner[1] or -1 in inner):
        raise ShapeError(where, "the inner sizes differ", got=f"{a.shape}, {b.shape}")
    if not broadcast_together(a.shape[:-2], b.shape[:-2]):
        raise ShapeError(where, "the batches differ", got=f"{a.shape}, {b.shape}")
    check_element_types(where, MULTIPLIED, a, b)
    return p.matmul(a, b)


@op
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """(n, m) by (m, k) -> (n, k). Raises: MS304 for other ranks."""
    check_ranks("mm", 2, 2, input, mat2)
    return product("mm", input, mat2)


@op
def bmm(input_x: Tensor, mat2: Tensor) -> Tensor:
    """(..., n, m) by (..., m, k) -> (..., n, k). Raises: MS304 for unequal batches."""
    check_ranks("bmm", 2, None, input_x, mat2)
    if input_x.ndim != mat2.ndim:
        raise ShapeError("bmm", "the ranks differ", got=f"{input_x.shape}, {mat2.shape}")
    return product("bmm", input_x, mat2)


@op
def mv(mat: Tensor, vec: Tensor) -> Tensor:
    """(n, m) by (m,) -> (n,)."""
    check_given("mv", mat, vec)
    return squeeze(mm(mat, reshape(vec, (-1, 1))), 1)


@op
def dot(input: Tensor, other: Tensor) -> Tensor:
    """The sum over the last axis of `input` and the last but one of `other`, of two at least."""
    check_element_types("dot", (dtypes.float16, dtypes.float32), input, other)
    if input.ndim < 2 or other.ndim < 2:
        raise ShapeError("dot", "needs two axes or more", got=f"{input.shape}, {other.shape}")
    return tensor_dot(input, other, ((-1,), (-2,)))


@op
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    check_type("outer", "input", input, Tensor)
    check_type("outer", "vec2", vec2, Tensor)
    return mul(reshape(input, (-1, 1)), vec2)


@op
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two vectors of floats."""
    check_element_types("ger", REAL, input, vec2)
    check_ranks("ger", 1, 1, input, vec2)
    return mul(expand_dims(input, 1), expand_dims(vec2, 0))


@op
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sum over the last axis of both; the product if one has no axes."""
    if not (input.ndim and other.ndim):
        return mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise ShapeError("inner", "the last sizes differ", got=f"{input.shape}, {other.shape}")
    return tensor_dot(input, other, (-1, -1))


@op
def vecdot(x: Tensor, y: Tensor, *, axis: int = -1) -> Tensor:
    """The sum of conj(x) y over `axis`."""
    check_type("vecdot", "x", x, Tensor)
    check_type("vecdot", "y", y, Tensor)
    axis_of(check_type("vecdot", "axis", axis, int), max(x.ndim, y.ndim), "vecdot")
    return sum(mul(conj(x) if x.dtype.numpy.kind == "c" else x, y), axis)


@op
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product, over the trailing axes if the ranks differ."""
    check_type("kron", "input", input, Tensor)
    check_type("kron", "other", other, Tensor)
    rank = max(input.ndim, other.ndim)
    a = (1,) * (rank - input.ndim) + input.shape
    b = (1,) * (rank - other.ndim) + other.shape
    wide = reshape(input, [n for size in a for n in (size, 1)])
    tall = reshape(other, [n for size in b for n in (1, size)])
    return reshape(mul(wide, tall), [n * m for n, m in zip(a, b, strict=True)])


@op
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The product of vectors of three along `dim`; along the first axis of three without it."""
    check_ranks("cross", 1, None, input, other)
    check_element_types("cross", MULTIPLIED, input, other, equal=False)
    input, other = promote(input, other, "cross")
    if not broadcast_together(input.shape, other.shape):
        raise ShapeError("cross", "the shapes differ", got=f"{input.shape}, {other.shape}")
    sizes = np.broadcast_shapes(input.shape, other.shape)
    input, other = broadcast_to(input, sizes), broadcast_to(other, sizes)
    axis = input.shape.index(3) if dim is None and 3 in input.shape else dim
    if axis is None or input.shape[axis_of(axis, input.ndim, "cross")] != 3:
        raise ShapeError("cross", "no axis of size 3", got=f"{input.shape}, dim {dim}")
    a, b = ([roll(x, -by, axis) for by in (1, 2)] for x in (input, other))
    return sub(mul(a[0], b[1]), mul(a[1], b[0]))


@op
def adjoint(x: Tensor) -> Tensor:
    """The last two axes exchanged, and complex numbers conjugated."""
    turned = swapaxes(x, -1, -2)
    return conj(turned) if x.dtype.numpy.kind == "c" else turned


def check_factors(where: str, *kinds: type, **factors: Any) -> None:
    for name, factor in factors.items():
        check_type(where, name, factor, *kinds)


def plus(input: Any, beta: Any, made: Tensor, alpha: Any) -> Tensor:
    """beta * input + alpha * made."""
    return add(scaled(input, beta), scaled(made, alpha))


def scaled(x: Any, factor: Any) -> Any:
    return x if factor == 1 else mul(x, factor)


@op
def addmm(input: Any, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    check_factors("addmm", int, float, bool, beta=beta, alpha=alpha)
    return plus(input, beta, mm(mat1, mat2), alpha)


@op
def addbmm(input: Any, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * the sum of the products of the batch."""
    check_factors("addbmm", int, float, bool, beta=beta, alpha=alpha)
    return plus(input, beta, sum(bmm(batch1, batch2), 0), alpha)


@op
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    check_element_types("baddbmm", MULTIPLIED, input, batch1, batch2)
    kinds = (int, float) if input.dtype in REAL else (int,)
    check_factors("baddbmm", *kinds, beta=beta, alpha=alpha)
    return plus(input, beta, bmm(batch1, batch2), alpha)


def like(input: Tensor, factor: Any) -> Any:
    """A factor of a Tensor of integers loses its fraction."""
    return factor if input.dtype in REAL else int(factor)


@op
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    check_element_types("addmv", NUMBERS, input)
    check_element_types("addmv", MULTIPLIED, mat, vec)
    check_factors("addmv", int, float, bool, beta=beta, alpha=alpha)
    return plus(input, like(input, beta), mv(mat, vec), like(input, alpha))


@op
def addr(x: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * x + alpha * the outer product of two vectors."""
    check_element_types("addr", NUMBERS, x)
    check_element_types("addr", MULTIPLIED, vec1, vec2)
    check_factors("addr", int, float, bool, beta=beta, alpha=alpha)
    made = mul(reshape(vec1, (vec1.shape[0], 1)), reshape(vec2, (1, vec2.shape[0])))
    return plus(x, like(x, beta), made, like(x, alpha))


@op
def einsum(equation: Any, *operands: Any) -> Tensor:
    """The sum of products that `equation` describes.

    Or `einsum(x, [0, 1], w, [1, 2], [0, 2])`: each Tensor with the numbers of its axes, and those
    of the result.
    """
    if isinstance(equation, Tensor):
        equation, operands = lettered((equation, *operands))
    parts = operands[0] if len(operands) == 1 and not isinstance(operands[0], Tensor) else operands
    check_type("einsum", "equation", equation, str)
    check_given("einsum", *parts)
    if "..." in equation:
        terms, target = p.explicit(equation, [x.ndim for x in parts])
        equation = f"{','.join(terms)}->{target}"
    return p.einsum(*parts, equation=equation)


def lettered(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The equation of Tensors in turn with the numbers of their axes, and the Tensors."""
    count = len(given) // 2 * 2
    texts = [
        "".join("..." if k is Ellipsis else string.ascii_letters[k] for k in axes)
        for axes in (*given[1:count:2], *given[count:])
    ]
    left = ",".join(texts[: count // 2])
    return "->".join([left, *texts[count // 2 :]]), given[:count:2]


def summed_axes(where: str, axes: Any, a: Tensor, b: Tensor) -> tuple[list[int], list[int]]:
    """The axes of each that are summed: the last of a with the first of b for a number.

    Raises: TypeError or ValueError (MS304) for what fits neither.
    """
    check_type(where, "axes", axes, int, tuple, list)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ShapeError(where, "so many axes are not there", got=str(axes))
        return [*range(a.ndim - axes, a.ndim)], [*range(axes)]
    if len(axes) != 2:
        raise ShapeError(where, "axes must be two lists", got=str(axes))
    pair = [[k] if isinstance(k, int) else [*k] for k in axes]
    chosen = [[axis_of(k, x.ndim, where) for k in ks] for ks, x in zip(pair, (a, b), strict=True)]
    sizes = [[x.shape[k] for k in ks] for ks, x in zip(chosen, (a, b), strict=True)]
    if sizes[0] != sizes[1]:
        raise ShapeError(where, "the summed sizes differ", got=f"{a.shape}, {b.shape}, {axes}")
    return chosen[0], chosen[1]


@op
def tensor_dot(x1: Tensor, x2: Tensor, axes: Any) -> Tensor:
    """The product summed over `axes`: two lists, or a number of the last and the first ones."""
    check_given("tensor_dot", x1, x2)
    left, right = summed_axes("tensor_dot", axes, x1, x2)
    kept = [[k for k in range(x.ndim) if k not in ks] for x, ks in ((x1, left), (x2, right))]
    sizes = [[x.shape[k] for k in ks] for x, ks in zip((x1, x2), kept, strict=True)]
    summed = math.prod(x1.shape[k] for k in left)
    a = reshape(transpose(x1, tuple(kept[0] + left)), (math.prod(sizes[0]), summed))
    b = reshape(transpose(x2, tuple(right + kept[1])), (summed, math.prod(sizes[1])))
    return reshape(matmul(a, b), tuple(sizes[0] + sizes[1]))


@op
def batch_dot(x1: Tensor, x2: Tensor, axes: Any = None) -> Tensor:
    """As `tensor_dot` over one axis of each, batch by batch; axes count the batch's as 0."""
    check_ranks("batch_dot", 2, None, x1, x2)
    check_element_types("batch_dot", (dtypes.float32,), x1, x2)
    if x1.shape[0] != x2.shape[0]:
        raise ShapeError("batch_dot", "the batches differ", got=f"{x1.shape}, {x2.shape}")
    left, right = batch_axes(axes, x1, x2)
    if x1.shape[left] != x2.shape[right]:
        raise ShapeError("batch_dot", "the summed sizes differ", got=f"{x1.shape}, {x2.shape}")
    a, a_sizes = batch_matrix(x1, left)
    b, b_sizes = batch_matrix(x2, right)
    made = matmul(a, swapaxes(b, 1, 2))
    return reshape(made, (x1.shape[0], *a_sizes, *b_sizes) if a_sizes or b_sizes else (-1, 1))


def batch_matrix(x: Tensor, axis: int) -> tuple[Tensor, Sequence[int]]:
    """(b, the other axes, this axis), and the sizes of the others."""
    others = [k for k in range(1, x.ndim) if k != axis]
    sizes = [x.shape[k] for k in others]
    return reshape(transpose(x, (0, *others, axis)), (x.shape[0], -1, x.shape[axis])), sizes


def batch_axes(axes: Any, x1: Tensor, x2: Tensor) -> tuple[int, int]:
    """Raises: TypeError or ValueError (MS304) for axes that are none, or the batch's."""
    if axes is None:
        return x1.ndim - 1, 1 if x2.ndim == 2 else x2.ndim - 2
    check_type("batch_dot", "axes", axes, int, tuple, list)
    pair = (axes, axes) if isinstance(axes, int) else axes
    if len(pair) != 2:
        raise ShapeError("batch_dot", "axes must be two numbers", got=str(axes))
    found = [
        axis_of(check_type("batch_dot", "axes", k, int), x.ndim, "batch_dot")
        for k, x in zip(pair, (x1, x2), strict=True)
    ]
    if 0 in found:
        raise ShapeError("batch_dot", "the batch's own axis is not summed", got=str(axes))
    return found[0], found[1]
