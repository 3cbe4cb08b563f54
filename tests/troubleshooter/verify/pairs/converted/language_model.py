import math

import msconvert.runtime as ms
from msconvert.runtime import nn, ops


class Attention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Dense(width, 3 * width)
        self.out = nn.Dense(width, width)
        self.register_buffer("mask", ops.tril(ops.ones((16, 16), ms.float32)))

    def construct(self, x):
        n, length, width = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k, v = [
            t.view(n, length, self.heads, width // self.heads).swapaxes(1, 2) for t in (q, k, v)
        ]
        scores = q @ k.swapaxes(-2, -1) / math.sqrt(width // self.heads)
        scores = scores.masked_fill(self.mask[:length, :length] == 0, -1e9)
        y = ops.dropout(ops.softmax(scores, axis=-1), 0.1, self.training) @ v
        return self.out(y.swapaxes(1, 2).reshape(n, length, width))


class Layer(nn.Cell):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.norm1 = nn.LayerNorm((width,), epsilon=1e-5)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm((width,), epsilon=1e-5)
        self.mlp = nn.SequentialCell(
            nn.Dense(width, 4 * width),
            nn.GELU(approximate=False),
            nn.Dropout(p=0.1),
            nn.Dense(4 * width, width),
        )

    def construct(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class LanguageModel(nn.Cell):
    def __init__(self, words=50, width=16, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.position = ms.Parameter(ops.zeros((1, 16, width), ms.float32))
        self.layers = nn.CellList([Layer(width) for _ in range(layers)])
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.head = nn.Dense(width, words, has_bias=False)
        self.head.weight = self.embedding.embedding_table

    def construct(self, ids, labels=None):
        x = self.embedding(ids) + self.position[:, : ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        logits = self.head(self.norm(x))
        if labels is None:
            return {"logits": logits}
        loss = ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))
        return {"logits": logits, "loss": loss}


def build():
    return LanguageModel()
