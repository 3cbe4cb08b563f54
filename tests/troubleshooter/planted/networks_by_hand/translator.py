"""Attention with relative places, by PyTorch's composite; the loss within."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def sinusoids(length, width):
    places = np.arange(length)[:, None]
    rates = np.exp(-math.log(10000.0) * np.arange(0, width, 2) / width)
    table = np.zeros((length, width), np.float32)
    table[:, 0::2] = np.sin(places * rates)
    table[:, 1::2] = np.cos(places * rates)
    return torch.from_numpy(table)


def buckets(distance, count=8, far=20):
    half = count // 2
    side = (distance > 0).long() * half
    size = distance.abs()
    exact = half // 2
    share = torch.log(size.float().clamp(min=1) / exact) / math.log(far / exact)
    large = exact + (share * (half - exact)).long()
    large = torch.minimum(large, torch.full_like(large, half - 1))
    return side + torch.where(size < exact, size, large)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inner = nn.Linear(width, 3 * width)
        self.outer = nn.Linear(width, width)
        self.bias = nn.Embedding(8, heads)

    def split(self, x):
        b, n, c = x.shape
        return x.view(b, n, self.heads, c // self.heads).transpose(1, 2)

    def forward(self, x, keep):
        q, k, v = [self.split(part) for part in self.inner(x).chunk(3, dim=-1)]
        n = x.shape[1]
        places = torch.arange(n)
        bias = self.bias(buckets(places[None, :] - places[:, None])).permute(2, 0, 1)
        mask = bias[None] + (1.0 - keep[:, None, None, :].float()) * -1e4
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.outer(mixed.transpose(1, 2).flatten(2))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.register_buffer("places", sinusoids(12, 16), persistent=False)
        self.norm1 = nn.LayerNorm(16, eps=1e-6)
        self.attention = Attention(16, 4)
        self.norm2 = nn.LayerNorm(16, eps=1e-6)
        self.up = nn.Linear(16, 32)
        self.down = nn.Linear(32, 16)

    def forward(self, tokens, wanted):
        keep = tokens != 0
        x = self.embedding(tokens) * 4.0 + self.places[: tokens.shape[1]]
        x = x + self.attention(self.norm1(x), keep)
        x = x + self.down(F.gelu(self.up(self.norm2(x))))
        logits = F.linear(x, self.embedding.weight)
        loss = F.cross_entropy(
            logits.flatten(0, 1), wanted.flatten(), ignore_index=0, label_smoothing=0.1
        )
        pooled = (x * keep[..., None]).sum(1) / keep.sum(1, keepdim=True)
        return logits, loss, F.normalize(pooled, dim=-1)


def build():
    return Net()


def inputs():
    tokens = torch.randint(1, 20, (2, 9))
    tokens[1, 6:] = 0
    wanted = torch.randint(1, 20, (2, 9))
    wanted[1, 6:] = 0
    return tokens, wanted
