"""Points in space: neighbours by distance, edges between them, farthest points, chamfer distance."""

import torch
import torch.nn.functional as F
from torch import nn


def apart(a, b):
    """Squared distances of all points of one set to all of another."""
    both = torch.matmul(a, b.transpose(1, 2))
    return (a**2).sum(-1)[:, :, None] - 2.0 * both + (b**2).sum(-1)[:, None, :]


def neighbours(x, count):
    return (-apart(x, x)).topk(count, dim=-1).indices


def taken(x, places):
    b, n, k = places.shape
    flat = places.reshape(b, n * k)[..., None].expand(-1, -1, x.shape[-1])
    return torch.gather(x, 1, flat).reshape(b, n, k, -1)


class Edges(nn.Module):
    def __init__(self, width, out, count):
        super().__init__()
        self.count = count
        self.mlp = nn.Sequential(
            nn.Conv2d(2 * width, out, 1, bias=False), nn.BatchNorm2d(out), nn.LeakyReLU(0.2)
        )
        self.gate = nn.Linear(out, out)

    def forward(self, x, near):
        others = taken(x, near)
        own = x[:, :, None, :].expand_as(others)
        edges = torch.cat([own, others - own], dim=-1)
        y = self.mlp(edges.permute(0, 3, 1, 2))
        high = y.amax(dim=-1).transpose(1, 2)
        low = y.mean(dim=-1).transpose(1, 2)
        return high + torch.sigmoid(self.gate(low)) * low


class Turn(nn.Module):
    """A rotation that is learnt, by six numbers."""

    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Linear(width, 16)
        self.fc2 = nn.Linear(16, 6)

    def forward(self, x):
        six = self.fc2(F.elu(self.fc1(x.amax(dim=1))))
        first = F.normalize(six[:, :3] + 0.1, dim=-1)
        second = six[:, 3:] - (first * six[:, 3:]).sum(-1, keepdim=True) * first
        second = F.normalize(second, dim=-1)
        third = torch.cross(first, second, dim=-1)
        return torch.stack([first, second, third], dim=-1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.edges1 = Edges(3, 8, 4)
        self.edges2 = Edges(8, 12, 4)
        self.turn = Turn(3)
        self.weigh = nn.Linear(20, 1)
        self.head = nn.Sequential(nn.Linear(20, 16), nn.GELU(), nn.Linear(16, 5))
        self.move = nn.Linear(20, 3)

    def forward(self, points, wanted):
        middle = points.mean(dim=1, keepdim=True)
        x = points - middle
        size = x.norm(dim=-1).amax(dim=1)
        x = x / (size[:, None, None] + 1e-6)
        turned = torch.bmm(x, self.turn(x))
        near = neighbours(turned, 4)
        one = self.edges1(turned, near)
        two = self.edges2(one, near)
        both = torch.cat([one, two], dim=-1)
        shares = torch.softmax(self.weigh(both) / 0.7, dim=1)
        pooled = (shares * both).sum(dim=1)
        scores = self.head(pooled)
        moved = turned + 0.5 * torch.tanh(self.move(both))
        away = apart(moved, wanted)
        chamfer = away.amin(dim=2).mean(dim=1) + away.amin(dim=1).mean(dim=1)
        return scores, moved, chamfer.sqrt()


def build():
    return Net()


def inputs():
    return torch.randn(2, 10, 3), torch.randn(2, 7, 3)
