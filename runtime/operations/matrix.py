"""Products of matrices."""

from __future__ import annotations

from typing import Any

from .. import ops
from .operation import operation


@operation("MatMul")
def mat_mul(x: Any, y: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    a = ops.swapaxes(x, -1, -2) if transpose_a else x
    return ops.matmul(a, ops.swapaxes(y, -1, -2) if transpose_b else y)
