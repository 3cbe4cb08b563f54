"""Loops without an optimiser in a file whose LBFGS takes a closure, and lists of Parameters."""

import torch
from torch import nn, optim

x = torch.linspace(-1, 1, 12)
y = torch.sin(2 * x)


def shown(*tensors):
    return [round(v, 3) + 0.0 for t in tensors for v in t.detach().flatten().tolist()]


w = torch.tensor([0.1, 0.2], requires_grad=True)
for t in range(5):
    loss = (w[0] * x + w[1] - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
print(shown(w), round(loss.item(), 4))

coeffs = [nn.Parameter(torch.tensor(v)) for v in (0.1, -0.2)]
for t in range(5):
    for c in coeffs:
        c.grad = None
    mse = ((coeffs[0] * x + coeffs[1] - y) ** 2).mean()
    mse.backward()
    with torch.no_grad():
        for c in coeffs:
            c -= 0.2 * c.grad
print(shown(*coeffs))

table = {"scale": nn.Parameter(torch.ones(2)), "shift": nn.Parameter(torch.zeros(1))}
for t in range(3):
    ((table["scale"].sum() * x + table["shift"] - y) ** 2).mean().backward()
    for p in table.values():
        p.data -= 0.1 * p.grad
        p.grad.zero_()
print(shown(*table.values()))

a, b = torch.zeros((), requires_grad=True), torch.ones((), requires_grad=True)
for t in range(3):
    ((a * x + b - y) ** 2).mean().backward()
print(shown(a.grad, b.grad))

v = nn.Parameter(torch.tensor([-0.5, 0.5]))
lbfgs = optim.LBFGS([v], lr=0.5, max_iter=4)


def closure():
    lbfgs.zero_grad()
    f = (1 - v[0]) ** 2 + 2 * (v[1] - v[0] ** 2) ** 2
    f.backward()
    return f


for _ in range(3):
    lbfgs.step(closure)
print([round(i, 2) for i in v.tolist()])

net = nn.Linear(1, 1)
nn.init.constant_(net.weight, 0.5)
nn.init.zeros_(net.bias)
for step in range(4):
    net.zero_grad()
    loss = (net(x[:, None]).squeeze(1) - y).abs().mean()
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p.sub_(p.grad, alpha=0.5)
print(shown(net.weight, net.bias), round(sum(p.grad.norm().item() for p in net.parameters()), 3))
