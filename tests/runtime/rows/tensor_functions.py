"""Functions that are methods of Tensor, too, and names of ops that mean another."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

UNARY = """
    absolute arccos arccosh arcsin arcsinh arctan arctanh acos acosh asin asinh atan atanh ceil cos
    cosh deg2rad exp expm1 floor half hardshrink isinf isnan isneginf isposinf isreal log10 log1p
    log2 neg negative rad2deg reciprocal round rsqrt sgn short sigmoid sign signbit sin sinh sqrt
    square t tan tanh trunc logical_not fliplr flipud copy contiguous numel msort triu
""".split()
BINARY = """
    arctan2 atan2 copysign divide eq equal float_power floor_divide fmax fmod ge greater
    greater_equal gt heaviside le less_equal logaddexp2 lt maximum minimum mul multiply ne nextafter
    not_equal subtract true_divide xlogy logical_or logical_xor
""".split()
for name in UNARY:
    domain = {"arccosh": 1.1, "acosh": 1.1}.get(name, 0.1)
    scale = "" if domain > 1 else " / 5"
    rows(f"(x(3, 4, low={domain}){scale}).{name}()")
for name in BINARY:
    rows(f"x(3, low=0.5).{name}(x(3, seed=1, low=0.5))")
for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    rows(
        f"x(3, dtype='int32').{name}(x(3, dtype='int32', seed=1))",
        f"ops.{name}(x(3, dtype='int32'), x(3, dtype='int32', seed=1))",
        f"ops.{name}(x(3, dtype='int64'), 6)",
    )
rows(
    "x(3).addcmul(x(3, seed=1), x(3, seed=2), value=0.5)",
    "x(3, 4).amin(1)",
    "x(2, 3, 4).bmm(x(2, 4, 5))",
    "x(3, 4).cummin(0)",
    "x(4).diagflat()",
    "x(4, 6).diff()",
    "ms.Tensor.from_numpy(np.ones((2, 3), np.float32))",
    "x(4, 6).hsplit(3)",
    "x(4, 6).vsplit(2)",
    "x(4, 6).tensor_split(3)",
    "x(4, 3).index_fill(0, ms.Tensor([0, 2], ms.int32), 7.0)",
    "x(3, dtype='int32').lcm(x(3, dtype='int32', seed=1))",
    "x(3).ldexp(x(3, dtype='int32'))",
    "x(3, 4).logcumsumexp(1)",
    "x(3, 4).matmul(x(4, 5))",
    "x(2, 3, 4).movedim(0, 2)",
    "x(3, 5).nanmedian(1)",
    "x(3, 4).renorm(2, 0, 1.0)",
    "x(2, 6).reshape_as(x(3, 4))",
    "x(2, 3, 4).swapdims(0, 2)",
)
for name in "absolute arccos arcsin arctan arcsinh arctanh negative deg2rad rad2deg t".split():
    rows(f"ops.{name}(x(3, 4, low=0.1) / 5)")
for name in "divide ge gt le lt multiply ne subtract true_divide".split():
    rows(f"ops.{name}(x(3, low=0.5), x(3, seed=1, low=0.5))", f"ops.{name}(x(3, low=0.5), 2)")
rows(
    "ops.arccosh(x(3, low=1.1))",
    "ops.cond(x(3, 3))",
    "ops.cumprod(x(3, 4), 1)",
    "ops.logspace(0.0, 2.0, 5)",
    "ops.moveaxis(x(2, 3, 4), 0, -1)",
    "ops.numel(x(2, 3))",
    "ops.range(0, 10, 3)",
    "ops.scatter(x(3, 3), 1, ms.Tensor([[0, 2], [1, 0]]), x(2, 2))",
    "ops.stop_gradient(x(3)) * x(3, seed=1)",
    "ops.swapdims(x(2, 3, 4), 0, 1)",
    "ops.one_hot(ms.Tensor([[0, 2], [1, -1]]), 3, 10, 4, 0)",
)
refused("x(3).reshape_as(x(4))", "x(3).matmul(x(4))", "x(3, 4).rot90()")
rows("x(3, 4).rot90(1, (0, 1))", "x(2, 3).copy() * 2")
