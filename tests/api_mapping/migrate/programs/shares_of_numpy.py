"""Losses weighed by numbers of NumPy's that functions are given: their gradients stay."""

import numpy as np
import torch
from torch import nn

RNG = np.random.RandomState(0)


def clipped(y):
    lam = np.clip(RNG.beta(1.0, 1.0), 0.2, 0.8)
    return y, lam


def rooted(y):
    lam = np.sqrt(RNG.beta(1.0, 1.0))
    return y, lam


WAYS = vars()


def way_of(step):
    return WAYS[("rooted", "clipped")[step]]


def mixed(criterion, y, a, b, lam):
    return lam * criterion(y, a) + (1 - lam) * criterion(y, b)


def penalised(net, x, lam):
    return (2 - lam) * net(x).pow(2).mean() + net(x).mean()


def kept(criterion, y, a):
    lam = np.sqrt(0.3)
    return lam * criterion(y, a)


class Weighted(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, y, a, lam):
        return -lam * self.inner(y, a) + lam * y.mean()


net = nn.Linear(3, 2)
with torch.no_grad():
    net.weight.copy_(torch.arange(6.0).view(2, 3) / 6)
    net.bias.zero_()
x = torch.from_numpy(RNG.rand(4, 3).astype(np.float32))
a, b = torch.tensor([0, 1, 0, 1]), torch.tensor([1, 1, 0, 0])
criterion, weighted = nn.CrossEntropyLoss(), Weighted(nn.CrossEntropyLoss())
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for step in range(2):
    y, lam = way_of(step)(net(x))
    loss = mixed(criterion, y, a, b, lam)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("mixed", round(loss.item(), 4), [round(w, 4) for w in net.bias.tolist()])
for step in range(2):
    _, lam = way_of(1 - step)(x)
    loss = penalised(net, x, lam)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("penalised", round(loss.item(), 4), [round(w, 4) for w in net.bias.tolist()])
for _ in range(2):
    loss = kept(criterion, net(x), a)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("kept", round(loss.item(), 4), [round(w, 4) for w in net.bias.tolist()])
for step in range(2):
    y, lam = way_of(1 - step)(net(x))
    loss = weighted(y, a, lam)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("weighted", round(loss.item(), 4), [round(w, 4) for w in net.bias.tolist()])
