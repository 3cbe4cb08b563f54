"""Layers with weights in float32 that are given values in float16, as by mixed precision."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, refused, rows

HALF = "x({}, dtype='float16')"
IMAGE = HALF.format("2, 4, 3, 3")
rows(
    f"filled(nn.LayerNorm((3,)))({HALF.format('2, 3')})",
    f"filled(nn.LayerNorm((2, 3), 1, 1))({HALF.format('2, 2, 3')})",
    f"filled(nn.LayerNorm((3,), begin_norm_axis=1, begin_params_axis=2))({HALF.format('2, 2, 3')})",
    f"filled(nn.LayerNorm((3,), dtype=ms.float16))({HALF.format('2, 3')})",
    "filled(nn.LayerNorm((3,), dtype=ms.float16))(x(2, 3))",
    f"filled(nn.GroupNorm(2, 4))({IMAGE})",
    f"filled(nn.BatchNorm2d(4))({IMAGE})",
    f"filled(nn.BatchNorm1d(4))({HALF.format('3, 4')})",
    f"ops.LayerNorm()({HALF.format('2, 3')}, x(3), x(3, seed=1))",
    f"ops.LayerNorm()(x(2, 3), {HALF.format('3')}, {HALF.format('3')})",
    tolerance=2e-3,
)
only_here(
    f"ops.layer_norm({HALF.format('2, 3')}, (3,), x(3), x(3, seed=1))",
    f"filled(nn.InstanceNorm2d(4))({IMAGE})",
    because="MindSpore's CPU build has no kernel",
)
for layer in (
    "nn.Dense(3, 2)",
    "nn.Dense(3, 2, activation='relu')",
    "nn.SequentialCell(nn.Dense(3, 4), nn.LayerNorm((4,)), nn.GELU(), nn.Dense(4, 2))",
    "nn.SequentialCell([nn.Dense(3, 4), nn.Softmax()])",
    "nn.SequentialCell([nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 4), nn.LogSoftmax()])",
):
    rows(f"filled({layer}).to_float(ms.float16)(x(2, 3))", tolerance=4e-3)
    rows(f"filled({layer}.to_float(ms.float16))({HALF.format('2, 3')})", tolerance=4e-3)
for layer in (
    "nn.Conv2d(4, 2, 3)",
    "nn.Conv2d(4, 4, 3, group=2, has_bias=True, pad_mode='pad', padding=1)",
    "nn.Conv2dTranspose(4, 2, 3)",
    "nn.SequentialCell(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())",
):
    rows(f"filled({layer}).to_float(ms.float16)(x(2, 4, 3, 3))", tolerance=4e-3)
CAST = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 4).to_float(ms.float16)
        self.norm = nn.LayerNorm((4,)){norm}
        self.out = nn.Dense(4, 2){out}
    def construct(self, v):
        return self.out(self.norm(self.fc(v)))
result = filled(Net())(x(2, 3))
"""
for norm in ("", ".to_float(ms.float32)", ".to_float(ms.float16)"):
    for out in (".to_float(ms.float16)", ".to_float(ms.float32)"):
        rows(CAST.format(norm=norm, out=out), tolerance=4e-3)
for level in ("O0", "O1", "O2", "O3", "auto"):
    rows(
        "net = filled(nn.SequentialCell(nn.Dense(3, 4), nn.LayerNorm((4,)), nn.ReLU(), "
        f"nn.Dense(4, 2)))\nresult = ms.amp.auto_mixed_precision(net, '{level}')(x(2, 3))",
        tolerance=4e-3,
    )
refused(
    "filled(nn.Dense(3, 2)).to_float(ms.int32)(x(2, 3))",
    "nn.Dense(3, 2).to_float(3)",
    "ms.amp.auto_mixed_precision(nn.Dense(3, 2), 'O5')",
    "ms.amp.auto_mixed_precision(3, 'O1')",
)
