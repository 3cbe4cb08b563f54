import math

import torch
from torch import nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.softmax = nn.Softmax(dim=-1)
        self.out = nn.Linear(width, width)

    def split(self, x):
        n, length, width = x.shape
        return x.view(n, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        scores = scores + mask
        y = torch.matmul(self.softmax(scores), v)
        y = y.transpose(1, 2).reshape(x.shape)
        return self.out(y)


class Layer(nn.Module):
    """As in BERT: norms after the residual."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.fc1 = nn.Linear(width, 2 * width)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(2 * width, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask):
        x = self.norm1(x + self.drop(self.attention(x, mask)))
        return self.norm2(x + self.drop(self.fc2(self.act(self.fc1(x)))))


class PreNorm(nn.Module):
    """As in GPT: norms before, a fused attention."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.proj = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(approximate="tanh"), nn.Linear(2 * width, width)
        )

    def attend(self, x):
        n, length, width = x.shape
        qkv = self.qkv(x).reshape(n, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(n, length, width)

    def forward(self, x):
        x = x + self.proj(self.attend(self.norm1(x)))
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Module):
    def __init__(self, words=40, width=16, heads=4, classes=5):
        super().__init__()
        self.words = nn.Embedding(words, width, padding_idx=0)
        self.positions = nn.Embedding(32, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList([Layer(width, heads) for _ in range(2)])
        self.decoder = PreNorm(width, heads)
        self.cross = nn.MultiheadAttention(width, heads, batch_first=True)
        self.pooler = nn.Linear(width, width)
        self.tanh = nn.Tanh()
        self.classifier = nn.Linear(width, classes)

    def forward(self, ids):
        places = torch.arange(ids.size(1))
        x = self.norm(self.words(ids) + self.positions(places))
        mask = (ids == 0).float()[:, None, None, :] * -10000.0
        for layer in self.layers:
            x = layer(x, mask)
        y = self.decoder(x)
        x = x + self.cross(y, x, x, need_weights=False)[0]
        first = self.tanh(self.pooler(x[:, 0]))
        return F.log_softmax(self.classifier(first), dim=-1)


def inputs():
    ids = torch.randint(1, 40, (3, 9))
    ids[1, 6:] = 0
    return (ids,)
