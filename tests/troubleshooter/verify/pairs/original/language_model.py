import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(16, 16)))

    def forward(self, x):
        n, length, width = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k, v = [
            t.view(n, length, self.heads, width // self.heads).transpose(1, 2) for t in (q, k, v)
        ]
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        scores = scores.masked_fill(self.mask[:length, :length] == 0, -1e9)
        y = F.dropout(F.softmax(scores, dim=-1), 0.1, self.training) @ v
        return self.out(y.transpose(1, 2).reshape(n, length, width))


class Layer(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class LanguageModel(nn.Module):
    def __init__(self, words=50, width=16, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.position = nn.Parameter(torch.zeros(1, 16, width))
        self.layers = nn.ModuleList([Layer(width) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, ids, labels=None):
        x = self.embedding(ids) + self.position[:, : ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        logits = self.head(self.norm(x))
        if labels is None:
            return {"logits": logits}
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))
        return {"logits": logits, "loss": loss}


def build():
    return LanguageModel()


def inputs():
    return torch.randint(0, 50, (2, 12)), torch.randint(0, 50, (2, 12))
