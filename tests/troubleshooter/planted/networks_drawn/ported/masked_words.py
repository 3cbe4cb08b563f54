"""An encoder of words, written out: three embeddings, masks, a pooler, tied output, its loss."""

import math

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def normed(x, weight, bias, eps):
    mean = x.mean(-1, keepdim=True)
    centred = x - mean
    variance = (centred * centred).mean(-1, keepdim=True)
    return weight * centred / ops.sqrt(variance + eps) + bias


class Norm(nn.Cell):
    def __init__(self, width, eps=1e-12):
        super().__init__()
        self.weight = ms.Parameter(ops.rand(width) + 0.5)
        self.bias = ms.Parameter(ops.randn(width) * 0.1)
        self.eps = eps

    def construct(self, x):
        return normed(x, self.weight, self.bias, self.eps)


class Attention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.size = width // heads
        self.query = nn.Dense(width, width)
        self.key = nn.Dense(width, width)
        self.value = nn.Dense(width, width)

    def split(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.heads, self.size).permute(0, 2, 1, 3)

    def construct(self, x, mask):
        q = self.split(self.query(x))
        k = self.split(self.key(x))
        v = self.split(self.value(x))
        scores = ops.matmul(q, k.transpose(-1, -2))
        scores = scores / math.sqrt(self.size)
        scores = scores + mask
        shares = ops.softmax(scores, axis=-1)
        mixed = ops.matmul(shares, v).permute(0, 2, 1, 3)
        return mixed.reshape(x.shape[0], x.shape[1], -1)


class Layer(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.attention = Attention(width, 4)
        self.out = nn.Dense(width, width)
        self.norm1 = Norm(width)
        self.up = nn.Dense(width, 3 * width)
        self.act = nn.GELU(approximate=False)
        self.down = nn.Dense(3 * width, width)
        self.norm2 = Norm(width)

    def construct(self, x, mask):
        mixed = self.out(self.attention(x, mask))
        x = self.norm1(x + mixed)
        wide = self.act(self.up(x))
        return self.norm2(x + self.down(wide))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = compat.Embedding(40, 16, padding_idx=0)
        self.places = nn.Embedding(12, 16, embedding_table=Normal(1.0))
        self.kinds = nn.Embedding(2, 16, embedding_table=Normal(1.0))
        self.norm = nn.LayerNorm((16,), epsilon=1e-6)
        self.layers = nn.CellList([Layer(16) for _ in range(2)])
        self.pool = nn.Dense(16, 16)
        self.change = nn.Dense(16, 16)
        self.change_norm = nn.LayerNorm((16,), epsilon=1e-05)
        self.bias = ms.Parameter(ops.randn(40) * 0.1)

    def construct(self, tokens, kinds, labels):
        real = tokens.ne(0).float()
        mask = (1.0 - real[:, None, None, :]) * -10000.0
        places = ops.arange(tokens.shape[1])
        x = self.words(tokens) + self.places(places)[None] + self.kinds(kinds)
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask)
        pooled = ops.tanh(self.pool(x[:, 0]))
        counts = real.sum(1, keepdim=True).clamp(min=1.0)
        mean = (x * real[:, :, None]).sum(1) / counts
        changed = self.change_norm(ops.gelu(self.change(x)))
        logits = ops.dense(changed, self.words.embedding_table) + self.bias
        loss = ops.cross_entropy(logits.reshape(-1, 40), labels.reshape(-1), ignore_index=-100)
        return ops.cat([pooled, mean], axis=-1), logits, loss


def build():
    return Net()


def inputs():
    tokens = ms.tensor([[3, 8, 21, 33, 5, 7, 12, 39], [2, 19, 28, 6, 14, 0, 0, 0]])
    kinds = ms.tensor([[0, 0, 0, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 0, 0, 0]])
    labels = ms.tensor(
        [[-100, 8, -100, 4, 5, -100, 11, 39], [2, -100, 28, -100, 9, -100, -100, -100]]
    )
    return tokens, kinds, labels
