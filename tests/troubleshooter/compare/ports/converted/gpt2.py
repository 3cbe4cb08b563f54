import math

import msconvert.runtime as ms
from msconvert.runtime import nn, ops


class Attention(nn.Cell):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.projection = nn.Dense(d, d)
        self.dense1 = nn.Dense(d, d)
        self.dense2 = nn.Dense(d, d)
        self.dense3 = nn.Dense(d, d)

    def construct(self, x):
        n, t, d = x.shape
        q = self.dense1(x).reshape(n, t, self.h, -1).transpose(0, 2, 1, 3)
        k = self.dense2(x).reshape(n, t, self.h, -1).transpose(0, 2, 1, 3)
        v = self.dense3(x).reshape(n, t, self.h, -1).transpose(0, 2, 1, 3)
        a = ops.matmul(q, k.transpose(0, 1, 3, 2)) / math.sqrt(d // self.h)
        a = ops.softmax(a + ops.triu(ops.full((t, t), -1e9, dtype=ms.float32), 1), -1)
        return self.projection(ops.matmul(a, v).transpose(0, 2, 1, 3).reshape(n, t, d))


class DecoderLayer(nn.Cell):
    def __init__(self, d, h):
        super().__init__()
        self.layernorm1 = nn.LayerNorm((d,), epsilon=1e-5)
        self.layernorm2 = nn.LayerNorm((d,), epsilon=1e-5)
        self.attention = Attention(d, h)
        self.mapping = nn.Dense(d, 4 * d)
        self.projection = nn.Dense(4 * d, d)
        self.gelu = nn.GELU(approximate=True)

    def construct(self, x):
        x = x + self.attention(self.layernorm1(x))
        return x + self.projection(self.gelu(self.mapping(self.layernorm2(x))))


class GPT(nn.Cell):
    def __init__(self, d=12):
        super().__init__()
        self.position_embedding = nn.Embedding(9, d)
        self.word_embedding = nn.Embedding(18, d)
        self.blocks = nn.CellList([DecoderLayer(d, 3) for _ in range(2)])
        self.layernorm = nn.LayerNorm((d,), epsilon=1e-5)

    def construct(self, ids):
        x = self.word_embedding(ids) + self.position_embedding(ops.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return ops.matmul(self.layernorm(x), self.word_embedding.embedding_table.T)


def build():
    return GPT()
