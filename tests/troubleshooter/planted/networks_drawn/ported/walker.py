"""An actor and a critic: a memory step by step, a distribution of acts, advantages, a clipped loss."""

import math

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
import _ms_compat as compat


def discounted(rewards, values, over, gamma, lam):
    """Advantages, from the last step to the first."""
    steps = rewards.shape[1]
    last = ops.zeros_like(rewards[:, 0])
    found = []
    for t in reversed(range(steps)):
        going = 1.0 - over[:, t]
        error = rewards[:, t] + gamma * values[:, t + 1] * going - values[:, t]
        last = error + gamma * lam * going * last
        found.append(last)
    return ops.stack(found[::-1], axis=1)


def likelihood(acts, mean, spread):
    scaled = (acts - mean) / spread
    each = -0.5 * scaled**2 - ops.log(spread) - 0.5 * math.log(2 * math.pi)
    return each.sum(-1)


class Memory(nn.Cell):
    """A GRU whose gates are normalised."""

    def __init__(self, width, size):
        super().__init__()
        self.size = size
        self.x = nn.Dense(width, 3 * size)
        self.h = nn.Dense(size, 3 * size, has_bias=False)
        self.norm = nn.LayerNorm((2 * size,), epsilon=1e-05)

    def construct(self, x, h):
        a, b = self.x(x), self.h(h)
        gates = self.norm(a[:, : 2 * self.size] + b[:, : 2 * self.size])
        keep, reset = ops.sigmoid(gates).chunk(2, -1)
        new = ops.tanh(a[:, 2 * self.size :] + reset * b[:, 2 * self.size :])
        return keep * h + (1.0 - keep) * new


class Dueling(nn.Cell):
    def __init__(self, width, count):
        super().__init__()
        self.value = nn.Dense(width, 1)
        self.more = nn.Dense(width, count)

    def construct(self, x):
        more = self.more(x)
        return self.value(x) + more - more.mean(-1, keepdim=True)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enter = nn.SequentialCell(nn.Dense(6, 16), nn.Tanh(), nn.Dense(16, 12))
        self.memory = Memory(12, 10)
        self.mean = nn.Dense(10, 2)
        self.log_spread = ms.Parameter(ms.tensor([-0.4, 0.2]))
        self.critic = nn.Dense(10, 1)
        self.quality = Dueling(10, 4)
        self.register_buffer("centre", ops.linspace(-0.5, 0.5, 6))
        self.register_buffer("width", ops.linspace(0.8, 1.6, 6))

    def construct(self, seen, acts, old, rewards, over, choice):
        x = ((seen - self.centre) / self.width).clamp(-3.0, 3.0)
        h = ops.zeros((seen.shape[0], 10))
        states = []
        for t in range(seen.shape[1]):
            h = self.memory(self.enter(x[:, t]), h)
            states.append(h)
        states = ops.stack(states, axis=1)
        values = self.critic(states).squeeze(-1)
        gained = discounted(rewards, ops.stop_gradient(values), over, 0.97, 0.9)
        wanted = gained + ops.stop_gradient(values[:, :-1])
        gained = (gained - gained.mean()) / (gained.std(ddof=0) + 1e-8)
        mean = self.mean(states[:, :-1])
        spread = self.log_spread.clamp(-2.0, 1.0).exp().expand_as(mean)
        now = likelihood(acts, mean, spread)
        ratio = ops.exp(now - old)
        surrogate = ops.minimum(ratio * gained, ratio.clamp(0.8, 1.2) * gained)
        chance = (0.5 + 0.5 * math.log(2 * math.pi) + ops.log(spread)).sum(-1)
        quality = self.quality(states[:, :-1])
        chosen = quality.gather(2, choice[..., None]).squeeze(-1)
        error = ops.huber_loss(chosen, wanted, reduction="none", delta=0.7)
        soft = 0.3 * compat.logsumexp(quality / 0.3, -1)
        loss = -surrogate.mean() + 0.5 * ops.mse_loss(values[:, :-1], wanted)
        return loss - 0.01 * chance.mean(), error.mean(1), soft, ratio


def build():
    return Net()


def inputs():
    over = ops.zeros((3, 5))
    over[1, 2] = 1.0
    return (
        ops.randn(3, 6, 6),
        ops.randn(3, 5, 2),
        ops.randn(3, 5) * 0.2 - 3.0,
        ops.randn(3, 5),
        over,
        ops.randint(0, 4, (3, 5)),
    )
