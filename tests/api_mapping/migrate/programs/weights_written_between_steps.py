"""Weights that are written between the steps of an optimiser go on being trained."""

import copy

import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def made():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.linspace(-0.8, 0.9, p.numel()).view(p.shape) * (-1) ** i)
    return net


def clipped(net: nn.Module):
    for p in net.parameters():
        p.data.clamp_(-0.5, 0.5)


def shrunk(net: nn.Module):
    for p in net.parameters():
        p.data = p.data * 0.99


def swapped(net: nn.Module):
    kept = [p.data.clone() for p in net.parameters()]
    for p in net.parameters():
        p.data.mul_(0.5)
    for p, old in zip(net.parameters(), kept):
        p.data = old


def as_vector(net: nn.Module):
    with torch.no_grad():
        vector_to_parameters(parameters_to_vector(net.parameters()) * 0.98, net.parameters())


def averaged(net: nn.Module):
    teacher = copy.deepcopy(net)
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), net.parameters()):
            t.mul_(0.9).add_(s, alpha=0.1)
    for t, s in zip(teacher.parameters(), net.parameters()):
        s.data.copy_(t.data)


def filled(net: nn.Module):
    for name, p in net.named_parameters():
        if "bias" in name:
            p.data.fill_(0.1)


x = torch.linspace(-1, 1, 18).view(6, 3)
y = (x.sum(1, keepdim=True) * 2).sin()
for write in (clipped, shrunk, swapped, as_vector, averaged, filled):
    for make in (torch.optim.SGD, torch.optim.Adam):
        net = made()
        optimizer = make(net.parameters(), lr=0.05)
        losses = []
        for step in range(5):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            write(net)
            losses.append(round(loss.item(), 3))
        print(write.__name__, losses)
