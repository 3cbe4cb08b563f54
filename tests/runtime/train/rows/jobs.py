"""Whole training jobs as MindSpore's guides have them, on small images."""

from __future__ import annotations

from msconvert.tests.runtime.train.table import rows

RESIDUAL = """
class Block(nn.Cell):
    def __init__(self, width, wider, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(width, wider, 3, stride=stride, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(wider, momentum=0.9, eps=1e-4)
        self.conv2 = nn.Conv2d(wider, wider, 3, pad_mode="same")
        self.bn2 = nn.BatchNorm2d(wider)
        self.down = nn.SequentialCell([nn.Conv2d(width, wider, 1, stride=stride),
                                       nn.BatchNorm2d(wider)]) if stride != 1 else None
        self.relu = nn.ReLU()
    def construct(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + (x if self.down is None else self.down(x)))

class ResNet(nn.Cell):
    def __init__(self, classes=3):
        super().__init__()
        self.stem = nn.SequentialCell(nn.Conv2d(1, 4, 3, pad_mode="same"), nn.BatchNorm2d(4),
                                      nn.ReLU(), nn.MaxPool2d(2, 2))
        self.layers = nn.SequentialCell([Block(4, 4), Block(4, 8, 2)])
        self.end = nn.Dense(8, classes, bias_init="zeros")
        for k, p in enumerate(self.trainable_params()):
            if p.ndim > 1:
                p.set_data(Tensor((values(*p.shape, seed=k) - 0.5) * (1.5 / p.shape[1] ** 0.5)))
    def construct(self, x):
        return self.end(self.layers(self.stem(x)).mean((2, 3)))

def images(count, batch, seed=0):
    labels = np.arange(count, dtype=np.int32) % 3
    x = values(count, 1, 8, 8, seed=seed) * 0.5
    for k in range(count):
        x[k, 0, labels[k] * 2:labels[k] * 2 + 2] += 1.0
    return ds.NumpySlicesDataset((x, labels), ["image", "label"], shuffle=False).batch(
        batch, drop_remainder=True)

class CrossEntropySmooth(nn.LossBase):
    def __init__(self, smooth_factor=0.1, num_classes=3):
        super().__init__()
        self.on = Tensor(1.0 - smooth_factor, ms.float32)
        self.off = Tensor(smooth_factor / (num_classes - 1), ms.float32)
        self.num_classes = num_classes
        self.ce = nn.SoftmaxCrossEntropyWithLogits(sparse=False, reduction="mean")
    def construct(self, logits, label):
        return self.ce(logits, ops.one_hot(label, self.num_classes, self.on, self.off))

def groups(net, decay=1e-4):
    plain_ones = [p for p in net.trainable_params()
                  if any(part in p.name for part in ("beta", "gamma", "bias"))]
    names = {p.name for p in plain_ones}
    decayed = [p for p in net.trainable_params() if p.name not in names]
    return [{"params": decayed, "weight_decay": decay}, {"params": plain_ones},
            {"order_params": net.trainable_params()}]

def warm(steps, warmup, top):
    rates = [top * (n + 1) / warmup if n < warmup else
             top * 0.5 * (1 + np.cos(np.pi * (n - warmup) / (steps - warmup)))
             for n in range(steps)]
    return Tensor(np.array(rates, np.float32))

ms.set_seed(1)
net, seen = ResNet(), Losses()
{job}
"""
WITH_SCALE = """
opt = nn.Momentum(groups(net), warm(12, 3, 0.05), 0.9, loss_scale=1024)
scale = ms.FixedLossScaleManager(1024, drop_overflow_update=False)
m = train.Model(net, CrossEntropySmooth(), opt, {"acc"}, loss_scale_manager=scale)
config = train.CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=2)
m.train(3, images(16, 4), callbacks=[train.LossMonitor(), seen,
                                     train.ModelCheckpoint("resnet", "out", config)],
        dataset_sink_mode=False)
evaluated = train.Model(ResNet(), CrossEntropySmooth(), metrics={"loss"})
ms.load_param_into_net(evaluated._network, ms.load_checkpoint("out/resnet-3_4.ckpt"))
result = [seen.seen, evaluated.eval(images(8, 4, 1)), weights(m.train_network)]
"""
WITH_HALF = """
opt = nn.Momentum(groups(net), warm(8, 2, 0.05), 0.9, loss_scale=128)
scale = ms.FixedLossScaleManager(128, drop_overflow_update=False)
m = train.Model(net, CrossEntropySmooth(), opt, {"loss"}, amp_level="O2", loss_scale_manager=scale,
                keep_batchnorm_fp32=True)
m.fit(2, images(16, 4), images(8, 4, 1), callbacks=[seen])
result = [seen.seen, m.eval(images(8, 4, 1))]
"""
WITH_ADAM = """
opt = nn.AdamWeightDecay(net.trainable_params(), 1e-3, weight_decay=0.05)
m = train.Model(net, nn.CrossEntropyLoss(label_smoothing=0.1), opt,
                {"top": nn.Top1CategoricalAccuracy(), "loss": nn.Loss()})
m.fit(2, images(16, 4), images(8, 4, 1), callbacks=[seen, train.LossMonitor(4)])
result = seen.seen
"""
WITH_LOSS_INSIDE = """
class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net, self.loss = net, CrossEntropySmooth()
    def construct(self, image, label):
        return self.loss(self.net(image), label)
m = train.Model(WithLoss(net), optimizer=nn.SGD(groups(net, 1e-3), 0.05, momentum=0.9),
                eval_network=nn.WithEvalCell(net, CrossEntropySmooth()),
                metrics={"acc": nn.Accuracy(), "loss": nn.Loss()}, eval_indexes=[0, 1, 2])
m.train(2, images(16, 4), callbacks=[seen])
result = [seen.seen, m.eval(images(8, 4, 1))]
"""
ACCUMULATED = """
class Step(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, every):
        super().__init__(network, optimizer)
        self.every = every
        self.kept = optimizer.parameters.clone(prefix="accumulated", init="zeros")
        self.counter = ms.Parameter(Tensor(0, ms.int32), name="counter")
        self.grad = ms.value_and_grad(network, None, optimizer.parameters)
    def construct(self, image, label):
        y, gradients = self.grad(image, label)
        for kept, g in zip(self.kept, gradients):
            ops.assign_add(kept, g / self.every)
        return y

class Every(train.Callback):
    def on_train_step_end(self, run_context):
        step = run_context.original_args().train_network
        if run_context.original_args().cur_step_num % step.every == 0:
            step.optimizer(tuple(kept.value() for kept in step.kept))
            for kept in step.kept:
                kept.set_data(Tensor(np.zeros(kept.shape, np.float32)))
step = Step(nn.WithLossCell(net, loss()), nn.Momentum(net.trainable_params(), 0.05, 0.9), 2)
train.Model(step.set_train()).train(3, images(16, 4), callbacks=[Every(), seen])
result = seen.seen
"""
rows(
    *[
        RESIDUAL.replace("{job}", job)
        for job in (WITH_SCALE, WITH_ADAM, WITH_LOSS_INSIDE, ACCUMULATED)
    ],
    tolerance=2e-4,
)
rows(RESIDUAL.replace("{job}", WITH_HALF), tolerance=5e-3)
