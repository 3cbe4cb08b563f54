"""A trainer that is given an own optimiser, clips, accumulates and uses a closure once."""

import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer


class SGDW(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["velocity"] = torch.zeros_like(p.data)

    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            for group in self.param_groups:
                params, grads, velocities = [], [], []
                for p in group["params"]:
                    if p.grad is not None:
                        params.append(p)
                        grads.append(p.grad)
                        velocities.append(self.state[p]["velocity"])
                self._update(
                    params,
                    grads,
                    velocities,
                    **{k: group[k] for k in ("lr", "momentum", "weight_decay")},
                )
        return loss

    @staticmethod
    def _update(params, grads, velocities, lr, momentum, weight_decay):
        for p, g, v in zip(params, grads, velocities):
            v.mul_(momentum).add_(g)
            p.mul_(1 - lr * weight_decay)
            p.sub_(lr * v)


class Trainer:
    def __init__(self, model, optimizer, loss_fn, accumulate=1, clip=None):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.accumulate, self.clip = accumulate, clip

    def train_epoch(self, batches):
        self.model.train()
        total = 0.0
        for inputs, labels in batches:
            self.optimizer.zero_grad()
            out = self.model(inputs)
            loss = self.loss_fn(out, labels)
            loss.backward()
            if self.clip is not None:
                clip_grad_norm_(self.model.parameters(), self.clip)
            self.optimizer.step()
            total += loss.item()
        return total / len(batches)


model = nn.Sequential(nn.Linear(4, 5), nn.GELU(), nn.Linear(5, 3))
with torch.no_grad():
    for i, p in enumerate(model.parameters()):
        p.copy_(torch.sin(torch.arange(p.numel()) * 0.8 + i).reshape(p.shape))
x = torch.linspace(-1, 1, 48).view(12, 4)
y = torch.arange(12) % 3
batches = [(x[i : i + 4], y[i : i + 4]) for i in range(0, 12, 4)]
optimizer = SGDW(model.parameters(), lr=0.05, weight_decay=0.02)
trainer = Trainer(model, optimizer, nn.CrossEntropyLoss(), clip=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(4):
    print(epoch, f"{trainer.train_epoch(batches):.3f}", round(optimizer.param_groups[0]["lr"], 5))
    scheduler.step()


def closure():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    return loss


for _ in range(3):
    loss = optimizer.step(closure)
    print("closure", f"{loss.item():.3f}")
print(len(optimizer.state), sorted(optimizer.state_dict()))
