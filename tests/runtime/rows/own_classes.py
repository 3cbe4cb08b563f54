"""Classes of users derived from MindSpore's bases, and primitives that no other family is about."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

INITIALIZER = """
class Ramp(ms.common.initializer.Initializer):
    def __init__(self, scale=1.0):
        super().__init__(scale=scale)
        self.scale = scale
    def _initialize(self, arr):
        arr[:] = self.scale * np.arange(arr.size).reshape(arr.shape)
made = ms.common.initializer.initializer
"""
rows(
    f"{INITIALIZER}\nresult = made(Ramp(), (2, 3), ms.float32)",
    f"{INITIALIZER}\nresult = made(Ramp(0.5), [4], ms.float16)",
    f"{INITIALIZER}\nresult = nn.Dense(3, 2, weight_init=Ramp(), bias_init=Ramp(2.0))(x(2, 3))",
    f"{INITIALIZER}\nresult = ms.Parameter(made(Ramp(), (2, 2)), name='w') + 0",
    f"{INITIALIZER}\nresult = nn.Conv2d(2, 2, 1, weight_init=Ramp())(x(1, 2, 3, 3))",
    f"{INITIALIZER}\nresult = isinstance(Ramp(), ms.common.initializer.Initializer)",
    f"{INITIALIZER}\nresult = [str(Ramp(3.0).scale), made(Ramp(), (2,)).dtype]",
)
refused(f"{INITIALIZER}\nresult = made(Ramp(), (-1,))", f"{INITIALIZER}\nresult = made(Ramp, (2,))")

OPTIMIZER = """
optim = ms.experimental.optim
class Own(ms.experimental.optim.Optimizer):
    def __init__(self, params, lr=0.1, factor=2.0):
        super().__init__(params, dict(lr=lr, factor=factor))
    def construct(self, gradients):
        for k, group in enumerate(self.param_groups):
            for i, param in enumerate(group['params']):
                g = gradients[self.group_start_id[k] + i]
                ops.assign_sub(param, group['lr'] * group['factor'] * g)
        return True
net = filled(nn.Dense(3, 2))
"""
STEPS = """
step = ms.value_and_grad(lambda v: (net(v) ** 2).sum(), None, optimizer.parameters)
for _ in range(2):
    optimizer(step(x(4, 3))[1])
result = [p + 0 for p in net.trainable_params()]
"""
rows(
    f"{OPTIMIZER}\noptimizer = Own(net.trainable_params(), 0.01)\n{STEPS}",
    f"{OPTIMIZER}\noptimizer = Own([{{'params': [net.weight], 'lr': 0.02}}, "
    f"{{'params': [net.bias], 'factor': 1.0}}])\n{STEPS}",
    gradient=False,
    because="steps of optimisers have no gradient",
)
SCHEDULER = """
optim = ms.experimental.optim
class Third(ms.experimental.optim.lr_scheduler.LRScheduler):
    def get_lr(self):
        return [group['lr'] * 0.5 for group in self.optimizer.param_groups]
net = nn.Dense(3, 2)
optimizer = optim.SGD(net.trainable_params(), 0.8)
"""
rows(
    f"{SCHEDULER}\ns = Third(optimizer)\nresult = [float(g['lr']) for g in optimizer.param_groups]",
    f"{SCHEDULER}\ns = Third(optimizer)\ns.step()\ns.step()\n"
    "result = [float(g['lr']) for g in optimizer.param_groups]",
    f"{SCHEDULER}\ns = Third(optimizer)\ns.step()\nresult = [float(v) for v in s.get_last_lr()]",
    graph=False,
    because="rates are moved while Python runs",
)
METRIC = """
class Mean(ms.train.Metric):
    def __init__(self):
        super().__init__()
        self.clear()
    def clear(self):
        self.total, self.count = 0.0, 0
    def update(self, *inputs):
        self.total += float(inputs[0].sum())
        self.count += inputs[0].size
    def eval(self):
        return self.total / self.count
m = Mean()
m.update(np.arange(4.0))
m.update(np.ones(2))
"""
rows(
    f"{METRIC}\nresult = m.eval()", f"{METRIC}\nm.clear()\nm.update(np.ones(3))\nresult = m.eval()"
)

# primitives
rows(
    "ops.Median(False, 1)(x(3, 5))",
    "ops.Median(True)(x(3, 5))[0]",
    "ops.Median(False, 0, True)(x(3, 5))",
    "ops.TransposeExtView()(x(2, 3), 0, 1)",
    "P.HookBackward(lambda g: g[0] * 2)(x(3))",
    "ms.grad(lambda v: (P.HookBackward(lambda g: g[0] * 3)(v) ** 2).sum())(x(3))",
)
rows(
    "ms.RowTensor is not None",
    "ms.SparseTensor is not None",
    "[type(P.ScalarSummary()).__name__, type(P.TensorSummary()).__name__, "
    "type(P.ImageSummary()).__name__, type(P.HistogramSummary()).__name__]",
    "v = ms.Parameter(x(3, 2) * 1, name='v')\n"
    "result = P.InplaceIndexAdd(0)(v, ms.Tensor([0, 2], ms.int32), x(2, 2, seed=1)) + 0",
    "v = ms.Parameter(x(2, 3) * 1, name='v')\n"
    "result = P.InplaceIndexAdd(axis=1)(v, ms.Tensor([1], ms.int32), x(2, 1, seed=1)) + 0",
    gradient=False,
    because="a parameter changes",
)
refused(
    "P.InplaceIndexAdd('a')",
    "P.InplaceIndexAdd(5)(ms.Parameter(x(3, 2), name='v'), ms.Tensor([0], ms.int32), x(1, 2))",
    "P.HookBackward(3)",
)
