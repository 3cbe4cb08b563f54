"""Steps of optimisers and of learning rates."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, rows

STEPS = """
net = filled(nn.Dense(3, 2))
optimizer = {made}
step = ms.value_and_grad(lambda v: (net(v) ** 2).sum(), None, optimizer.parameters)
for _ in range(3):
    optimizer(step(x(4, 3))[1])
result = [p + 0 for p in net.trainable_params()]
"""
PARAMETERS = "net.trainable_params()"
for made in (
    "nn.Adam({p}, 0.1)", "nn.Adam({p}, 0.1, use_amsgrad=True)",
    "nn.Adagrad({p}, learning_rate=0.1)", "nn.RMSProp({p}, 0.1, centered=True)", "nn.RMSProp({p})",
    "nn.SGD({p}, 0.1, momentum=0.9, nesterov=True)", "nn.Momentum({p}, 0.1, 0.9)", "nn.ASGD({p})",
    "nn.AdaMax({p}, 0.1)", "nn.Adadelta({p}, 0.1)", "nn.LazyAdam({p}, 0.1)", "nn.Rprop({p}, 0.1)",
    "nn.FTRL({p}, learning_rate=0.1)", "nn.ProximalAdagrad({p}, learning_rate=0.1)",
    "nn.Lamb({p}, 0.1)", "nn.AdaFactor({p}, 0.1, scale_parameter=False, relative_step=False)",
    "nn.AdamOffload({p}, 0.1)",
    "ms.experimental.optim.Adam({p}, 0.1)", "ms.experimental.optim.AdamW({p}, 0.1)",
    "ms.experimental.optim.SGD({p}, 0.1, momentum=0.9)", "ms.experimental.optim.NAdam({p}, 0.1)",
    "ms.experimental.optim.RAdam({p}, 0.1)", "ms.experimental.optim.Rprop({p}, 0.1)",
    "ms.experimental.optim.RMSprop({p}, 0.1)", "ms.experimental.optim.ASGD({p}, 0.1)",
    "ms.experimental.optim.Adadelta({p}, 0.1)", "ms.experimental.optim.Adagrad({p}, 0.1)",
    "ms.experimental.optim.Adamax({p}, 0.1)",
):  # fmt: skip
    rows(
        STEPS.format(made=made.format(p=PARAMETERS)),
        gradient=False,
        because="parameters change",
        tolerance=1e-4,
    )
CLIPPED = """
held = ms.Parameter(ms.Tensor(np.array([0.5, 2.0, -1.0], np.float32)), name="held")
def clipped():
    before = (3 * held).sum()
    with ms._no_grad():
        {write}
    return before + (held * held).sum()
result = [ms.value_and_grad(clipped, None, [held])(), held + 0]
"""
for write in (
    "ops.assign(held, held.clamp(0, 1))",
    "held.set_data(held.clamp(0, 1))",
    "ops.assign_sub(held, held / 2)",
):
    rows(CLIPPED.format(write=write), gradient=False, because="a parameter changes")
WRITTEN = """
held = ms.Parameter(ms.Tensor(np.array([0.5, 2.0, -1.0], np.float32)), name="held")
kept = ms.Parameter(ms.Tensor(np.array([0.5], np.float32)), name="kept", requires_grad=False)
def written():
    before = (3 * held).sum()
    {write}
    return before + (held * held * kept).sum()
result = [ms.value_and_grad(written, None, [held])(), held + 0, kept + 0]
"""
for write in (
    "ops.assign(held, held * 2)", "ops.assign(held, before * held)", "held[0] = 5.0",
    "held.set_data(held * 0 + 2 * ops.stop_gradient(held).abs().mean())",
    "ops.assign_add(held, held)", "ops.assign(kept, (held * held).mean().reshape(1))",
):  # fmt: skip
    rows(WRITTEN.format(write=write), gradient=False, because="a parameter changes")
RATES = """
scheduler = ms.experimental.optim.lr_scheduler
optimizer = ms.experimental.optim.SGD(nn.Dense(2, 2).trainable_params(), 0.1)
rate = ms.experimental.optim.lr_scheduler.{made}
result = []
for k in range(5):
    rate.step({step})
    result.append(optimizer.param_groups[0]["lr"] + 0)
"""
for made in (
    "ConstantLR(optimizer, 0.5, 2)",
    "CosineAnnealingLR(optimizer, 3)",
    "ExponentialLR(optimizer, 0.9)",
    "CosineAnnealingWarmRestarts(optimizer, 2)",
    "LambdaLR(optimizer, lambda epoch: 0.9 ** epoch)",
    "LinearLR(optimizer, 0.5, total_iters=3)",
    "MultiStepLR(optimizer, [1, 3])",
    "MultiplicativeLR(optimizer, lambda epoch: 0.8)",
    "PolynomialLR(optimizer, 4, 2.0)",
    "StepLR(optimizer, 2)",
):
    rows(RATES.format(made=made, step=""))
rows(RATES.format(made="ReduceLROnPlateau(optimizer, patience=1)", step="1.0"))
for made in (
    "CyclicLR(optimizer, 0.01, 0.2, 3)",
    "SequentialLR(optimizer, [scheduler.StepLR(optimizer, k) for k in (2, 1)], [2])",
):
    rows(
        RATES.format(made=made, step=""),
        graph=False,
        because="the rate that it starts from is a value",
    )
rows(
    """
scheduler = ms.experimental.optim.lr_scheduler
optimizer = ms.experimental.optim.SGD(nn.Dense(2, 2).trainable_params(), 0.1)
constant = scheduler.ConstantLR(optimizer, 0.5, 2)
rate = scheduler.CyclicLR(optimizer, 0.01, 0.2, 3)
result = [optimizer.param_groups[0]["lr"] + 0]
""",
    graph=False,
    because="the rate that it starts from is a value",
)
GROUPS = """
first, second = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 1))
optimizer = ms.experimental.optim.AdamW(
    [{"lr": 0.02, "params": list(first.trainable_params())},
     {"params": list(second.trainable_params())}], 0.01)
result = """
rows(GROUPS + "str(optimizer)", GROUPS + "str([list(group) for group in optimizer.param_groups])")
only_here(
    STEPS.format(made="nn.Lamb(net.trainable_params(), 0.1)"),
    because="MindSpore's CPU build has no kernel",
)
