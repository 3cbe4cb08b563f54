"""Counts along a sequence of letters: both strands, widening convolutions, attention by distance."""

import torch
import torch.nn.functional as F
from torch import nn


def far_features(length, count):
    """How far each place is from each, on a logarithmic scale, with its sign."""
    places = torch.arange(length).float()
    away = places[None, :] - places[:, None]
    steps = 2.0 ** torch.arange(1, count + 1).float()
    near = (away.abs()[..., None] < steps).float()
    return torch.cat([near, torch.sign(away)[..., None] * near], dim=-1)


def poisson(rate, counts):
    return rate - counts * torch.log(rate + 1e-6)


class Widening(nn.Module):
    def __init__(self, width, reach):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 3, padding=reach, dilation=reach)
        self.norm = nn.GroupNorm(2, width)
        self.mix = nn.Conv1d(width, width, 1)
        self.gain = nn.Parameter(torch.full((width, 1), 0.5))

    def forward(self, x):
        y = self.conv(F.gelu(self.norm(x)))
        y = self.mix(F.gelu(y))
        return x + self.gain * y


class Pool(nn.Module):
    """Two neighbours by the weights of a softmax."""

    def __init__(self, width):
        super().__init__()
        self.weigh = nn.Linear(width, width, bias=False)

    def forward(self, x):
        b, n, c = x.shape
        x = x.reshape(b, n // 2, 2, c)
        shares = torch.softmax(2.0 * self.weigh(x), dim=2)
        return (shares * x).sum(dim=2)


class Attention(nn.Module):
    def __init__(self, width, heads, length, features):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.far = nn.Linear(2 * features, heads, bias=False)
        self.bias = nn.Parameter(torch.zeros(heads, 1, self.size))
        self.register_buffer("features", far_features(length, features))

    def split(self, x):
        b, n, _ = x.shape
        return x.reshape(b, n, self.heads, self.size).transpose(1, 2)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        q = q * self.size**-0.5
        scores = torch.einsum("bhid,bhjd->bhij", q + self.bias, k)
        scores = scores + self.far(self.features).permute(2, 0, 1)
        shares = torch.softmax(scores, dim=-1)
        mixed = torch.matmul(shares, v).transpose(1, 2).reshape(b, n, c)
        return self.out(mixed)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(4, 12, 5, padding=2)
        self.reaches = nn.ModuleList([Widening(12, 2**i) for i in range(2)])
        self.pool = Pool(12)
        self.norm1 = nn.LayerNorm(12)
        self.attention = Attention(12, 3, 8, 3)
        self.norm2 = nn.LayerNorm(12)
        self.grow = nn.Linear(12, 24)
        self.shrink = nn.Linear(24, 12)
        self.tracks = nn.Linear(12, 3)
        self.total = nn.Linear(12, 1)

    def strand(self, x):
        x = self.stem(x)
        for one in self.reaches:
            x = one(x)
        x = self.pool(x.transpose(1, 2))
        x = x + self.attention(self.norm1(x))
        return x + self.shrink(F.relu(self.grow(self.norm2(x))))

    def forward(self, letters, counts):
        x = F.one_hot(letters, 4).float().transpose(1, 2)
        ahead = self.strand(x)
        back = self.strand(x.flip(2).flip(1)).flip(1)
        both = 0.5 * (ahead + back)
        rate = F.softplus(self.tracks(both)) * counts.mean(dim=1, keepdim=True)
        share = rate / (rate.sum(dim=1, keepdim=True) + 1e-6)
        wanted = counts / counts.sum(dim=1, keepdim=True).clamp(min=1.0)
        apart = (wanted * (torch.log(wanted + 1e-6) - torch.log(share + 1e-6))).sum(dim=1)
        total = torch.exp(self.total(both.mean(dim=1)).clamp(-4.0, 4.0)).squeeze(-1)
        missed = poisson(total, counts.sum(dim=(1, 2))).mean() / 20.0
        centred = rate - rate.mean(dim=1, keepdim=True)
        other = counts - counts.mean(dim=1, keepdim=True)
        sizes = centred.norm(dim=1) * other.norm(dim=1)
        like = (centred * other).sum(dim=1) / (sizes + 1e-3)
        loss = poisson(rate, counts).mean() + 0.2 * missed + apart.mean()
        return rate, total, like, loss


def build():
    return Net()


def inputs():
    return torch.randint(0, 4, (2, 16)), torch.randint(0, 5, (2, 8, 3)).float()
