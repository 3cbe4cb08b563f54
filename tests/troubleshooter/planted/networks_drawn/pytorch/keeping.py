"""A language model that keeps what it read: decays, turned pairs, shifted tokens, group norms."""

import torch
import torch.nn.functional as F
from torch import nn


def turned(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    pairs = torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1)
    return pairs.flatten(-2)


def angles(n, width):
    rates = 1.0 / (500.0 ** torch.linspace(0, 1, width // 2))
    found = torch.arange(n).float()[:, None] * rates
    return torch.cos(found), torch.sin(found)


def decays(n, heads):
    """What is left of each step for each later one; nothing of what comes."""
    rate = torch.log(1 - 2.0 ** (-2.0 - torch.arange(heads).float()))
    away = torch.arange(n)[:, None] - torch.arange(n)[None, :]
    left = torch.exp(away.float() * rate[:, None, None])
    left = torch.where(away >= 0, left, torch.zeros_like(left))
    return left / left.sum(dim=-1, keepdim=True).sqrt()


class Keeping(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.size = width // heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, width, bias=False)
        self.norm = nn.GroupNorm(heads, width)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        b, n, c = x.shape
        cos, sin = angles(n, self.size)
        q = self.q(x).view(b, n, self.heads, self.size).transpose(1, 2)
        k = self.k(x).view(b, n, self.heads, self.size).transpose(1, 2)
        v = self.v(x).view(b, n, self.heads, self.size).transpose(1, 2)
        q, k = turned(q, cos, sin), turned(k, cos, sin) * self.size**-0.5
        kept = q @ k.transpose(-1, -2) * decays(n, self.heads)
        kept = kept / kept.abs().sum(dim=-1, keepdim=True).clamp(min=1.0)
        y = (kept @ v).transpose(1, 2).reshape(b * n, c)
        y = self.norm(y).view(b, n, c)
        return self.out(F.silu(self.gate(x)) * y)


class Channels(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.now = nn.Parameter(torch.rand(width))
        self.key = nn.Linear(width, 2 * width)
        self.value = nn.Linear(2 * width, width)
        self.receive = nn.Linear(width, width)

    def forward(self, x):
        before = F.pad(x, (0, 0, 1, -1))
        mixed = x * self.now + before * (1.0 - self.now)
        k = torch.square(torch.relu(self.key(mixed)))
        return torch.sigmoid(self.receive(mixed)) * self.value(k)


class Memory(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.forget = nn.Linear(width, width)
        self.write = nn.Linear(width, width)

    def forward(self, x):
        state = torch.zeros_like(x[:, 0])
        found = []
        for t in range(x.shape[1]):
            share = torch.sigmoid(self.forget(x[:, t]) + 1.0)
            state = share * state + (1.0 - share) * torch.tanh(self.write(x[:, t]))
            found.append(state)
        return torch.stack(found, dim=1)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.keeping = Keeping(width, 2)
        self.norm2 = nn.LayerNorm(width)
        self.channels = Channels(width)

    def forward(self, x):
        x = x + self.keeping(self.norm1(x))
        return x + self.channels(self.norm2(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(25, 16)
        self.blocks = nn.ModuleList([Block(16), Block(16)])
        self.memory = Memory(16)
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 25, bias=False)

    def forward(self, tokens):
        x = self.embedding(tokens) * 16**0.5
        for block in self.blocks:
            x = block(x)
        x = self.norm(x + 0.3 * self.memory(x))
        logits = 15.0 * torch.tanh(self.head(x) / 15.0)
        logs = F.log_softmax(logits[:, :-1], dim=-1)
        hit = logs.gather(2, tokens[:, 1:, None]).squeeze(-1)
        size = torch.logsumexp(logits, dim=-1).pow(2).mean()
        return logits, -hit.mean() + 1e-2 * size


def build():
    return Net()


def inputs():
    return (torch.randint(1, 25, (2, 9)),)
