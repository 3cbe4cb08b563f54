import torch
from torch import nn
import torch.nn.functional as F


class Tabular(nn.Module):
    """Columns of categories and of numbers, as in recommenders."""

    def __init__(self, sizes=(11, 7, 23), numbers=6, width=12):
        super().__init__()
        self.users = nn.Embedding(sizes[0], 8)
        self.items = nn.Embedding(sizes[1], 8)
        self.places = nn.Embedding(sizes[2], 8)
        self.bn = nn.BatchNorm1d(numbers)
        self.dense = nn.Linear(numbers, 8)
        self.softplus = nn.Softplus()
        self.cross = nn.Linear(8, width)
        self.fc1 = nn.Linear(32, 2 * width)
        self.glu = nn.GLU(dim=1)
        self.norm = nn.LayerNorm(width)
        self.fc2 = nn.Linear(width, width, bias=False)
        self.act = nn.SELU()
        self.drop = nn.Dropout(0.5)
        self.tower = nn.Sequential(
            nn.Linear(width, 16), nn.BatchNorm1d(16), nn.CELU(0.5), nn.Linear(16, width), nn.Mish()
        )
        self.out = nn.Linear(width, 1)

    def forward(self, ids, numbers):
        u, i, p = self.users(ids[:, 0]), self.items(ids[:, 1]), self.places(ids[:, 2])
        d = self.softplus(self.dense(self.bn(numbers)))
        x = self.glu(self.fc1(torch.cat([u, i, p, d], dim=1)))
        x = x + self.cross(F.normalize(u, dim=1) * F.normalize(i, dim=1))
        x = self.act(self.fc2(self.norm(x)))
        x = x + self.tower(self.drop(x))
        return torch.sigmoid(self.out(x)).squeeze(1)


def inputs():
    ids = [torch.randint(0, size, (8,)) for size in (11, 7, 23)]
    return torch.stack(ids, dim=1), torch.randn(8, 6) * 3 + 1
