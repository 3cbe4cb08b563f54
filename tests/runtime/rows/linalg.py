"""Decompositions, inverses, determinants, systems of equations.

Where a decomposition is free to choose signs, what they do not change is compared.
"""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import differs, only_here, refused, rows

A = "x(3, 3)"
B = "x(2, 3, 3)"
TALL = "x(4, 3)"
WIDE = "x(3, 4)"
POSITIVE = "(lambda a: ops.matmul(a, a.T) + ops.eye(3))(x(3, 3))"
TRIANGLE = f"(ops.tril({A}) + 3 * ops.eye(3))"

rows(
    f"ops.cholesky({POSITIVE})",
    f"ops.cholesky({POSITIVE}, True)",
    f"{POSITIVE}.cholesky()",
    f"P.Cholesky(upper=True)({POSITIVE})",
    f"ops.cholesky({POSITIVE}.expand_dims(0).astype(ms.float64))",
    f"ops.cholesky_inverse({TRIANGLE}.T, upper=True)",
    f"ops.cholesky_solve(x(3, 2), {TRIANGLE})",
    f"ops.cholesky_solve(x(3, 2), {TRIANGLE}.T, True)",
    f"x(3, 2).cholesky_solve({TRIANGLE})",
    f"P.CholeskySolve()(x(3, 2), {TRIANGLE})",
    f"ops.inverse({A})",
    f"ops.inverse({B})",
    "ops.inverse(x(3, 3, dtype='float64'))",
    "ops.inverse(x(3, 3, dtype='complex64'))",
    f"{A}.inverse()",
    f"ops.det({A})",
    f"ops.det({B})",
    "ops.det(x(3, 3, dtype='complex64'))",
    f"{A}.det()",
    f"ops.matrix_determinant({B})",
    f"{A}.matrix_determinant()",
    f"P.MatrixDeterminant()({B})",
    f"ops.slogdet({B})",
    f"{A}.slogdet()",
    f"ops.log_matrix_determinant({A})",
    f"{A}.log_matrix_determinant()",
    f"P.LogMatrixDeterminant()({B})",
    "ops.slogdet(x(3, 3, dtype='complex128'))",
    f"ops.logdet({POSITIVE})",
    f"{POSITIVE}.logdet()",
    "ops.logdet(ops.diag(ms.Tensor([1.0, -2.0])))",
    f"ops.svd({TALL})[0]",
    f"ops.svd({TALL}, compute_uv=False)",
    f"ops.svd({B}, False, False)",
    f"[t.shape for t in ops.svd({TALL}, True)]",
    f"ops.abs(ops.svd({TALL})[1])",
    f"ops.abs(ops.svd({WIDE})[2])",
    f"(lambda s, u, v: ops.matmul(u * s, v.T))(*{WIDE}.svd())",
    f"P.Svd()({TALL})[0]",
    "ops.svd(x(3, 2, dtype='float64'))[0]",
    f"ops.abs(ops.qr({TALL})[0])",
    f"ops.abs(ops.qr({A})[1])",
    f"(lambda q, r: ops.matmul(q, r))(*ops.qr({TALL}))",
    f"[t.shape for t in ops.qr({TALL}, 'complete')]",
    f"[t.shape for t in {WIDE}.qr()]",
    f"[t.shape for t in {TALL}.qr(False)]",
    f"ops.abs(P.Qr()({TALL})[1])",
    tolerance=2e-3,
)
rows(
    f"ops.sort(ops.real(ops.eigvals({POSITIVE})))[0]",
    f"ops.eig({POSITIVE})[0].dtype",
    f"[t.shape for t in ops.eig({B})]",
    f"(lambda w, v: P.ComplexAbs()(ops.matmul({A}.astype(ms.complex64), v) - v * w)"
    f" < 1e-4)(*ops.eig({A}))",
    f"P.Eig(compute_v=True)({A})[1].dtype",
    f"ops.geqrf({TALL})",
    f"ops.geqrf({WIDE})",
    f"{TALL}.geqrf()",
    f"P.Geqrf()({TALL})",
    f"ops.orgqr(*ops.geqrf({TALL}))",
    f"P.Orgqr()(*ops.geqrf({TALL}))",
    f"(lambda h, t: h.orgqr(t))(*ops.geqrf({TALL}))",
    f"ops.lu_unpack({A}, ms.Tensor([2, 3, 3], ms.int32))",
    f"ops.lu_unpack({TALL}, ms.Tensor([2, 3, 3], ms.int32))",
    f"ops.lu_unpack({WIDE}, ms.Tensor([2, 3, 3], ms.int32))",
    f"ops.lu_unpack({A}, ms.Tensor([2, 3, 3], ms.int32), False)",
    f"ops.lu_unpack({A}, ms.Tensor([2, 3, 3], ms.int32), True, False)",
    f"P.LuUnpack()({A}, ms.Tensor([2, 3, 3], ms.int32))",
    f"ops.lu_solve(x(3, 2), {A}, ms.Tensor([2, 3, 3], ms.int32))",
    f"P.LuSolve()(x(3, 2), {A}, ms.Tensor([3, 2, 3], ms.int32))",
    tolerance=1e-3,
    gradient=False,
    because="the runtime has no gradient of these",
)
rows(
    f"ops.lstsq({TALL}, x(4, 2))",
    f"ops.lstsq({TALL}, x(4))",
    f"{TALL}.lstsq(x(4, 2))",
    f"P.Lstsq()({A}, x(3, 2))",
    f"ops.matrix_power({A}, 3)",
    f"ops.matrix_power({A}, 0)",
    f"ops.matrix_power({B}, -2)",
    f"{A}.matrix_power(2)",
    f"P.MatrixPower(5)({B})",
    "ops.matrix_power(x(3, 3, dtype='int32'), 3)",
    f"ops.matrix_solve({A}, x(3, 2))",
    f"ops.matrix_solve({A}, x(3, 2), True)",
    f"P.MatrixSolve(adjoint=True)({B}, x(2, 3, 2))",
    "ops.matrix_solve(x(3, 3, dtype='complex64'), x(3, 1, dtype='complex64'), True)",
    f"P.MatrixTriangularSolve()({TRIANGLE}, x(3, 2))",
    f"P.MatrixTriangularSolve(False, True)({TRIANGLE}.T, x(3, 2))",
    f"P.MatrixTriangularSolve(True, True)({TRIANGLE}, x(3, 2))",
    f"P.MatrixSolveLs()({TALL}, x(4, 2), ms.Tensor(0.5, ms.float64))",
    f"P.MatrixSolveLs(fast=False)({TALL}, x(4, 2), ms.Tensor(0.0, ms.float64))",
    "P.TridiagonalMatMul()(x(1, 3), x(1, 3, seed=1), x(1, 3, seed=2), x(3, 2))",
    f"ops.pinv({TALL})",
    f"ops.pinv({WIDE}, rtol=ms.Tensor(0.5))",
    f"ops.pinv({POSITIVE}, hermitian=True)",
    "ops.pinv(x(2, 3, 4))",
    tolerance=5e-3,
)
rows(
    f"ops.lstsq({WIDE}, x(3, 2))",
    f"P.MatrixLogarithm()({POSITIVE}.astype(ms.complex64))",
    tolerance=1e-3,
    gradient=False,
    because="the runtime has no gradient of these",
)
rows(
    f"ops.cholesky_inverse({TRIANGLE})",
    f"{TRIANGLE}.cholesky_inverse()",
    f"P.CholeskyInverse()({TRIANGLE})",
    f"P.MatrixInverse(adjoint=True)({A})",
    tolerance=1e-3,
    gradient=False,
    because="MindSpore's gradients are those of the transposed matrix",
)
only_here(f"ops.matrix_exp({A})", f"ops.matrix_exp({B})", because="MindSpore's CPU build lacks it")
only_here(
    f"(lambda h, t: ops.ormqr(h, t, x(4, 2)))(*ops.geqrf({TALL}))",
    because="MindSpore's CPU build lacks it",
)
refused("ops.cholesky(-ops.eye(3))", f"ops.cholesky({TALL})", "ops.cholesky(x(3))")
refused("ops.cholesky(x(3, 3, dtype='int32'))", f"ops.cholesky({A}, 1)")
refused(f"ops.cholesky_solve(x(2, 2), {A})", f"ops.cholesky_solve(x(3, 2, dtype='float64'), {A})")
refused(f"ops.inverse({TALL})", "ops.inverse(x(3))", "ops.inverse(2)", f"ops.det({TALL})")
refused("ops.inverse(x(3, 3, dtype='int32'))", "ops.det(x(3, 3, dtype='int32'))", "ops.svd(x(3))")
refused(
    "ops.svd(x(3, 3, dtype='float16'))", f"ops.qr({A}, 'r')", "ops.qr(x(3))", f"ops.eig({TALL})"
)
refused(f"ops.lu_solve(x(3, 2), {A}, ms.Tensor([2, 3, 3]))", f"P.Lstsq(fast=False)({A}, x(3, 2))")
refused(f"ops.matrix_power({TALL}, 2)", f"ops.matrix_power({A}, 1.5)", "ops.geqrf(x(3))")
refused("ops.matrix_power(x(3, 3, dtype='int32'), -1)", f"ops.matrix_solve({A}, x(3))")
refused(
    f"P.MatrixLogarithm()({A})",
    "ops.pinv(x())",
    "ops.pinv(x(3))",
    "ops.pinv(x(3, 3, dtype='float16'))",
)
refused(f"ops.lstsq({TALL}, x(3, 2))", f"ops.matrix_solve({TALL}, x(4, 2))")
refused("P.TridiagonalMatMul()(x(3), x(3), x(3), x(3, 2))")
differs(
    "ops.inverse(ops.ones((3, 3)))",
    "ValueError",
    because="MindSpore gives the inverse of a part of a singular matrix, without a word",
)
