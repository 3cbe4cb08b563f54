import torch
import torch.nn as nn


def doubled(layer: nn.Linear):
    v = layer.weight.detach()
    v.mul_(2)


def halved(layer: nn.Linear):
    layer.weight.detach().mul_(0.5)


def stepped(layer: nn.Linear, rate):
    with torch.no_grad():
        for p in layer.parameters():
            p.detach().add_(p.grad, alpha=-rate)


def lowered(layer: nn.Linear):
    for p in layer.parameters():
        q = p.detach()
        q.sub_(0.25)


def parts():
    y = torch.arange(3.0)
    z = y.detach()
    z[0] = 9.0
    z.add_(1)
    print(y.tolist(), z.tolist())
    kept = y.detach().clone()
    kept.zero_()
    print(y.tolist(), kept.tolist())


net = nn.Linear(2, 1)
for p in net.parameters():
    p.data.fill_(0.5)
doubled(net)
print(net.weight.tolist())
halved(net)
print(net.weight.tolist())
lowered(net)
print(net.weight.tolist(), net.bias.tolist())
net(torch.ones(1, 2)).sum().backward()
stepped(net, 0.5)
print(net.weight.tolist(), net.bias.tolist())
parts()
