"""Adam where gradients are near its eps: what MindSpore's own Adam gets by another formula."""

import torch
from torch import nn, optim


def shown(*tensors):
    return [[round(v, 4) + 0.0 for v in t.flatten().tolist()] for t in tensors]


def run(make, scale=1e-6, steps=4):
    w, b = nn.Parameter(torch.linspace(-1, 1, 4)), nn.Parameter(torch.ones(2))
    optimizer = make([w, b])
    for _ in range(steps):
        optimizer.zero_grad()
        loss = scale * (w.pow(2).sum() + b.pow(3).sum())
        loss.backward()
        optimizer.step()
    return shown(w, b)


print(run(lambda p: optim.Adam(p, lr=0.1)))
print(run(lambda p: optim.Adam(p, lr=0.1, eps=1e-6, betas=(0.5, 0.9))))
print(run(lambda p: torch.optim.Adam(p, lr=0.1, weight_decay=1e-6)))
print(run(lambda p: optim.Adam(p, lr=0.1, weight_decay=1e-6, maximize=True)))
print(
    run(
        lambda p: optim.Adam(
            [{"params": p[:1], "lr": 0.2, "weight_decay": 1e-7}, {"params": p[1:]}]
        )
    )
)


def falling(amsgrad):
    """The greatest second moment counts: the gradients become small."""
    x = nn.Parameter(torch.ones(3))
    optimizer = optim.Adam([x], lr=0.05, betas=(0.5, 0.5), amsgrad=amsgrad)
    for step in range(5):
        loss = (x * 0.1**step).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return shown(x)


print(falling(True), falling(False))

net = nn.Sequential(nn.Linear(2, 3, bias=False), nn.BatchNorm1d(3), nn.Linear(3, 1))
for i, p in enumerate(net.parameters()):
    nn.init.constant_(p, 0.3 * (i + 1))
    with torch.no_grad():
        p.add_(torch.arange(p.numel()).float().reshape(p.shape) * 0.1)
optimizer = optim.Adam(net.parameters(), lr=0.01)
scheduler = optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
x = torch.linspace(-1, 1, 12).reshape(6, 2) ** 2
for step in range(4):
    optimizer.zero_grad()
    loss = (net(x).squeeze() - x.sum(1)).pow(2).mean() * 1e-4
    loss.backward()
    optimizer.step()
    scheduler.step()
print([round(v, 2) for v in net[1].weight.tolist()], round(optimizer.param_groups[0]["lr"], 5))
print(isinstance(optimizer, optim.Adam), type(optimizer).__name__, isinstance(optimizer, optim.SGD))


def entries(thing):
    """Of an optimiser, a scheduler or a module: which one is asked for when it runs."""
    return len(thing.state_dict())


print(entries(optimizer), entries(nn.Linear(2, 1)))
