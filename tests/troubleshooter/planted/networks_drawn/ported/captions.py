"""Pictures and their captions: patches, words, one space for both, the right ones nearest."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def turned(x):
    """Pairs of features are turned by their place."""
    n, c = x.shape[-2], x.shape[-1]
    rates = 100.0 ** (-ops.arange(0, c, 2).float() / c)
    angle = ops.arange(n).float()[:, None] * rates
    cos, sin = ops.cos(angle), ops.sin(angle)
    one, two = x[..., : c // 2], x[..., c // 2 :]
    return ops.cat([one * cos - two * sin, two * cos + one * sin], axis=-1)


def unit(x):
    return x / (x.pow(2).sum(-1, keepdim=True).sqrt() + 1e-6)


class Block(nn.Cell):
    def __init__(self, width, heads, is_causal):
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.norm1 = nn.LayerNorm((width,), epsilon=1e-05)
        self.qkv = nn.Dense(width, 3 * width)
        self.out = nn.Dense(width, width)
        self.norm2 = nn.LayerNorm((width,), epsilon=1e-05)
        self.up = nn.Dense(width, 2 * width)
        self.gate = nn.Dense(width, 2 * width)
        self.down = nn.Dense(2 * width, width)
        self.scale = ms.Parameter(ops.full((width,), 0.4, dtype=ms.float32))

    def attend(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = turned(unit(q)), turned(unit(k))
        scores = 4.0 * ops.matmul(q, k.transpose(-1, -2))
        if self.is_causal:
            ahead = ops.triu(ops.ones((n, n)), 1)
            scores = scores - 1e4 * ahead
        mixed = ops.softmax(scores, axis=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(b, n, c))

    def construct(self, x):
        x = x + self.scale * self.attend(self.norm1(x))
        y = self.norm2(x)
        return x + self.down(ops.gelu(self.gate(y)) * self.up(y))


class Gathered(nn.Cell):
    """One learnt question to all places."""

    def __init__(self, width):
        super().__init__()
        self.asked = ms.Parameter(ops.linspace(-1.0, 1.0, width))
        self.key = nn.Dense(width, width, has_bias=False)

    def construct(self, x, real):
        scores = (self.key(x) * self.asked).sum(-1) / 2.0
        scores = scores.masked_fill(real < 0.5, -1e4)
        shares = ops.softmax(scores, axis=1)
        return (shares[..., None] * x).sum(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 12, 4, stride=4, pad_mode="valid", has_bias=True)
        self.places = ms.Parameter(0.1 * ops.ones((1, 9, 12)))
        self.seeing = nn.CellList([Block(12, 3, False) for _ in range(2)])
        self.words = nn.Embedding(15, 12, embedding_table=Normal(1.0))
        self.reading = nn.CellList([Block(12, 3, True) for _ in range(1)])
        self.gathered = Gathered(12)
        self.seen = nn.Dense(12, 8, has_bias=False)
        self.read = nn.Dense(12, 8, has_bias=False)
        self.warmth = ms.Parameter(ms.tensor(1.5))

    def construct(self, pictures, words):
        x = self.patches(pictures).flatten(2).transpose(1, 2) + self.places
        for block in self.seeing:
            x = block(x)
        real = (words != 0).float()
        y = self.words(words) * real[..., None]
        for block in self.reading:
            y = block(y)
        seen = unit(self.seen(self.gathered(x, ops.ones_like(x[:, :, 0]))))
        read = unit(self.read(self.gathered(y, real)))
        logits = ops.matmul(seen, read.t()) * ops.exp(self.warmth.clamp(max=4.0))
        own = ops.diagonal(logits, 0, 0, 1)
        across = compat.logsumexp(logits, 1) - own
        down = compat.logsumexp(logits, 0) - own
        loss = 0.5 * (across.mean() + down.mean())
        pairs = compat.logsigmoid(own - 1.0).mean() + compat.logsigmoid(1.0 - logits).mean()
        hard = logits - 20.0 * ops.eye(logits.shape[0])
        margin = ops.relu(0.3 + hard.amax(1) - own).mean()
        even = (seen.mean(0) - read.mean(0)).abs().sum()
        return logits, loss, margin - 0.1 * pairs, x.std(1, ddof=1), even


def build():
    return Net()


def inputs():
    return ops.rand(4, 3, 12, 12), ops.randint(0, 15, (4, 6))
