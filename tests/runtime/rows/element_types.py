"""What ops make of element types that they are seldom given."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

for kind in ("int8", "int16", "int32", "int64"):
    rows(
        f"ops.hardtanh(x(3, 4, dtype='{kind}'))",
        f"ops.leaky_relu(x(3, 4, dtype='{kind}') - 3)",
        f"ops.relu(x(3, 4, dtype='{kind}') - 3)",
        f"ops.tensor_div(x(3, dtype='{kind}') - 3, x(3, dtype='{kind}', seed=1))",
    )
rows(
    "ops.clip_by_value(x(3, 4, dtype='int32'), 1.5)",
    "ops.clip_by_value((x(3), x(4)), -0.5, 1)",
    "ops.clip_by_global_norm(x(3, 4))",
    "ops.stack(x(3, 4))",
    "ops.trapz(x(3, 4, dtype='float64'))",
    "ops.inv(x(3, 4, dtype='int32'))",
    "ops.any(x(3, 4, dtype='uint8'))",
    "ops.lcm(x(3, 4, dtype='int32'), 6)",
)
for name in ("k0", "k0e", "k1", "k1e", "y0", "y1"):
    rows(f"ops.bessel_{name}(x(3, 4))", gradient=False, because="nan, or not, below 0")
    rows(f"ops.bessel_{name}(x(3, 4, low=0.5))", tolerance=1e-4)
for name in ("itemsize", "is_floating_point", "is_complex", "is_signed"):
    rows(*(f"ms.{kind}.{name}" for kind in ("float32", "bfloat16", "uint8", "bool_", "complex64")))
rows("isinstance(ms.float32, ms.Type)")
