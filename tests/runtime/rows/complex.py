"""Complex numbers: their parts, arithmetic, comparison, reductions, gradients."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, refused, rows

Z = "x(2, 3, dtype='complex64')"
W = "x(2, 3, dtype='complex64', seed=1)"
D = "x(2, 3, dtype='complex128')"

rows(
    f"ops.real({Z})",
    f"ops.imag({D})",
    f"ops.conj({Z})",
    f"ops.angle({Z})",
    f"{Z}.angle()",
    f"{Z}.real()",
    f"{D}.imag()",
    f"{Z}.conj()",
    f"ops.view_as_real({Z})",
    "ops.real(x(dtype='complex64'))",
    "ops.view_as_real(x(dtype='complex64'))",
    f"{Z}.is_complex()",
    f"ops.isreal({Z})",
    f"ops.abs({Z})",
    f"P.ComplexAbs()({D})",
    f"P.Real()({Z})",
    f"P.Imag()({Z})",
    f"P.Conj()({Z})",
    f"P.Angle()({Z})",
    "ops.imag(x(3, dtype='int32'))",
    "ops.conj(x(3, dtype='int8'))",
    "ops.polar(x(2, 3), x(2, 3, seed=1))",
    "P.Polar()(x(3, dtype='float64'), x(3, dtype='float64'))",
    "P.Complex()(x(2, 3), x(2, 3, seed=1))",
    "P.Complex()(x(2, dtype='float64'), x(2, dtype='float64', seed=1))",
    f"P.ConjugateTranspose()({Z}, (1, 0))",
)
for name in ("add", "sub", "mul", "div", "pow"):
    rows(f"ops.{name}({Z}, {W})", f"ops.{name}({D}, {D})", tolerance=1e-4)
    if name in ("mul", "div"):
        only_here(f"ops.{name}({Z}, 2)", because="MindSpore does not convert numbers to complex")
    else:
        rows(f"ops.{name}({Z}, 2)")
for name in (
    "neg square exp log sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "reciprocal sigmoid sign sum mean prod exp2 sinc log1p expm1 ones_like zeros_like"
).split():
    rows(f"ops.{name}({Z})", f"ops.{name}({D})", tolerance=1e-4)
rows(
    f"{Z} == {Z}",
    f"ops.not_equal({Z}, {W})",
    f"ops.add({Z}, {D})",
    f"ops.add(x(2, 3), {Z})",
    f"ops.add(x(2, 3, dtype='float64'), {Z})",
    f"ops.add(x(2, 3, dtype='int64'), {Z})",
    f"ops.matmul({Z}, {W}.T)",
    f"{Z}.astype(ms.float32)",
    f"{Z}.astype(ms.complex128)",
    "x(3).astype(ms.complex64)",
    f"{Z}[0]",
    f"{Z}[:, 1]",
    f"{Z}.reshape(3, 2)",
    f"{Z}.T",
    f"{Z}.H",
    f"{Z}.mH",
    f"ops.concat(({Z}, {W}))",
    f"ops.where(x(2, 3) > 0, {Z}, {W})",
    f"ops.sum({Z}, 1, True)",
    f"ops.mean({Z}, 0)",
    f"ops.cumsum({Z}, 0)",
    f"ops.stack(({Z}, {W}))",
    f"ops.transpose({Z}, (1, 0))",
    f"ops.tile({Z}, (1, 2))",
    "ops.zeros((2,), ms.complex64)",
    "ms.Tensor(1 + 2j)",
    "ms.Tensor([1 + 2j])",
    f"{Z} * 2.5",
    f"{Z}[0, 0].item()",
)
rows(
    f"ms.grad(lambda z: ops.real(z).sum())({Z})",
    f"ms.grad(lambda z: ops.imag(z).sum())({Z})",
    f"ms.grad(lambda z: P.ComplexAbs()(z).sum())({Z})",
    f"ms.grad(lambda z: ops.angle(z).sum())({Z})",
    f"ms.grad(lambda z: ops.abs(z).sum())({Z})",
    f"ms.grad(lambda z: ops.view_as_real(z).sum())({Z})",
    f"ms.grad(lambda z: ops.imag(ops.matmul(z, z.T)).sum())({Z})",
    f"ms.grad(lambda z: ops.real(z / (z + 1)).sum())({Z})",
    f"ms.grad(lambda z: ops.imag(1 / z).sum())({Z})",
    f"ms.grad(lambda z: ops.real(ops.conj(z)).sum())({Z})",
    "ms.grad(lambda a, b: ops.imag(ops.exp(P.Complex()(a, b))).sum(), (0, 1))(x(3), x(3, seed=1))",
    "ms.grad(lambda a, b: ops.real(ops.exp(ops.polar(a, b))).sum(), (0, 1))(x(3, low=0.5), x(3))",
    tolerance=1e-4,
)
only_here(
    f"ms.grad(lambda z: ops.real(z * z).sum())({Z})",
    f"ms.grad(lambda z: ops.real(z**3).sum())({Z})",
    f"ms.grad(lambda z: ops.imag(ops.tan(z)).sum())({Z})",
    f"ms.grad(lambda z: ops.real(z.prod()))({Z})",
    because="MindSpore has no gradient of these for complex numbers",
)
rows("ops.real(x(3))", gradient=False, because="MindSpore's gradient of a real number is complex")
for name in ("exp", "log", "sqrt", "sin", "cos", "tanh", "asinh", "atan", "reciprocal"):
    rows(f"ms.grad(lambda z: ops.imag(ops.{name}(z)).sum())({Z})", tolerance=1e-4)
refused("ops.angle(x(3))", "ops.view_as_real(x(3))", "ops.polar(x(3), x(3, dtype='float64'))")
refused("ops.polar(x(3), x(2))", "P.ComplexAbs()(x(3))", f"{Z} > {W}")
refused("P.Complex()(x(3), x(3, dtype='float64'))", "x(3, dtype='complex64').H", f"ops.floor({Z})")
