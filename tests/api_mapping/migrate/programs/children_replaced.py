"""Layers that are replaced by names which are computed, within a Sequential and without."""

import torch
from torch import nn


class Doubled(nn.Module):
    def __init__(self, inner, factor=2.0):
        super().__init__()
        self.inner = inner
        self.factor = factor

    def forward(self, x):
        return self.factor * self.inner(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
        self.head = nn.Linear(2, 1)

    def forward(self, x):
        return self.head(self.body(x))


def parent_of(model, name):
    *path, last = name.split(".")
    for part in path:
        model = getattr(model, part)
    return model, last


def made():
    net = Net()
    with torch.no_grad():
        for place, p in enumerate(net.parameters()):
            p.fill_(0.1 * (place + 1))
    return net


def swapped(module, kind):
    for name, child in module.named_children():
        if isinstance(child, kind):
            setattr(module, name, Doubled(child, factor=3.0))
        else:
            swapped(child, kind)


def told(net):
    names = [name for name, _ in net.named_parameters()]
    print(round(net(torch.ones(1, 2)).item(), 4), len(names), names[0])


net = made()
told(net)
for name, module in list(net.named_modules()):
    if isinstance(module, nn.Linear) and name.startswith("body"):
        parent, child = parent_of(net, name)
        setattr(parent, child, Doubled(module))
told(net)
net = made()
swapped(net, nn.Linear)
told(net)
net = made()
setattr(net.body, "2", Doubled(net.body[2], 5.0))
told(net)
net = made()
for index in range(len(net.body)):
    if isinstance(net.body[index], nn.ReLU):
        setattr(net.body, str(index), nn.Tanh())
told(net)
net = made()
attribute = "head"
setattr(net, attribute, Doubled(net.head))
told(net)
