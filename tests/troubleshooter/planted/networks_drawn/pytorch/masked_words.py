"""An encoder of words, written out: three embeddings, masks, a pooler, tied output, its loss."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def normed(x, weight, bias, eps):
    mean = x.mean(dim=-1, keepdim=True)
    centred = x - mean
    variance = (centred * centred).mean(dim=-1, keepdim=True)
    return weight * centred / torch.sqrt(variance + eps) + bias


class Norm(nn.Module):
    def __init__(self, width, eps=1e-12):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.bias = nn.Parameter(torch.randn(width) * 0.1)
        self.eps = eps

    def forward(self, x):
        return normed(x, self.weight, self.bias, self.eps)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.size = width // heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)

    def split(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.heads, self.size).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q = self.split(self.query(x))
        k = self.split(self.key(x))
        v = self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2))
        scores = scores / math.sqrt(self.size)
        scores = scores + mask
        shares = F.softmax(scores, dim=-1)
        mixed = torch.matmul(shares, v).permute(0, 2, 1, 3)
        return mixed.reshape(x.shape[0], x.shape[1], -1)


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention = Attention(width, 4)
        self.out = nn.Linear(width, width)
        self.norm1 = Norm(width)
        self.up = nn.Linear(width, 3 * width)
        self.act = nn.GELU()
        self.down = nn.Linear(3 * width, width)
        self.norm2 = Norm(width)

    def forward(self, x, mask):
        mixed = self.out(self.attention(x, mask))
        x = self.norm1(x + mixed)
        wide = self.act(self.up(x))
        return self.norm2(x + self.down(wide))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(40, 16, padding_idx=0)
        self.places = nn.Embedding(12, 16)
        self.kinds = nn.Embedding(2, 16)
        self.norm = nn.LayerNorm(16, eps=1e-6)
        self.layers = nn.ModuleList([Layer(16) for _ in range(2)])
        self.pool = nn.Linear(16, 16)
        self.change = nn.Linear(16, 16)
        self.change_norm = nn.LayerNorm(16)
        self.bias = nn.Parameter(torch.randn(40) * 0.1)

    def forward(self, tokens, kinds, labels):
        real = tokens.ne(0).float()
        mask = (1.0 - real[:, None, None, :]) * -10000.0
        places = torch.arange(tokens.shape[1])
        x = self.words(tokens) + self.places(places)[None] + self.kinds(kinds)
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask)
        pooled = torch.tanh(self.pool(x[:, 0]))
        counts = real.sum(dim=1, keepdim=True).clamp(min=1.0)
        mean = (x * real[:, :, None]).sum(dim=1) / counts
        changed = self.change_norm(F.gelu(self.change(x)))
        logits = F.linear(changed, self.words.weight) + self.bias
        loss = F.cross_entropy(logits.reshape(-1, 40), labels.reshape(-1), ignore_index=-100)
        return torch.cat([pooled, mean], dim=-1), logits, loss


def build():
    return Net()


def inputs():
    tokens = torch.tensor([[3, 8, 21, 33, 5, 7, 12, 39], [2, 19, 28, 6, 14, 0, 0, 0]])
    kinds = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 0, 0, 0]])
    labels = torch.tensor(
        [[-100, 8, -100, 4, 5, -100, 11, 39], [2, -100, 28, -100, 9, -100, -100, -100]]
    )
    return tokens, kinds, labels
