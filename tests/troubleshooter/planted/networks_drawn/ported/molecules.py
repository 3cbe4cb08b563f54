"""Atoms and bonds: attention over neighbours, gates, walks, a readout, distances as features."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def radial(away, centres, width):
    apart = away[..., None] - centres
    smooth = 0.5 * (ops.cos(away * 3.14159265 / 5.0) + 1.0)
    smooth = smooth * (away < 5.0).float()
    return ops.exp(-apart * apart / width) * smooth[..., None]


class Heads(nn.Cell):
    def __init__(self, enter, leave, heads):
        super().__init__()
        self.heads = heads
        self.leave = leave
        self.linear = nn.Dense(enter, heads * leave, has_bias=False)
        self.source = ms.Parameter(ops.randn(heads, leave) * 0.4)
        self.target = ms.Parameter(ops.randn(heads, leave) * 0.4)
        self.edge = nn.Dense(6, heads)

    def construct(self, x, bonds, edges):
        b, n, _ = x.shape
        h = self.linear(x).view(b, n, self.heads, self.leave)
        left = (h * self.source).sum(-1)
        right = (h * self.target).sum(-1)
        scores = left[:, :, None, :] + right[:, None, :, :]
        scores = ops.leaky_relu(scores + self.edge(edges), alpha=0.2)
        scores = scores.masked_fill(bonds[..., None] == 0, -1e9)
        shares = ops.softmax(scores, axis=2)
        mixed = compat.einsum("bijh,bjhc->bihc", shares, h)
        return ops.elu(mixed.flatten(2))


class Gate(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.old = nn.Dense(width, width)
        self.new = nn.Dense(width, width)

    def construct(self, old, new):
        z = ops.sigmoid(self.old(old) + self.new(new))
        return z * old + (1.0 - z) * new


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.atoms = nn.Embedding(7, 12, embedding_table=Normal(1.0))
        self.charge = nn.Dense(1, 12)
        self.first = Heads(12, 4, 3)
        self.gate = Gate(12)
        self.second = Heads(12, 6, 2)
        self.norm = nn.BatchNorm1d(12)
        self.weight = nn.Dense(12, 1)
        self.head = nn.SequentialCell(nn.Dense(24, 10), nn.SiLU(), nn.Dense(10, 2))
        self.register_buffer("centres", ops.linspace(0.0, 5.0, 6))

    def construct(self, kinds, charges, places, bonds):
        real = (kinds > 0).float()
        away = (places[:, :, None] - places[:, None]).pow(2).sum(-1)
        away = ops.sqrt(away + 1e-8)
        edges = radial(away, self.centres, 0.8)
        bonds = bonds + ops.eye(kinds.shape[1])
        degree = bonds.sum(-1)
        scaled = degree.rsqrt()[:, :, None] * bonds * degree.rsqrt()[:, None, :]
        x = self.atoms(kinds) + self.charge(charges[..., None])
        x = x + 0.5 * ops.bmm(scaled, x)
        x = self.gate(x, self.first(x, bonds, edges))
        x = self.norm(self.second(x, bonds, edges).transpose(1, 2)).transpose(1, 2)
        chosen = ops.sigmoid(self.weight(x)) * real[..., None]
        total = (chosen * x).sum(1) / chosen.sum(1).clamp(min=1e-3)
        most = x.masked_fill(real[..., None] == 0, -1e4).amax(1)
        return self.head(ops.cat([total, most], axis=1)), scaled


def build():
    return Net()


def inputs():
    kinds = ms.tensor([[1, 6, 3, 2, 5, 4], [2, 2, 5, 1, 0, 0]])
    bonds = ops.zeros((2, 6, 6))
    for i, j in ((0, 1), (1, 2), (2, 3), (3, 4), (1, 5)):
        bonds[0, i, j] = bonds[0, j, i] = 1.0
    for i, j in ((0, 1), (1, 2), (2, 3)):
        bonds[1, i, j] = bonds[1, j, i] = 1.0
    return kinds, ops.randn(2, 6), ops.randn(2, 6, 3) * 1.5, bonds
