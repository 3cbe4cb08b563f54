"""Optimisers of weights in float64, which some of MindSpore's kernels do not take."""

import numpy as np
import torch
from torch import nn

rng = np.random.RandomState(0)
x = torch.tensor(rng.randn(8, 3))
y = torch.tensor(rng.randn(8, 1))


def made():
    net = nn.Linear(3, 1).double()
    with torch.no_grad():
        net.weight.fill_(0.1)
        net.bias.fill_(0.0)
    return net


net = made()
opt = torch.optim.Adagrad(net.parameters(), lr=0.05, lr_decay=0.1, weight_decay=0.01)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("Adagrad", f"{loss.item():.4f}")

net = made()
opt = torch.optim.Adam(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("Adam", f"{loss.item():.4f}")

net = made()
opt = torch.optim.AdamW(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("AdamW", f"{loss.item():.4f}")

net = made()
opt = torch.optim.Adadelta(net.parameters(), lr=0.5)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("Adadelta", f"{loss.item():.4f}")

net = made()
opt = torch.optim.Adamax(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("Adamax", f"{loss.item():.4f}")

net = made()
opt = torch.optim.NAdam(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("NAdam", f"{loss.item():.4f}")

net = made()
opt = torch.optim.RAdam(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("RAdam", f"{loss.item():.4f}")

net = made()
opt = torch.optim.ASGD(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("ASGD", f"{loss.item():.4f}")

net = made()
opt = torch.optim.RMSprop(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
print("RMSprop", f"{loss.item():.4f}")
