"""Pictures and their captions: patches, words, one space for both, the right ones nearest."""

import torch
import torch.nn.functional as F
from torch import nn


def turned(x):
    """Pairs of features are turned by their place."""
    n, c = x.shape[-2], x.shape[-1]
    rates = 100.0 ** (-torch.arange(0, c, 2).float() / c)
    angle = torch.arange(n).float()[:, None] * rates
    cos, sin = torch.cos(angle), torch.sin(angle)
    one, two = x[..., : c // 2], x[..., c // 2 :]
    return torch.cat([one * cos - two * sin, two * cos + one * sin], dim=-1)


def unit(x):
    return x / (x.pow(2).sum(dim=-1, keepdim=True).sqrt() + 1e-6)


class Block(nn.Module):
    def __init__(self, width, heads, is_causal):
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.gate = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.4))

    def attend(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = turned(unit(q)), turned(unit(k))
        scores = 4.0 * torch.matmul(q, k.transpose(-1, -2))
        if self.is_causal:
            ahead = torch.triu(torch.ones(n, n), diagonal=1)
            scores = scores - 1e4 * ahead
        mixed = torch.softmax(scores, dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(b, n, c))

    def forward(self, x):
        x = x + self.scale * self.attend(self.norm1(x))
        y = self.norm2(x)
        return x + self.down(F.gelu(self.gate(y)) * self.up(y))


class Gathered(nn.Module):
    """One learnt question to all places."""

    def __init__(self, width):
        super().__init__()
        self.asked = nn.Parameter(torch.linspace(-1.0, 1.0, width))
        self.key = nn.Linear(width, width, bias=False)

    def forward(self, x, real):
        scores = (self.key(x) * self.asked).sum(dim=-1) / 2.0
        scores = scores.masked_fill(real < 0.5, -1e4)
        shares = torch.softmax(scores, dim=1)
        return (shares[..., None] * x).sum(dim=1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 12, 4, stride=4)
        self.places = nn.Parameter(0.1 * torch.ones(1, 9, 12))
        self.seeing = nn.ModuleList([Block(12, 3, False) for _ in range(2)])
        self.words = nn.Embedding(15, 12)
        self.reading = nn.ModuleList([Block(12, 3, True) for _ in range(1)])
        self.gathered = Gathered(12)
        self.seen = nn.Linear(12, 8, bias=False)
        self.read = nn.Linear(12, 8, bias=False)
        self.warmth = nn.Parameter(torch.tensor(1.5))

    def forward(self, pictures, words):
        x = self.patches(pictures).flatten(2).transpose(1, 2) + self.places
        for block in self.seeing:
            x = block(x)
        real = (words != 0).float()
        y = self.words(words) * real[..., None]
        for block in self.reading:
            y = block(y)
        seen = unit(self.seen(self.gathered(x, torch.ones_like(x[:, :, 0]))))
        read = unit(self.read(self.gathered(y, real)))
        logits = torch.matmul(seen, read.t()) * torch.exp(self.warmth.clamp(max=4.0))
        own = torch.diagonal(logits, dim1=0, dim2=1)
        across = torch.logsumexp(logits, dim=1) - own
        down = torch.logsumexp(logits, dim=0) - own
        loss = 0.5 * (across.mean() + down.mean())
        pairs = F.logsigmoid(own - 1.0).mean() + F.logsigmoid(1.0 - logits).mean()
        hard = logits - 20.0 * torch.eye(logits.shape[0])
        margin = F.relu(0.3 + hard.amax(dim=1) - own).mean()
        even = (seen.mean(dim=0) - read.mean(dim=0)).abs().sum()
        return logits, loss, margin - 0.1 * pairs, x.std(dim=1), even


def build():
    return Net()


def inputs():
    return torch.rand(4, 3, 12, 12), torch.randint(0, 15, (4, 6))
