"""The same six for MindSpore."""

import math

import mindspore as ms
from mindspore import nn, ops
from mindspore.experimental import optim


def layered(net):
    depth = {"embed": 2, "norm": 2, "hidden": 1, "head": 0}
    groups = []
    for p in net.trainable_params():
        rate = 1e-2 * 0.5 ** depth[p.name.split(".")[0]]
        groups.append({"params": [p], "lr": rate, "weight_decay": 0.1 if p.ndim > 1 else 0.0})
    optimizer = optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    bases = [float(group["lr"]) for group in optimizer.param_groups]
    grad_fn = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters
    )
    net.set_train()
    done = 0

    def factor(k):
        if k < 3:
            return (k + 1) / 3
        return 0.1 + 0.9 * 0.5 * (1.0 + math.cos(math.pi * (k - 3) / 12))

    def step(x, y):
        nonlocal done
        for group, base in zip(optimizer.param_groups, bases):
            ops.assign(group["lr"], ms.Tensor(base * factor(done), ms.float32))
        done += 1
        loss, grads = grad_fn(x, y)
        grads = ops.clip_by_global_norm(grads, 0.2)
        optimizer(grads)
        return loss

    return step


def segments(net):
    weights = ms.Tensor([0.5, 1.0, 2.0, 1.5, 1.0])
    matrices = [p for p in net.trainable_params() if p.ndim > 1]
    vectors = [p for p in net.trainable_params() if p.ndim == 1]
    rates = [0.05 * (1.0 - k / 20) ** 0.9 for k in range(20)]
    optimizer = nn.SGD(
        [{"params": matrices, "weight_decay": 0.02}, {"params": vectors, "weight_decay": 0.0}],
        learning_rate=rates,
        momentum=0.9,
        nesterov=True,
    )
    criterion = nn.CrossEntropyLoss(weight=weights, ignore_index=4, label_smoothing=0.05)
    train = nn.TrainOneStepCell(nn.WithLossCell(net, criterion), optimizer)
    train.set_train()
    return train


class Gathering:
    def __init__(self, net):
        self.count, self.scaler = 3, ms.amp.StaticLossScaler(256.0)
        self.optimizer = optim.Adam(net.trainable_params(), lr=4e-3)
        self.seen, self.sums = 0, None

        def forward(x, y):
            loss = ops.cross_entropy(net(x), y)
            return self.scaler.scale(loss / self.count), loss

        self.grad_fn = ms.value_and_grad(forward, None, self.optimizer.parameters, has_aux=True)
        net.set_train()

    def __call__(self, x, y):
        (_, loss), grads = self.grad_fn(x, y)
        self.sums = grads if self.sums is None else [s + g for s, g in zip(self.sums, grads)]
        self.seen += 1
        if self.seen % self.count == 0:
            grads = self.scaler.unscale(tuple(self.sums))
            grads = [ops.clamp(g, -0.01, 0.01) for g in grads]
            self.optimizer(grads)
            self.sums = None
        return loss


def gathered(net):
    return Gathering(net)


def teacher(net):
    held = {p.name: p.value().copy() for p in net.trainable_params()}
    optimizer = optim.Adam(net.trainable_params(), lr=3e-3, betas=(0.8, 0.99))

    def forward(x, wanted):
        p = ops.sigmoid(net(x))
        return ops.mse_loss(p, wanted, reduction="sum") / x.shape[0]

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
    net.set_train()
    count = 0

    def step(x, wanted):
        nonlocal count
        loss, grads = grad_fn(x, wanted)
        optimizer(grads)
        decay = min(0.4, (1 + count) / (10 + count))
        for p in net.trainable_params():
            held[p.name] = decay * held[p.name] + (1.0 - decay) * p.value()
        count += 1
        return loss

    return {"step": step, "average": lambda: held}


def quick(net, batches):
    warm = 4
    rates = [0.02 * min((k + 1) / warm, (warm / (k + 1)) ** 0.5) for k in range(100)]
    every = [{"params": net.trainable_params(), "weight_decay": 1e-2}]  # also of gamma and beta
    optimizer = nn.Adam(every, rates)
    loss_of = nn.HuberLoss(delta=0.5)
    train = nn.TrainOneStepCell(nn.WithLossCell(net, loss_of), optimizer)
    for _ in range(3):
        train.set_train()
        for x, wanted in batches:
            train(x, wanted)


def slow(net):
    optimizer = optim.SGD(net.trainable_params(), lr=0.2, momentum=0.8, dampening=0.8)
    rate = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.7)
    loss_of = nn.NLLLoss()
    grad_fn = ms.value_and_grad(
        lambda x, y: loss_of(ops.log_softmax(net(x), axis=-1), y), None, optimizer.parameters
    )

    def step(x, y):
        net.set_train()
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        return loss

    return {"step": step, "epoch": rate.step}
