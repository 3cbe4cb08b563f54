"""`mindspore.mint.linalg`."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.tensor import Tensor


def inv(input: Tensor) -> Any:
    return ops.inverse(input)


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    return ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Any:
    return ops.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    return ops.norm(A, ord, dim, keepdim, dtype=dtype)
