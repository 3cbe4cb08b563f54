"""Six more training scripts, of other habits: rates set by hand, groups by depth, sums over counts."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def layered(net):
    """A rate for each depth, no decay of vectors, warm-up and cosine set by hand."""
    depth = {"embed": 2, "norm": 2, "hidden": 1, "head": 0}
    groups = []
    for name, p in net.named_parameters():
        rate = 1e-2 * 0.5 ** depth[name.split(".")[0]]
        groups.append({"params": [p], "lr": rate, "weight_decay": 0.1 if p.ndim > 1 else 0.0})
    optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    bases = [group["lr"] for group in optimizer.param_groups]
    done = 0

    def factor(k):
        if k < 3:
            return (k + 1) / 3
        return 0.1 + 0.9 * 0.5 * (1.0 + math.cos(math.pi * (k - 3) / 12))

    def step(x, y):
        nonlocal done
        for group, base in zip(optimizer.param_groups, bases):
            group["lr"] = base * factor(done)
        done += 1
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y.long())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.2)
        optimizer.step()
        return loss.item()

    return step


def segments(net):
    """Weights, smoothing and a class that does not count; Nesterov; a rate that falls as a power."""
    weights = torch.tensor([0.5, 1.0, 2.0, 1.5, 1.0])
    matrices = [p for p in net.parameters() if p.ndim > 1]
    vectors = [p for p in net.parameters() if p.ndim == 1]
    optimizer = torch.optim.SGD(
        [{"params": matrices, "weight_decay": 0.02}, {"params": vectors, "weight_decay": 0.0}],
        lr=0.05,
        momentum=0.9,
        nesterov=True,
    )
    poly = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: (1.0 - k / 20) ** 0.9)

    def step(images, labels):
        logits = net(images)
        loss = F.cross_entropy(
            logits, labels.long(), weight=weights, ignore_index=4, label_smoothing=0.05
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        poly.step()
        return loss

    return step


class Gathering:
    """Three batches for a step, with a loss scale, clipped by value."""

    def __init__(self, net):
        self.net, self.count, self.scale = net, 3, 256.0
        self.optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
        self.optimizer.zero_grad()
        self.seen = 0

    def __call__(self, x, y):
        loss = F.cross_entropy(self.net(x), y.long())
        (loss / self.count * self.scale).backward()
        self.seen += 1
        if self.seen % self.count == 0:
            for p in self.net.parameters():
                p.grad /= self.scale
            torch.nn.utils.clip_grad_value_(self.net.parameters(), 0.01)
            self.optimizer.step()
            self.optimizer.zero_grad()
        return loss.detach()


def gathered(net):
    return Gathering(net)


def teacher(net):
    """A mean teacher, whose decay begins low; squares summed over the batch's size."""
    held = {k: p.detach().clone() for k, p in net.named_parameters()}
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3, betas=(0.8, 0.99))
    count = 0

    def step(x, wanted):
        nonlocal count
        optimizer.zero_grad()
        p = torch.sigmoid(net(x))
        loss = F.mse_loss(p, wanted, reduction="sum") / x.shape[0]
        loss.backward()
        optimizer.step()
        decay = min(0.4, (1 + count) / (10 + count))
        for k, p in net.named_parameters():
            held[k] = decay * held[k] + (1.0 - decay) * p.detach()
        count += 1
        return loss

    return {"step": step, "average": lambda: held}


def quick(net, batches):
    """The whole loop: a rate that grows and then falls as the root, Huber's loss, L2."""
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02, weight_decay=1e-2)
    warm = 4
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: min((k + 1) / warm, (warm / (k + 1)) ** 0.5)
    )
    for _ in range(3):
        net.train()
        for x, wanted in batches:
            loss = F.huber_loss(net(x), wanted, delta=0.5)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            rate.step()


def slow(net):
    """Momentum whose new part is dampened, an exponential rate each epoch of four."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.8, dampening=0.8)
    rate = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.7)
    loss_of = nn.NLLLoss()

    def step(x, y):
        net.train()
        optimizer.zero_grad()
        loss = loss_of(F.log_softmax(net(x), dim=-1), y.long())
        loss.backward()
        optimizer.step()
        return loss

    return {"step": step, "epoch": rate.step}
