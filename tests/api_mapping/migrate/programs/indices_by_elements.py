"""Elements of tensors by tensors of one value, as the scores of a CRF are taken, with gradients."""

import torch
from torch import nn

transitions = nn.Parameter(torch.arange(9.0).view(3, 3) / 10)
emissions = torch.linspace(0, 1, 12).view(4, 3)
tags = torch.tensor([2, 0, 1, 1])


def score(emissions, tags):
    total = torch.zeros(1)
    for i in range(len(tags) - 1):
        total = total + transitions[tags[i + 1], tags[i]] + emissions[i, tags[i]]
    return total + transitions[0, tags[-1]]


optimizer = torch.optim.SGD([transitions], lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = score(emissions, tags).pow(2).sum()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 3))
print("left", [round(v, 3) for v in transitions.flatten().tolist()])

table = torch.arange(24).view(2, 3, 4)
rows = torch.tensor([[0, 1], [1, 0]])
print("several", table[rows[0], 1].tolist())
print("one", table[rows[0][1], 2, rows[1][0]].item())
