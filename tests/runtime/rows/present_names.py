"""Names of `mindspore.ops`, `nn`, `amp` and Tensor that no other family is about."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

# primitives and what makes them
OWN = """
class Twice(ops.PrimitiveWithInfer):
    @ops.prim_attr_register
    def __init__(self, factor=2.0):
        self.init_prim_io_names(inputs=['x'], outputs=['y'])
    def infer_shape(self, shape):
        return shape
    def infer_dtype(self, dtype):
        return dtype
p = Twice(3.0)
"""
rows(
    f"{OWN}\nresult = [p.name, p.factor, p.attrs['factor'], p.infer_shape([2]), "
    "p.init_attrs['factor']]",
    f"{OWN}\nresult = p.add_prim_attr('more', 5).attrs['more']",
    f"{OWN}\nresult = 'more' in p.add_prim_attr('more', 5).del_prim_attr('more').attrs",
    f"{OWN}\nresult = [p.set_device('CPU').get_attr_dict()['primitive_target'], "
    "p.update_parameter]",
    f"{OWN}\nresult = p.set_prim_instance_name('p1').instance_name",
    f"{OWN}\nresult = isinstance(p, ops.Primitive)",
    "class Checked(ops.PrimitiveWithCheck):\n    @ops.prim_attr_register\n"
    "    def __init__(self):\n        pass\n"
    "    def check_shape(self, shape):\n        assert shape\n"
    "    def check_dtype(self, dtype):\n        pass\nresult = [Checked().name, "
    "isinstance(Checked(), ops.Primitive)]",
    "ops.Primitive('Abs').name",
    "ops.Primitive('Abs').attrs",
    "[hasattr(ops.Primitive('Abs'), name) for name in ('set_stage', 'shard', 'recompute', "
    "'place')]",
    "ops.Add().name",
    "ops.Add().set_stage(0).attrs['stage']",
)
refused("ops.PrimitiveWithInfer(3)(x(2))", "ops.Primitive()", "ops.Primitive('Abs', 3)")

# derivatives by their names in ops
FUNCTIONS = """
def square(v):
    return v ** 2
def total(v):
    return (v ** 3).sum()
def product(v, w):
    return v * w
def both(v, w):
    return ops.matmul(v, w)
def with_more(v):
    return v.sum(), v * 2
"""


def derived(*codes: str) -> tuple[str, ...]:
    return tuple(f"{FUNCTIONS}\nresult = {code}" for code in codes)


rows(
    *derived(
        "ops.grad(total)(x(3))",
        "ops.grad(product, (0, 1))(x(3), x(3, seed=1))",
        "ops.grad(product, 1)(x(3), x(3, seed=1))",
        "ops.grad(with_more, has_aux=True)(x(3))",
        "ops.value_and_grad(total)(x(3, low=0.5))",
        "ops.value_and_grad(with_more, 0, has_aux=True)(x(3, low=0.5))",
        "ops.jacfwd(square)(x(3))",
        "ops.jacrev(square)(x(3))",
        "ops.jacrev(product, (0, 1))(x(2), x(2, seed=1))",
        "ops.jacfwd(with_more, has_aux=True)(x(2))",
        "ops.vjp(square, x(3))[1](x(3, seed=1))",
        "ops.jvp(square, x(3), x(3, seed=1))",
        "ops.jvp(product, (x(3), x(3, seed=1)), (x(3, seed=2), x(3, seed=3)))",
        "ops.vmap(total)(x(3, 4, low=0.5))",
        "ops.vmap(both, (0, None))(x(2, 3, 4), x(4, 2))",
        "ops.vmap(both, (None, 0))(x(3, 4), x(2, 4, 5))",
        "ops.vmap(square, 1, 1)(x(3, 4))",
        "ops.vmap(product, (0, 1), 1)(x(3, 4), x(4, 3))",
        "ops.get_grad(ops.grad(product, (0, 1), None, return_ids=True)(x(2), x(2, seed=1)), 0)",
    ),
    "nn.Jvp(nn.ReLU())(x(3), x(3, seed=1))",
    "nn.Vjp(nn.Tanh())(x(3), x(3, seed=1))",
    gradient=False,
    because="they are gradients already",
)
refused(
    *derived(
        "ops.grad(3)(x(2))",
        "ops.grad(total, 'a')(x(2))",
        "ops.grad(total, 3)(x(2))",
        "ops.grad(total, None)(x(2))",
        "ops.value_and_grad(total, has_aux=3)(x(2))",
        "ops.jacfwd(square, 'a')(x(2))",
        "ops.jacrev(square, 4)(x(2))",
        "ops.vjp(3, x(2))",
        "ops.vmap(square, 5)(x(2, 3))",
        "ops.vmap(square, 'a')(x(2, 3))",
        "ops.vmap(product)(x(2, 3), x(3, 2))",
    )
)

# sparse and ragged
COO = "ms.Tensor([[0, 0], [0, 0], [1, 2]], ms.int64)"
rows(
    "P.RaggedRange(Tsplits=ms.int32)(ms.Tensor([0, 2], ms.int32), ms.Tensor([3, 8], ms.int32), "
    "ms.Tensor([1, 3], ms.int32))",
    "P.UniqueWithPad()(ms.Tensor([1, 2, 2, 3, 1], ms.int32), ms.Tensor(9, ms.int32))",
    "x(6, dtype='int32').unique_with_pad(0)",
    "ops.unique_with_pad(ms.Tensor([1, 1, 3, 5], ms.int64), -1)",
    "ops.deepcopy(x(2, 3))",
    "ops.float_power_ext(x(3, low=0.5), 2)",
    "ops.float_power_ext(2.0, x(3))",
    "ops.isnan_ext(x(3) / 0 - x(3) / 0)",
    "ops.shape_(x(2, 3))",
    "[ops.scalar_mul(2, 3), ops.scalar_ge(2, 3), ops.scalar_gt(4, 3), ops.scalar_le(2, 3), "
    "ops.scalar_uadd(2)]",
    "ops.add_flags(lambda v: v, a=1) is not None",
    "P.TransposeExtView()(x(2, 3, 4), 0, 2)",
    "P.ScatterAddWithAxis(1)(x(2, 3), ms.Tensor([[0, 2], [1, 0]]), x(2, 2, seed=1))",
    "P.SparseTensorDenseAdd()(ms.Tensor([[0, 1], [1, 2]], ms.int64), x(2), "
    "ms.Tensor([2, 3], ms.int64), x(2, 3, seed=1))",
    "P.SparseSlice()(ms.Tensor([[0, 1], [1, 2]], ms.int64), x(2), ms.Tensor([2, 3], ms.int64), "
    "ms.Tensor([0, 0], ms.int64), ms.Tensor([1, 3], ms.int64))",
)

rows(
    "P.Coalesce()(ms.Tensor([[0, 0, 1], [0, 0, 2]], ms.int64), x(3), ms.Tensor([2, 3], ms.int64))",
    gradient=False,
    because="MindSpore's gradient has another shape than the values",
)

# methods of Tensor
rows(
    "x(3).allclose(x(3) + 1e-7)",
    "x(3).allclose(x(3) + 1e-2, rtol=0.1)",
    "x(3).allclose(x(3) + 1e-2, atol=0.1)",
    "(x(3) / 0).allclose(x(3) / 0)",
    "(x(3) * 0 / 0).allclose(x(3) * 0 / 0, equal_nan=True)",
    graph=False,
    because="the answer is Python's",
)
rows(
    "x(2, 3).reverse([0])",
    "x(2, 3).reverse((0, 1))",
    "x(2, 3).reverse([-1])",
    "x(1, 2, 4, 5).unfold(kernel_size=3)",
    "x(1, 2, 4, 5).unfold(2, dilation=2, padding=1, stride=2)",
    "x(1, 2, 4, 5).unfold((2, 3), padding=(0, 1))",
    "x(1, 8, 9).fold(ms.Tensor([4, 4], ms.int32), 2)",
    "x(1, 8, 4).fold(ms.Tensor([4, 4], ms.int32), (2, 2), stride=2)",
    "x(1, 2, 4, 9).col2im(ms.Tensor([4, 4], ms.int32), [2, 2], [1, 1], [0, 0], [1, 1])",
    "x(3, 2).scatter_mul(ms.Tensor([[0], [2]]), x(2, 2, low=0.5))",
    "x(3, 2).scatter_div(ms.Tensor([[0], [2]]), x(2, 2, low=0.5))",
    "x(3, 2).scatter_min(ms.Tensor([[0], [2], [0]]), x(3, 2, low=0.5))",
    "x(3, 2).scatter_max(ms.Tensor([[0], [2], [0]]), x(3, 2, low=0.5))",
    "x(3, 2).scatter_sub(ms.Tensor([[0], [2], [0]]), x(3, 2, low=0.5))",
)
for code in (
    "x(3, 2).to_csr().values",
    "(x(3, 2) * 1).to_csr().indptr",
    "x(3, 2).to_coo().values",
    "x(3, 2).to_coo().indices",
):
    rows(code, graph=False, gradient=False, because="how many values there are is only known then")
rows(
    "v = x(3) * 1\nw = v.copy_(x(3, seed=1))\nresult = [v + 0, w + 0]",
    "(x(2, 3) * 1).copy_(x(3))",
    "(x(2, 3) * 1).copy_(x(2, 3, dtype='int32'))",
    gradient=False,
    because="the Tensor is changed in place",
)
rows(
    "type((x(3) * 1).data_ptr()).__name__",
    "v = x(3) * 1\nresult = v.data_ptr() == v.data_ptr()",
    "(x(3) * 1).get_bytes() == (x(3) * 1).asnumpy().tobytes()",
    graph=False,
    gradient=False,
    because="Python looks at the Tensor",
)
refused(
    "x(3).allclose(3)",
    "x(3).allclose(x(4))",
    "x(2, 3).reverse([2])",
    "x(2, 3).reverse('a')",
    "x(2, 3).unfold(2)",
    "x(1, 2, 4, 4).unfold(0)",
    "x(1, 2, 4, 4).unfold(2, stride=-1)",
    "x(1, 9, 4).fold(ms.Tensor([4, 4], ms.int32), 2)",
    "(x(2, 3) * 1).copy_('a')",
    "x(3, 2).scatter_mul(x(3, 1), x(3, 2))",
    "x(3).to_csr()",
)

rows(
    "ms.Tensor.convert_bytes_to_tensor(np.arange(3, dtype=np.float32).tobytes(), (3,), ms.float32)",
    "[x(3).init_flag, x(3).init_finished, x(3).has_init]",
    "x(3).wait_pipeline()",
    "ms.Tensor([[0.0, 1.0], [2.0, 0.0]]).to_csr().indices",
)

# layers
rows(
    "filled(nn.PReLUExt(3))(x(2, 3, 4))",
    "filled(nn.PReLUExt())(x(2, 3))",
    "nn.Dropout2dExt(0.0)(x(1, 2, 3, 3))",
    "nn.Dropout2dExt(0.5).set_train(False)(x(1, 2, 3, 3))",
    "mint.nn.Dropout2d(0.0)(x(1, 2, 3, 3))",
    "mint.nn.Dropout2d(0.5).set_train(False)(x(1, 2, 3, 3))",
    "class Own(nn.LossBase):\n    def construct(self, a, b):\n"
    "        return self.get_loss((a - b) ** 2)\n"
    "result = [Own()(x(2, 3), x(2, 3, seed=1)), Own('sum')(x(2, 3), x(2, 3, seed=1)), "
    "Own('none')(x(2, 3), x(2, 3, seed=1))]",
    "class Own(nn.LossBase):\n    def construct(self, a, b, w):\n"
    "        return self.get_loss(abs(a - b), w)\n"
    "result = Own()(x(2, 3), x(2, 3, seed=1), x(2, 3, seed=2))",
    "class Own(nn.LossBase):\n    def construct(self, a):\n"
    "        return self.reduce_mean(a, self.get_axis(a))\nresult = Own()(x(2, 3, 4))",
    "class Own(mint.nn.Cell):\n    def construct(self, a):\n        return a * 2\n"
    "result = Own()(x(3))",
    "[mint.nn.Cell is nn.Cell]",
)
refused(
    "nn.LossBase('other')",
    "nn.LossBase(3)",
    "nn.PReLUExt('a')",
)
STEP = """
net = filled(nn.Dense(3, 2))
optimizer = nn.AdamWeightDecay({params}, {settings})
step = ms.value_and_grad(lambda v: (net(v) ** 2).sum(), None, optimizer.parameters)
for _ in range(3):
    optimizer(step(x(4, 3))[1])
result = [p + 0 for p in net.trainable_params()]
"""
for settings in (
    "0.1",
    "0.1, 0.8, 0.9, 1e-3, 0.1",
    "ms.Tensor(0.05)",
    "[0.1, 0.05, 0.01]",
    "nn.PolynomialDecayLR(0.1, 0.01, 4, 1.0), weight_decay=0.1",
):
    rows(
        STEP.format(params="net.trainable_params()", settings=settings),
        gradient=False,
        because="steps of optimisers have no gradient",
        tolerance=1e-4,
    )
refused(
    "nn.AdamWeightDecay([], 0.1)",
    "nn.AdamWeightDecay(nn.Dense(2, 2).trainable_params(), -1.0)",
    "nn.AdamWeightDecay(nn.Dense(2, 2).trainable_params(), 0.1, 2.0)",
    "nn.AdamWeightDecay(nn.Dense(2, 2).trainable_params(), 0.1, eps=0)",
    "nn.AdamWeightDecay(3)",
)

# amp
rows(
    "isinstance(ms.amp.DynamicLossScaler(4.0, 2, 10), ms.amp.LossScaler)",
    "isinstance(ms.amp.StaticLossScaler(4.0), ms.amp.LossScaler)",
    "isinstance(ms.amp.FixedLossScaleManager(), ms.amp.LossScaleManager)",
    "class Own(ms.amp.LossScaler):\n    def scale(self, v):\n        return v * 2\n"
    "    def unscale(self, v):\n        return v / 2\n    def adjust(self, f):\n        return f\n"
    "result = [Own().scale(x(2)), Own().unscale(x(2))]",
    "net = filled(nn.Dense(3, 2))\noptimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)\n"
    "step = ms.amp.build_train_network(net, optimizer, nn.MSELoss(), level='O0')\n"
    "step.set_train()\nresult = [step(x(4, 3), x(4, 2)), *[p + 0 for p in net.trainable_params()]]",
    gradient=False,
    because="steps of optimisers have no gradient",
)
refused(
    "ms.amp.LossScaler()",
    "ms.amp.build_train_network(3, 4)",
    "ms.amp.build_train_network(nn.Dense(2, 2), nn.SGD(nn.Dense(2, 2).trainable_params()), "
    "level='O9')",
)
