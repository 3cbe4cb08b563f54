"""Names that no other family is about."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, rows

for name in """
    ACos Abs Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Expm1 Floor Log Log1p Sin Sinc Sinh Tan
    Trunc
""".split():
    rows(f"P.{name}()(x(3, 4, low=0.1) / 5)")
for name in """
    Fmax Greater GreaterEqual LessEqual Minimum Mul NotEqual Sub Xlogy NextAfter Heaviside
""".split():
    rows(f"P.{name}()(x(3, 4, low=0.5), x(4, seed=1, low=0.5))")
for name in "LogicalOr LogicalXor".split():
    rows(f"P.{name}()(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))")
for name in "BitwiseXor Gcd Lcm".split():
    rows(f"P.{name}()(x(4, dtype='int32'), x(4, dtype='int32', seed=3))")
INDEX = "ms.Tensor([0, 2, 0], ms.int32)"
for name in "Max Min Prod".split():
    rows(
        f"P.UnsortedSegment{name}()(x(3, 2), {INDEX}, 3)",
        f"x(3, 2).unsorted_segment_{name.lower()}({INDEX}, 3)",
    )
for name in "Mul Div Max Min Sub".split():
    rows(
        f"P.ScatterNd{name}()(ms.Parameter(x(3, 2), name='p'), ms.Tensor([[0], [2]], ms.int32), "
        "x(2, 2, low=0.5)) + 0",
        gradient=False,
        because="a parameter changes",
    )
for name in "Max Min Div".split():
    rows(
        f"P.Scatter{name}()(ms.Parameter(x(3, 2), name='p'), ms.Tensor([0, 2], ms.int32), "
        "x(2, 2, low=0.5)) + 0",
        gradient=False,
        because="a parameter changes",
    )
rows(
    "P.Acosh()(x(3, low=1.1))",
    "P.LogicalNot()(x(4, dtype='bool_'))",
    "P.LogSpace(steps=5, base=2)(ms.Tensor(0.0), ms.Tensor(3.0))",
    "P.DataFormatVecPermute('NHWC', 'NCHW')(ms.Tensor([1, 2, 3, 4], ms.int32))",
    "P.MatrixDiagV3()(x(2, 3), ms.Tensor(1, ms.int32), ms.Tensor(4, ms.int32), "
    "ms.Tensor(4, ms.int32), ms.Tensor(0.0))",
    "P.MatrixDiagPartV3()(x(3, 4), ms.Tensor([-1, 1], ms.int32), ms.Tensor(0.0))",
    "P.MatrixSetDiagV3()(x(3, 4), x(3, seed=1), ms.Tensor(0, ms.int32))",
    "x(3, 4).aminmax(axis=1)",
    "x(3).approximate_equal(x(3) + 1e-6)",
    "x(3).assign_value(x(3, seed=1))",
    "x(3, dtype='int32').bitwise_right_shift(1)",
    "ops.bitwise_left_shift(x(3, dtype='int32'), 2)",
    "ops.bitwise_right_shift(x(3, dtype='int32'), x(3, dtype='int32', seed=1))",
    "x(3).double()",
    "x(3).bfloat16()",
    "x(4, 4).diagonal_scatter(x(4, seed=1))",
    "x(2, 3, 4).dsplit(2)",
    "x(2, 3).gather_elements(1, ms.Tensor([[0, 2], [1, 0]]))",
    "x(4, 3).gather_nd(ms.Tensor([[0, 2], [1, 0]]))",
    "x(3, low=0.5).inv()",
    "x(3, 4).nanmean(1)",
    "x(3).positive()",
    "x(3, 4).select_scatter(x(4, seed=1), 0, 1)",
    "x(3, 4).slice_scatter(x(2, 4, seed=1), 0, 1, 3)",
    "x(3, 4).softmax(0)",
    "x(2, 3).strides",
    "x(3, 5).top_k(2)",
    "x(3).type_as(x(3, dtype='float16'))",
    "x(3, low=0.5).xdivy(x(3, seed=1, low=0.5))",
    "ops.eq(x(3), x(3))",
    "ops.expand(x(3, 1), ms.Tensor([3, 4]))",
    "ops.fill(ms.float32, (2, 3), 1.5)",
    "ops.gather_d(x(2, 3), 1, ms.Tensor([[0, 2], [1, 0]]))",
    "ops.rank(x(2, 3))",
    "ops.shape(x(2, 3))",
    "ops.size(x(2, 3))",
    "ops.soft_shrink(x(3))",
    "ms.is_tensor(x(3)), ms.is_tensor(3)",
    "ms.from_numpy(np.ones((2, 3), np.float32))",
    "ms.dtype_to_nptype(ms.float16) is np.float16",
    "ms.pytype_to_dtype(float) == ms.float64",
    "str(ms.dtype_to_pytype(ms.int32))",
    "mint.nn.functional.broadcast_to(x(3, 1), (3, 4))",
    "mint.nn.functional.clamp(x(3, 4), -1.0, 0.5)",
    "mnp.bitwise_not(mnp.array([1, 2, 3]))",
    "mnp.array_str(mnp.arange(3))",
    "mnp.rand(2, 3).shape, mnp.randn(2, 3).shape, mnp.randint(3, shape=(2, 2)).shape",
    "mnp.empty((2, 3)).shape, mnp.empty_like(mnp.ones((2, 2))).shape",
)
for name in "fft2 hfft2 hfftn ifft ifft2 ifftn ihfft ihfft2 ihfftn irfft irfftn rfft rfft2".split():
    rows(f"mnp.fft.{name}(x(4, 6))", gradient=False, because="`ops` has the rows of gradients")
rows("x(2, 3).numpy()", graph=False, because="values")
rows(
    "P.InplaceUpdateV2()(x(3, 2), (0, 2), x(2, 2, seed=1))",
    gradient=False,
    because="MindSpore's CPU build gives nothing back",
)
only_here("ops.type_as(x(3), x(3, dtype='float16'))", because="MindSpore's CPU build has no kernel")
rows(
    "x(3).value()",
    "ms.grad(lambda t: (t.value() * t).sum())(x(3))",
)
rows("type(ms.Parameter(x(2), name='w').value()).__name__")
