"""Products of matrices and vectors."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, refused, rows

A = "x(4, 3)"
B = "x(3, 5, seed=1)"

rows(
    f"ops.mm({A}, {B})",
    f"{A}.mm({B})",
    f"ops.mv({A}, x(3))",
    "ops.bmm(x(2, 3, 4), x(2, 4, 5))",
    f"ops.bmm({A}, {B})",
    f"ops.matmul({A}, {B})",
    f"ops.matmul({A}, x(3))",
    "ops.matmul(x(3), x(3))",
    "ops.matmul(x(2, 1, 3, 4), x(5, 4, 2))",
    f"ops.dot({A}, {B})",
    "ops.dot(x(2, 4, 3), x(3, 5))",
    "ops.dot(x(4, 3), x(2, 3, 5))",
    f"{A}.dot({B})",
    "ops.outer(x(3), x(4))",
    f"ops.outer({A}, x(2))",
    "x(3).outer(x(4))",
    "ops.ger(x(3), x(4))",
    "x(3).ger(x(4))",
    "P.Ger()(x(3), x(4))",
    f"ops.inner({A}, x(5, 3))",
    f"ops.inner(x(), {A})",
    f"{A}.inner(x(3))",
    f"ops.kron({A}, x(2, 2))",
    f"ops.kron(x(2), {A})",
    f"ops.kron(x(2, 3, 2), {A})",
    "ops.kron(x(), x(3))",
    f"ops.vecdot({A}, x(4, 3, seed=2))",
    f"ops.vecdot({A}, x(3), axis=0)",
    "ops.vecdot(x(3, dtype='complex128'), x(3, dtype='complex128', seed=1))",
    f"ops.cross({A}, x(4, 3, seed=1))",
    "ops.cross(x(3, 4), x(3, 4, seed=1), 0)",
    "ops.cross(x(3, 3), x(3, 3, seed=1))",
    "x(2, 3).cross(x(2, 3, seed=1), -1)",
    "P.Cross()(x(2, 3), x(2, 3, seed=1))",
    "P.Cross(dim=1)(x(2, 3), x(2, 3, seed=1))",
    "ops.cross(x(3, dtype='int32'), x(3, dtype='int32', seed=1))",
    f"ops.adjoint({A})",
    "ops.adjoint(x(2, 3, dtype='complex64'))",
    f"{A}.adjoint()",
    f"{A}.H",
    f"{A}.mH",
    "x(2, 3, 4).mT",
    f"ops.addmm(x(4, 5), {A}, {B}, beta=2, alpha=0.5)",
    f"x(4, 5).addmm({A}, {B})",
    "ops.addmv(x(4), x(4, 3), x(3), beta=0.5, alpha=3)",
    "x(4).addmv(x(4, 3), x(3))",
    "ops.addmv(x(2, dtype='int32'), x(2, 3, dtype='int32'), x(3, dtype='int32'), beta=2)",
    "ops.addr(x(3, 4), x(3), x(4), alpha=2.5)",
    "x(3, 4).addr(x(3), x(4), beta=0.5)",
    "ops.addbmm(x(3, 5), x(2, 3, 4), x(2, 4, 5), beta=0.5)",
    "x(3, 5).addbmm(x(2, 3, 4), x(2, 4, 5))",
    "ops.baddbmm(x(2, 3, 5), x(2, 3, 4), x(2, 4, 5), 0.5, 2)",
    "x(2, 3, 5).baddbmm(x(2, 3, 4), x(2, 4, 5))",
    f"ops.tensor_dot({A}, {B}, 1)",
    f"ops.tensor_dot({A}, {B}, 0)",
    "ops.tensor_dot(x(4, 3), x(4, 3), 2)",
    "ops.tensor_dot(x(1, 2, 3), x(3, 1, 2), ((0, 1), (1, 2)))",
    "ops.tensor_dot(x(2, 3), x(4, 3), (1, 1))",
    "ops.batch_dot(x(2, 3, 4), x(2, 4, 5))",
    "ops.batch_dot(x(2, 3, 4), x(2, 4), (2, 1))",
    "ops.batch_dot(x(2, 2), x(2, 3, 2), (-1, -1))",
    "ops.batch_dot(x(2, 3), x(2, 3))",
    "ops.batch_dot(x(2, 3, 4, 5), x(2, 5, 3), (3, 1))",
    "P.BatchMatMul()(x(2, 3, 4), x(2, 4, 5))",
    "P.BatchMatMul(True)(x(2, 4, 3), x(2, 4, 5))",
    "P.BatchMatMul(transpose_b=True)(x(2, 3, 4), x(2, 5, 4))",
    f"P.MatMul()({A}, {B})",
    "P.MatMul(True, True)(x(3, 4), x(5, 3))",
    "P.Dense()(x(2, 3), x(4, 3), x(4))",
    tolerance=1e-4,
)
for dtype in ("int8", "int32", "int64", "float16", "float64", "complex64"):
    two = f"x(3, 3, dtype={dtype!r}), x(3, 3, dtype={dtype!r}, seed=1)"
    rows(
        f"ops.mm({two})", f"ops.bmm({two})", f"ops.inner({two})", f"ops.kron({two})", tolerance=1e-4
    )
    rows(
        f"ops.outer(x(3, dtype={dtype!r}), x(3, dtype={dtype!r}))",
        f"ops.tensor_dot({two}, 1)",
        tolerance=1e-4,
    )
refused(
    f"ops.mm({A}, {A})", f"ops.mm({A}, x(3))", f"ops.mv({A}, {B})", "ops.bmm(x(4, 3), x(2, 3, 5))"
)
refused("ops.bmm(x(2, 3, 4), x(2, 3, 4))", "ops.dot(x(3), x(3))", "ops.ger(x(3, 2), x(3))")
refused("ops.ger(x(3), x(3, dtype='float64'))", "ops.ger(x(3, dtype='int32'), x(3, dtype='int32'))")
refused(f"ops.inner({A}, {B})", "ops.cross(x(4, 3), x(4, 3), 0)", "ops.cross(x(4, 2), x(4, 2))")
refused("ops.tensor_dot(x(4, 3), x(3, 3), 3)", "ops.tensor_dot(x(4, 3), x(3, 3), ((0, 1), (0,)))")
refused("ops.outer(2, x(3))", "ops.vecdot(x(3), x(3), axis=2)", "ops.vecdot(x(3), x(3), axis=1.5)")
refused("ops.addmv(x(4), x(4, 3), x(3, dtype='float64'))", "ops.addr(x(3, 4), x(3), 2)")
refused(
    "ops.baddbmm(x(2, 3, 5), x(2, 3, 4), x(2, 4, 5, dtype='float64'))", "x(3).H", "x(2, 3, 4).H"
)
refused("ops.addmm(x(3, 3), x(3, 3), x(3, 3), beta='a')", "ops.matmul(x(3), 2.0)")
refused(
    "ops.batch_dot(x(2, 3), x(3, 3))",
    "ops.batch_dot(x(2, 3), x(2, 3), (0, 1))",
    "P.MatMul()(x(2, 3, 4), x(2, 4, 3))",
)
for other in ("float16", "int32", "float64"):
    refused(
        f"ops.matmul(x(3, 4), x(4, 3, dtype='{other}'))",
        f"ops.mm(x(3, 4), x(4, 3, dtype='{other}'))",
    )
    refused(
        f"x(3, 4) @ x(4, 3, dtype='{other}')", f"ops.bmm(x(2, 3, 4), x(2, 4, 3, dtype='{other}'))"
    )
    rows(f"ops.outer(x(3), x(4, dtype='{other}'))", f"ops.kron(x(3), x(4, dtype='{other}'))")
refused(
    "ops.matmul(x(3, 4), x(3, 4))", "ops.matmul(x(2, 3, 4), x(3, 4, 5))", "ops.matmul(x(3), x(4))"
)
refused("ops.matmul(x(3), x(4, 3))", "ops.matmul(x(), x(3))", "x(3, 4) @ x(3, 4)", "x(3, 4) @ 2")
refused("ops.bmm(x(2, 3, 4), x(3, 4, 5))", "ops.addmm(x(3, 3), x(3, 3), x(3, 4))")
refused("ops.addmv(x(3), x(3, 4), x(3))", "ops.addr(x(3, 4), x(4), x(4))")
refused("ops.matmul(x(3, 3, dtype='bool_'), x(3, 3, dtype='bool_'))")
rows("ops.matmul(x(0, 3), x(3, 2))", "ops.matmul(x(2, 0), x(0, 3))", "ops.ger(x(3), x(0))")
rows(
    "ops.cross(x(3), x(3, dtype='float16'))",
    gradient=False,
    because="MindSpore's gradients are not summed, or of the other's element type",
)
only_here(
    "x(3).dot(x(3))", because="its documentation tells of vectors; the CPU build refuses them"
)
only_here(
    "ops.einsum('ij,jk->ik', x(2, 3), x(3, 4))",
    "ops.einsum('bij,bjk', x(2, 3, 4), x(2, 4, 5))",
    "ops.einsum('...->', x(2, 3))",
    "ops.einsum(x(2, 3), [0, 1], x(3, 4), [1, 2], [0, 2])",
    "ops.einsum(x(2, 3, 4), [..., 0, 1], [..., 1, 0])",
    "ops.einsum('...ij->...ji', x(2, 3, 4))",
    "P.Einsum('ij,j')((x(2, 3), x(3)))",
    because="MindSpore's CPU build has no kernel",
)
