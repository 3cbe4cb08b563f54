"""Jacobians of lambdas and of functions around modules that MindSpore compiles no graph of."""

import torch
import torch.nn as nn
from torch.autograd.functional import jacobian


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 2))
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.5
        self.calls = 0

    def forward(self, t, y):
        self.calls += 1
        return self.net(y) * t


def rounded(x):
    return [round(v, 4) for v in x.flatten().tolist()]


field, y = Field(), torch.tensor([0.5, -0.3])
print(rounded(jacobian(lambda v: field(2.0, v.unsqueeze(0)).squeeze(0), y)))
print(tuple(jacobian(lambda v: v.pow(2).sum(), y).shape))
rows = jacobian(lambda m: m @ m, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
print(tuple(rows.shape), round(rows.sum().item(), 4))
first, second = jacobian(lambda a, b: a * b.sum(), (y, y * 2))
print(rounded(first), rounded(second))


def energy(v):
    parts = [v[0] * v[1]]
    parts.append(v.sin().sum())
    return torch.stack(parts)


print(rounded(jacobian(energy, y)))
for scale in (1.0, 3.0):
    print(rounded(jacobian(lambda v: scale * v.exp(), y).diagonal()))
