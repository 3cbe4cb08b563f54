"""`parameter.data` in a forward pass: its values, which are not trained there."""

import torch
from torch import nn


class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.places = nn.Parameter(torch.arange(6.0).reshape(1, 3, 2) / 10)
        self.linear = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        x = x + self.places.data[:, : x.shape[1], :]
        return self.linear(x) * self.scale + self.scale.data


class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(2))
        self.linear = nn.Linear(2, 1)

    def forward(self, x):
        self.mean.data.copy_(self.mean.data * 0.5 + x.detach().mean(0) * 0.5)
        return self.linear(x - self.mean.data)


def fill(net):
    with torch.no_grad():
        for k, p in enumerate(net.linear.parameters()):
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape) / 4 - 0.2 * k)


def told(value):
    print([round(v, 4) for v in value.flatten().tolist()])


x = torch.arange(8.0).reshape(2, 2, 2) / 8
for net, given in ((Places(), x), (Average(), x[0])):
    fill(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (net(given) ** 2).mean()
        loss.backward()
        optimizer.step()
        print("%.4f" % loss.item())
    for parameter in net.parameters():
        told(parameter)
