from collections import defaultdict

import torch
import torch.nn as nn
from torch.optim.optimizer import Optimizer


class PlainSGD(Optimizer):
    """Momentum written by hand, with groups and nesterov."""

    def __init__(self, params, lr, momentum=0.0, weight_decay=0.0, nesterov=False):
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
        }
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            momentum = group["momentum"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                d_p = p.grad
                if group["weight_decay"] != 0:
                    d_p = d_p.add(p, alpha=group["weight_decay"])
                if momentum != 0:
                    param_state = self.state[p]
                    if "momentum_buffer" not in param_state:
                        buf = param_state["momentum_buffer"] = torch.clone(d_p).detach()
                    else:
                        buf = param_state["momentum_buffer"]
                        buf.mul_(momentum).add_(d_p)
                    d_p = d_p.add(buf, alpha=momentum) if group["nesterov"] else buf
                p.add_(d_p, alpha=-group["lr"])


class Lookahead(Optimizer):
    def __init__(self, optimizer, k=5, alpha=0.5):
        self.optimizer = optimizer
        self.k = k
        self.alpha = alpha
        self.param_groups = self.optimizer.param_groups
        self.state = defaultdict(dict)
        self.fast_state = self.optimizer.state
        for group in self.param_groups:
            group["counter"] = 0

    def update(self, group):
        for fast in group["params"]:
            param_state = self.state[fast]
            if "slow_param" not in param_state:
                param_state["slow_param"] = torch.zeros_like(fast.data)
                param_state["slow_param"].copy_(fast.data)
            slow = param_state["slow_param"]
            slow += (fast.data - slow) * self.alpha
            fast.data.copy_(slow)

    def step(self, closure=None):
        loss = self.optimizer.step(closure)
        for group in self.param_groups:
            if group["counter"] == 0:
                self.update(group)
            group["counter"] += 1
            if group["counter"] >= self.k:
                group["counter"] = 0
        return loss

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad()


net = nn.Sequential(nn.Linear(3, 7), nn.Tanh(), nn.Linear(7, 1))
for i, p in enumerate(net.parameters()):
    with torch.no_grad():
        p.copy_(torch.linspace(-0.7, 0.8, p.numel()).reshape(p.shape))
decay = [p for n, p in net.named_parameters() if "weight" in n]
no_decay = [p for n, p in net.named_parameters() if "bias" in n]
base = PlainSGD(
    [
        {"params": decay, "weight_decay": 0.01},
        {"params": no_decay, "lr": 0.02},
    ],
    lr=0.05,
    momentum=0.9,
    nesterov=True,
)
optimizer = Lookahead(base, k=3)
x = torch.cos(torch.arange(30).float()).view(10, 3)
y = x.prod(dim=1, keepdim=True)
loss_fn = nn.MSELoss()
for epoch in range(9):
    optimizer.zero_grad()
    loss = loss_fn(net(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, "%.3f" % loss.item(), round(base.param_groups[1]["lr"], 4))
