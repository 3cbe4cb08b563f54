"""A block of a language model: rotary embedding, grouped heads, masks, its own norm."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        variance = x.pow(2).mean(-1, keepdim=True)
        return x * torch.rsqrt(variance + self.eps) * self.weight


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


def rotary(length, width, base=10000.0):
    steps = torch.arange(0, width, 2).float() / width
    angles = torch.arange(length).float()[:, None] * (base**-steps)[None, :]
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


class Attention(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.query = nn.Linear(width, width, bias=False)
        self.keys = nn.Linear(width, groups * self.size, bias=False)
        self.values = nn.Linear(width, groups * self.size, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x, lengths):
        b, n, _ = x.shape
        q = self.query(x).view(b, n, self.heads, self.size).transpose(1, 2)
        k = self.keys(x).view(b, n, self.groups, self.size).transpose(1, 2)
        v = self.values(x).view(b, n, self.groups, self.size).transpose(1, 2)
        cos, sin = rotary(n, self.size)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        k = k.repeat_interleave(self.heads // self.groups, dim=1)
        v = v.repeat_interleave(self.heads // self.groups, dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)
        causal = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
        scores = scores.masked_fill(causal, float("-inf"))
        padded = torch.arange(n)[None, :] >= lengths[:, None]
        scores = scores.masked_fill(padded[:, None, None, :], -1e9)
        weights = F.softmax(scores, dim=-1)
        mixed = (weights @ v).transpose(1, 2).reshape(b, n, -1)
        return self.out(mixed)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1 = RMSNorm(width)
        self.attention = Attention(width, 4, 2)
        self.norm2 = RMSNorm(width)
        self.gate = nn.Linear(width, 2 * width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x, lengths):
        x = x + self.attention(self.norm1(x), lengths)
        h = self.norm2(x)
        h = F.silu(self.gate(h)) * self.up(h)
        return x + self.down(h) * 0.5


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 16)
        self.block = Block(16)
        self.head = nn.Linear(16, 30)

    def forward(self, tokens, lengths):
        x = self.embedding(tokens) * math.sqrt(16)
        x = self.block(x, lengths)
        logits = self.head(x)
        return F.log_softmax(logits / 0.7, dim=-1)


def build():
    return Net()


def inputs():
    return torch.randint(0, 30, (2, 7)), torch.tensor([7, 5])
