"""Reductions, sorting and products of matrices."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

REDUCTIONS = ["mean", "sum", "prod", "amax", "amin", "any", "all", "argmax", "argmin", "std", "var"]

for name in REDUCTIONS:
    rows(f"ops.{name}(x(3, 4))", f"ops.{name}(x(3, 4), 1)", f"ops.{name}(x(2, 3, 4), -1, True)")
rows(
    "ops.max(x(3, 4), 1)",
    "ops.max(x(3, 4))",
    "ops.min(x(3, 4), 0, True)",
    "ops.sum(x(2, 3, 4), (0, 2))",
    "ops.mean(x(2, 3, 4), (1, 2), True)",
    "ops.mean(x(2, 3, 4), ())",
    "ops.logsumexp(x(3, 4), 1)",
    "ops.norm(x(3, 4))",
    "ops.norm(x(3, 4), dim=1)",
    "ops.cumsum(x(3, 4), 1)",
    "ops.count_nonzero(x(3, 4))",
    "ops.topk(x(3, 5), 2)",
    "ops.topk(x(3, 5), 2, largest=False)",
    "ops.sort(x(3, 5))",
    "ops.argsort(x(3, 5), descending=True)",
    "ops.matmul(x(3, 4), x(4, 5))",
    "ops.matmul(x(2, 3, 4), x(4))",
    "ops.matmul(x(4), x(4, seed=2))",
    "ops.matmul(x(2, 1, 3, 4), x(5, 4, 2))",
    "ops.bmm(x(2, 3, 4), x(2, 4, 5))",
    "ops.mm(x(3, 4), x(4, 5))",
    "ops.mv(x(3, 4), x(4))",
    "ops.outer(x(3), x(4))",
    "ops.addmm(x(3, 5), x(3, 4), x(4, 5), beta=0.5, alpha=2.0)",
    "ops.baddbmm(x(2, 3, 5), x(2, 3, 4), x(2, 4, 5), beta=0.5, alpha=2.0)",
    "ops.dense(x(3, 4), x(5, 4), x(5))",
    "ops.dense(x(2, 3, 4), x(5, 4))",
    "ops.dense(x(2, 1, 3, 512), x(512, 512), x(512))",
    "ops.dense(x(2, 2, 512), x(600, 512))",
    "ops.std(x(3, 4), 1, 1)",
    "ops.var(x(3, 4), ddof=1, keepdims=True)",
)
for name in ("amax", "amin"):
    rows(
        f"ops.{name}(x(3, 4), 1, initial=0.5)",
        f"ops.{name}(x(3, 4), 1, initial=0.5, where=x(3, 4, seed=2) > 0)",
    )
    refused(f"ops.{name}(x(3, 4), where=x(3, 4) > 0)")
