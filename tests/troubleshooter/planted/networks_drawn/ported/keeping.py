"""A language model that keeps what it read: decays, turned pairs, shifted tokens, group norms."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def turned(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    pairs = ops.stack([even * cos - odd * sin, odd * cos + even * sin], axis=-1)
    return pairs.flatten(-2)


def angles(n, width):
    rates = 1.0 / (500.0 ** ops.linspace(0, 1, width // 2))
    found = ops.arange(n).float()[:, None] * rates
    return ops.cos(found), ops.sin(found)


def decays(n, heads):
    """What is left of each step for each later one; nothing of what comes."""
    rate = ops.log(1 - 2.0 ** (-2.0 - ops.arange(heads).float()))
    away = ops.arange(n)[:, None] - ops.arange(n)[None, :]
    left = ops.exp(away.float() * rate[:, None, None])
    left = ops.where(away >= 0, left, ops.zeros_like(left))
    return left / left.sum(-1, keepdim=True).sqrt()


class Keeping(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.size = width // heads
        self.q = nn.Dense(width, width, has_bias=False)
        self.k = nn.Dense(width, width, has_bias=False)
        self.v = nn.Dense(width, width, has_bias=False)
        self.gate = nn.Dense(width, width, has_bias=False)
        self.norm = nn.GroupNorm(heads, width)
        self.out = nn.Dense(width, width, has_bias=False)

    def construct(self, x):
        b, n, c = x.shape
        cos, sin = angles(n, self.size)
        q = self.q(x).view(b, n, self.heads, self.size).transpose(1, 2)
        k = self.k(x).view(b, n, self.heads, self.size).transpose(1, 2)
        v = self.v(x).view(b, n, self.heads, self.size).transpose(1, 2)
        q, k = turned(q, cos, sin), turned(k, cos, sin) * self.size**-0.5
        kept = q @ k.transpose(-1, -2) * decays(n, self.heads)
        kept = kept / kept.abs().sum(-1, keepdim=True).clamp(min=1.0)
        y = (kept @ v).transpose(1, 2).reshape(b * n, c)
        y = self.norm(y).view(b, n, c)
        return self.out(ops.silu(self.gate(x)) * y)


class Channels(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.now = ms.Parameter(ops.rand(width))
        self.key = nn.Dense(width, 2 * width)
        self.value = nn.Dense(2 * width, width)
        self.receive = nn.Dense(width, width)

    def construct(self, x):
        before = compat.pad(x, (0, 0, 1, -1))
        mixed = x * self.now + before * (1.0 - self.now)
        k = ops.square(ops.relu(self.key(mixed)))
        return ops.sigmoid(self.receive(mixed)) * self.value(k)


class Memory(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.forget = nn.Dense(width, width)
        self.write = nn.Dense(width, width)

    def construct(self, x):
        state = ops.zeros_like(x[:, 0])
        found = []
        for t in range(x.shape[1]):
            share = ops.sigmoid(self.forget(x[:, t]) + 1.0)
            state = share * state + (1.0 - share) * ops.tanh(self.write(x[:, t]))
            found.append(state)
        return ops.stack(found, axis=1)


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm1 = nn.LayerNorm((width,), epsilon=1e-05)
        self.keeping = Keeping(width, 2)
        self.norm2 = nn.LayerNorm((width,), epsilon=1e-05)
        self.channels = Channels(width)

    def construct(self, x):
        x = x + self.keeping(self.norm1(x))
        return x + self.channels(self.norm2(x))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(25, 16, embedding_table=Normal(1.0))
        self.blocks = nn.CellList([Block(16), Block(16)])
        self.memory = Memory(16)
        self.norm = nn.LayerNorm((16,), epsilon=1e-05)
        self.head = nn.Dense(16, 25, has_bias=False)

    def construct(self, tokens):
        x = self.embedding(tokens) * 16**0.5
        for block in self.blocks:
            x = block(x)
        x = self.norm(x + 0.3 * self.memory(x))
        logits = 15.0 * ops.tanh(self.head(x) / 15.0)
        logs = ops.log_softmax(logits[:, :-1], axis=-1)
        hit = logs.gather(2, tokens[:, 1:, None]).squeeze(-1)
        size = compat.logsumexp(logits, -1).pow(2).mean()
        return logits, -hit.mean() + 1e-2 * size


def build():
    return Net()


def inputs():
    return (ops.randint(1, 25, (2, 9)),)
