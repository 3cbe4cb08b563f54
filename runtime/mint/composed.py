"""Functions of mint that differ from the op of their name, or are made of several."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.dtype import int64
from ..engine.failure import ShapeError
from ..engine.tensor import Tensor
from .nn import functional


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
    return ops.addcmul(input, tensor1, tensor2, value)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
    return ops.addcdiv(input, tensor1, tensor2, value)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """`input` where the condition holds, else `other`; the places where it holds without both."""
    if input is None and other is None:
        return ops.nonzero(condition, as_tuple=True)
    return ops.where(condition, input, other)


def diag(input: Tensor, diagonal: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    if input.ndim not in (1, 2):
        raise ShapeError("diag", "needs one axis or two", got=str(input.shape))
    return (ops.diag_embed if input.ndim == 1 else ops.diagonal)(input, diagonal)


def dot(input: Tensor, other: Tensor) -> Any:
    """The sum of the products of two vectors' elements."""
    if input.ndim != 1 or input.shape != other.shape:
        got = f"{input.shape}, {other.shape}"
        raise ShapeError("dot", "needs two vectors of one length", got=got)
    return ops.sum(ops.mul(input, other), dtype=input.dtype)


def cummin(input: Tensor, dim: int) -> Any:
    values, places = ops.cummin(input, dim)
    return values, places.astype(int64)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower of the two middle elements: of all, or along `dim` with the places."""
    if dim is None:
        return ops.median(ops.reshape(input, (-1,)))[0]
    return ops.median(input, dim, keepdim)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Any:
    """How often 0, 1, ... is in `input`, as int64, or the sums of `weights`."""
    if not input.size:
        return ops.zeros((minlength,), int64)
    counts = ops.bincount(input, weights, minlength)
    return counts.astype(int64) if weights is None else counts


def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    return ops.diff_ext(input, n, dim, prepend, append)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Any:
    """A convolution over the first axis.

    Shapes: input (t, n, c), weight (k, c, o), bias (o) -> (t', n, o)
    """
    x, w = ops.transpose(input, (1, 2, 0)), ops.transpose(weight, (2, 1, 0))
    return ops.transpose(functional.conv1d(x, w, bias, padding=pad), (2, 0, 1))


COMPOSED = {
    name: made
    for name, made in globals().items()
    if callable(made) and getattr(made, "__module__", "") == __name__
}
"""Every function of this module by name."""
