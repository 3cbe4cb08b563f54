"""Mixed precision and loss scales in a Model, and the steps that users make themselves."""

from __future__ import annotations

import re

from msconvert.tests.runtime.train.table import differs, refused, rows

CONVOLVED = """
net, seen = Small(), Losses()
labels = np.arange(8, dtype=np.int32) % 3
data = ds.NumpySlicesDataset((values(8, 1, 6, 6), labels), ["x", "y"], shuffle=False).batch(4)
m = train.Model(net, loss(), momentum(net, 0.05{scale}), {"acc", "loss"}, {options})
m.train(2, data, callbacks=seen)
result = [seen.seen, sorted({str(p.dtype) for p in net.get_parameters()}), m.eval(data)["loss"]]
"""


def job(options: str) -> str:
    """The job with these options; the optimizer divides by the loss scale."""
    found = re.search(r"Manager\(([\d.]+)", options)
    scale = "" if found is None else f", {found[1]}"
    return CONVOLVED.replace("{options}", options).replace("{scale}", scale)


HALF = 2e-3
"""What float16 can tell apart, after four steps."""

rows(
    *[
        job(options)
        for options in (
            "amp_level='auto'",
            "amp_level='O1'",
            "amp_level='O2', loss_scale_manager=None",
            "amp_level='O2', loss_scale_manager=ms.FixedLossScaleManager(64.0, False)",
            "amp_level='O2', loss_scale_manager=None, keep_batchnorm_fp32=False",
            "amp_level='O3'",
            "amp_level='O3', keep_batchnorm_fp32=True",
        )
    ],
    tolerance=HALF,
)
rows(
    *[
        job(options)
        for options in (
            "amp_level='O0'",
            "loss_scale_manager=ms.FixedLossScaleManager(1024.0, False)",
            "loss_scale_manager=None, keep_batchnorm_fp32=False",
            "amp_level='O0', loss_scale_manager=train.FixedLossScaleManager(8.0, False)",
        )
    ],
    """
    net = Net()
    step = train.build_train_network(net, momentum(net, 0.1, 16.0), loss(), level="O0",
                                     loss_scale_manager=ms.FixedLossScaleManager(16.0, False))
    seen = Losses()
    train.Model(step).train(2, batches(), callbacks=seen)
    result = [seen.seen, type(step).__name__]
    """,
    """
    net = Net()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss()), momentum(net), sens=0.5)
    step.set_train()
    seen = Losses()
    train.Model(step).train(2, batches(), callbacks=seen)
    result = seen.seen
    """,
    """
    net = Net()
    class Step(nn.Cell):
        def __init__(self, net):
            super().__init__(auto_prefix=False)
            self.net = nn.WithLossCell(net, loss())
            self.optimizer = momentum(net)
            self.grad = ms.value_and_grad(self.net, None, self.optimizer.parameters)
        def construct(self, x, label):
            y, gradients = self.grad(x, label)
            return ops.depend(y, self.optimizer(ops.clip_by_global_norm(gradients, 0.1)))
    seen = Losses()
    train.Model(Step(net).set_train()).train(2, batches(), callbacks=seen)
    result = seen.seen
    """,
    """
    net = Net()
    class Accumulating(nn.Cell):
        def __init__(self, net, every):
            super().__init__(auto_prefix=False)
            self.net = nn.WithLossCell(net, loss())
            self.optimizer = momentum(net)
            self.kept = self.optimizer.parameters.clone(prefix="kept", init="zeros")
            self.grad = ms.value_and_grad(self.net, None, self.optimizer.parameters)
            self.every = every
        def construct(self, x, label):
            y, gradients = self.grad(x, label)
            for kept, g in zip(self.kept, gradients):
                ops.assign_add(kept, g / self.every)
            return y
    class Steps(train.Callback):
        def on_train_step_end(self, run_context):
            step = run_context.original_args().train_network
            if run_context.original_args().cur_step_num % step.every == 0:
                step.optimizer(tuple(p.value() for p in step.kept))
                for p in step.kept:
                    p.set_data(Tensor(np.zeros(p.shape, np.float32)))
    seen = Losses()
    train.Model(Accumulating(net, 2).set_train()).train(2, batches(16), callbacks=[seen, Steps()])
    result = seen.seen
    """,
    """
    net, seen = Net(), Losses()
    step = nn.MicroBatchInterleaved(nn.WithLossCell(net, loss()), 2)
    train.Model(step, optimizer=momentum(net)).train(2, batches(), callbacks=seen)
    result = seen.seen
    """,
    """
    m = ms.DynamicLossScaleManager(8.0, 2, 2)
    result = []
    for overflow in (False, False, True, False, False, True, True, True, True):
        m.update_loss_scale(overflow)
        result.append(m.get_loss_scale())
    """,
    "result = [ms.FixedLossScaleManager(4).get_drop_overflow_update(), "
    "issubclass(ms.DynamicLossScaleManager, train.LossScaleManager)]",
    tolerance=1e-5,
)

refused(
    *[
        f"model({options})"
        for options in (
            "amp_level='O2'",
            "loss_scale_manager=ms.FixedLossScaleManager()",
            "loss_scale_manager=ms.DynamicLossScaleManager()",
            "loss_scale_manager=64.0",
            "amp_level=2",
            "amp_level='o1'",
            "keep_batchnorm_fp32='yes'",
        )
    ],
    "train.build_train_network(Net(), 1, loss())",
    "train.build_train_network(Net(), momentum(Net()), loss(), 'O4')",
    "train.build_train_network(Net(), momentum(Net()), loss(), scale=1)",
    "train.build_train_network(Net(), momentum(Net()), 1)",
    modes=("pynative",),
)

NO_KERNEL = "MindSpore's CPU build has no kernel that tells an overflow"
SCALED = """
def losses(scale):
    net, seen = Net(), Losses()
    step = nn.WithLossCell(net, loss())
    kind = nn.TrainOneStepCell if scale is None else nn.TrainOneStepWithLossScaleCell
    step = kind(step, momentum(net), *([] if scale is None else [scale])).set_train()
    train.Model(step).train(2, batches(), callbacks=[seen])
    return seen.seen
result = np.allclose(losses({scale}), losses(None), atol=1e-6)
"""
for scale in (
    "nn.FixedLossScaleUpdateCell(64.0)", "nn.DynamicLossScaleUpdateCell(4.0, 2, 3)",
    "Tensor(np.float32(8.0))", "Tensor(np.ones(1, np.float32))",
):  # fmt: skip
    differs(
        SCALED.replace("{scale}", scale), here={"error": None, "result": True}, because=NO_KERNEL
    )
differs(
    """
    net = Net()
    scale = nn.DynamicLossScaleUpdateCell(4.0, 2, 3)
    step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss()), momentum(net), scale)
    class Scales(train.Callback):
        def on_train_step_end(self, run_context):
            y, overflow, scale = run_context.original_args().net_outputs
            seen.append([bool(overflow.asnumpy()), float(scale.asnumpy())])
    seen = []
    train.Model(step.set_train()).train(2, batches(), callbacks=Scales())
    result = seen
    """,
    here={"error": None, "result": [[False, scale] for scale in (4.0, 4.0, 4.0, 8.0, 8.0, 8.0)]},
    because=NO_KERNEL,
)
differs(
    """
    def losses(kind):
        net, seen = Net(), Losses()
        step = kind(nn.WithLossCell(net, loss()), 2)
        train.Model(step, optimizer=momentum(net)).train(2, batches(), callbacks=seen)
        return seen.seen
    result = losses(nn.GradAccumulationCell) == losses(nn.MicroBatchInterleaved)
    """,
    here={"result": True},
    because="in one process MindSpore's step adds the gradients up and never uses them",
)
differs(
    job("boost_level='O1'") + "\nresult = type(m.train_network).__name__",
    here={"error": None, "result": "TrainOneStepCell"},
    because="MindSpore's boosted step gives no loss on the CPU",
)
