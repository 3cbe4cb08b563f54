"""float64, for which ONNX Runtime lacks some kernels."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

for name in """
    acos asin asinh atan atanh celu cosh elu gelu hardsigmoid hardswish
    logsigmoid mish sinh softplus softsign tan nonzero
""".split():
    rows(f"ops.{name}(x(3, 4, dtype='float64'))")
rows(
    "ops.atan2(x(3, 4, dtype='float64'), x(3, 4, dtype='float64', seed=1))",
    "ops.atan2(x(3), x(3, dtype='float64'))",
    "ops.leaky_relu(x(3, 4, dtype='float64'))",
    "ops.acosh(x(3, 4, dtype='float64', low=1.5))",
    "ops.selu(x(3, 4, dtype='float64', low=0.1))",
    "x(3, 4, dtype='float64').erf()",
)
