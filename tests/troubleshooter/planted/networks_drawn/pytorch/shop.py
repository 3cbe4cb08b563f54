"""What a customer buys next: fields that multiply, a history that is attended to, two losses."""

import torch
import torch.nn.functional as F
from torch import nn


def pairwise(fields):
    """All products of two fields, by the square of the sum less the sum of squares."""
    total = fields.sum(dim=1)
    squares = (fields * fields).sum(dim=1)
    return 0.5 * (total * total - squares)


class Dice(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width, affine=False)
        self.alpha = nn.Parameter(torch.rand(width) * 0.3)

    def forward(self, x):
        p = torch.sigmoid(self.norm(x))
        return p * x + (1.0 - p) * self.alpha * x


class Interest(nn.Module):
    """How much each thing of a history is like the one that is offered."""

    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Linear(4 * width, 12)
        self.fc2 = nn.Linear(12, 1)
        self.decay = nn.Parameter(torch.tensor(0.3))

    def forward(self, offered, history, real):
        n = history.shape[1]
        own = offered[:, None, :].repeat(1, n, 1)
        pairs = torch.cat([own, history, own - history, own * history], dim=-1)
        scores = self.fc2(torch.relu(self.fc1(pairs))).squeeze(-1)
        age = torch.arange(n - 1, -1, -1).to(scores.dtype)
        scores = scores - F.softplus(self.decay) * age[None, :]
        scores = torch.where(real, scores, torch.full_like(scores, -1e4))
        shares = F.softmax(scores, dim=1)
        return torch.einsum("bn,bnc->bc", shares, history)


class Cross(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.w = nn.Linear(width, width)

    def forward(self, first, x):
        return first * self.w(x) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.things = nn.Embedding(30, 8, padding_idx=0)
        self.users = nn.Embedding(10, 8)
        self.hours = nn.Embedding(24, 8)
        self.first = nn.Embedding(30, 1)
        self.interest = Interest(8)
        self.cross = nn.ModuleList([Cross(32), Cross(32)])
        self.fc = nn.Linear(32, 16)
        self.dice = Dice(16)
        self.out = nn.Linear(16 + 32 + 8, 1)
        self.experts = nn.Parameter(torch.randn(3, 32, 4) * 0.2)
        self.gate = nn.Linear(32, 3)

    def forward(self, user, offered, other, history, hour):
        real = history > 0
        seen = self.things(history)
        thing = self.things(offered)
        liked = self.interest(thing, seen, real)
        when = self.hours((hour + 3) % 24)
        fields = torch.stack([self.users(user), thing, liked, when], dim=1)
        x = fields.flatten(1)
        first = x
        for layer in self.cross:
            x = layer(first, x)
        deep = self.dice(self.fc(first))
        wide = self.first(offered).squeeze(-1)
        both = torch.cat([deep, x, pairwise(fields)], dim=1)
        score = self.out(both).squeeze(-1) + wide
        rival = (self.things(other) * liked).sum(dim=-1) / 8**0.5
        better = (thing * liked).sum(dim=-1) / 8**0.5
        ranked = -F.logsigmoid(better - rival).mean()
        shares = torch.softmax(self.gate(first), dim=-1)
        tasks = torch.einsum("bi,eio->beo", first, self.experts)
        mixed = (shares[:, :, None] * F.silu(tasks)).sum(dim=1)
        popular = torch.log1p((history[:, :, None] == offered[:, None, None]).float().sum((1, 2)))
        return score + 0.2 * popular, mixed, ranked


def build():
    return Net()


def inputs():
    history = torch.randint(1, 30, (4, 6))
    history[0, 4:] = 0
    return (
        torch.randint(0, 10, (4,)),
        torch.randint(1, 30, (4,)),
        torch.randint(1, 30, (4,)),
        history,
        torch.randint(0, 24, (4,)),
    )
