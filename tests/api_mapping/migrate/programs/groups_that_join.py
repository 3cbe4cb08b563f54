"""Groups that join an optimiser after steps: their weights begin with a state of their own."""

import torch
from torch import nn

KINDS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.05),
    "AdamW": lambda p: torch.optim.AdamW(p, lr=0.05, weight_decay=0.1),
    "RMSprop": lambda p: torch.optim.RMSprop(p, lr=0.05),
    "Adagrad": lambda p: torch.optim.Adagrad(p, lr=0.05),
}


def build():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))
    for i, p in enumerate(net.parameters()):
        p.data = torch.sin(torch.arange(p.numel()).float() + i).view(p.shape)
    for p in net[0].parameters():
        p.requires_grad = False
    return net


def train(net, optimizer, steps):
    x, y = torch.ones(4, 3), torch.tensor([0, 1, 1, 0])
    for i in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x * (i + 1)), y)
        loss.backward()
        optimizer.step()
    return f"{loss.item():.3f}"


for name, make in KINDS.items():
    net = build()
    optimizer = make(net[1].parameters())
    losses = [train(net, optimizer, 3)]
    for p in net[0].parameters():
        p.requires_grad = True
    optimizer.add_param_group({"params": net[0].parameters(), "lr": 0.01})
    losses.append(train(net, optimizer, 4))
    for group in optimizer.param_groups:
        group["lr"] *= 0.5
    losses.append(train(net, optimizer, 2))
    print(name, losses, [f"{p.sum().item():.3f}" for p in net.parameters()])
    rates = [f"{float(group['lr']):.3f}" for group in optimizer.param_groups]
    print(rates, len(optimizer.state_dict()["param_groups"]))
