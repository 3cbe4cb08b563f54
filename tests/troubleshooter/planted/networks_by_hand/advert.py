"""Clicks: hashed fields in one table, a history attended by its target, crosses, two losses."""

import torch
import torch.nn.functional as F
from torch import nn

SIZES = (7, 5, 11)


class Fields(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.table = nn.Embedding(sum(SIZES), width)
        self.register_buffer("sizes", torch.tensor(SIZES), persistent=False)
        self.register_buffer("offsets", torch.tensor((0, *SIZES[:-1])).cumsum(0), persistent=False)

    def forward(self, ids):
        hashed = (ids * 31 + 17) % self.sizes
        return self.table(hashed + self.offsets)


class Interest(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.one = nn.Linear(4 * width, 8)
        self.two = nn.Linear(8, 1)
        self.slope = nn.Parameter(torch.linspace(-0.3, 0.3, 8))

    def dice(self, x):
        mean = x.mean((0, 1))
        spread = x.var((0, 1), unbiased=False)
        gate = torch.sigmoid((x - mean) / torch.sqrt(spread + 1e-8))
        return gate * x + (1 - gate) * self.slope * x

    def forward(self, target, history, lengths, ages):
        wide = target[:, None].expand_as(history)
        pairs = torch.cat([wide, history, wide - history, wide * history], dim=-1)
        scores = self.two(self.dice(self.one(pairs))).squeeze(-1)
        scores = scores - 0.1 * torch.log1p(ages.float())
        mask = torch.arange(history.shape[1]) < lengths[:, None]
        scores = scores.masked_fill(~mask, float("-inf"))
        shares = F.softmax(scores / self.width**0.5, dim=1)
        return torch.einsum("bn,bnd->bd", shares, history)


class Cross(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])

    def forward(self, x):
        first = x
        for layer in self.layers:
            x = first * layer(x) + x
        return x


class Net(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.fields = Fields(width)
        self.items = nn.Embedding(20, width)
        self.interest = Interest(width)
        self.cross = Cross(5 * width, 2)
        self.norm = nn.BatchNorm1d(5 * width)
        self.deep = nn.Sequential(nn.Linear(5 * width, 12), nn.PReLU(), nn.Linear(12, 6))
        self.click = nn.Linear(5 * width + 6, 1)
        self.buy = nn.Linear(6, 1)

    def forward(self, ids, item, history, lengths, ages, clicked, bought):
        fields = self.fields(ids)
        target = self.items(item)
        wanted = self.interest(target, self.items(history), lengths, ages)
        pairs = 0.5 * (fields.sum(1) ** 2 - (fields**2).sum(1))
        flat = torch.cat([fields.flatten(1), wanted, target], dim=1)
        deep = self.deep(self.norm(flat))
        click = self.click(torch.cat([self.cross(flat), deep], dim=1)).squeeze(1)
        click = click + pairs.sum(1)
        chance = torch.sigmoid(click)
        both = chance * torch.sigmoid(self.buy(deep).squeeze(1))
        first = F.binary_cross_entropy_with_logits(click, clicked, pos_weight=torch.tensor(3.0))
        second = F.binary_cross_entropy(both.clamp(1e-6, 1 - 1e-6), bought, reduction="sum")
        rank = F.margin_ranking_loss(click[:2], click[2:], torch.ones(2), margin=0.5)
        return chance, both, first + 0.5 * second + 0.1 * rank


def build():
    return Net()


def inputs():
    return (
        torch.tensor([[3, 14, 9], [25, 6, 33], [8, 2, 50], [11, 19, 4]]),
        torch.tensor([4, 7, 19, 2]),
        torch.tensor([[1, 5, 9, 0, 0], [3, 3, 12, 18, 6], [2, 8, 0, 0, 0], [15, 4, 1, 7, 0]]),
        torch.tensor([3, 5, 2, 4]),
        torch.tensor([[0, 3, 8, 0, 0], [1, 2, 5, 9, 20], [4, 6, 0, 0, 0], [0, 1, 30, 31, 0]]),
        torch.tensor([1.0, 0.0, 1.0, 1.0]),
        torch.tensor([0.0, 0.0, 1.0, 0.0]),
    )
