"""Reductions over axes, products of matrices, and searches.

Each function is one ONNX operator; see `primitive.py`.
"""

from __future__ import annotations

from typing import Any

from ..primitive import primitive
from ..tensor import Tensor


@primitive("ArgMax")
def arg_max(
    data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
) -> Any: ...


@primitive("ArgMin")
def arg_min(
    data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
) -> Any: ...


@primitive("CumSum")
def cum_sum(x: Tensor, axis: Tensor, *, exclusive: int = 0, reverse: int = 0) -> Any: ...


@primitive("Det")
def det(x: Tensor) -> Any: ...


@primitive("Einsum")
def einsum(*inputs: Tensor, equation: str) -> Any: ...


@primitive("Gemm")
def gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Any: ...


@primitive("LpNormalization")
def lp_normalization(input: Tensor, *, axis: int = -1, p: int = 2) -> Any: ...


@primitive("MatMul")
def matmul(a: Tensor, b: Tensor) -> Any: ...


@primitive("MatMulInteger")
def matmul_integer(
    a: Tensor, b: Tensor, a_zero_point: Tensor | None = None, b_zero_point: Tensor | None = None
) -> Any: ...


@primitive("ReduceL1")
def reduce_l1(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceL2")
def reduce_l2(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceLogSum")
def reduce_log_sum(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceLogSumExp")
def reduce_log_sum_exp(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceMax")
def reduce_max(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceMean")
def reduce_mean(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceMin")
def reduce_min(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceProd")
def reduce_prod(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceSum")
def reduce_sum(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("ReduceSumSquare")
def reduce_sum_square(
    data: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Any: ...


@primitive("TopK")
def topk(x: Tensor, k: Tensor, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any: ...


@primitive("Unique")
def unique(x: Tensor, *, axis: int | None = None, sorted: int = 1) -> Any: ...
