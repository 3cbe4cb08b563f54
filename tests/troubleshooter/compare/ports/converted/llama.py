import math

import numpy as np

import msconvert.runtime as ms
from msconvert.runtime import Parameter, Tensor, nn, ops


class LlamaRMSNorm(nn.Cell):
    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.gamma = Parameter(Tensor(np.ones(d, np.float32)), name="gamma")
        self.eps = eps

    def construct(self, x):
        return x * ops.rsqrt(ops.square(x).mean(-1, keep_dims=True) + self.eps) * self.gamma


def rotated(x):
    half = x.shape[-1] // 2
    return ops.concat((-x[..., half:], x[..., :half]), -1)


class LlamaAttention(nn.Cell):
    def __init__(self, d, h, kv):
        super().__init__()
        self.h, self.kv, self.hd = h, kv, d // h
        self.wo = nn.Dense(d, d, has_bias=False)
        self.wq = nn.Dense(d, d, has_bias=False)
        self.wk = nn.Dense(d, kv * self.hd, has_bias=False)
        self.wv = nn.Dense(d, kv * self.hd, has_bias=False)

    def construct(self, x, cos, sin, mask):
        n, t, d = x.shape
        q = self.wq(x).reshape(n, t, self.h, self.hd).transpose(0, 2, 1, 3)
        k = self.wk(x).reshape(n, t, self.kv, self.hd).transpose(0, 2, 1, 3)
        v = self.wv(x).reshape(n, t, self.kv, self.hd).transpose(0, 2, 1, 3)
        q, k = q * cos + rotated(q) * sin, k * cos + rotated(k) * sin
        k, v = (ops.repeat_interleave(z, self.h // self.kv, 1) for z in (k, v))
        a = ops.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) / math.sqrt(self.hd) + mask, -1)
        return self.wo(ops.matmul(a, v).transpose(0, 2, 1, 3).reshape(n, t, d))


class LlamaFeedForward(nn.Cell):
    """The gate and what it opens in one matrix."""

    def __init__(self, d):
        super().__init__()
        self.w_gate_hidden = nn.Dense(d, 4 * d, has_bias=False)
        self.w2 = nn.Dense(2 * d, d, has_bias=False)

    def construct(self, x):
        gate, hidden = ops.split(self.w_gate_hidden(x), 2 * x.shape[-1], -1)
        return self.w2(ops.silu(gate) * hidden)


class LlamaDecodeLayer(nn.Cell):
    def __init__(self, d, h, kv):
        super().__init__()
        self.ffn_norm = LlamaRMSNorm(d)
        self.attention_norm = LlamaRMSNorm(d)
        self.attention = LlamaAttention(d, h, kv)
        self.feed_forward = LlamaFeedForward(d)

    def construct(self, x, cos, sin, mask):
        x = x + self.attention(self.attention_norm(x), cos, sin, mask)
        return x + self.feed_forward(self.ffn_norm(x))


class Model(nn.Cell):
    def __init__(self, d=16, h=4, kv=2):
        super().__init__()
        self.tok_embeddings = nn.Embedding(24, d)
        self.layers = nn.CellList([LlamaDecodeLayer(d, h, kv) for _ in range(2)])
        self.norm_out = LlamaRMSNorm(d)
        self.hd = d // h

    def construct(self, ids):
        t = ids.shape[1]
        speed = 1.0 / 10000.0 ** (ops.arange(0, self.hd, 2).astype(ms.float32) / self.hd)
        angle = ops.arange(t).astype(ms.float32).reshape(-1, 1) * speed
        angle = ops.concat((angle, angle), -1)
        mask = ops.triu(ops.full((t, t), -1e9, dtype=ms.float32), 1)
        x = self.tok_embeddings(ids)
        for layer in self.layers:
            x = layer(x, ops.cos(angle), ops.sin(angle), mask)
        return ops.matmul(self.norm_out(x), self.tok_embeddings.embedding_table.T)


def build():
    return Model()
