import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR, LRScheduler


class SignSGD(Optimizer):
    """signSGD with majority of momentum."""

    def __init__(self, params, lr=1e-2, momentum=0.9):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            lr, momentum = group["lr"], group["momentum"]
            for param in group["params"]:
                if param.grad is None:
                    continue
                state = self.state[param]
                buf = state.setdefault("buf", torch.zeros_like(param))
                buf.lerp_(param.grad, 1 - momentum)
                param.sub_(buf.sign(), alpha=lr)


class Warmup(LRScheduler):
    def __init__(self, optimizer, steps, after=None):
        self.steps, self.after = steps, after
        super().__init__(optimizer)

    def get_lr(self):
        if self.last_epoch >= self.steps:
            return [group["lr"] * 0.9 for group in self.optimizer.param_groups]
        return [base * (self.last_epoch + 1) / self.steps for base in self.base_lrs]


class Experiment:
    def __init__(self, net, lr):
        self.net = net
        self.opt = SignSGD(net.parameters(), lr=lr)
        self.sched = Warmup(self.opt, 3)
        self.history = []

    def fit(self, x, y, epochs):
        for epoch in range(epochs):
            self.net.train()
            self.opt.zero_grad()
            loss = ((self.net(x) - y) ** 2).mean()
            loss.backward()
            self.opt.step()
            self.sched.step()
            self.history.append(
                (epoch, round(loss.item(), 3), round(self.opt.param_groups[0]["lr"], 3))
            )
        return self.history


net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(torch.cos(torch.arange(p.numel()).float() + i).view(p.shape) * 0.5)
x = torch.linspace(-1, 1, 30).view(10, 3)
y = x.sum(1, keepdim=True)
for row in Experiment(net, 0.05).fit(x, y, 6):
    print(*row)
