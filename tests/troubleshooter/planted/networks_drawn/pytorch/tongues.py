"""From one tongue to another: grouped heads with rotary places, a copy of words, smoothed labels."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def turned(x, base=10000.0):
    """Rotates pairs of numbers by an angle that grows with the place."""
    n, size = x.shape[-2], x.shape[-1]
    rates = base ** (-torch.arange(0, size, 2).float() / size)
    angles = torch.arange(n).float()[:, None] * rates[None, :]
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


class Norm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Attention(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q = nn.Linear(width, width)
        self.kv = nn.Linear(width, 2 * groups * self.size, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, x, memory, mask, rotary):
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.heads, self.size).transpose(1, 2)
        kv = self.kv(memory).view(b, -1, 2, self.groups, self.size)
        k, v = kv.permute(2, 0, 3, 1, 4).unbind(0)
        if rotary:
            q, k = turned(q), turned(k)
        k = k.repeat_interleave(self.heads // self.groups, dim=1)
        v = v.repeat_interleave(self.heads // self.groups, dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)
        scores = 8.0 * torch.tanh(scores / 8.0)
        scores = scores.masked_fill(~mask, float("-inf"))
        shares = scores.softmax(dim=-1)
        mixed = (shares @ v).transpose(1, 2).reshape(b, n, c)
        return self.out(mixed), shares.mean(dim=1)


class Mlp(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Linear(width, 2 * width, bias=False)
        self.up = nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 16, padding_idx=0)
        self.norm1, self.norm2, self.norm3 = Norm(16), Norm(16), Norm(16)
        self.own = Attention(16, 4, 2)
        self.other = Attention(16, 4, 4)
        self.encoder = nn.GRU(16, 8, batch_first=True, bidirectional=True)
        self.mlp = Mlp(16)
        self.copy = nn.Linear(32, 1)
        self.scale = nn.Parameter(torch.tensor(1.5))

    def forward(self, source, target, labels):
        memory, last = self.encoder(self.words(source) * 4.0)
        start = torch.cat([last[0], last[1]], dim=-1)
        x = self.words(target) * 4.0 + 0.1 * start[:, None]
        n = target.shape[1]
        causal = torch.ones(n, n).tril().bool()[None, None]
        real = (source != 0)[:, None, None, :]
        y, _ = self.own(self.norm1(x), self.norm1(x), causal, True)
        x = x + y
        found, shares = self.other(self.norm2(x), memory, real, False)
        x = x + found
        x = x + self.mlp(self.norm3(x))
        logits = F.linear(F.normalize(x, dim=-1), F.normalize(self.words.weight, dim=-1))
        logits = logits * self.scale.exp()
        own = F.softmax(logits, dim=-1)
        hot = F.one_hot(source, 20).float()
        taken = shares @ hot
        p = torch.sigmoid(self.copy(torch.cat([x, found], dim=-1)))
        mixed = (1.0 - p) * own + p * taken
        logs = torch.log(mixed + 1e-6)
        loss = F.nll_loss(logs.flatten(0, 1), labels.flatten(), ignore_index=0)
        smooth = F.cross_entropy(logits.transpose(1, 2), labels, label_smoothing=0.1)
        length = (labels > 0).sum(dim=1).float()
        picked = torch.gather(logs, 2, labels[..., None]).squeeze(-1) * (labels > 0)
        score = picked.sum(dim=1) / ((5.0 + length) / 6.0) ** 0.8
        return mixed, loss + 0.5 * smooth, score


def build():
    return Net()


def inputs():
    source = torch.randint(1, 20, (2, 7))
    source[1, 5:] = 0
    target = torch.randint(1, 20, (2, 5))
    labels = torch.randint(1, 20, (2, 5))
    labels[0, 4:] = 0
    return source, target, labels
