"""Groups that join before a schedule is made, and in the loop that trains."""

import torch
from torch import nn


def build():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    for i, p in enumerate(net.parameters()):
        p.data = torch.sin(torch.arange(p.numel()).float() + i).view(p.shape)
    return net


x = torch.linspace(-1, 1, 6).reshape(2, 3)
net = build()
optimizer = torch.optim.AdamW(net[2].parameters(), lr=0.1, weight_decay=0.1)
optimizer.add_param_group({"params": list(net[0].parameters()), "lr": 0.01, "weight_decay": 0.0})
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
for _ in range(5):
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    print(f"{loss.item():.3f}", [f"{float(g['lr']):.4f}" for g in optimizer.param_groups])
print([f"{p.sum().item():.3f}" for p in net.parameters()])

net = build()
optimizer = torch.optim.SGD(net[2].parameters(), lr=0.1, momentum=0.9)
for i in range(5):
    if i == 2:
        optimizer.add_param_group({"params": net[0].parameters(), "lr": 0.05})
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.3f}", [f"{float(g['lr']):.3f}" for g in optimizer.param_groups])
print([f"{p.sum().item():.3f}" for p in net.parameters()])
