"""Gradients that are changed before the step: by operators, by methods, through `data`."""

import torch
from torch import nn


def run(change):
    torch.manual_seed(0)
    net = nn.Linear(2, 2)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(2):
        opt.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        for p in net.parameters():
            change(p)
        opt.step()
    return [round(v, 3) for v in net.weight.flatten().tolist()]


def by_data(p):
    p.grad.data *= 0.5


def by_operator(p):
    p.grad *= 0.5


def by_method(p):
    p.grad.mul_(0.5)


def by_method_of_data(p):
    p.grad.data.mul_(0.5)


def clamped(p):
    p.grad.data.clamp_(-1, 1)


def replaced(p):
    p.grad.data = p.grad.data * 2


def decayed(p):
    p.grad.data.add_(p.data, alpha=0.01)


def set_anew(p):
    p.grad = p.grad + 0.01 * p


for fn in (
    by_data,
    by_operator,
    by_method,
    by_method_of_data,
    clamped,
    replaced,
    decayed,
    set_anew,
):
    print(fn.__name__, run(fn))
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    loss = (w * w).sum()
    loss.backward()
    w.grad.data *= 0.5
    with torch.no_grad():
        w -= 0.1 * w.grad
    print("by hand", w.grad.tolist(), [round(v, 4) for v in w.tolist()])
    w.grad.data.zero_()
