"""Initialisers: those that are not random, and what all refuse."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

I = "ms.common.initializer"  # noqa: E741  # short, for the rows

rows(
    f"{I}.initializer('zeros', (2, 3)).init_data()",
    f"{I}.initializer('ones', [2, 3], ms.float16).init_data()",
    f"{I}.initializer('One', 3, ms.int32).init_data()",
    f"{I}.initializer(0.5, (2, 3)).init_data()",
    f"{I}.initializer({I}.Constant(3), (2,), ms.int32).init_data()",
    f"{I}.initializer('identity', (2, 3)).init_data()",
    f"{I}.initializer({I}.Identity(), (3, 2), ms.float16).init_data()",
    f"{I}.initializer({I}.Dirac(), (4, 2, 3)).init_data()",
    f"{I}.initializer({I}.Dirac(2), (4, 2, 3, 2)).init_data()",
    f"{I}.initializer('dirac', (2, 3, 1, 2, 3)).init_data()",
    f"{I}.initializer(ms.Tensor([1.0, 2.0]), (2,))",
    f"str({I}.initializer('xavier_uniform', (2, 3), ms.float16).dtype)",
    f"{I}.initializer({I}.HeUniform(mode='fan_out', nonlinearity='tanh'), (2, 3, 4)).shape",
    f"(lambda w: w @ w.T)({I}.initializer('orthogonal', (3, 5)).init_data())",
    f"(lambda w: w.T @ w)({I}.initializer({I}.Orthogonal(2.0), (6, 2, 1)).init_data()[:, :, 0])",
    f"(({I}.initializer({I}.Sparse(0.4), (10, 5)).init_data() == 0).astype(ms.int32)).sum(0)",
)
refused(
    f"{I}.initializer('unknown', (2, 3))",
    f"{I}.initializer([1.0], (2, 3))",
    f"{I}.initializer('zeros', (2, 0))",
    f"{I}.initializer('zeros', (2, -1))",
    f"{I}.initializer('zeros', (2, 1.5))",
    f"{I}.initializer(ms.Tensor([1.0, 2.0]), (3,))",
    f"{I}.initializer('xavier_normal', (3,)).init_data()",
    f"{I}.initializer('he_normal', (3,)).init_data()",
    f"{I}.initializer({I}.HeUniform(mode='fan'), (2, 3)).init_data()",
    f"{I}.initializer({I}.HeUniform(nonlinearity='gelu'), (2, 3)).init_data()",
    f"{I}.initializer({I}.HeUniform('a'), (2, 3)).init_data()",
    f"{I}.initializer({I}.Normal(-1.0), (2, 3)).init_data()",
    f"{I}.initializer({I}.TruncatedNormal(-1.0), (2, 3)).init_data()",
    f"{I}.initializer('identity', (2, 3, 4)).init_data()",
    f"{I}.initializer({I}.Sparse(0.1), (3,)).init_data()",
    f"{I}.initializer('orthogonal', (3,)).init_data()",
    f"{I}.initializer('dirac', (3, 4)).init_data()",
    f"{I}.initializer({I}.Dirac(2), (3, 4, 5)).init_data()",
    f"{I}.VarianceScaling(0.0)",
    f"{I}.VarianceScaling(mode='fan')",
    f"{I}.VarianceScaling(distribution='normal')",
)
