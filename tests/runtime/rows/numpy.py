"""mindspore.numpy."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

for name in (
    "abs absolute arctan arcsinh cbrt ceil cos cosh exp exp2 expm1 fabs floor isfinite isinf isnan "
    "isneginf isposinf negative positive rint sign signbit sin sinh square tan tanh trunc fix "
    "deg2rad rad2deg radians reciprocal around round"
).split():
    rows(f"mnp.{name}(x(2, 3))")
for name in "arccos arcsin arctanh".split():
    rows(f"mnp.{name}(x(2, 3) / 3)")
for name in "arccosh log log10 log1p log2 sqrt".split():
    rows(f"mnp.{name}(x(2, 3, low=1.1))")
for name in "abs square".split():
    rows(f"mnp.{name}(x(3, dtype='int32'))")
for name in (
    "add arctan2 copysign divide equal float_power floor_divide greater greater_equal heaviside "
    "hypot less less_equal logaddexp logaddexp2 maximum minimum mod multiply not_equal remainder "
    "subtract true_divide fmod"
).split():
    rows(f"mnp.{name}(x(2, 3), x(3, seed=1))")
for name in "bitwise_and bitwise_or bitwise_xor gcd lcm add multiply power".split():
    rows(f"mnp.{name}(x(4, dtype='int32'), x(4, dtype='int32', seed=1))")
for name in "logical_and logical_or logical_xor".split():
    rows(f"mnp.{name}(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))")
rows("mnp.logical_not(x(4, dtype='bool_'))", "mnp.invert(x(4, dtype='int32'))")
rows("mnp.clip(x(2, 3), -1, 1)", "mnp.isclose(x(3), x(3))", "mnp.divmod(x(3), x(3, seed=1))")
rows("mnp.where(x(2, 3) > 0, x(2, 3), 0.0)")
rows("mnp.array_equal(x(3), x(3))", "mnp.array_equiv(x(3), x(2, 3))", "mnp.isscalar(3)")
for name in "max min amax amin mean sum std var ptp count_nonzero sometrue nanmax nanmin".split():
    rows(f"mnp.{name}(x(2, 3, 4))", f"mnp.{name}(x(2, 3, 4), 1)")
for name in "nanmean nanstd nansum nanvar".split():
    rows(f"mnp.{name}(mnp.array([[1.0, mnp.nan], [3.0, 5.0]]), 0)")
for name in "argmax argmin cumsum cumprod nancumsum".split():
    rows(f"mnp.{name}(x(2, 3))", f"mnp.{name}(x(2, 3), 1)")
rows("mnp.average(x(2, 3), 1, x(2, 3, low=1.0))", "mnp.sum(x(2, 3), 0, keepdims=True, initial=2.0)")
rows("mnp.array([[1, 2], [3, 4]])", "mnp.array([1.5, 2])", "mnp.asarray(x(3), ms.int32)")
rows("mnp.asfarray([1, 2])", "mnp.zeros((2, 3))", "mnp.ones(3, ms.int32)", "mnp.full((2,), 3)")
rows("mnp.full_like(x(2), 4.0)", "mnp.zeros_like(x(2))", "mnp.ones_like(x(2))", "mnp.eye(3, 4, 1)")
rows("mnp.identity(3)", "mnp.tri(3, 4, 1)", "mnp.arange(5)", "mnp.arange(0, 1, 0.25)")
rows("mnp.linspace(0, 1, 5)", "mnp.linspace(x(2), 3.0, 4, endpoint=False)", "mnp.logspace(0, 2, 3)")
rows(
    "mnp.geomspace(1, 16, 5)", "mnp.meshgrid(x(2), x(3))", "mnp.meshgrid(x(2), x(3), indexing='ij')"
)
rows("mnp.indices((2, 3))", "mnp.ix_(x(2), x(3))", "mnp.diag_indices(3)", "mnp.tril_indices(3)")
rows("mnp.triu_indices(3, 1)", "mnp.tril_indices_from(x(3, 3))", "mnp.triu_indices_from(x(3, 3))")
for name in "bartlett blackman hamming hanning".split():
    rows(f"mnp.{name}(6)")
rows("mnp.vander(x(3))", "mnp.broadcast_arrays(x(3), x(2, 1))", "mnp.broadcast_to(x(3), (2, 3))")
rows("repr(mnp.promote_types(ms.int32, ms.float16))", "repr(mnp.result_type(x(2), ms.int32))")
rows("mnp.reshape(x(2, 3), (3, 2))", "mnp.ravel(x(2, 3))", "mnp.transpose(x(2, 3, 4))")
rows("mnp.expand_dims(x(2), 0)", "mnp.squeeze(x(1, 2))", "mnp.moveaxis(x(2, 3, 4), 0, -1)")
rows("mnp.rollaxis(x(2, 3, 4), 2)", "mnp.swapaxes(x(2, 3), 0, 1)", "mnp.flip(x(2, 3))")
rows("mnp.flipud(x(2, 3))", "mnp.rot90(x(2, 3))")
rows("mnp.roll(x(5), 2)", "mnp.roll(x(2, 3), 1)", "mnp.concatenate((x(2, 3), x(1, 3)))")
rows(
    "mnp.append(x(2), x(3))",
    "mnp.stack((x(3), x(3)), 1)",
    "mnp.atleast_1d(x())",
    "mnp.atleast_2d(x(3))",
)
rows("mnp.atleast_3d(x(2, 3))", "mnp.column_stack((x(3), x(3)))", "mnp.hstack((x(3), x(2)))")
rows(
    "mnp.vstack((x(3), x(3)))",
    "mnp.dstack((x(3), x(3)))",
    "mnp.split(x(4), 2)",
    "mnp.split(x(4), (1, 3))",
)
rows(
    "mnp.array_split(x(5), 2)",
    "mnp.hsplit(x(2, 4), 2)",
    "mnp.vsplit(x(4, 2), 2)",
    "mnp.dsplit(x(1, 2, 4), 2)",
)
rows(
    "mnp.repeat(x(2, 2), 2, 1)",
    "mnp.tile(x(2, 2), (1, 2))",
    "mnp.take(x(2, 3), ms.Tensor([0, 2]), 1)",
)
rows("mnp.take_along_axis(x(2, 3), ms.Tensor([[0], [2]]), 1)")
rows("mnp.choose(ms.Tensor([1, 0, 1]), [x(3), x(3, seed=1)])", "mnp.searchsorted([1, 3, 5], 3.0)")
rows("mnp.searchsorted([1, 3, 5], [0, 3, 9], 'right')", "mnp.digitize(x(4), [-1.0, 0.0, 1.0])")
rows(
    "mnp.unique(ms.Tensor([2, 1, 2], ms.int32), True)",
    "mnp.argwhere(x(2, 3) > 0)",
    "mnp.isin(ms.Tensor([1, 2]), [2, 3])",
)
rows(
    "mnp.in1d(ms.Tensor([1, 2]), [2, 3])",
    "mnp.diag(x(3))",
    "mnp.diag(x(3, 3), 1)",
    "mnp.diagflat(x(2), 1)",
)
rows("mnp.diagonal(x(3, 4))", "mnp.tril(x(3, 3))", "mnp.triu(x(3, 3), 1)", "mnp.trace(x(3, 3))")
rows(
    "mnp.pad(x(2, 3), 1)",
    "mnp.pad(x(3), (1, 2), 'edge')",
    "mnp.pad(x(3), 2, 'wrap')",
)
rows(
    "mnp.apply_along_axis(lambda v: v.sum(), 0, x(2, 3))",
    "mnp.apply_over_axes(mnp.sum, x(2, 3), 0)",
)
rows("mnp.unravel_index(5, (2, 3))", "mnp.ravel_multi_index((1, 2), (2, 3))", "mnp.size(x(2, 3))")
rows(
    "mnp.diff(x(5))",
    "mnp.diff(x(2, 4), 2)",
    "mnp.ediff1d(x(4))",
    "mnp.trapz(x(5))",
    "mnp.gradient(x(5))",
)
rows("mnp.interp(x(4), [-1.0, 0.0, 1.0], [3.0, 2.0, 0.0])", "mnp.unwrap(x(5) * 3)")
rows(
    "mnp.matmul(x(2, 3), x(3, 4))",
    "mnp.dot(x(2, 3), x(3))",
    "mnp.dot(x(3), x(3))",
    "mnp.inner(x(2, 3), x(4, 3))",
)
rows(
    "mnp.outer(x(2), x(3))",
    "mnp.tensordot(x(2, 3), x(3, 4), 1)",
    "mnp.tensordot(x(2, 3), x(3, 2), ([1, 0], [0, 1]))",
)
rows(
    "mnp.multi_dot([x(2, 3), x(3, 4), x(4, 2)])",
    "mnp.matrix_power(x(3, 3), 3)",
    "mnp.kron(x(2, 2), x(1, 3))",
)
rows(
    "mnp.cross(x(2, 3), x(2, 3, seed=1))",
    "mnp.norm(x(2, 3))",
    "mnp.cov(x(2, 5))",
    "mnp.corrcoef(x(2, 5))",
    tolerance=1e-4,
)
rows("mnp.correlate(x(5), x(3))")
rows(
    "mnp.polyadd(x(3), x(2))",
    "mnp.polysub(x(3), x(2))",
    "mnp.polyval(x(3), x(2))",
)
rows("mnp.polyder(x(4))", "mnp.polyint(x(3))", "mnp.bincount(ms.Tensor([0, 2, 2], ms.int32))")
rows(
    "mnp.histogram(x(9), 3, (-2.0, 2.0))",
    "mnp.histogram_bin_edges(x(5), 3)",
    "mnp.histogram2d(x(5), x(5, seed=1), 2)",
)
rows(
    "mnp.histogramdd(x(5, 2), 2)",
    "mnp.setdiff1d([1, 2, 3], [2])",
    "mnp.intersect1d([1, 2, 3], [2, 3])",
)
rows("mnp.piecewise(x(4), [x(4) < 0, x(4) >= 0], [-1, 1])")
rows(
    "mnp.select([x(3) > 1, x(3) > 0], [x(3), -x(3)])",
    "mnp.fliplr(x(2, 3))",
    "mnp.rot90(x(2, 3), 3)",
    "mnp.pad(x(3), 2, 'reflect')",
    "mnp.convolve(x(5), x(3))",
    "mnp.convolve(x(5), x(3), 'same')",
    "mnp.polymul(x(3), x(2))",
    gradient=False,
    because="MindSpore's gradient is not that of its value",
)
