import math
import warnings
from typing import List

import torch
from torch import nn, optim
from torch.optim.lr_scheduler import _LRScheduler, LRScheduler


class WarmupCosineLR(_LRScheduler):
    def __init__(
        self, optimizer, warmup_epochs, max_epochs, warmup_start_lr=0.0, eta_min=0.0, last_epoch=-1
    ):
        self.warmup_epochs = warmup_epochs
        self.max_epochs = max_epochs
        self.warmup_start_lr = warmup_start_lr
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> List[float]:
        if self.last_epoch < self.warmup_epochs:
            return [
                self.warmup_start_lr
                + (base_lr - self.warmup_start_lr) * (self.last_epoch + 1) / self.warmup_epochs
                for base_lr in self.base_lrs
            ]
        progress = (self.last_epoch - self.warmup_epochs) / (self.max_epochs - self.warmup_epochs)
        return [
            self.eta_min + 0.5 * (base_lr - self.eta_min) * (1 + math.cos(math.pi * progress))
            for base_lr in self.base_lrs
        ]


class PolyLR(LRScheduler):
    def __init__(self, optimizer, max_iters, power=0.9, last_epoch=-1, min_lr=1e-6):
        self.power = power
        self.max_iters = max_iters
        self.min_lr = min_lr
        super(PolyLR, self).__init__(optimizer, last_epoch)

    def get_lr(self):
        return [
            max(base_lr * (1 - self.last_epoch / self.max_iters) ** self.power, self.min_lr)
            for base_lr in self.base_lrs
        ]


class NoamLR(_LRScheduler):
    def __init__(self, optimizer, d_model, warmup_steps):
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(optimizer)

    def get_lr(self):
        step = max(1, self._step_count)
        scale = self.d_model**-0.5 * min(step**-0.5, step * self.warmup_steps**-1.5)
        return [base_lr * scale for base_lr in self.base_lrs]


def run(name, make, opt=optim.SGD):
    net = nn.Linear(4, 2)
    net.weight.data = torch.linspace(-1, 1, 8).view(2, 4)
    net.bias.data.zero_()
    optimizer = opt([{"params": [net.weight]}, {"params": [net.bias], "lr": 0.3}], lr=0.1)
    scheduler = make(optimizer)
    x = torch.linspace(0, 1, 12).view(3, 4)
    y = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    for epoch in range(7):
        optimizer.zero_grad()
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
        print(name, epoch, round(loss.item(), 3), [round(v, 5) for v in scheduler.get_last_lr()])


warnings.simplefilter("ignore")
run("cosine", lambda o: WarmupCosineLR(o, 3, 7, 0.01, 0.001))
run("poly", lambda o: PolyLR(o, 10))
run("noam", lambda o: NoamLR(o, 16, 4), optim.Adam)


state = WarmupCosineLR(optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1), 2, 5)
state.step()
kept = state.state_dict()
other = WarmupCosineLR(optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1), 2, 5)
other.load_state_dict(kept)
other.step()
print(other.last_epoch, round(other.get_last_lr()[0], 5), kept["warmup_epochs"])
