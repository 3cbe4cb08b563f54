"""The same with three projections."""

import math

import msconvert.runtime as ms
from msconvert.runtime import nn, ops


class SelfAttention(nn.Cell):
    def __init__(self, d, h):
        super().__init__()
        self.num_heads, self.size = h, d // h
        self.query = nn.Dense(d, d)
        self.key = nn.Dense(d, d)
        self.value = nn.Dense(d, d)
        self.dense = nn.Dense(d, d)

    def split(self, x):
        return x.reshape(x.shape[0], -1, self.num_heads, self.size).transpose(0, 2, 1, 3)

    def construct(self, x, bias):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        s = ops.matmul(q, k.transpose(0, 1, 3, 2)) / math.sqrt(self.size) + bias
        y = ops.matmul(ops.softmax(s), v).transpose(0, 2, 1, 3)
        return self.dense(y.reshape(x.shape))


class Encoder(nn.Cell):
    def __init__(self, d=16, h=2):
        super().__init__()
        self.attention = SelfAttention(d, h)
        self.layernorm1 = nn.LayerNorm((d,), epsilon=1e-5)
        self.intermediate = nn.Dense(d, 32, activation="relu")
        self.output = nn.Dense(32, d)
        self.layernorm2 = nn.LayerNorm((d,), epsilon=1e-5)

    def construct(self, x, bias):
        x = self.layernorm1(self.attention(x, bias) + x)
        return self.layernorm2(self.output(self.intermediate(x)) + x)


class Model(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embeddings = nn.Embedding(25, 16)
        self.encoder = nn.CellList([Encoder() for _ in range(2)])
        self.classifier = nn.Dense(16, 3)

    def construct(self, ids, pad):
        bias = ops.cast(pad, ms.float32)[:, None, None, :] * -1e9
        x = self.embeddings(ids)
        for layer in self.encoder:
            x = layer(x, bias)
        return self.classifier(x[:, 0, :])


def build():
    return Model()
