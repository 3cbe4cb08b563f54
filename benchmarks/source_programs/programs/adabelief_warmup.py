"""An optimiser and a scheduler of one's own, compared with Adam on the same regression; state kept and loaded."""
import math

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.optimizer import Optimizer


class AdaBelief(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-12, weight_decay=0.0, decoupled=True):
        if lr <= 0.0:
            raise ValueError("Invalid learning rate: {}".format(lr))
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, defaults)
        self.decoupled = decoupled

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["exp_avg"] = torch.zeros_like(p)
                    state["exp_avg_var"] = torch.zeros_like(p)
                if self.decoupled:
                    p.mul_(1.0 - group["lr"] * group["weight_decay"])
                elif group["weight_decay"] != 0:
                    grad = grad.add(p, alpha=group["weight_decay"])
                exp_avg, exp_avg_var = state["exp_avg"], state["exp_avg_var"]
                state["step"] += 1
                bias1 = 1 - beta1 ** state["step"]
                bias2 = 1 - beta2 ** state["step"]
                exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
                residual = grad - exp_avg
                exp_avg_var.mul_(beta2).addcmul_(residual, residual, value=1 - beta2)
                denom = (exp_avg_var.add(group["eps"]).sqrt() / math.sqrt(bias2)).add_(group["eps"])
                p.addcdiv_(exp_avg, denom, value=-group["lr"] / bias1)
        return loss


class WarmupPoly(LRScheduler):
    def __init__(self, optimizer, warmup, total, power=1.0, last_epoch=-1):
        self.warmup, self.total, self.power = warmup, total, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        step = self.last_epoch
        if step < self.warmup:
            return [base * (step + 1) / self.warmup for base in self.base_lrs]
        rest = (self.total - step) / max(1, self.total - self.warmup)
        return [base * max(0.0, rest) ** self.power for base in self.base_lrs]


def make_model():
    model = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 1))
    for k, p in enumerate(model.parameters()):
        nn.init.zeros_(p)
        if p.dim() == 2:
            p.data.add_(torch.cos(torch.arange(p.numel()).float() + k).reshape(p.shape), alpha=0.5)
    return model


def groups(model):
    return [{"params": model[0].parameters(), "lr": 0.05}, {"params": model[2].parameters(), "weight_decay": 0.1}]


def fit(model, optimizer, scheduler, x, y, steps):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((model(x).squeeze(1) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(round(loss.item(), 4))
    return losses


x = torch.sin(torch.arange(60).float() * 0.37).reshape(20, 3)
y = x[:, 0] * 2 - x[:, 1] * x[:, 2]
for make in (lambda ps: AdaBelief(ps, lr=0.02), lambda ps: torch.optim.Adam(ps, lr=0.02),
             lambda ps: AdaBelief(ps, lr=0.02, decoupled=False)):
    model = make_model()
    optimizer = make(groups(model))
    scheduler = WarmupPoly(optimizer, 3, 10)
    print(type(optimizer).__name__, fit(model, optimizer, scheduler, x, y, 6))
    print([round(v, 5) for v in scheduler.get_last_lr()])
state, kept = optimizer.state_dict(), {k: v.clone() for k, v in model.state_dict().items()}
print(sorted(state["state"][0]), state["state"][0]["step"], len(state["param_groups"]))
first = fit(model, optimizer, scheduler, x, y, 2)
other = make_model()
other.load_state_dict(kept)
again = AdaBelief(groups(other), lr=0.02, decoupled=False)
again.load_state_dict(state)
print("again", round(again.param_groups[0]["lr"], 5), round(again.param_groups[1]["weight_decay"], 3))
print(first, fit(other, again, WarmupPoly(again, 3, 10, last_epoch=-1), x, y, 2))
try:
    AdaBelief(other.parameters(), lr=-1.0)
except ValueError as error:
    print(len(str(error)))
