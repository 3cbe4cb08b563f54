import math

import msconvert.runtime as ms
from msconvert.runtime import nn, ops


class MultiHead(nn.Cell):
    """Fused, by heads in a row."""

    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv_proj = nn.Dense(d, 3 * d)
        self.out_proj = nn.Dense(d, d)

    def construct(self, x, mask):
        n, t, d = x.shape
        qkv = self.qkv_proj(x).reshape(n, t, 3, self.h, d // self.h).transpose(2, 0, 3, 1, 4)
        a = ops.matmul(qkv[0], qkv[1].transpose(0, 1, 3, 2)) / math.sqrt(d // self.h)
        a = ops.softmax(a + mask, -1)
        return self.out_proj(ops.matmul(a, qkv[2]).transpose(0, 2, 1, 3).reshape(n, t, d))


class EncoderLayer(nn.Cell):
    def __init__(self, d, h):
        super().__init__()
        self.ln_1 = nn.LayerNorm((d,), epsilon=1e-12)
        self.ln_2 = nn.LayerNorm((d,), epsilon=1e-12)
        self.mha = MultiHead(d, h)
        self.ffn_in = nn.Dense(d, 3 * d)
        self.ffn_out = nn.Dense(3 * d, d)

    def construct(self, x, mask):
        x = self.ln_1(x + self.mha(x, mask))
        return self.ln_2(x + self.ffn_out(ops.gelu(self.ffn_in(x), "none")))


class Bert(nn.Cell):
    def __init__(self, d=12):
        super().__init__()
        self.tok = nn.Embedding(20, d)
        self.seg = nn.Embedding(2, d)
        self.pos = nn.Embedding(10, d)
        self.emb_ln = nn.LayerNorm((d,), epsilon=1e-12)
        self.blocks = nn.CellList([EncoderLayer(d, 3) for _ in range(2)])
        self.cls_head = nn.Dense(d, d)

    def construct(self, ids, kinds, mask):
        places = ops.arange(ids.shape[1])[None]
        x = self.emb_ln(self.tok(ids) + self.pos(places) + self.seg(kinds))
        mask = (1.0 - mask.astype(ms.float32))[:, None, None] * -10000.0
        for block in self.blocks:
            x = block(x, mask)
        return x, ops.tanh(self.cls_head(x[:, 0]))


def build():
    return Bert()
