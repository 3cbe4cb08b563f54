"""Layers on sparse matrices."""

from __future__ import annotations

from typing import Any

from ..cells.cell import Cell
from ..engine.tensor import Tensor
from ..operations.operation import CLASSES


class SparseToDense(Cell):
    """The dense Tensor of a COOTensor."""

    def construct(self, input: Any) -> Tensor:
        dense: Tensor = input.to_dense()
        return dense


class SparseTensorDenseMatmul(Cell):
    """The product of a sparse and a dense matrix, each transposed before if so told."""

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        self.adj_st, self.adj_dt = adjoint_st, adjoint_dt
        self.sparse_dense_matmul = CLASSES["SparseTensorDenseMatmul"](adjoint_st, adjoint_dt)

    def construct(self, indices: Any, values: Any, sparse_shape: Any, dense: Any) -> Any:
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)
