"""Norms and distances."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, refused, rows

A = "x(4, 3)"
T = "x(2, 3, 4)"

for order in ("None", "1", "-1", "2", "-2", "float('inf')", "-float('inf')", "'fro'", "'nuc'"):
    rows(f"ops.norm({A}, {order})", f"ops.norm({T}, {order}, (0, 2), True)", tolerance=1e-4)
    if order != "None":
        rows(
            f"ops.matrix_norm({T}, {order})",
            f"ops.matrix_norm({T}, {order}, (2, 0), True)",
            tolerance=1e-4,
        )
for order in ("None", "0", "1", "2", "3", "-1", "2.5", "float('inf')", "-float('inf')"):
    rows(
        f"ops.norm(x(3), {order})",
        f"ops.norm({T}, {order}, 1)",
        f"ops.norm({T}, {order}, -1, True)",
        tolerance=1e-4,
    )
    if order != "None":
        rows(
            f"ops.vector_norm({A}, {order})",
            f"ops.vector_norm({T}, {order}, (0, 1), True)",
            f"ops.vector_norm({T}, {order}, 2)",
            tolerance=1e-4,
        )
rows(
    f"ops.norm({T})",
    f"ops.norm({A}, dtype=ms.float64)",
    "ops.norm(x(3, dtype='int32'))",
    "ops.norm(x(3, dtype='float16'))",
    f"{A}.norm()",
    f"{A}.norm(1, 0)",
    "ops.vector_norm(x(3, dtype='complex64'))",
    "ops.norm(x(2, 3, dtype='complex64'), 'fro')",
    "ops.matrix_norm(x(2, 2, dtype='int32'))",
    f"ops.vector_norm({A}, dtype=ms.float64)",
    "P.LpNorm(0)(x(4, 3))",
    "P.LpNorm([0, 1], 1, True)(x(4, 3))",
    "P.LpNorm((0, 1), 3)(x(4, 3))",
    "P.NuclearNorm()(x(4, 3))",
    "P.NuclearNorm(keepdim=True)(x(4, 3))",
    "P.NuclearNorm([0, 2], True)(x(2, 3, 4))",
    f"ops.dist({A}, x(4, 3, seed=1))",
    f"ops.dist({A}, x(3), 1)",
    f"ops.dist({A}, x(4, 3, seed=1), 0)",
    f"ops.dist({A}, x(4, 3, seed=1), 3)",
    "ops.dist(x(), x(seed=1))",
    f"ops.cosine_similarity({A}, x(4, 3, seed=1))",
    f"ops.cosine_similarity({A}, x(4, 3, seed=1), 0)",
    "ops.cosine_similarity(x(2, 3, 4), x(2, 3, 4, seed=1), -1, 0.5)",
    tolerance=1e-4,
)
for p in ("0.0", "1.0", "2.0", "3.0", "2.5", "float('inf')"):
    rows(
        f"ops.cdist(x(3, 4), x(5, 4), {p})",
        f"ops.cdist(x(2, 3, 4), x(2, 5, 4), {p})",
        f"ops.pdist({A}, {p})",
        tolerance=1e-4,
    )
rows(
    "P.Cdist(p=1.0)(x(3, 4), x(5, 4))",
    "P.Pdist()(x(4, 3))",
    "ops.cdist(x(3, 4, dtype='float64'), x(5, 4, dtype='float64'))",
    tolerance=1e-4,
)
refused(f"ops.norm({A}, 'x')", "ops.norm(x(3), 'fro')", f"ops.norm({A}, 5, (0, 1))")
refused(f"ops.norm({A}, 'nuc', (0, 0))", f"ops.norm({A}, 1, 3)", f"ops.norm({A}, 1, 'a')")
refused(
    f"ops.vector_norm({A}, 'x')",
    f"ops.vector_norm({A}, axis=(0, 0))",
    f"ops.vector_norm({A}, axis=5)",
)
refused(f"ops.matrix_norm({A}, 3)", "ops.matrix_norm(x(3))", f"ops.matrix_norm({A}, axis=(0, 0))")
refused(f"ops.matrix_norm({A}, axis=1)", f"ops.dist({A}, {A}, 2.0)", f"ops.dist({A}, 1)")
refused(
    "ops.cdist(x(3, 4), x(5, 4), 3)",
    "ops.cdist(x(3, 4), x(5, 3))",
    "ops.cdist(x(3, 4), x(5, 4), -1.0)",
)
refused(
    "ops.pdist(x(3))",
    "ops.pdist(x(3, 4), 2)",
    "ops.cdist(x(3, 4, dtype='int32'), x(5, 4, dtype='int32'))",
)
only_here(
    "ops.quantile(x(3, 4), 0.3)",
    "ops.quantile(x(3, 4), ms.Tensor([0.25, 0.5]), 1, True)",
    "x(3, 4).quantile(1.0, axis=0)",
    "ops.nanquantile(ops.sqrt(x(3, 4)), 0.5, 1)",
    "x(3, 4).nanquantile(0.5)",
    because="MindSpore's CPU build has no kernel",
)
refused("ops.quantile(x(3, dtype='int32'), 0.5)")
