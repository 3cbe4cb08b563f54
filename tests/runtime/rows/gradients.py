"""`ms.grad` itself; every other row has its gradient compared without asking."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

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

FUNCTIONS = """
def product(a, b): return a * b
def square(a): return a * a
def two(a): return a * a, a * 3.0
def rows_sum(a): return ops.sum(a, 1)
def both(a, b): return a * b, a.sum() * b
def pair(a): return a[0] * a[1]
def scaled(a, b): return (a * b).sum()
def swapped(a, b): return a[0] * b, a[1]
def inner(a): return ms.vmap(scaled, (0, None))(a, x(3)).sum()
def to_double(g): return g * 2.0
def hooked(a):
    b = a * 3.0
    b.register_hook(to_double)
    return b * b
insert = ops.InsertGradientOf(to_double)
def inserted(a): return insert(a * 3.0) * 2.0
"""
"""MindSpore compiles the source of what it transforms: no two lambdas in one line."""


def called(*calls: str) -> tuple[str, ...]:
    return tuple(f"{FUNCTIONS}result = {call}" for call in calls)


rows(
    *called(
        "ms.grad(product, (0, 1), return_ids=True)(x(3), x(3, seed=1))",
        "ms.grad(product, (0, 1), sens_param=True)(x(3), x(3, seed=1), x(3, seed=2))",
        "ms.value_and_grad(two, has_aux=True)(x(3))",
        "ms.get_grad(ms.grad(product, (0, 1), return_ids=True)(x(3), x(3, seed=1)), 1)",
        "[ms.grad(product, (0, 1))(x(3), 2.0), ms.grad(square)(2.0), ms.grad(pair)((x(3), x(3)))]",
        "ms.grad(square)(x(2, dtype='int64'))",
        "ops.GradOperation(get_all=True)(product)(x(3), 2.0)",
        "ms.jvp(product, (x(3), x(3, seed=1)), (x(3, seed=2), x(3, seed=3)))",
        "ms.jvp(two, x(3), x(3, seed=1))",
        "ms.jvp(two, x(3), x(3, seed=1), has_aux=True)",
        "ms.vjp(product, x(3), x(3, seed=1))[1](x(3, seed=2))",
        "ms.vjp(two, x(3))[1](x(3, seed=1), x(3, seed=2))",
        "ms.vjp(two, x(3), has_aux=True)[0::2]",
        "ops.linearize(square, x(3))[1](x(3, seed=1))",
        "ms.jacrev(both, (0, 1))(x(3), x(2, 3))",
        "ms.jacfwd(both, (0, 1))(x(3), x(2, 3))",
        "[ms.jacrev(rows_sum)(x(2, 3)), ms.jacfwd(rows_sum)(x(2, 3))]",
        "ms.jacrev(two, has_aux=True)(x(3))",
        "ms.jacfwd(two, has_aux=True)(x(3))",
        "ms.vmap(scaled)(x(2, 3), x(2, 3, seed=1))",
        "ms.vmap(product, in_axes=(0, None), out_axes=1)(x(2, 3), x(3))",
        "ms.vmap(product, in_axes=(-1, 0), out_axes=-1)(x(2, 3), x(3))",
        "ms.vmap(ms.vmap(product, in_axes=(None, 0)), in_axes=(0, None))(x(3), x(4))",
        "ms.vmap(swapped, in_axes=((0, 1), None), out_axes=(0, 1))((x(2, 3), x(3, 2)), x(1))",
        "ms.vmap(product, in_axes=(0, None), out_axes=0)(x(2, 3), 2)",
        "ms.grad(inner)(x(2, 3))",
        "ms.grad(hooked)(x(3))",
        "ms.grad(inserted)(x(3))",
        "ms.recompute(nn.ReLU(), x(3))",
    ),
    gradient=False,
    because="it is a gradient",
)
refused(
    *called(
        "ms.grad(product, 2)(x(3), x(3))",
        "ms.grad(product, -1)(x(3), x(3))",
        "ms.grad(product, [0])",
        "ms.grad(product, (0, 0))",
        "ms.grad(product, ('a',))",
        "ms.grad(product, None)",
        "ms.get_grad(ms.grad(product, (0, 1), return_ids=True)(x(3), x(3)), 2)",
        "ms.get_grad(ms.grad(product, (0, 1), return_ids=True)(x(3), x(3)), 'a')",
        "ms.jvp(square, x(3), (x(3), x(3)))",
        "ms.jvp(square, 2.0, x(3))",
        "ms.jacfwd(square, 1)(x(3))",
        "ms.vmap(product, in_axes=(0,))(x(2, 3), x(2, 3))",
        "ms.vmap(square, in_axes=1.0)(x(2, 3))",
        "ms.vmap(square, in_axes=None)(x(2, 3))",
        "ms.vmap(square, out_axes=None)(x(2, 3))",
        "ms.vmap(square, in_axes=3)(x(2, 3))",
        "ms.vmap(product)(x(2, 3), x(3))",
        "x(3).register_hook(1)",
        "ops.GradOperation(get_all=1)",
        "ms.mutable(None)",
        "ms.mutable(1, True)",
    )
)
