"""The same for MindSpore."""

import mindspore as ms
from mindspore import Parameter, Tensor, mint, nn, ops


class RMSNorm(nn.Cell):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight = Parameter(ops.ones(width), name="weight")
        self.eps = eps

    def construct(self, x):
        variance = ops.mean(ops.square(x), -1, keep_dims=True)
        return x * ops.rsqrt(variance + self.eps) * self.weight


def rotate_half(x):
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return ops.cat((-second, first), axis=-1)


def rotary(length, width, base=10000.0):
    steps = ops.arange(0, width, 2).astype(ms.float32) / width
    angles = ops.outer(ops.arange(length).astype(ms.float32), 1.0 / (base**steps))
    angles = ops.tile(angles, (1, 2))
    return ops.cos(angles), ops.sin(angles)


class Attention(nn.Cell):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.query = mint.nn.Linear(width, width, bias=False)
        self.keys = mint.nn.Linear(width, groups * self.size, bias=False)
        self.values = mint.nn.Linear(width, groups * self.size, bias=False)
        self.out = mint.nn.Linear(width, width, bias=False)

    def construct(self, x, lengths):
        b, n, _ = x.shape
        q = self.query(x).reshape(b, n, self.heads, self.size).transpose(0, 2, 1, 3)
        k = self.keys(x).reshape(b, n, self.groups, self.size).transpose(0, 2, 1, 3)
        v = self.values(x).reshape(b, n, self.groups, self.size).transpose(0, 2, 1, 3)
        cos, sin = rotary(n, self.size)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        k = ops.repeat_interleave(k, self.heads // self.groups, axis=1)
        v = ops.repeat_interleave(v, self.heads // self.groups, axis=1)
        scores = ops.matmul(q, k.swapaxes(-2, -1)) * (self.size**-0.5)
        causal = ops.triu(ops.ones((n, n)), 1).astype(ms.bool_)
        scores = ops.masked_fill(scores, causal, Tensor(-1e9, ms.float32))
        padded = ops.arange(n).expand_dims(0) >= lengths.expand_dims(1)
        scores = scores.masked_fill(padded.expand_dims(1).expand_dims(1), -1e9)
        weights = ops.softmax(scores, axis=-1)
        mixed = ops.matmul(weights, v).swapaxes(1, 2).reshape(b, n, -1)
        return self.out(mixed)


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm1 = RMSNorm(width)
        self.attention = Attention(width, 4, 2)
        self.norm2 = RMSNorm(width)
        self.gate = mint.nn.Linear(width, 2 * width)
        self.up = mint.nn.Linear(width, 2 * width)
        self.down = mint.nn.Linear(2 * width, width)

    def construct(self, x, lengths):
        x = x + self.attention(self.norm1(x), lengths)
        h = self.norm2(x)
        h = ops.silu(self.gate(h)) * self.up(h)
        return x + 0.5 * self.down(h)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = mint.nn.Embedding(30, 16)
        self.block = Block(16)
        self.head = mint.nn.Linear(16, 30)

    def construct(self, tokens, lengths):
        x = self.embedding(tokens) * 4.0
        x = self.block(x, lengths)
        logits = self.head(x)
        return ops.log_softmax(logits / 0.7, axis=-1)


def build():
    return Net()
