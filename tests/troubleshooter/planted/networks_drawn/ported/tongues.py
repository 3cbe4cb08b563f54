"""From one tongue to another: grouped heads with rotary places, a copy of words, smoothed labels."""

import math

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
import _ms_compat as compat


def turned(x, base=10000.0):
    """Rotates pairs of numbers by an angle that grows with the place."""
    n, size = x.shape[-2], x.shape[-1]
    rates = base ** (-ops.arange(0, size, 2).float() / size)
    angles = ops.arange(n).float()[:, None] * rates[None, :]
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return ops.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).flatten(-2)


class Norm(nn.Cell):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = ms.Parameter(ops.rand(width) + 0.5)

    def construct(self, x):
        return x * ops.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Attention(nn.Cell):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q = nn.Dense(width, width)
        self.kv = nn.Dense(width, 2 * groups * self.size, has_bias=False)
        self.out = nn.Dense(width, width)

    def construct(self, x, memory, mask, rotary):
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.heads, self.size).transpose(1, 2)
        kv = self.kv(memory).view(b, -1, 2, self.groups, self.size)
        k, v = kv.permute(2, 0, 3, 1, 4).unbind(0)
        if rotary:
            q, k = turned(q), turned(k)
        k = k.repeat_interleave(self.heads // self.groups, 1)
        v = v.repeat_interleave(self.heads // self.groups, 1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)
        scores = 8.0 * ops.tanh(scores / 8.0)
        scores = scores.masked_fill(~mask, float("-inf"))
        shares = scores.softmax(-1)
        mixed = (shares @ v).transpose(1, 2).reshape(b, n, c)
        return self.out(mixed), shares.mean(1)


class Mlp(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Dense(width, 2 * width, has_bias=False)
        self.up = nn.Dense(width, 2 * width, has_bias=False)
        self.down = nn.Dense(2 * width, width, has_bias=False)

    def construct(self, x):
        return self.down(ops.silu(self.gate(x)) * self.up(x))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = compat.Embedding(20, 16, padding_idx=0)
        self.norm1, self.norm2, self.norm3 = Norm(16), Norm(16), Norm(16)
        self.own = Attention(16, 4, 2)
        self.other = Attention(16, 4, 4)
        self.encoder = nn.GRU(16, 8, batch_first=True, bidirectional=True)
        self.mlp = Mlp(16)
        self.copy = nn.Dense(32, 1)
        self.scale = ms.Parameter(ms.tensor(1.5))

    def construct(self, source, target, labels):
        memory, last = self.encoder(self.words(source) * 4.0)
        start = ops.cat([last[0], last[1]], axis=-1)
        x = self.words(target) * 4.0 + 0.1 * start[:, None]
        n = target.shape[1]
        causal = ops.ones((n, n)).tril().bool()[None, None]
        real = (source != 0)[:, None, None, :]
        y, _ = self.own(self.norm1(x), self.norm1(x), causal, True)
        x = x + y
        found, shares = self.other(self.norm2(x), memory, real, False)
        x = x + found
        x = x + self.mlp(self.norm3(x))
        logits = ops.dense(
            compat.normalize(x, dim=-1), compat.normalize(self.words.embedding_table, dim=-1)
        )
        logits = logits * self.scale.exp()
        own = ops.softmax(logits, axis=-1)
        hot = ops.one_hot(source, 20).float()
        taken = shares @ hot
        p = ops.sigmoid(self.copy(ops.cat([x, found], axis=-1)))
        mixed = (1.0 - p) * own + p * taken
        logs = ops.log(mixed + 1e-6)
        loss = ops.nll_loss(logs.flatten(0, 1), labels.flatten(), ignore_index=0)
        smooth = ops.cross_entropy(logits.transpose(1, 2), labels, label_smoothing=0.1)
        length = (labels > 0).sum(1).float()
        picked = ops.gather_elements(logs, 2, labels[..., None]).squeeze(-1) * (labels > 0)
        score = picked.sum(1) / ((5.0 + length) / 6.0) ** 0.8
        return mixed, loss + 0.5 * smooth, score


def build():
    return Net()


def inputs():
    source = ops.randint(1, 20, (2, 7))
    source[1, 5:] = 0
    target = ops.randint(1, 20, (2, 5))
    labels = ops.randint(1, 20, (2, 5))
    labels[0, 4:] = 0
    return source, target, labels
