"""An actor and a critic: a memory step by step, a distribution of acts, advantages, a clipped loss."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def discounted(rewards, values, over, gamma, lam):
    """Advantages, from the last step to the first."""
    steps = rewards.shape[1]
    last = torch.zeros_like(rewards[:, 0])
    found = []
    for t in reversed(range(steps)):
        going = 1.0 - over[:, t]
        error = rewards[:, t] + gamma * values[:, t + 1] * going - values[:, t]
        last = error + gamma * lam * going * last
        found.append(last)
    return torch.stack(found[::-1], dim=1)


def likelihood(acts, mean, spread):
    scaled = (acts - mean) / spread
    each = -0.5 * scaled**2 - torch.log(spread) - 0.5 * math.log(2 * math.pi)
    return each.sum(dim=-1)


class Memory(nn.Module):
    """A GRU whose gates are normalised."""

    def __init__(self, width, size):
        super().__init__()
        self.size = size
        self.x = nn.Linear(width, 3 * size)
        self.h = nn.Linear(size, 3 * size, bias=False)
        self.norm = nn.LayerNorm(2 * size)

    def forward(self, x, h):
        a, b = self.x(x), self.h(h)
        gates = self.norm(a[:, : 2 * self.size] + b[:, : 2 * self.size])
        keep, reset = torch.sigmoid(gates).chunk(2, dim=-1)
        new = torch.tanh(a[:, 2 * self.size :] + reset * b[:, 2 * self.size :])
        return keep * h + (1.0 - keep) * new


class Dueling(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.value = nn.Linear(width, 1)
        self.more = nn.Linear(width, count)

    def forward(self, x):
        more = self.more(x)
        return self.value(x) + more - more.mean(dim=-1, keepdim=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 12))
        self.memory = Memory(12, 10)
        self.mean = nn.Linear(10, 2)
        self.log_spread = nn.Parameter(torch.tensor([-0.4, 0.2]))
        self.critic = nn.Linear(10, 1)
        self.quality = Dueling(10, 4)
        self.register_buffer("centre", torch.linspace(-0.5, 0.5, 6))
        self.register_buffer("width", torch.linspace(0.8, 1.6, 6))

    def forward(self, seen, acts, old, rewards, over, choice):
        x = ((seen - self.centre) / self.width).clamp(-3.0, 3.0)
        h = torch.zeros(seen.shape[0], 10)
        states = []
        for t in range(seen.shape[1]):
            h = self.memory(self.enter(x[:, t]), h)
            states.append(h)
        states = torch.stack(states, dim=1)
        values = self.critic(states).squeeze(-1)
        gained = discounted(rewards, values.detach(), over, 0.97, 0.9)
        wanted = gained + values[:, :-1].detach()
        gained = (gained - gained.mean()) / (gained.std(unbiased=False) + 1e-8)
        mean = self.mean(states[:, :-1])
        spread = self.log_spread.clamp(-2.0, 1.0).exp().expand_as(mean)
        now = likelihood(acts, mean, spread)
        ratio = torch.exp(now - old)
        surrogate = torch.min(ratio * gained, ratio.clamp(0.8, 1.2) * gained)
        chance = (0.5 + 0.5 * math.log(2 * math.pi) + torch.log(spread)).sum(-1)
        quality = self.quality(states[:, :-1])
        chosen = quality.gather(2, choice[..., None]).squeeze(-1)
        error = F.huber_loss(chosen, wanted, reduction="none", delta=0.7)
        soft = 0.3 * torch.logsumexp(quality / 0.3, dim=-1)
        loss = -surrogate.mean() + 0.5 * F.mse_loss(values[:, :-1], wanted)
        return loss - 0.01 * chance.mean(), error.mean(dim=1), soft, ratio


def build():
    return Net()


def inputs():
    over = torch.zeros(3, 5)
    over[1, 2] = 1.0
    return (
        torch.randn(3, 6, 6),
        torch.randn(3, 5, 2),
        torch.randn(3, 5) * 0.2 - 3.0,
        torch.randn(3, 5),
        over,
        torch.randint(0, 4, (3, 5)),
    )
