"""The same for MindSpore, as people write them there."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.experimental import optim


def momentum(net):
    criterion = nn.CrossEntropyLoss()
    rates = [0.1 * 0.1 ** (k // 4) for k in range(100)]
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=rates, momentum=0.9)
    one_step = nn.TrainOneStepCell(nn.WithLossCell(net, criterion), optimizer)
    one_step.set_train()
    return one_step


def adamw(net):
    decayed = [p for p in net.trainable_params() if p.ndim > 1]
    others = [p for p in net.trainable_params() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    optimizer = optim.AdamW(groups, lr=2e-3, betas=(0.9, 0.98))
    warm = optim.lr_scheduler.LambdaLR(optimizer, lambda k: min((k + 1) / 4, 1.0))

    def forward(x, y):
        return ops.cross_entropy(net(x), y)

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
    net.set_train()

    def step(x, y):
        loss, grads = grad_fn(x, y)
        grads = ops.clip_by_global_norm(grads, 0.05)
        optimizer(grads)
        warm.step()
        return loss

    return step


def scaled(net):
    optimizer = optim.Adam(net.trainable_params(), lr=1e-2)
    scale = 1024.0

    def forward(x, y):
        loss = ops.cross_entropy(net(x), y)
        return loss * scale

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
    net.set_train()

    def step(x, y):
        loss, grads = grad_fn(x, y)
        grads = [g / scale for g in grads]
        grads = ops.clip_by_global_norm(grads, 0.1)
        optimizer(grads)
        return loss / scale

    return step


class Accumulator:
    def __init__(self, net, count=2):
        self.count, self.seen = count, 0
        self.optimizer = nn.SGD(net.trainable_params(), 0.2)
        self.held = None
        self.grad_fn = ms.value_and_grad(
            lambda x, y: ops.cross_entropy(net(x), y), None, self.optimizer.parameters
        )

    def step(self, x, y):
        loss, grads = self.grad_fn(x, y)
        grads = [g / self.count for g in grads]
        if self.held is not None:
            grads = [h + g for h, g in zip(self.held, grads)]
        self.held = grads
        self.seen += 1
        if self.seen % self.count == 0:
            self.optimizer(tuple(self.held))
            self.held = None
        return loss


def accumulated(net):
    net.set_train()
    return Accumulator(net).step


def accumulated_rest(net):
    optimizer = nn.SGD(net.trainable_params(), 0.2)
    grad_fn = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters
    )
    net.set_train()
    state = {"n": 0, "held": None}

    def step(x, y):
        loss, grads = grad_fn(x, y)
        grads = [g / 2 for g in grads]
        if state["held"] is not None:
            grads = [h + g for h, g in zip(state["held"], grads)]
        state["held"] = grads
        state["n"] += 1
        last = state["n"] % 5 == 0
        if state["n"] % 5 in (2, 4) or last:
            optimizer(tuple(grads))
            state["held"] = None
        return loss

    return step


def rmsprop(net):
    optimizer = optim.RMSprop(net.trainable_params(), lr=1e-3, alpha=0.95, momentum=0.5)
    mse = nn.MSELoss()
    grad_fn = ms.value_and_grad(lambda x, t: mse(net(x), t), None, optimizer.parameters)

    def step(x, target):
        net.set_train()
        loss, grads = grad_fn(x, target)
        optimizer(grads)
        return loss

    return step


class Ema:
    def __init__(self, net, decay=0.9):
        self.params, self.decay = net.trainable_params(), decay
        self.shadow = {p.name: ms.Tensor(p.asnumpy()) for p in self.params}

    def update(self):
        for p in self.params:
            self.shadow[p.name] = self.decay * self.shadow[p.name] + (1 - self.decay) * p.value()


def averaged(net):
    optimizer = optim.SGD(net.trainable_params(), 0.05, momentum=0.9, nesterov=True)
    ema = Ema(net)
    grad_fn = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters
    )
    net.set_train()

    def step(x, y):
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        ema.update()
        return loss

    return {"step": step, "average": lambda: ema.shadow}


def cosine(net, batches):
    epochs = 5
    total = epochs * len(batches)
    schedule = nn.CosineDecayLR(0.0, 0.1, total)
    optimizer = nn.SGD(net.trainable_params(), schedule, momentum=0.9)
    network = nn.WithLossCell(net, nn.CrossEntropyLoss())
    train = nn.TrainOneStepCell(network, optimizer)
    train.set_train()
    for _ in range(epochs):
        for x, y in batches:
            train(x, y)


def labels(net):
    for p in net.embed.get_parameters():
        p.requires_grad = False
    rest = [p for p in net.trainable_params() if "head" not in p.name]
    head = [p for p in net.trainable_params() if "head" in p.name]
    groups = [{"params": rest}, {"params": head, "lr": 0.1}]
    optimizer = optim.Adagrad(groups, lr=0.01)
    criterion = nn.BCEWithLogitsLoss()
    grad_fn = ms.value_and_grad(lambda x, y: criterion(net(x), y), None, optimizer.parameters)

    def step(x, y):
        net.set_train(True)
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        return loss

    return step


def weighted(net):
    weight = ms.Tensor([1.0, 2.0, 0.5, 1.0, 1.5])
    criterion = nn.CrossEntropyLoss(weight=weight, ignore_index=3)
    rates = nn.piecewise_constant_lr([4, 8, 100], [0.1, 0.05, 0.025])
    optimizer = nn.SGD(net.trainable_params(), rates)
    grad_fn = ms.value_and_grad(lambda x, y: criterion(net(x), y), None, optimizer.parameters)
    net.set_train()

    def step(x, y):
        loss, grads = grad_fn(x, y)
        grads = ops.clip_by_value(grads, -0.02, 0.02)
        optimizer(grads)
        return loss

    return step


def smoothed(net):
    optimizer = optim.Adam(net.trainable_params(), lr=5e-3, weight_decay=1e-2, amsgrad=True)
    scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    grad_fn = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y, label_smoothing=0.1), None, optimizer.parameters
    )

    def step(x, y):
        net.set_train()
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        scheduler.step()
        return loss

    return step
