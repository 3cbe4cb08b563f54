"""Products with biases: dense layers of two inputs, and biases of channels."""

from __future__ import annotations

import math

from ..engine.argument import check_tensors
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.tensor import Tensor
from .arithmetic import add
from .reduction import matmul
from .registry import op
from .shaping import reshape, transpose


@op
def bias_add(input_x: Tensor, bias: Tensor) -> Tensor:
    """(n, c, ...) plus (c)."""
    check_tensors("bias_add", input_x=input_x, bias=bias)
    if input_x.dtype is not bias.dtype:
        raise ElementTypeError("bias_add", "the element types differ", got=bias.dtype.name)
    if not 2 <= input_x.ndim <= 5 or bias.shape != input_x.shape[1:2]:
        got = f"{input_x.shape}, {bias.shape}"
        raise ShapeError("bias_add", "needs (n, c, ...) and (c)", got=got)
    return add(input_x, reshape(bias, (-1,) + (1,) * (input_x.ndim - 2)))


@op
def bidense(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Each output is input1 @ weight[o] @ input2: (..., a), (..., b), (o, a, b) -> (..., o)."""
    check_tensors("bidense", input1=input1, input2=input2, weight=weight, bias=bias)
    if weight.ndim != 3 or input1.shape[:-1] != input2.shape[:-1]:
        got = f"{input1.shape}, {input2.shape}, {weight.shape}"
        raise ShapeError("bidense", "needs (..., a), (..., b) and (o, a, b)", got=got)
    if (input1.shape[-1], input2.shape[-1]) != weight.shape[1:]:
        raise ShapeError("bidense", "the weight has another shape", got=str(weight.shape))
    count, (o, a, b) = math.prod(input1.shape[:-1]), weight.shape
    rows = matmul(reshape(input1, (count, a)), reshape(transpose(weight, (1, 0, 2)), (a, o * b)))
    y = matmul(reshape(rows, (count, o, b)), reshape(input2, (count, b, 1)))
    y = reshape(y, (*input1.shape[:-1], o))
    return y if bias is None else add(y, bias)
