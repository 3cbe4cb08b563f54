import copy
import os
import tempfile

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR

FOLDER = tempfile.mkdtemp()
LR = 0.1


def network():
    net = nn.Linear(3, 2)
    nn.init.constant_(net.weight, 0.3)
    nn.init.constant_(net.bias, 0.1)
    return net


def reset(net: nn.Module):
    for parameter in net.parameters():
        nn.init.zeros_(parameter)


def train(net: nn.Module, optimizer, scheduler=None, steps=2):
    x = torch.ones(2, 3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()


def told(net: nn.Module, optimizer):
    rates = [round(float(group["lr"]), 5) for group in optimizer.param_groups]
    print(rates, [round(v, 4) for v in net.weight.flatten().tolist()])


# the rate is changed by hand, and the state of before comes back
net = network()
optimizer = torch.optim.Adam(net.parameters(), lr=LR)
train(net, optimizer)
state = copy.deepcopy(optimizer.state_dict())
print(
    state["param_groups"][0]["lr"],
    len(state["param_groups"]),
    len(state["param_groups"][0]["params"]),
)
for group in optimizer.param_groups:
    group["lr"] = 0.7
told(net, optimizer)
optimizer.load_state_dict(state)
told(net, optimizer)
train(net, optimizer)
told(net, optimizer)

# a new optimizer with another rate
fresh = torch.optim.Adam(net.parameters(), lr=0.9)
fresh.load_state_dict(optimizer.state_dict())
train(net, fresh)
told(net, fresh)

# through a file, with a scheduler, into new objects
net = network()
optimizer = torch.optim.SGD(net.parameters(), lr=LR, momentum=0.9)
scheduler = StepLR(optimizer, 1, 0.5)
train(net, optimizer, scheduler, 3)
path = os.path.join(FOLDER, "checkpoint.pth")
torch.save(
    {
        "epoch": 3,
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
    },
    path,
)
other = network()
resumed = torch.optim.SGD(other.parameters(), lr=LR, momentum=0.9)
resumed_scheduler = StepLR(resumed, 1, 0.5)
checkpoint = torch.load(path)
print(checkpoint["epoch"])
other.load_state_dict(checkpoint["model"])
resumed.load_state_dict(checkpoint["optimizer"])
resumed_scheduler.load_state_dict(checkpoint["scheduler"])
told(other, resumed)
train(other, resumed, resumed_scheduler)
train(net, optimizer, scheduler)
told(net, optimizer)
told(other, resumed)

# groups with rates of their own
net = network()
groups = [{"params": [net.weight], "lr": 0.2}, {"params": [net.bias]}]
optimizer = torch.optim.AdamW(groups, lr=0.05, weight_decay=0.1)
scheduler = CosineAnnealingLR(optimizer, 4)
train(net, optimizer, scheduler)
torch.save(optimizer.state_dict(), path)
weights = copy.deepcopy(net.state_dict())
train(net, optimizer, scheduler)
told(net, optimizer)
optimizer.load_state_dict(torch.load(path))
told(net, optimizer)
net.load_state_dict(weights)
train(net, optimizer)
told(net, optimizer)

# the weights are not part of it
net = network()
optimizer = torch.optim.RMSprop(net.parameters(), lr=LR)
train(net, optimizer)
state = copy.deepcopy(optimizer.state_dict())
reset(net)
optimizer.load_state_dict(state)
told(net, optimizer)
train(net, optimizer)
told(net, optimizer)
