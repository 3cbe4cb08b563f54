"""Layers of more axes, initialisers by name and by class, random states."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

rows(
    "nn.AdaptiveAvgPool3d((2, None, 3))(x(1, 2, 4, 4, 6))",
    "nn.ConstantPad3d((1, 0, 2, 1, 0, 1), 0.5)(x(1, 2, 3, 3, 3))",
    "nn.Dropout3d(0.5).set_train(False)(x(1, 2, 2, 2, 2))",
    "nn.ReflectionPad1d(2)(x(1, 2, 5))",
    "nn.ReflectionPad1d((1, 3))(x(2, 5))",
    "nn.ReflectionPad3d((1, 0, 1, 1, 0, 1))(x(1, 2, 3, 3, 3))",
    "nn.ReplicationPad1d((2, 1))(x(1, 2, 5))",
    "nn.ReplicationPad3d(1)(x(1, 2, 3, 3, 3))",
)
INIT = "ms.common.initializer"
rows(
    f"{INIT}.initializer('zeros', (2, 3), ms.float32).init_data()",
    f"{INIT}.initializer({INIT}.One(), (2, 3), ms.float16).init_data()",
    f"{INIT}.initializer({INIT}.Zero(), (2, 3), ms.int32).init_data()",
    f"{INIT}.initializer({INIT}.Constant(2.5), (2,)).init_data()",
    f"{INIT}.initializer({INIT}.Identity(), (3, 3)).init_data()",
    f"{INIT}.initializer(1.5, (2,)).init_data()",
)
for kind in (
    "HeNormal()", "HeUniform()", "XavierUniform()", "XavierNormal()", "Normal(0.1)",
    "Uniform(0.1)", "TruncatedNormal(0.1)", "Orthogonal()",
):  # fmt: skip
    made = f"{INIT}.initializer({INIT}.{kind}, (40, 30), ms.float32).init_data()"
    rows(f"{made}.shape", f"str({made}.dtype)", f"abs(float({made}.asnumpy().mean())) < 0.05")
