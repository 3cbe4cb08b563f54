"""The same for MindSpore, attention and loss written out."""

import math

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


def sinusoids(length, width):
    places = np.arange(length)[:, None]
    rates = 10000.0 ** (-np.arange(0, width, 2) / width)
    angles = places * rates
    table = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return Tensor(table.reshape(length, width), ms.float32)


def buckets(distance, count=8, far=20):
    half = count // 2
    side = (distance > 0).astype(ms.int32) * half
    size = ops.abs(distance)
    exact = half // 2
    share = ops.log(ops.clamp(size.astype(ms.float32), min=1) / exact) / math.log(far / exact)
    large = exact + (share * (half - exact)).astype(ms.int32)
    large = ops.clamp(large, max=half - 1)
    return side + ops.where(size < exact, size, large)


def attend(q, k, v, mask):
    scores = ops.matmul(q, k.swapaxes(-2, -1)) / math.sqrt(q.shape[-1])
    scores = scores + mask
    weights = ops.softmax(scores, -1)
    return ops.matmul(weights, v)


def smoothed(logits, wanted, smoothing=0.1):
    logs = ops.log_softmax(logits, -1)
    hit = ops.gather_elements(logs, 1, wanted.expand_dims(1)).squeeze(1)
    spread = logs.mean(-1)
    losses = -(1 - smoothing) * hit - smoothing * spread
    counted = (wanted != 0).astype(ms.float32)
    return (losses * counted).sum() / counted.sum()


class Attention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inner = nn.Dense(width, 3 * width)
        self.outer = nn.Dense(width, width)
        self.bias = nn.Embedding(8, heads)

    def split(self, x):
        b, n, c = x.shape
        return x.reshape(b, n, self.heads, c // self.heads).transpose(0, 2, 1, 3)

    def construct(self, x, keep):
        whole = self.inner(x)
        q, k, v = [self.split(part) for part in ops.chunk(whole, 3, -1)]
        n = x.shape[1]
        places = ops.arange(n)
        bias = self.bias(buckets(places.expand_dims(0) - places.expand_dims(1)))
        bias = bias.transpose(2, 0, 1).expand_dims(0)
        mask = (1.0 - keep.astype(ms.float32)) * -1e4
        mixed = attend(q, k, v, bias + mask.expand_dims(1).expand_dims(1))
        b = x.shape[0]
        return self.outer(mixed.swapaxes(1, 2).reshape(b, n, -1))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.places = sinusoids(12, 16)
        self.norm1 = nn.LayerNorm((16,), epsilon=1e-6)
        self.attention = Attention(16, 4)
        self.norm2 = nn.LayerNorm((16,), epsilon=1e-6)
        self.up = nn.Dense(16, 32)
        self.down = nn.Dense(32, 16)

    def construct(self, tokens, wanted):
        keep = tokens != 0
        x = self.embedding(tokens) * 4.0 + self.places[: tokens.shape[1]]
        x = x + self.attention(self.norm1(x), keep)
        x = x + self.down(ops.gelu(self.up(self.norm2(x)), approximate="none"))
        logits = ops.matmul(x, self.embedding.embedding_table.T)
        loss = smoothed(logits.reshape(-1, 20), wanted.reshape(-1))
        real = keep.astype(ms.float32).expand_dims(-1)
        pooled = (x * real).sum(1) / real.sum(1)
        length = ops.sqrt((pooled * pooled).sum(-1, keepdims=True))
        return logits, loss, pooled / ops.clamp(length, min=1e-12)


def build():
    return Net()
