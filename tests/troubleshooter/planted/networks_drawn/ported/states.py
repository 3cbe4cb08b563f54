"""A sequence by states: gates that choose what is kept, short convolutions, a cumulative norm."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def scanned(x, rates, step, write, read):
    """The state decays as the step says; what is written to it is read again.

    x, step (b, n, c); rates (c, s); write, read (b, n, s).
    """
    decay = ops.exp(step[..., None] * rates)
    added = step[..., None] * write[:, :, None, :] * x[..., None]
    state = ops.zeros_like(added[:, 0])
    found = []
    for t in range(x.shape[1]):
        state = decay[:, t] * state + added[:, t]
        found.append((state * read[:, t, None, :]).sum(-1))
    return ops.stack(found, axis=1), state


class GatedNorm(nn.Cell):
    """The root of the mean square of groups, times a gate."""

    def __init__(self, width, groups, eps=1e-5):
        super().__init__()
        self.groups, self.eps = groups, eps
        self.weight = ms.Parameter(ops.ones(width))

    def construct(self, x, gate):
        x = x * ops.silu(gate)
        b, n, c = x.shape
        x = x.reshape(b, n, self.groups, c // self.groups)
        x = x * ops.rsqrt(x.square().mean(-1, keepdim=True) + self.eps)
        return x.reshape(b, n, c) * self.weight


class Mixer(nn.Cell):
    def __init__(self, width, inner, states, rank):
        super().__init__()
        self.states, self.rank = states, rank
        self.enter = nn.Dense(width, 2 * inner, has_bias=False)
        self.near = nn.Conv1d(
            inner, inner, 3, pad_mode="pad", padding=2, group=inner, has_bias=True
        )
        self.chosen = nn.Dense(inner, rank + 2 * states, has_bias=False)
        self.step = nn.Dense(rank, inner)
        start = ops.arange(1, states + 1).float().tile((inner, 1))
        self.rates = ms.Parameter(ops.log(start))
        self.past = ms.Parameter(ops.ones(inner))
        self.norm = GatedNorm(inner, 2)
        self.leave = nn.Dense(inner, width, has_bias=False)

    def construct(self, x):
        n = x.shape[1]
        x, gate = self.enter(x).chunk(2, -1)
        x = self.near(x.transpose(1, 2))[..., :n].transpose(1, 2)
        x = ops.silu(x)
        step, write, read = self.chosen(x).split([self.rank, self.states, self.states], -1)
        step = ops.softplus(self.step(step) - 2.0)
        y, last = scanned(x, -ops.exp(self.rates), step, write, read)
        y = y + x * self.past
        return self.leave(self.norm(y, gate)), last


class Channels(nn.Cell):
    """Mixed with what was there a step before, squared where it is positive."""

    def __init__(self, width):
        super().__init__()
        self.share = ms.Parameter(ops.linspace(0.2, 0.8, width))
        self.key = nn.Dense(width, 2 * width, has_bias=False)
        self.value = nn.Dense(2 * width, width, has_bias=False)
        self.gate = nn.Dense(width, width)

    def construct(self, x):
        before = ops.pad(x, (0, 0, 1, 0))[:, :-1]
        mixed = ops.lerp(before, x, self.share)
        k = ops.relu(self.key(mixed)).square()
        return ops.sigmoid(self.gate(before)) * self.value(k)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(18, 12, embedding_table=Normal(1.0))
        self.norms = nn.CellList([nn.LayerNorm((12,), epsilon=1e-05) for _ in range(4)])
        self.mixers = nn.CellList([Mixer(12, 16, 4, 3) for _ in range(2)])
        self.channels = nn.CellList([Channels(12) for _ in range(2)])
        self.last = nn.LayerNorm((12,), epsilon=1e-6)
        self.head = nn.Dense(12, 18, has_bias=False)
        self.value = nn.Dense(24, 1)

    def construct(self, tokens, weight):
        x = self.words(tokens) * 12**0.5
        backwards = self.words(tokens.flip((1,))) * 12**0.5
        lasts = []
        for i, (mixer, channel) in enumerate(zip(self.mixers, self.channels)):
            y, last = mixer(self.norms[2 * i](x))
            x = x + y
            x = x + 0.7 * channel(self.norms[2 * i + 1](x))
            lasts.append(last.abs().mean((1, 2)))
        other, _ = self.mixers[0](self.norms[0](backwards))
        both = ops.cat([x, other.flip((1,))], axis=-1)
        counted = ops.arange(1, tokens.shape[1] + 1).float()
        running = self.value(both).squeeze(-1).cumsum(1) / counted
        logits = self.head(self.last(x))
        logits = 15.0 * ops.tanh(logits / 15.0)
        logs = ops.log_softmax(logits[:, :-1], axis=-1)
        picked = -ops.gather_elements(logs, 2, tokens[:, 1:, None]).squeeze(-1)
        loss = (picked * weight[:, 1:]).sum() / weight[:, 1:].sum().clamp(min=1.0)
        normal = compat.logsumexp(logits, -1).square().mean()
        sure = -(logs.exp() * logs).sum(-1)
        kept = ops.stack(lasts, axis=1)
        return logits, loss + 1e-2 * normal, running, sure, kept


def build():
    return Net()


def inputs():
    return ops.randint(0, 18, (2, 7)), (ops.rand(2, 7) > 0.3).float()
