"""Where MindSpore's CPU build is wrong or has no kernel, and the runtime does as documented."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import differs, only_here, rows

only_here(
    "ops.atan2(x(3, dtype='int32'), x(3, dtype='int32', seed=2))",
    "ops.atan2(x(3, dtype='int64'), 2)",
    "2 - x(3, dtype='bfloat16')",
    "x(3, dtype='bfloat16') < 2",
    "x(3, dtype='bfloat16').sum()",
    "ops.layer_norm(x(2, 3, 4), (4,), x(4), x(4))",
    "ops.cat((x(2, 3), x(2, 3, dtype='int32')))",
    "ops.roll(x(3, 4), 1, 0)",
    "ops.roll(x(5), 2)",
    because="MindSpore's CPU build has no kernel",
)
only_here(
    "filled(nn.AdaptiveAvgPool1d(3))(x(2, 3, 7))",
    because="MindSpore's CPU build wants lengths that divide each other",
)
differs(
    "ops.full((2, 3), 1.5)",
    "np.full((2, 3), 1.5, np.float32)",
    because="MindSpore's CPU build loses the fraction",
)
differs(
    "ops.relu(ms.Tensor([float('nan'), -1.0, 1.0]))",
    "np.array([np.nan, 0, 1], np.float32)",
    because="MindSpore's CPU build makes NaN 0, which hides it from loss scaling",
)
rows(
    "ops.selu(x(3, 4, low=-1.0) / 3)",
    "filled(nn.SeLU())(x(3, 4))",
    gradient=False,
    because="MindSpore's CPU build differentiates as if alpha were 1",
)
rows(
    "ops.gather(x(4, 3), ms.Tensor([[0, 2], [1, -1]]), 0)",
    gradient=False,
    because="MindSpore's CPU build gives nothing back to what a negative index chose",
)
rows(
    "ops.slice(x(4, 5), (1, 2), (2, -1))",
    gradient=False,
    because="MindSpore's CPU build refuses the size -1 on the way back",
)
rows(
    "ops.masked_select(x(3, 4), x(3, 4) > 0)",
    "ops.grid_sample(x(1, 2, 4, 4), x(1, 3, 3, 2) / 2, align_corners=True)",
    gradient=False,
    because="the runtime has no gradient yet",
)
