"""Losses that are added up in a list or a dictionary of numbers, and written with a form."""

import torch
from torch import nn
from torch.nn import functional as F


def losses(net, x, y):
    out = net(x)
    first = F.mse_loss(out, y)
    return first, first * 2


def train(net, data):
    metric = [0.0] * 3
    named = {"loss": 0.0, "count": 0}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in data:
        optimizer.zero_grad()
        out = net(x)
        loss = F.mse_loss(out, y)
        loss.backward()
        optimizer.step()
        metric[0] += loss
        metric[1] += loss.item()
        metric[2] += x.shape[0]
        named["loss"] += loss
        named["count"] += 1
        print(f"{metric[0] / metric[2]:.4f} {metric[1] / metric[2]:.4f} {metric[2]:.0f}")
    print("{:.4f} {:.2e}".format(metric[0], metric[0] / 2))
    print(f"{named['loss'] / named['count']:.4f}")
    first, second, count = metric
    print(f"{first:.3f} {second:.3f} {count}")


net = nn.Linear(3, 2)
with torch.no_grad():
    net.weight.copy_(torch.arange(6.0).reshape(2, 3) / 10)
    net.bias.zero_()
data = [(torch.arange(6.0).reshape(2, 3) / (k + 2), torch.ones(2, 2)) for k in range(3)]
train(net, data)
totals = [0.0, 0.0]
for x, y in data:
    a, b = losses(net, x, y)
    totals[0] += a
    totals[1] += b
print(f"{totals[0]:.4f} {totals[1] / 3:.4f}")
