"""Primitive classes on the parts of sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.failure import ShapeError
from ..engine.tensor import Tensor, wrap
from ..ops.registry import OPS
from ..sparse import COOTensor
from .operation import operation


def sizes_of(shape: Any) -> tuple[int, ...]:
    return tuple(shape.asnumpy().tolist()) if isinstance(shape, Tensor) else tuple(shape)


def dense_of(indices: Tensor, values: Tensor, shape: Any) -> Tensor:
    return COOTensor(indices, values, sizes_of(shape)).to_dense()


@operation("SparseToDense")
def sparse_to_dense(indices: Tensor, values: Tensor, sparse_shape: Any) -> Tensor:
    return dense_of(indices, values, sparse_shape)


@operation("SparseTensorDenseMatmul")
def sparse_tensor_dense_matmul(
    indices: Tensor,
    values: Tensor,
    sparse_shape: Any,
    dense: Tensor,
    *,
    adjoint_st: bool = False,
    adjoint_dt: bool = False,
) -> Any:
    """The product of a sparse and a dense matrix, each transposed before if so told."""
    a, b = dense_of(indices, values, sparse_shape), dense
    left = OPS["transpose"](a, (1, 0)) if adjoint_st else a
    right = OPS["transpose"](b, (1, 0)) if adjoint_dt else b
    if left.shape[1] != right.shape[0]:
        got = f"{left.shape} and {right.shape}"
        raise ShapeError("SparseTensorDenseMatmul", "the shapes do not fit", got=got)
    return OPS["matmul"](left, right)


@operation("SparseTensorDenseAdd")
def sparse_tensor_dense_add(x1_indices: Tensor, x1_values: Tensor, x1_shape: Any, x2: Any) -> Any:
    return dense_of(x1_indices, x1_values, x1_shape) + x2


@operation("SparseSlice")
def sparse_slice(indices: Tensor, values: Tensor, shape: Any, start: Any, size: Any) -> Any:
    """Indices, values and shape of the block of `size` at `start`."""
    first, sizes = np.array(sizes_of(start)), np.array(sizes_of(size))
    places = indices.asnumpy()
    kept = np.flatnonzero(((places >= first) & (places < first + sizes)).all(1))
    inside = np.minimum(np.array(sizes_of(shape)) - first, sizes)
    found = wrap((places[kept] - first).astype(places.dtype))
    return found, OPS["gather"](values, wrap(kept), 0), wrap(inside.astype(np.int64))


@operation("Coalesce")
def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> Any:
    return OPS["coalesce"](x_indices, x_values, x_shape)
