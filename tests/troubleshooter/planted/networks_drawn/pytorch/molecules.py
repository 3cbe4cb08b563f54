"""Atoms and bonds: attention over neighbours, gates, walks, a readout, distances as features."""

import torch
import torch.nn.functional as F
from torch import nn


def radial(away, centres, width):
    apart = away[..., None] - centres
    smooth = 0.5 * (torch.cos(away * 3.14159265 / 5.0) + 1.0)
    smooth = smooth * (away < 5.0).float()
    return torch.exp(-apart * apart / width) * smooth[..., None]


class Heads(nn.Module):
    def __init__(self, enter, leave, heads):
        super().__init__()
        self.heads = heads
        self.leave = leave
        self.linear = nn.Linear(enter, heads * leave, bias=False)
        self.source = nn.Parameter(torch.randn(heads, leave) * 0.4)
        self.target = nn.Parameter(torch.randn(heads, leave) * 0.4)
        self.edge = nn.Linear(6, heads)

    def forward(self, x, bonds, edges):
        b, n, _ = x.shape
        h = self.linear(x).view(b, n, self.heads, self.leave)
        left = (h * self.source).sum(dim=-1)
        right = (h * self.target).sum(dim=-1)
        scores = left[:, :, None, :] + right[:, None, :, :]
        scores = F.leaky_relu(scores + self.edge(edges), negative_slope=0.2)
        scores = scores.masked_fill(bonds[..., None] == 0, -1e9)
        shares = F.softmax(scores, dim=2)
        mixed = torch.einsum("bijh,bjhc->bihc", shares, h)
        return F.elu(mixed.flatten(2))


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.old = nn.Linear(width, width)
        self.new = nn.Linear(width, width)

    def forward(self, old, new):
        z = torch.sigmoid(self.old(old) + self.new(new))
        return z * old + (1.0 - z) * new


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.atoms = nn.Embedding(7, 12)
        self.charge = nn.Linear(1, 12)
        self.first = Heads(12, 4, 3)
        self.gate = Gate(12)
        self.second = Heads(12, 6, 2)
        self.norm = nn.BatchNorm1d(12)
        self.weight = nn.Linear(12, 1)
        self.head = nn.Sequential(nn.Linear(24, 10), nn.SiLU(), nn.Linear(10, 2))
        self.register_buffer("centres", torch.linspace(0.0, 5.0, 6))

    def forward(self, kinds, charges, places, bonds):
        real = (kinds > 0).float()
        away = (places[:, :, None] - places[:, None]).pow(2).sum(dim=-1)
        away = torch.sqrt(away + 1e-8)
        edges = radial(away, self.centres, 0.8)
        bonds = bonds + torch.eye(kinds.shape[1])
        degree = bonds.sum(dim=-1)
        scaled = degree.rsqrt()[:, :, None] * bonds * degree.rsqrt()[:, None, :]
        x = self.atoms(kinds) + self.charge(charges[..., None])
        x = x + 0.5 * torch.bmm(scaled, x)
        x = self.gate(x, self.first(x, bonds, edges))
        x = self.norm(self.second(x, bonds, edges).transpose(1, 2)).transpose(1, 2)
        chosen = torch.sigmoid(self.weight(x)) * real[..., None]
        total = (chosen * x).sum(dim=1) / chosen.sum(dim=1).clamp(min=1e-3)
        most = x.masked_fill(real[..., None] == 0, -1e4).amax(dim=1)
        return self.head(torch.cat([total, most], dim=1)), scaled


def build():
    return Net()


def inputs():
    kinds = torch.tensor([[1, 6, 3, 2, 5, 4], [2, 2, 5, 1, 0, 0]])
    bonds = torch.zeros(2, 6, 6)
    for i, j in ((0, 1), (1, 2), (2, 3), (3, 4), (1, 5)):
        bonds[0, i, j] = bonds[0, j, i] = 1.0
    for i, j in ((0, 1), (1, 2), (2, 3)):
        bonds[1, i, j] = bonds[1, j, i] = 1.0
    return kinds, torch.randn(2, 6), torch.randn(2, 6, 3) * 1.5, bonds
