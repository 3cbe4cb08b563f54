"""Networks that functions are handed, and whose parameters one list gathers bit by bit."""

import torch
from torch import nn

squared = lambda found, wanted: torch.mean((found - wanted) ** 2)


def in_chunks(function, size):
    def all_of(x):
        return torch.cat([function(x[i : i + size]) for i in range(0, len(x), size)], 0)

    return all_of


def rendered(x, coarse, query, fine=None):
    rough = torch.sigmoid(query(x, coarse))
    found = {"rough": rough}
    if fine is not None:
        found["fine"] = torch.sigmoid(query(torch.cat([x, rough.detach()], -1), fine))
    return found


def filled(parameters):
    for k, p in enumerate(parameters):
        p.data.copy_(0.4 * torch.sin(torch.arange(p.numel()).float() + k).reshape(p.shape))


coarse, fine, head = nn.Linear(3, 2), nn.Linear(5, 2), nn.Linear(2, 2)
parameters = list(coarse.parameters())
parameters += list(fine.parameters())
parameters.extend(head.parameters())
filled(parameters)
query = lambda x, network: in_chunks(network, 2)(x)
optimizer = torch.optim.Adam(params=parameters, lr=0.05)
x = torch.sin(torch.arange(18.0)).reshape(6, 3)
y = torch.cos(torch.arange(12.0)).reshape(6, 2).abs()
for step in range(5):
    found = rendered(x, coarse, query, fine=fine)
    optimizer.zero_grad()
    first = squared(found["rough"], y)
    loss = first
    if "fine" in found:
        second = squared(found["fine"], y)
        loss = loss + second
    loss = loss + squared(head(found["fine"]), y)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f} {first.item():.4f} {step}")
print(f"{coarse.weight.sum().item():.4f} {fine.weight.sum().item():.4f}")
print(f"{head.weight.sum().item():.4f}")
