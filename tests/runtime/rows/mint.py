"""mint: PyTorch's names and arguments. Half of it has no kernel on MindSpore's CPU."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, rows

for name in (
    "abs arctanh atanh ceil cos cosh erf erfc exp expm1 floor isfinite isinf isnan log log1p neg "
    "negative reciprocal round rsqrt sigmoid sign sin sinc sinh sqrt square tan tanh trunc "
    "fix ravel erfinv"
).split():
    rows(f"mint.{name}(x(2, 3, low=-1.0) / 3)")
for name in (
    "add sub mul div divide eq ne not_equal ge greater greater_equal gt le less less_equal lt "
    "maximum minimum floor_divide fmod remainder float_power isclose "
).split():
    rows(f"mint.{name}(x(2, 3), x(2, 3, seed=1))")
for name in "sum mean prod amax amin all any nansum".split():
    rows(f"mint.{name}(x(2, 3, 4))", f"mint.{name}(x(2, 3, 4), 1, True)")
for name in "max min".split():
    rows(f"mint.{name}(x(3, 4))", f"mint.{name}(x(3, 4), dim=1, keepdim=True)")
    rows(f"mint.{name}(x(3, 4), 0)", f"mint.{name}(x(3, 4), x(3, 4, seed=1))")
for name in "logical_and logical_or logical_xor".split():
    rows(f"mint.{name}(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))")
rows(
    "mint.logical_not(x(4, dtype='bool_'))",
    "mint.bitwise_and(x(4, dtype='int32'), x(4, dtype='int32', seed=1))",
)
rows("mint.cat((x(2, 3), x(1, 3)), 0)", "mint.concat((x(2, 3), x(2, 1)), dim=1)")
rows("mint.chunk(x(5, 2), 2)", "mint.split(x(5, 2), 2, 0)", "mint.split(x(5, 2), (1, 4))")
rows("mint.clamp(x(3, 4), -1.0, 1.0)", "mint.clip(x(3, 4), max=0.5)", "mint.pow(x(3, low=1.0), 2)")
rows("mint.cummax(x(3, 4), 1)", "mint.cumprod(x(3, 4), 0)", "mint.diff(x(5))", "mint.t(x(2, 3))")
rows("mint.dstack((x(2, 3), x(2, 3)))", "mint.hstack((x(2, 3), x(2, 1)))", "mint.triu(x(3, 3), 1)")
rows(
    "mint.eye(3)",
    "mint.eye(2, 3, ms.int32)",
    "mint.zeros((2, 3))",
    "mint.ones((2, 3), dtype=ms.int32)",
)
rows("mint.empty(2, 3).shape", "mint.empty_like(x(2, 3)).shape", "mint.unbind(x(2, 3), 1)")
rows("mint.flatten(x(2, 3, 4))", "mint.flatten(x(2, 3, 4), 1)", "mint.flip(x(2, 3), (1,))")
rows(
    "mint.gather(x(2, 3), 1, ms.Tensor([[0, 2], [1, 1]]))",
    "mint.gcd(x(3, dtype='int32'), x(3, dtype='int32', seed=1))",
)
rows(
    "mint.index_add(x(3, 2), 0, ms.Tensor([0, 2], ms.int32), x(2, 2), alpha=2.0)", "mint.item(x(1))"
)
rows("mint.lerp(x(3), x(3, seed=1), 0.3)")
rows(
    "mint.matmul(x(2, 3), x(3, 4))",
    "mint.bmm(x(2, 2, 3), x(2, 3, 4))",
    "mint.cdist(x(3, 2), x(4, 2))",
)
rows("mint.meshgrid(x(2), x(3), indexing='ij')", "mint.narrow(x(4, 3), 0, 1, 2)")
rows(
    "mint.nan_to_num(mint.log(x(4)))", "mint.nonzero(x(3, 4) > 0)", "mint.permute(x(2, 3), (1, 0))"
)
rows("mint.polar(x(3), x(3, seed=1))")
rows("mint.reshape(x(2, 3), (3, 2))", "mint.swapaxes(x(2, 3), 0, 1)", "mint.tile(x(2, 3), (2, 1))")
rows(
    "mint.scatter(x(2, 3), 1, ms.Tensor([[0, 2], [1, 1]]), x(2, 2))",
    "mint.transpose(x(2, 3, 4), 0, 2)",
)
rows("mint.searchsorted(ms.Tensor([1.0, 3.0, 5.0]), ms.Tensor([3.0, 6.0]), right=True)")
rows("mint.select(x(3, 4), 0, 1)", "mint.softmax(x(2, 3), 0)", "mint.squeeze(x(2, 1, 3), 1)")
rows(
    "mint.squeeze(x(2, 1, 3), 0)",
    "mint.unsqueeze(x(2, 3), 1)",
    "mint.broadcast_to(x(1, 3), (2, 3))",
)
rows("mint.unique_consecutive(ms.Tensor([1, 1, 2, 2, 1]))", "mint.cross(x(2, 3), x(2, 3, seed=1))")
rows("mint.where(x(2, 3) > 0, x(2, 3), 0.0)", "mint.xlogy(x(3, low=1.0), x(3, low=1.0, seed=1))")
rows("mint.special.erfc(x(3))", "mint.special.expm1(x(3))", "mint.special.sinc(x(3))")
rows("mint.special.log1p(x(3, low=0.5))", "mint.special.round(x(3))", "mint.add(x(3), 2, alpha=3)")
for name in "hardshrink hardsigmoid hardswish relu sigmoid silu softplus softshrink tanh".split():
    rows(f"mint.nn.functional.{name}(x(3, 4))")
rows("mint.nn.functional.softmax(x(2, 3))", "mint.nn.functional.glu(x(2, 4))")
rows("mint.nn.functional.linear(x(2, 3), x(4, 3), x(4))", "mint.nn.functional.prelu(x(2, 3), x(1))")
rows("mint.nn.functional.group_norm(x(2, 4, 3), 2, x(4), x(4, seed=1))")
rows("mint.nn.functional.pixel_shuffle(x(1, 4, 2, 3), 2)", "mint.nn.functional.flatten(x(2, 3), 0)")
rows("mint.nn.functional.binary_cross_entropy(x(4, low=0.0) / 5, x(4, low=0.0, seed=1) / 5)")
rows("mint.nn.functional.binary_cross_entropy_with_logits(x(4), x(4, low=0.0, seed=1) / 5)")
rows("mint.nn.functional.smooth_l1_loss(x(4), x(4, seed=1), beta=0.5)")
rows("mint.nn.functional.nll_loss(x(2, 3), ms.Tensor([0, 2]))")
rows("mint.nn.functional.grid_sample(x(1, 2, 3, 3), x(1, 2, 2, 2, low=-0.9) / 4)")
rows("mint.nn.functional.interpolate(x(1, 2, 3, 3), scale_factor=2.0)")
rows("mint.nn.functional.upsample(x(1, 2, 3, 3), size=(6, 6))")
rows("mint.nn.functional.adaptive_max_pool2d(x(1, 2, 6, 6), (3, 3))")
for name in "Hardshrink Hardsigmoid Hardswish Identity ReLU SiLU Sigmoid Softshrink Tanh".split():
    rows(f"mint.nn.{name}()(x(3, 4))")
rows("mint.nn.Flatten()(x(2, 3, 4))", "mint.nn.GLU()(x(2, 4))", "mint.nn.Softmax(0)(x(2, 3))")
rows("filled(mint.nn.Linear(3, 4))(x(2, 3))", "filled(mint.nn.GroupNorm(2, 4))(x(2, 4, 3))")
rows("mint.nn.PReLU()(x(2, 3))", "mint.nn.PixelShuffle(2)(x(1, 4, 2, 3))")
rows(
    "mint.nn.AdaptiveMaxPool2d((3, 3))(x(1, 2, 6, 6))",
    "mint.nn.NLLLoss()(x(2, 3), ms.Tensor([0, 2]))",
)
rows("mint.nn.BCELoss()(x(4, low=0.0) / 5, x(4, low=0.0, seed=1) / 5)")
rows(
    "mint.nn.BCEWithLogitsLoss()(x(4), x(4, low=0.0, seed=1) / 5)",
    "mint.nn.SmoothL1Loss()(x(4), x(4, seed=1))",
)
rows(
    "mint.nn.Upsample(scale_factor=2.0)(x(1, 2, 3, 3))",
    "mint.nn.UpsamplingNearest2d(scale_factor=(2.0, 2.0))(x(1, 2, 3, 3))",
)
rows(
    "mint.allclose(x(2, 3), x(2, 3, seed=1))",
    graph=False,
    because="it is a Python bool, which depends on the data",
)
rows(
    "mint.masked_select(x(3, 4), x(3, 4) > 0)",
    "mint.real(x(2, 3))",
    "mint.imag(mint.polar(x(3), x(3, seed=1)))",
    gradient=False,
    because="the data decide a size; MindSpore's gradients of complex parts are conjugated",
)
rows("mint.diff(x(5, 2), 2, 0)", "mint.linalg.matrix_norm(x(3, 4), 'nuc')")

F = "mint.nn.functional"
only_here(
    "mint.addcmul(x(2, 3), x(2, 3, seed=1), x(3), value=0.5)",
    "mint.addcdiv(x(2, 3), x(2, 3, seed=1), x(3, low=1.0), value=0.5)",
    "mint.where(x(2, 3) > 0)",
    "mint.diag(x(3, 4), 1)",
    "mint.diag(x(3), -1)",
    "mint.dot(x(3), x(3, seed=1))",
    "mint.cummin(x(3, 4), 1)",
    "mint.median(x(3, 4))",
    "mint.median(x(3, 4), 1, True)",
    "mint.bincount(ms.Tensor([0, 2, 2]), minlength=4)",
    "mint.conv_tbc(x(5, 2, 3), x(3, 3, 4), x(4), 1)",
    "mint.linalg.inv(x(3, 3))",
    "mint.linalg.vector_norm(x(3, 4), 3, 1)",
    "mint.linalg.norm(x(3, 4), 1)",
    f"{F}.conv1d(x(2, 3, 8), x(4, 3, 3), x(4), 2, 1)",
    f"{F}.conv2d(x(3, 8, 8), x(4, 3, 3, 3), padding='same')",
    f"{F}.conv3d(x(1, 2, 4, 4, 4), x(3, 2, 2, 2, 2))",
    f"{F}.conv_transpose2d(x(2, 4, 5, 5), x(4, 3, 3, 3), x(6), 2, 1, 1, 2)",
    f"{F}.unfold(x(1, 2, 4, 4), 2)",
    f"{F}.fold(x(1, 8, 9), (4, 4), 2)",
    f"{F}.batch_norm(x(4, 3, 5), None, None, x(3), x(3), training=True)",
    f"{F}.avg_pool1d(x(1, 2, 8), 3, 2, 1)",
    f"{F}.avg_pool3d(x(1, 2, 4, 4, 4), 2)",
    f"{F}.adaptive_max_pool1d(x(1, 2, 8), 3, True)",
    f"{F}.max_unpool2d(x(1, 1, 2, 2), ms.Tensor([[[[0, 3], [9, 14]]]]), 2)",
    f"{F}.dropout2d(x(1, 2, 3, 3), 0.5, False)",
    f"{F}.cosine_embedding_loss(x(2, 3), x(2, 3, seed=1), ms.Tensor([1, -1]))",
    f"{F}.embedding(ms.Tensor([1, 2]), x(4, 3), 2)",
    "filled(mint.nn.Conv1d(3, 4, 3))(x(2, 3, 8))",
    "filled(mint.nn.Conv2d(3, 4, 3, padding=1, padding_mode='reflect'))(x(2, 3, 6, 6))",
    "filled(mint.nn.Conv3d(2, 3, 2, bias=False))(x(1, 2, 4, 4, 4))",
    "filled(mint.nn.ConvTranspose2d(3, 4, 3, 2))(x(1, 3, 4, 4), (10, 10))",
    "filled(mint.nn.Embedding(5, 3, 2))(ms.Tensor([1, 2]))",
    f"{F}.kl_div(x(2, 3), x(2, 3, low=0.0))",
    "mint.nn.KLDivLoss('batchmean', True)(x(2, 3), x(2, 3, seed=1))",
    because="MindSpore's CPU build has no kernel",
)
