"""A Tensor as a sparse matrix."""

from __future__ import annotations

from typing import Any

from ..ops.registry import OPS
from ..tensor_methods import methods


@methods
class Sparse:
    def to_coo(self: Any) -> Any:
        return OPS["dense_to_sparse_coo"](self)

    def to_csr(self: Any) -> Any:
        return OPS["dense_to_sparse_csr"](self)
