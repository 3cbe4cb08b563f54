"""`ms.grad` itself; every other row has its gradient compared without asking."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

for name in "exp log sqrt sin cos sigmoid erf gelu elu silu softplus abs relu".split():
    rows(f"ms.grad(ops.{name})(x(3, 4, low=0.5))")
for name in ("softmax", "log_softmax", "tanh", "mish"):
    rows(f"ms.grad(lambda v: ops.{name}(v) * v)(x(3, 4) / 2)")
rows(
    "ms.grad(ops.maximum, (0, 1))(x(3), x(3))",
    "ms.grad(ops.minimum, (0, 1))(x(3, 4), x(4, seed=1))",
    "ms.grad(ops.pow, (0, 1))(x(3, low=0.5), x(3, low=0.5, seed=1))",
    "ms.grad(lambda v: ops.amax(v, 1))(x(3, 4))",
    "ms.grad(lambda v: v[1:, 0] * 2)(x(3, 4))",
    "ms.grad(lambda a, b: ops.matmul(a, b), (0, 1))(x(2, 3, 4), x(4, 5))",
    "ms.grad(lambda v: ops.max_pool2d(v, 2, 2))(x(1, 2, 4, 4))",
    "ms.grad(lambda v: ops.clamp(v, -1.0, 1.0))(x(3, 4))",
    "ms.grad(ms.grad(ops.tanh))(x(3))",
    "(lambda f: ms.grad(lambda v: f(v) * v)(x(3, 4)))(filled(nn.LayerNorm((4,))))",
    "(lambda f: ms.grad(lambda v: f(v) * v)(x(2, 3, 2, 2)))(filled(nn.BatchNorm2d(3).set_train()))",
)
rows(
    "ms.grad(lambda v: v * v, (0,))(x(3))",
    "ms.value_and_grad(lambda v, w: v * w, (1,))(x(3), x(3, seed=1))",
    "ops.GradOperation(get_all=True)(lambda v: v * v)(x(3))",
)
