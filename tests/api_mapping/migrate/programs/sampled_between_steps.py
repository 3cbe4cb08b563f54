"""Samples by Langevin's steps between the steps of an energy."""

import numpy as np
import torch
from torch import nn

RNG = np.random.RandomState(3)


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
        for place, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float32) + place).view(p.shape)

    def forward(self, x):
        return self.layers(x).squeeze(-1)


class Sampler:
    def __init__(self, model):
        self.model = model
        self.buffer = [torch.from_numpy(RNG.rand(1, 2).astype(np.float32)) for _ in range(6)]

    def sample(self, count):
        x = torch.cat(self.buffer[:count], dim=0).detach()
        x = self.langevin(x, 2)
        for place in range(count):
            self.buffer[place] = x[place : place + 1]
        return x

    def langevin(self, x, steps):
        for p in self.model.parameters():
            p.requires_grad = False
        x.requires_grad = True
        for _ in range(steps):
            energy = -self.model(x)
            energy.sum().backward()
            x.data.add_(-0.1 * x.grad.data)
            x.grad.detach_()
            x.grad.zero_()
        for p in self.model.parameters():
            p.requires_grad = True
        return x.detach()


class Scorer:
    """Its loss is computed by a method that another one calls, with the network of the object."""

    def __init__(self, network):
        self.network = network

    def loss(self, x):
        return self.spread(x) + 0.1 * self.height(x)

    def spread(self, x):
        return self.network(x).pow(2).mean()

    def height(self, x):
        return self.network(x).mean()


def ascent(network, x, steps=2):
    x = x.clone().detach()
    x.requires_grad = True
    for _ in range(steps):
        network(x).sum().backward()
        x.data.add_(0.1 * x.grad)
        x.grad.zero_()
    return x.detach()


def told(name, *values):
    print(name, *(f"{value.item():.3f}" for value in values))


def of_an_object():
    net = Energy()
    sampler = Sampler(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        fake = sampler.sample(4)
        optimizer.zero_grad()
        loss = net(fake).mean() + 0.1 * (net(fake) ** 2).mean()
        loss.backward()
        optimizer.step()
        told("object", loss, fake.mean(), net.layers[0].weight.grad.abs().sum())


def of_a_function():
    net = Energy()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    start = torch.from_numpy(RNG.rand(3, 2).astype(np.float32))
    for _ in range(3):
        hard = ascent(net, start)
        optimizer.zero_grad()
        loss = net(hard).pow(2).mean()
        loss.backward()
        optimizer.step()
        told("function", loss, hard.sum(), net.layers[2].bias.grad)


def of_methods():
    net = Energy()
    scorer = Scorer(net)
    x = torch.from_numpy(RNG.rand(3, 2).astype(np.float32))
    loss = scorer.loss(x)
    loss.backward()
    told("methods", loss, net.layers[0].weight.grad.abs().sum())


of_an_object()
of_a_function()
of_methods()
