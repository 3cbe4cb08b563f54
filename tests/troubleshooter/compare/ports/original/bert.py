import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.query = nn.Linear(d, d)
        self.key = nn.Linear(d, d)
        self.value = nn.Linear(d, d)
        self.dense = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d, eps=1e-12)

    def forward(self, x, mask):
        n, t, d = x.shape
        q, k, v = [
            f(x).view(n, t, self.h, -1).transpose(1, 2) for f in (self.query, self.key, self.value)
        ]
        a = (q @ k.transpose(2, 3) / math.sqrt(d // self.h) + mask).softmax(-1)
        return self.norm(x + self.dense((a @ v).transpose(1, 2).reshape(n, t, d)))


class Layer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.attention = Attention(d, h)
        self.intermediate = nn.Linear(d, 3 * d)
        self.output = nn.Linear(3 * d, d)
        self.norm = nn.LayerNorm(d, eps=1e-12)

    def forward(self, x, mask):
        x = self.attention(x, mask)
        return self.norm(x + self.output(F.gelu(self.intermediate(x))))


class Net(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.word_embeddings = nn.Embedding(20, d)
        self.position_embeddings = nn.Embedding(10, d)
        self.token_type_embeddings = nn.Embedding(2, d)
        self.norm = nn.LayerNorm(d, eps=1e-12)
        self.layer = nn.ModuleList([Layer(d, 3) for _ in range(2)])
        self.pooler = nn.Linear(d, d)

    def forward(self, ids, kinds, mask):
        places = torch.arange(ids.shape[1])[None]
        x = self.word_embeddings(ids) + self.position_embeddings(places)
        x = self.norm(x + self.token_type_embeddings(kinds))
        mask = (1.0 - mask.float())[:, None, None] * -10000.0
        for layer in self.layer:
            x = layer(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


def build():
    return Net()


def inputs():
    mask = torch.ones(2, 6, dtype=torch.int64)
    mask[1, 4:] = 0
    return torch.randint(0, 20, (2, 6)), torch.randint(0, 2, (2, 6)), mask
