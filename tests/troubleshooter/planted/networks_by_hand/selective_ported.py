"""The same for MindSpore."""

import math

import mindspore as ms
from mindspore import Parameter, mint, nn, ops


class RMSNorm(nn.Cell):
    def __init__(self, width, eps=1e-5, groups=1):
        super().__init__()
        self.eps, self.groups = eps, groups
        self.weight = Parameter(ops.ones((width,)), name="weight")

    def construct(self, x):
        shape = x.shape
        parts = x.reshape(*shape[:-1], self.groups, -1)
        size = ops.square(parts).mean(-1, keep_dims=True)
        parts = parts / ops.sqrt(size + self.eps)
        return parts.reshape(shape) * self.weight


class Mixer(nn.Cell):
    def __init__(self, width, state=4, taps=3, rank=2):
        super().__init__()
        self.state, self.rank, self.taps = state, rank, taps
        self.enter = mint.nn.Linear(width, 4 * width, bias=False)
        self.conv = nn.Conv1d(
            2 * width, 2 * width, taps, group=2 * width, pad_mode="pad", padding=0, has_bias=True
        )
        self.select = mint.nn.Linear(2 * width, rank + 2 * state, bias=False)
        self.step = mint.nn.Linear(rank, 2 * width)
        self.decay = Parameter(ops.ones((2 * width, state)), name="decay")
        self.skip = Parameter(ops.ones((2 * width,)), name="skip")
        self.norm = RMSNorm(2 * width, groups=2)
        self.leave = mint.nn.Linear(2 * width, width, bias=False)

    def scan(self, u, delta, b, c):
        a = -ops.exp(self.decay)
        h = ops.zeros((u.shape[0], u.shape[2], self.state), ms.float32)
        outputs = []
        for t in range(u.shape[1]):
            dt = delta[:, t].expand_dims(-1)
            shrink = ops.exp(dt * a)
            feed = dt * b[:, t].expand_dims(1) * u[:, t].expand_dims(-1)
            h = shrink * h + feed
            outputs.append((h * c[:, t].expand_dims(1)).sum(-1))
        return ops.stack(outputs, axis=1) + u * self.skip, h

    def construct(self, x):
        u, gate = ops.chunk(self.enter(x), 2, axis=-1)
        u = ops.pad(u.transpose(0, 2, 1), (self.taps - 1, 0))
        u = self.conv(u).transpose(0, 2, 1)
        u = ops.silu(u)
        found = self.select(u)
        delta = found[..., : self.rank]
        b = found[..., self.rank : self.rank + self.state]
        c = found[..., self.rank + self.state :]
        delta = ops.softplus(self.step(delta))
        y, last = self.scan(u, delta, b, c)
        return self.leave(self.norm(y * ops.silu(gate))), last


class Recurrence(nn.Cell):
    def __init__(self, width, power=8.0):
        super().__init__()
        self.power = power
        self.gates = mint.nn.Linear(width, 2 * width)
        self.rate = Parameter(ops.ones((width,)), name="rate")

    def construct(self, x, reset):
        both = ops.sigmoid(self.gates(x))
        r, i = both[..., : x.shape[-1]], both[..., x.shape[-1] :]
        log = -self.power * r * ops.softplus(self.rate)
        log = ops.masked_fill(log, reset.expand_dims(-1), -1e4)
        a = ops.exp(log)
        v = ops.sqrt(1 - ops.exp(2 * log) + 1e-6) * (i * x)
        h, outputs = ops.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            h = a[:, t] * h + v[:, t]
            outputs.append(h)
        return ops.stack(outputs, axis=1)


class Net(nn.Cell):
    def __init__(self, width=8, words=15):
        super().__init__()
        self.width = width
        self.embed = mint.nn.Embedding(words, width)
        self.norms = nn.CellList([RMSNorm(width) for _ in range(3)])
        self.mixers = nn.CellList([Mixer(width) for _ in range(2)])
        self.recur = Recurrence(width)
        self.cap = 5.0

    def construct(self, tokens):
        x = self.embed(tokens) * math.sqrt(self.width)
        starts = tokens == 1
        states = []
        for i in range(2):
            y, last = self.mixers[i](self.norms[i](x))
            x = x + y
            states.append(last.mean((1, 2)))
        x = x + self.recur(self.norms[2](x), starts)
        logits = ops.matmul(x, self.embed.weight.T)
        logits = self.cap * ops.tanh(logits / self.cap)
        logs = ops.log_softmax(logits[:, :-1], -1)
        wanted = tokens[:, 1:].reshape(-1)
        picked = ops.gather_elements(logs.reshape(-1, logs.shape[-1]), 1, wanted.expand_dims(1))
        real = (wanted != 0).astype(ms.float32)
        loss = -(picked.squeeze(1) * real).sum() / real.sum()
        size = 1e-2 * ops.square(ops.logsumexp(logits, -1)).mean()
        return ops.argmax(logits[:, -1], -1), ops.stack(states, 1), loss + size


def build():
    return Net()
