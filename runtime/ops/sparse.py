"""Functions on sparse matrices; see `runtime/sparse.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import sparse
from ..engine import dtype as dtypes
from ..engine.dtype import DType
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor, wrap
from ..sparse import COOTensor, CSRTensor, Parts, RowTensor, csr_product, csr_sum
from .registry import OPS, alias, op

UNARY = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log
    log1p neg relu relu6 round sigmoid sin sinh softsign sqrt square tan tanh
""".split()
"""Each is `csr_NAME` and `coo_NAME`: the op of that name on the values."""


def on_values(name: str, kind: type[Parts], prefix: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        require(f"{prefix}_{name}", x, kind)
        return x.with_values(OPS[name](x.values))

    function.__name__ = f"{prefix}_{name}"
    function.__doc__ = f"`ops.{name}` of the values of a {kind.__name__}."
    return function


for _name in UNARY:
    op(on_values(_name, CSRTensor, "csr"))
    op(on_values(_name, COOTensor, "coo"))


def require(where: str, x: Any, kind: type) -> None:
    """Raises: TypeError if `x` is not of `kind`."""
    if not isinstance(x, kind):
        problem = f"it needs a {kind.__name__}"
        raise ElementTypeError(where, problem, got=str(type(x)))


def require_matrix(where: str, x: Any) -> None:
    if len(x.shape) > 2:
        raise ShapeError(where, "it needs two axes", got=str(x.shape))


@op
def dense_to_sparse_coo(tensor: Tensor) -> COOTensor:
    """What of `tensor` is not zero."""
    require("dense_to_sparse_coo", tensor, Tensor)
    require_matrix("dense_to_sparse_coo", tensor)
    places = wrap(np.argwhere(tensor.asnumpy() != 0).astype(np.int32))
    return COOTensor(places, OPS["gather_nd"](tensor, places), tensor.shape)


@op
def dense_to_sparse_csr(tensor: Tensor) -> CSRTensor:
    """What of `tensor` is not zero."""
    require("dense_to_sparse_csr", tensor, Tensor)
    require_matrix("dense_to_sparse_csr", tensor)
    return dense_to_sparse_coo(tensor).to_csr()


@op
def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    require("csr_to_coo", tensor, CSRTensor)
    require_matrix("csr_to_coo", tensor)
    return tensor.to_coo()


@op
def csr_to_dense(csr_tensor: CSRTensor) -> Tensor:
    require("csr_to_dense", csr_tensor, CSRTensor)
    require_matrix("csr_to_dense", csr_tensor)
    return csr_tensor.to_dense()


@op
def coo_add(x1: COOTensor, x2: COOTensor, thresh: Tensor) -> COOTensor:
    """The sum, without what is smaller than `thresh`."""
    require("coo_add", x1, COOTensor)
    require("coo_add", x2, COOTensor)
    return sparse.coo_sum(x1, x2, thresh)


@op
def coo_concat(sp_input: Any, concat_dim: int = 0) -> COOTensor:
    """The matrices below each other (0) or beside each other (1)."""
    if len(sp_input) < 2:
        raise ShapeError("coo_concat", "it needs two matrices", got=str(len(sp_input)))
    sparse.require_int64("coo_concat", *sp_input)
    axis, start, moved = concat_dim % 2, 0, []
    for x in sp_input:
        shift = np.zeros(2, np.int64)
        shift[axis] = start
        places = wrap(x.indices.asnumpy() + shift)
        moved.append((places, x.values))
        start += x.shape[axis]
    shape = (start, sp_input[0].shape[1]) if axis == 0 else (sp_input[0].shape[0], start)
    return sparse.merged([COOTensor(i, v, shape) for i, v in moved], shape, dtypes.int64)


@op
def csr_add(a: CSRTensor, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
    """alpha * a + beta * b."""
    for x, kind in ((a, CSRTensor), (b, CSRTensor), (alpha, Tensor), (beta, Tensor)):
        require("csr_add", x, kind)
    return csr_sum(a, b, alpha, beta)


@op
def csr_mul(x: CSRTensor, y: Any) -> Any:
    return x * y


@op
def csr_div(x: CSRTensor, y: Any) -> Any:
    return x / y


@op
def csr_mv(csr_tensor: CSRTensor, dense: Tensor) -> Tensor:
    return csr_tensor.mv(dense)


@op
def csr_mm(
    a: CSRTensor,
    b: CSRTensor,
    trans_a: bool = False,
    trans_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> CSRTensor:
    """The product; transposed before if so told."""
    require("csr_mm", a, CSRTensor)
    require("csr_mm", b, CSRTensor)
    left = transposed(a, adjoint_a) if trans_a or adjoint_a else a
    right = transposed(b, adjoint_b) if trans_b or adjoint_b else b
    return csr_product(left, right)


def transposed(x: CSRTensor, adjoint: bool) -> CSRTensor:
    places = wrap(np.ascontiguousarray(x.places().asnumpy()[:, ::-1]))
    values = OPS["conj"](x.values) if adjoint and x.values.content.dtype.kind == "c" else x.values
    return COOTensor(places, values, x.shape[::-1]).to_csr()


@op
def csr_reduce_sum(csr_tensor: CSRTensor, axis: int) -> Tensor:
    return csr_tensor.sum(axis)


@op
def csr_softmax(logits: CSRTensor, dtype: DType) -> CSRTensor:
    """The softmax of the stored values of each row."""
    require("csr_softmax", logits, CSRTensor)
    values, rows = convert(logits.values, dtype), logits.rows()
    largest = OPS["unsorted_segment_max"](values, rows, logits.shape[0])
    e = OPS["exp"](values - OPS["gather"](largest, rows, 0))
    total = logits.row_sums(e)
    return logits.with_values(e / OPS["gather"](total, rows, 0))  # type: ignore[no-any-return]


@op
def csr_gather(indptr: Tensor, indices: Tensor, dense: Tensor, sparse_shape: Any) -> Tensor:
    """The elements of `dense` at the places of a CSRTensor."""
    values = wrap(np.zeros(indices.shape, np.float32))
    where = CSRTensor(indptr, indices, values, tuple(sparse_shape)).places()
    whole = OPS["broadcast_to"](dense, tuple(sparse_shape))
    return OPS["gather_nd"](whole, where)  # type: ignore[no-any-return]


@op
def coo2csr(row_indices: Tensor, height: int) -> Tensor:
    """Where each row starts, of sorted rows."""
    rows = row_indices.asnumpy()
    starts = np.searchsorted(rows, np.arange(height + 1)).astype(rows.dtype)
    return wrap(starts)


@op
def csr2coo(indptr: Tensor, nnz: int) -> Tensor:
    """The row of each value, of where the rows start."""
    starts = indptr.asnumpy()
    return wrap(np.repeat(np.arange(len(starts) - 1), np.diff(starts)).astype(starts.dtype))


@op
def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> Any:
    """Indices (2, n), values and shape, with values at the same place added."""
    shape = tuple(x_shape.asnumpy().tolist())
    found = COOTensor(OPS["transpose"](x_indices, (1, 0)), x_values, shape).coalesce()
    return OPS["transpose"](found.indices, (1, 0)), found.values, x_shape


@op
def make_coo_tensor(indices: Tensor, values: Tensor, dense_shape: Any) -> COOTensor:
    return COOTensor(indices, values, tuple(dense_shape))


@op
def make_csr_tensor(indptr: Tensor, indices: Tensor, values: Tensor, dense_shape: Any) -> CSRTensor:
    return CSRTensor(indptr, indices, values, tuple(dense_shape))


@op
def make_row_tensor(indices: Tensor, values: Tensor, dense_shape: Any) -> RowTensor:
    return RowTensor(indices, values, tuple(dense_shape))


alias("make_sparse_tensor", make_coo_tensor)
alias("make_row_tensor_inner", make_row_tensor)


def part_of(prefix: str, name: str, attribute: str) -> None:
    def function(x: Any) -> Any:
        return getattr(x, attribute)

    function.__doc__ = f"The {attribute} of a sparse tensor."
    alias(f"{prefix}_tensor_get_{name}", function)


for _prefix in ("coo", "csr", "row"):
    for _part, _attribute in (("indices",) * 2, ("values",) * 2, ("dense_shape", "shape")):
        part_of(_prefix, _part, _attribute)
part_of("csr", "indptr", "indptr")
