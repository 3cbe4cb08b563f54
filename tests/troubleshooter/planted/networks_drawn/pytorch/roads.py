"""Crossings and roads, as lists of edges: shares over what comes in, sums by index, links guessed."""

import torch
import torch.nn.functional as F
from torch import nn


def summed_at(x, places, count):
    """The sum of the rows of x that go to each place."""
    index = places[:, None].expand_as(x)
    return x.new_zeros(count, x.shape[1]).scatter_add(0, index, x)


def shares_at(scores, places, count):
    """Softmax over all that goes to the same place."""
    scores = scores - scores.amax(dim=0, keepdim=True)
    grown = torch.exp(scores)
    whole = summed_at(grown, places, count)
    return grown / (whole.index_select(0, places) + 1e-9)


class Attention(nn.Module):
    def __init__(self, width, heads, edges):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.left = nn.Linear(width, width)
        self.right = nn.Linear(width, width, bias=False)
        self.edge = nn.Linear(edges, width, bias=False)
        self.score = nn.Parameter(torch.rand(heads, width // heads) - 0.5)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x, source, target, edges):
        n = x.shape[0]
        left = self.left(x).index_select(0, source)
        right = self.right(x).index_select(0, target)
        both = (left + right + self.edge(edges)).view(-1, self.heads, self.size)
        scores = (F.leaky_relu(both, 0.2) * self.score).sum(dim=-1)
        shares = shares_at(scores, target, n)
        carried = left.view(-1, self.heads, self.size) * shares[..., None]
        return summed_at(carried.flatten(1), target, n) + self.bias, shares


class Spread(nn.Module):
    """Means of the neighbours by the roots of their degrees, some steps of it, each with a weight."""

    def __init__(self, width, steps):
        super().__init__()
        self.steps = steps
        self.weights = nn.Parameter(0.4 ** torch.arange(steps + 1).float())
        self.mix = nn.Linear(width, width)

    def forward(self, x, source, target):
        n = x.shape[0]
        ones = torch.ones(source.shape[0], 1)
        degree = summed_at(ones, target, n) + 1.0
        root = degree.pow(-0.5)
        scale = root.index_select(0, source) * root.index_select(0, target)
        y, total = x, self.weights[0] * x
        for i in range(self.steps):
            y = summed_at(y.index_select(0, source) * scale, target, n) + y / degree
            total = total + self.weights[i + 1] * y
        return F.elu(self.mix(total))


class Norm(nn.Module):
    """Over the whole graph, and only a part of the mean is taken away."""

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.part = nn.Parameter(torch.full((width,), 0.9))

    def forward(self, x):
        x = x - self.part * x.mean(dim=0, keepdim=True)
        width = x.pow(2).mean(dim=0, keepdim=True).add(self.eps).sqrt()
        return self.weight * x / width + self.bias


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinds = nn.Embedding(5, 6)
        self.enter = nn.Linear(6 + 3, 12)
        self.attention = Attention(12, 3, 4)
        self.norm = Norm(12)
        self.spread = Spread(12, 3)
        self.again = nn.GRUCell(12, 12)
        self.leave = nn.LayerNorm(24)
        self.pair = nn.Linear(12, 12, bias=False)
        self.time = nn.Sequential(nn.Linear(24, 10), nn.SiLU(), nn.Linear(10, 1))

    def forward(self, kinds, x, source, target, edges, wrong):
        n = x.shape[0]
        given = torch.cat([self.kinds(kinds), x], dim=-1)
        h = torch.tanh(self.enter(given))
        near = (x.index_select(0, source) - x.index_select(0, target)).norm(dim=-1, keepdim=True)
        bumps = torch.exp(-((near - torch.linspace(0.0, 2.0, 3)) ** 2) / 0.5)
        edges = torch.cat([edges[:, None], bumps], dim=-1)
        y, shares = self.attention(h, source, target, edges)
        h = h + F.elu(self.norm(y))
        spread = self.spread(h, source, target)
        h = self.again(spread, h)
        high = h.amax(dim=0, keepdim=True)
        whole = torch.cat([h.mean(dim=0, keepdim=True), high], dim=-1)
        travel = F.softplus(self.time(self.leave(whole))).squeeze(-1)
        right = (self.pair(h[source]) * h[target]).sum(dim=-1)
        other = (h[source] * h[wrong]).sum(dim=-1) / 12**0.5
        linked = -F.logsigmoid(right).mean() - F.logsigmoid(-other).mean()
        ranked = F.relu(1.0 - right + other).mean()
        flow = torch.zeros(n).index_add(0, target, shares.mean(dim=-1) * near.squeeze(-1))
        smooth = ((h[source] - h[target]).square().sum(dim=-1) * shares.mean(dim=-1)).sum() / n
        return h, travel, flow, linked + 0.5 * ranked + 0.1 * smooth


def build():
    return Net()


def inputs():
    source = torch.randint(0, 8, (20,))
    target = torch.cat([torch.arange(8), torch.randint(0, 8, (12,))])
    wrong = torch.randint(0, 8, (20,))
    return torch.randint(0, 5, (8,)), torch.randn(8, 3), source, target, torch.rand(20), wrong
