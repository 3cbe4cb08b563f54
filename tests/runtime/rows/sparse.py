"""Sparse matrices: what they are made of, what is computed with them, what is refused.

MindSpore computes some of it with AKG, which its CPU package lacks; asking it takes minutes, so
those are in `test_sparse.py`, against dense matrices.
"""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

PLACES = "ms.Tensor([[0, 1], [1, 2], [2, 0]], ms.int64)"
COO = f"ms.COOTensor({PLACES}, x(3), (3, 4))"
OTHER = "ms.COOTensor(ms.Tensor([[0, 1], [2, 3]], ms.int64), x(2), (3, 4))"
STARTS = "ms.Tensor([0, 1, 3, 3], ms.int32), ms.Tensor([3, 0, 2], ms.int32)"
CSR = f"ms.CSRTensor({STARTS}, x(3), (3, 4))"
UNARY = """
    abs asinh atan ceil cos cosh exp expm1 floor inv isfinite isinf isnan neg relu relu6 round
    sigmoid sin sinh softsign square tan tanh
""".split()

for name in UNARY:
    rows(f"ops.coo_{name}({COO}).values", f"ops.csr_{name}({CSR}).values")
for name in ("acos", "asin", "atanh"):
    rows(f"ops.coo_{name}(ms.COOTensor({PLACES}, x(3, low=0.5) / 5, (3, 4))).values")
    rows(f"ops.csr_{name}(ms.CSRTensor({STARTS}, x(3, low=0.5) / 5, (3, 4))).values")
for name in ("acosh", "log", "log1p", "sqrt"):
    rows(f"ops.coo_{name}(ms.COOTensor({PLACES}, x(3, low=1.5), (3, 4))).values")
    rows(f"ops.csr_{name}(ms.CSRTensor({STARTS}, x(3, low=1.5), (3, 4))).values")

rows(
    f"{COO}.to_dense()",
    f"{COO} + x(3, 4)",
    f"{COO} - x(3, 4)",
    f"({COO} * x(3, 4)).values",
    f"({COO} / x(3, 4, low=1.0)).to_dense()",
    f"(-{COO}).values",
    f"{COO}.abs().values",
    f"{COO}.astype(ms.float64).values",
    f"[{COO}.shape, {COO}.dtype, {COO}.size, {COO}.itemsize, {COO}.ndim]",
    f"{COO}.indices",
    f"{CSR}.indptr",
    f"{CSR}.indices",
    f"[{CSR}.shape, {CSR}.dtype, {CSR}.size, {CSR}.itemsize, {CSR}.ndim]",
    f"(-{CSR}).values",
    f"{CSR}.abs().values",
    f"{CSR}.astype(ms.float16).values",
    f"{CSR} * 2.0",
    f"{CSR} / 2.0",
    f"ms.COOTensor(coo_tensor={COO}).values",
    f"ms.CSRTensor(csr_tensor={CSR}).values",
    f"repr(ms.COOTensor({PLACES}, ms.Tensor([1.0, -2.0, 0.5]), (3, 4)))",
    f"repr(ms.CSRTensor({STARTS}, ms.Tensor([1, 2, 3]), (3, 4)))",
    "P.SparseTensorDenseMatmul()(ms.Tensor([[0, 1], [1, 2]]), x(2), (3, 4), x(4, 2))",
    "P.SparseTensorDenseMatmul(adjoint_st=True)(ms.Tensor([[0, 1]]), x(1), (3, 4), x(3, 2))",
    "P.SparseTensorDenseMatmul(adjoint_dt=True)(ms.Tensor([[0, 1]]), x(1), (3, 4), x(2, 4))",
    "nn.SparseTensorDenseMatmul()(ms.Tensor([[0, 1], [1, 2]]), x(2), (3, 4), x(4, 2))",
    "P.SparseToDense()(ms.Tensor([[0, 1], [1, 2]], ms.int32), x(2), (3, 4))",
    f"nn.SparseToDense()({COO})",
)
rows(
    f"ops.coo_concat(({COO}, {OTHER}), 0).indices",
    f"ops.coo_concat(({COO}, {OTHER}), 1).values",
    f"ops.coo_concat(({COO}, {OTHER})).shape",
    "ms.COOTensor(ms.Tensor([[0, 1], [0, 1]], ms.int64), x(2), (3, 4)).coalesce().values",
    f"({CSR} + {CSR}).values",
    f"({CSR} - {CSR}).indices",
    f"ops.csr_add({CSR}, {CSR}, ms.Tensor(2.0), ms.Tensor(0.5)).values",
    f"ops.csr_to_dense({CSR})",
    f"{CSR}.to_dense()",
    f"ops.csr_to_coo({CSR}).indices",
    f"ops.csr_to_coo({CSR}).values",
    f"ops.csr_softmax({CSR}, ms.float32).values",
    gradient=False,
    because="MindSpore's CPU build has no gradient of them",
)
rows(
    f"({COO} + {OTHER}).values",
    f"({COO} - {OTHER}).indices",
    f"ops.coo_add({COO}, {OTHER}, ms.Tensor(0.5, ms.float32)).values",
    f"{COO}.add({OTHER}, ms.Tensor(0.0, ms.float32)).values",
    "ops.dense_to_sparse_coo(ops.relu(x(3, 4))).indices",
    "ops.dense_to_sparse_coo(ops.relu(x(3, 4))).values",
    "ops.dense_to_sparse_csr(ops.relu(x(3, 4))).indptr",
    "ops.dense_to_sparse_csr(ops.relu(x(3, 4))).values",
    "ops.dense_to_sparse_csr(ops.relu(x(3, 4))).indices",
    gradient=False,
    graph=False,
    because="which values there are is only known when they are",
)
refused(
    "ms.COOTensor(1, 2, (3, 4))",
    "ms.COOTensor(ms.Tensor([[0, 1]]), x(1), [3, 4])",
    "ms.COOTensor(ms.Tensor([[0, 1]]), x(1), (3, -4))",
    "ms.COOTensor(ms.Tensor([[0, 1]]), x(1), (3, 4, 5))",
    "ms.COOTensor(ms.Tensor([[0, 1]], ms.float32), x(1), (3, 4))",
    "ms.COOTensor(ms.Tensor([[0, 1]]), x(2), (3, 4))",
    "ms.COOTensor(ms.Tensor([0, 1]), x(2), (3, 4))",
    "ms.COOTensor(ms.Tensor([[0, 1, 2]]), x(1), (3, 4))",
    "ms.COOTensor(ms.Tensor([[0, 0], [0, 1]]), x(2), (1, 1))",
    f"ms.COOTensor({PLACES}, coo_tensor={COO})",
    "ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([3, 0]), x(2), (3, 4))",
    "ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([3]), x(2), (2, 4))",
    "ms.CSRTensor(ms.Tensor([[0, 1, 2]]), ms.Tensor([3, 0]), x(2), (2, 4))",
    f"ops.coo_sin({CSR})",
    f"ops.csr_sin({COO})",
    "ops.coo_abs(x(2))",
    f"{COO} * {COO}",
    f"{COO} + x(3, 3)",
    f"{CSR} + x(3, 4)",
    f"{CSR}.mv(3)",
    f"ops.coo_concat(({COO},))",
    f"ops.csr_add({CSR}, {CSR}, 1, 2)",
    "ops.csr_to_coo(x(2))",
    "ops.dense_to_sparse_coo(3)",
    "ops.dense_to_sparse_csr(x(2, 2, 2))",
)
