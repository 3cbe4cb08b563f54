"""Elementwise ops, and the element types of their results."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

UNARY = (
    "abs neg sign exp log sqrt erf sin cos tan asin acos atan sinh cosh asinh atanh floor "
    "ceil round trunc reciprocal rsqrt square log2 log10 log1p expm1 relu relu6 sigmoid tanh "
    "softsign mish selu hardswish silu hardsigmoid softmax log_softmax logsigmoid gelu elu "
    "celu leaky_relu softplus hardtanh softshrink hardshrink isnan isinf isfinite "
).split()

BINARY = (
    "add sub mul div maximum minimum equal not_equal less greater less_equal greater_equal "
    "floor_divide pow remainder fmod atan2 "
).split()

for name in UNARY:
    if name not in ("softmax", "log_softmax"):
        rows(f"ops.{name}(x())")
    rows(f"ops.{name}(x(3, 4, low=-1.0) / 3)")
    rows(f"ops.{name}(x(2, 0, 3))")
for name in BINARY:
    rows(f"ops.{name}(x(3, 4, low=0.5), x(4, seed=5, low=0.5))")
    rows(f"ops.{name}(x(3, dtype='int32'), x(3, dtype='int32', seed=2))")
    rows(f"ops.{name}(x(3, low=0.5), 2)", f"ops.{name}(x(3, dtype='int64'), 2)")
for a in (
    "bool_",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
):
    for b in ("int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"):
        rows(f"ops.add(x(3, dtype={a!r}), x(3, dtype={b!r}, seed=1))")
    rows(f"x(3, dtype={a!r}) * 2", f"x(3, dtype={a!r}) * 2.5", f"2 - x(3, dtype={a!r})")
    rows(f"x(3, dtype={a!r}) / 2", f"x(3, dtype={a!r}) < 2", f"x(3, dtype={a!r}).sum()")
    rows(f"x(3, dtype={a!r}).astype(ms.float32)", f"x(3, dtype={a!r}).astype(ms.int32)")

rows(
    "ops.where(x(3, 4) > 0, x(3, 4), 0.0)",
    "ops.select(x(3, 4) > 0, x(3, 4), x(3, 4, seed=2))",
    "ops.clamp(x(3, 4), -1, 1)",
    "ops.clamp(x(3, 4), min=0.5)",
    "ops.clamp(ms.Tensor([-float('inf'), 1.0]), max=0.3)",
    "ops.clamp(ms.Tensor([float('inf'), 0.0]), min=0.3)",
    "ops.clip(x(3, 4), None, 0.5)",
    "ops.masked_fill(x(3, 4), x(3, 4) > 0, 7.0)",
    "ops.cast(x(3, 4), ms.int32)",
    "ops.lerp(x(3), x(3, seed=1), 0.25)",
    "ops.logical_and(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))",
    "ops.logical_or(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))",
    "ops.logical_xor(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))",
    "ops.logical_not(x(4, dtype='bool_'))",
    "ops.div(x(5), 0.7, rounding_mode='floor')",
    "ops.div(x(5), 0.7, rounding_mode='trunc')",
)
rows(
    "ops.invert(x=x(3, dtype='int32'))",
    "ops.arcsin(x=x(3) / 3)",
    "ops.inv(x=x(3, low=0.5))",
    "ops.ldexp(x(3, dtype='float16'), 1)",
    "ops.ldexp(x(3), x(3, seed=1))",
    "ops.hypot(x(3), 0.5)",
    "ops.mish(x=x(3))",
    "ops.softsign(x=x(3))",
    "ops.selu(input_x=x(3, low=0.1))",
    "ops.tensor_div(x=x(3), y=x(3, low=0.5))",
    "ops.sqrt(x=x(3, low=0.5))",
    "ops.floor_div(x=x(3), y=0.7)",
    "ops.floor_mod(x=x(3), y=0.7)",
    "ops.clip_by_norm(x(3), 0.5)",
    "ops.clip_by_norm((x(3), x(4)), 0.5)",
    "ops.clip_by_norm((x(3), x(4)), 0.5, 1.0)",
    "ops.clip_by_norm((x(3), x(4)), 0.5, float('inf'))",
    "ops.logical_not(x(3))",
    "ops.logical_and(x(3), x(3, dtype='int32'))",
)
rows(
    "ops.clip_by_norm(x(3, 4), 50, error_if_nonfinite=True)",
    graph=False,
    because="whether a norm is finite is a value",
)
refused("ops.clip_by_norm(x(3) / 0, 50, error_if_nonfinite=True)")
