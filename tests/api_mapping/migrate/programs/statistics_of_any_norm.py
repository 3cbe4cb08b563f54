"""What norms have seen, of layers that nothing says are norms."""

import torch
from torch import nn


class Block(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(nn.Conv2d(cin, cout, 1), nn.BatchNorm2d(cout), nn.ReLU())


class Scaler:
    """Not a layer: it has names of its own that are the same."""

    def __init__(self):
        self.running_mean = 3.0
        self.running_var = 5.0


def told(layer):
    print([round(v, 4) for v in layer.running_mean.tolist()])


def spread(layers):
    return [round(layer.running_var.sum().item(), 4) for layer in layers]


def scaled(thing):
    return (1 - thing.running_mean) / thing.running_var


def forget(things):
    for thing in things:
        thing.running_mean.zero_()
        thing.running_var.fill_(1)


body = nn.Sequential(Block(1, 2), Block(2, 2))
with torch.no_grad():
    for place, p in enumerate(body.parameters()):
        p.fill_(0.1 * (place + 1))
body.train()
body(torch.arange(8.0).view(2, 1, 2, 2))
print(round(body[0][1].running_mean.sum().item(), 4))
told(body[1][1])
norms = [block[1] for block in body]
print(spread(norms))
print(scaled(Scaler()))
net = nn.ModuleDict({"norm": nn.BatchNorm1d(2), "deep": nn.BatchNorm3d(2)})
told(net["norm"])
print(spread(net.values()))
forget(norms)
print(spread(norms), round(norms[0].running_mean.sum().item(), 4))
