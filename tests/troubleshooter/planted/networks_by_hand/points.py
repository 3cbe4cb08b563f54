"""A cloud of points: neighbours, groups, the farthest ones, an alignment."""

import torch
import torch.nn.functional as F
from torch import nn


def distances(one, other):
    return torch.cdist(one, other) ** 2


def picked(values, index):
    """Rows of each sample: (b, n, c), (b, ...) -> (b, ..., c)."""
    rows = torch.arange(values.shape[0]).view(-1, *[1] * (index.dim() - 1))
    return values[rows, index]


def farthest(points, count):
    chosen = [torch.zeros(points.shape[0], dtype=torch.long)]
    nearest = torch.full(points.shape[:2], 1e10)
    for _ in range(count - 1):
        last = picked(points, chosen[-1])
        nearest = torch.minimum(nearest, ((points - last[:, None]) ** 2).sum(-1))
        chosen.append(nearest.argmax(dim=1))
    return torch.stack(chosen, dim=1)


class Edges(nn.Module):
    def __init__(self, width, out, near):
        super().__init__()
        self.near = near
        self.one = nn.Linear(2 * width, out)
        self.two = nn.Linear(out, out)

    def forward(self, features, places):
        index = distances(places, places).topk(self.near, dim=-1, largest=False).indices
        around = picked(features, index)
        own = features.unsqueeze(2).expand_as(around)
        pairs = torch.cat([own, around - own], dim=-1)
        h = F.leaky_relu(self.two(F.leaky_relu(self.one(pairs), 0.2)), 0.2)
        return h.max(dim=2).values


class Align(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(3, 16)
        self.two = nn.Linear(16, 9)

    def forward(self, places):
        h = F.relu(self.one(places)).amax(dim=1)
        turn = self.two(h).view(-1, 3, 3) * 0.1 + torch.eye(3)
        return torch.bmm(places, turn), turn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.align = Align()
        self.first = Edges(3, 8, 4)
        self.second = Edges(8, 12, 3)
        self.head = nn.Linear(24, 4)

    def forward(self, places):
        places = places - places.mean(dim=1, keepdim=True)
        places = places / places.norm(dim=-1).amax(dim=1)[:, None, None]
        places, turn = self.align(places)
        one = self.first(places, places)
        index = farthest(places, 5)
        few = picked(places, index)
        two = self.second(picked(one, index), few)
        owner = distances(places, few).argmin(dim=-1)
        sums = torch.zeros(two.shape[0], 5, 8).scatter_add(
            1, owner[..., None].expand(-1, -1, 8), one
        )
        counts = F.one_hot(owner, 5).sum(dim=1)
        means = sums / counts.clamp(min=1)[..., None]
        pooled = torch.cat([two.amax(1), two.mean(1)], dim=-1)
        square = torch.bmm(turn, turn.transpose(1, 2)) - torch.eye(3)
        return self.head(pooled), means, (square**2).sum(dim=(1, 2)).mean()


def build():
    return Net()


def inputs():
    return (torch.randn(2, 14, 3),)
