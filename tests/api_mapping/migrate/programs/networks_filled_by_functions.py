"""Networks that functions fill and give back, before an optimiser takes them in a plain row."""

import torch
from torch import nn


def filled(net: nn.Module, value: float = 0.1):
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.full(p.shape, value))
    return net


def handed_on(value):
    return value


def one_step(value):
    net = handed_on(filled(nn.Linear(3, 2), value))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.ones(2, 3)).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return f"{loss.item():.4f} {net.weight.sum().item():.4f}"


net = filled(nn.Linear(3, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(2, 3)
outputs = net(x)
loss = outputs.pow(2).sum()
optimizer.zero_grad()
loss.backward()
optimizer.step()
print(f"{loss.item():.4f} {net.weight.sum().item():.4f}")
for value in (0.2, 0.3, -0.1, 0.05, 0.4):
    print(one_step(value))
