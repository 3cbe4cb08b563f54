"""Products of matrices."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.element_types import check_ranks
from .operation import operation, same

same("Dense", "dense")
same("Ger", "ger")

ANY_AXIS = -65530
"""MindSpore's number for "the first axis of size 3"."""


def turned(x: Any, transposed: bool) -> Any:
    return ops.swapaxes(x, -1, -2) if transposed else x


@operation("MatMul")
def mat_mul(x: Any, y: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    check_ranks("MatMul", 2, 2, x, y)
    return ops.mm(turned(x, transpose_a), turned(y, transpose_b))


@operation("BatchMatMul")
def batch_mat_mul(x: Any, y: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    check_ranks("BatchMatMul", 2, None, x, y)
    return ops.bmm(turned(x, transpose_a), turned(y, transpose_b))


@operation("Cross")
def cross(input: Any, other: Any, *, dim: int = ANY_AXIS) -> Any:
    return ops.cross(input, other, None if dim == ANY_AXIS else dim)


@operation("Einsum")
def einsum(x: Any, *, equation: str) -> Any:
    return ops.einsum(equation, *x)
