"""Ten training scripts as people write them in PyTorch."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def momentum(net):
    """SGD with momentum, a rate that falls each epoch."""
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)

    def step(images, labels):
        optimizer.zero_grad()
        loss = criterion(net(images), labels.long())
        loss.backward()
        optimizer.step()
        return loss.item()

    return {"step": step, "epoch": scheduler.step}


def adamw(net):
    """AdamW without decay of norms and biases, a linear warm-up, clipping by the global norm."""
    decayed = [p for p in net.parameters() if p.ndim > 1]
    others = [p for p in net.parameters() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=2e-3, betas=(0.9, 0.98))
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min((k + 1) / 4, 1.0))

    def step(x, y):
        loss = F.cross_entropy(net(x), y.long())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.05)
        optimizer.step()
        warm.step()
        return loss

    return step


def scaled(net):
    """Adam with a loss scale, clipped behind unscaling."""
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    scale = 1024.0

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y.long())
        (loss * scale).backward()
        for p in net.parameters():
            p.grad.div_(scale)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()
        return loss

    return step


class Accumulating:
    """Steps behind two batches, and behind what is left of an epoch."""

    def __init__(self, net, count=2):
        self.net, self.count, self.seen = net, count, 0
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.2)

    def step(self, x, y):
        loss = F.cross_entropy(self.net(x), y.long())
        (loss / self.count).backward()
        self.seen += 1
        if self.seen % self.count == 0:
            self.update()
        return loss

    def update(self):
        self.optimizer.step()
        self.optimizer.zero_grad()

    def end_of_epoch(self):
        self.seen = 0


def accumulated(net):
    trainer = Accumulating(net)
    return {"step": trainer.step, "epoch": trainer.end_of_epoch}


def accumulated_rest(net):
    """Also with what is left over at the end of each five batches."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    state = {"n": 0}

    def step(x, y):
        loss = F.cross_entropy(net(x), y.long()) / 2
        loss.backward()
        state["n"] += 1
        last = state["n"] % 5 == 0
        if state["n"] % 5 in (2, 4) or last:
            optimizer.step()
            optimizer.zero_grad()
        return loss.item() * 2

    return step


def rmsprop(net):
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3, alpha=0.95, momentum=0.5)
    mse = nn.MSELoss()

    def step(x, target):
        optimizer.zero_grad()
        loss = mse(net(x), target)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


class Ema:
    def __init__(self, net, decay=0.9):
        self.net, self.decay = net, decay
        self.shadow = {k: p.detach().clone() for k, p in net.named_parameters()}

    def update(self):
        for k, p in self.net.named_parameters():
            self.shadow[k].mul_(self.decay).add_(p.detach(), alpha=1 - self.decay)


def averaged(net):
    """Nesterov's momentum, a moving average of the weights."""
    ema = Ema(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9, nesterov=True)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y.long())
        loss.backward()
        optimizer.step()
        ema.update()
        return loss

    return {"step": step, "average": lambda: ema.shadow}


def cosine(net, batches):
    """The whole loop, with a cosine over its steps."""
    epochs = 5
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    total = epochs * len(batches)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: 0.5 * (1 + math.cos(math.pi * k / total))
    )
    criterion = nn.CrossEntropyLoss()
    for _ in range(epochs):
        net.train()
        for x, y in batches:
            optimizer.zero_grad()
            loss = criterion(net(x), y.long())
            loss.backward()
            optimizer.step()
            scheduler.step()


def labels(net):
    """Many labels of each image, Adagrad, a head that learns faster, a stem that is frozen."""
    for p in net.embed.parameters():
        p.requires_grad = False
    rest = [p for k, p in net.named_parameters() if p.requires_grad and "head" not in k]
    groups = [{"params": rest}, {"params": net.head.parameters(), "lr": 0.1}]
    optimizer = torch.optim.Adagrad(groups, lr=0.01)
    criterion = nn.BCEWithLogitsLoss()

    def step(x, y):
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def weighted(net):
    """Weights of classes, a class that is ignored, gradients clipped by value, milestones."""
    weight = torch.tensor([1.0, 2.0, 0.5, 1.0, 1.5])
    criterion = nn.CrossEntropyLoss(weight=weight, ignore_index=3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[4, 8], gamma=0.5)

    def step(x, y):
        optimizer.zero_grad()
        loss = criterion(net(x), y.long())
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 0.02)
        optimizer.step()
        scheduler.step()
        return loss

    return step


def smoothed(net):
    """Label smoothing, amsgrad, an exponential rate per step."""
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=1e-2, amsgrad=True)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y.long(), label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        scheduler.step()
        return loss

    return step
