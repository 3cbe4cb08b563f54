"""A selective state space: causal taps, a scan with a state, gates, tokens counted from the end."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5, groups=1):
        super().__init__()
        self.eps, self.groups = eps, groups
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, width))

    def forward(self, x):
        parts = x.unflatten(-1, (self.groups, -1))
        parts = parts * torch.rsqrt(parts.pow(2).mean(-1, keepdim=True) + self.eps)
        return parts.flatten(-2) * self.weight


class Mixer(nn.Module):
    def __init__(self, width, state=4, taps=3, rank=2):
        super().__init__()
        self.state, self.rank, self.taps = state, rank, taps
        self.enter = nn.Linear(width, 4 * width, bias=False)
        self.conv = nn.Conv1d(2 * width, 2 * width, taps, groups=2 * width)
        self.select = nn.Linear(2 * width, rank + 2 * state, bias=False)
        self.step = nn.Linear(rank, 2 * width)
        decay = torch.arange(1, state + 1).float().repeat(2 * width, 1)
        self.decay = nn.Parameter(torch.log(decay))
        self.skip = nn.Parameter(torch.linspace(-1, 1, 2 * width))
        self.norm = RMSNorm(2 * width, groups=2)
        self.leave = nn.Linear(2 * width, width, bias=False)

    def scan(self, u, delta, b, c):
        a = -torch.exp(self.decay)
        shrink = torch.exp(delta.unsqueeze(-1) * a)
        feed = delta.unsqueeze(-1) * b.unsqueeze(2) * u.unsqueeze(-1)
        h = torch.zeros(u.shape[0], u.shape[2], self.state)
        found = []
        for t in range(u.shape[1]):
            h = shrink[:, t] * h + feed[:, t]
            found.append(torch.einsum("bds,bs->bd", h, c[:, t]))
        return torch.stack(found, dim=1) + u * self.skip, h

    def forward(self, x):
        u, gate = self.enter(x).chunk(2, dim=-1)
        u = self.conv(F.pad(u.transpose(1, 2), (self.taps - 1, 0))).transpose(1, 2)
        u = F.silu(u)
        sizes = [self.rank, self.state, self.state]
        delta, b, c = torch.split(self.select(u), sizes, dim=-1)
        delta = F.softplus(self.step(delta))
        y, last = self.scan(u, delta, b, c)
        return self.leave(self.norm(y * F.silu(gate))), last


class Recurrence(nn.Module):
    def __init__(self, width, power=8.0):
        super().__init__()
        self.power = power
        self.gates = nn.Linear(width, 2 * width)
        self.rate = nn.Parameter(torch.linspace(0.2, 2.0, width))

    def forward(self, x, reset):
        r, i = torch.sigmoid(self.gates(x)).chunk(2, dim=-1)
        log = -self.power * r * F.softplus(self.rate)
        log = log.masked_fill(reset[..., None], -1e4)
        a = torch.exp(log)
        v = torch.sqrt(1 - torch.exp(2 * log) + 1e-6) * (i * x)
        h, found = torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            h = a[:, t] * h + v[:, t]
            found.append(h)
        return torch.stack(found, dim=1)


class Net(nn.Module):
    def __init__(self, width=8, words=15):
        super().__init__()
        self.width = width
        self.embed = nn.Embedding(words, width)
        self.norms = nn.ModuleList([RMSNorm(width) for _ in range(3)])
        self.mixers = nn.ModuleList([Mixer(width) for _ in range(2)])
        self.recur = Recurrence(width)
        self.cap = 5.0

    def forward(self, tokens):
        x = self.embed(tokens) * math.sqrt(self.width)
        starts = tokens == 1
        states = []
        for norm, mixer in zip(self.norms, self.mixers, strict=False):
            y, last = mixer(norm(x))
            x = x + y
            states.append(last.mean((1, 2)))
        x = x + self.recur(self.norms[-1](x), starts)
        logits = F.linear(x, self.embed.weight)
        logits = self.cap * torch.tanh(logits / self.cap)
        logs = F.log_softmax(logits[:, :-1], dim=-1)
        loss = F.nll_loss(logs.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0)
        size = 1e-2 * torch.logsumexp(logits, -1).square().mean()
        return logits[:, -1].argmax(-1), torch.stack(states, 1), loss + size


def build():
    return Net()


def inputs():
    return (torch.tensor([[1, 5, 9, 2, 7, 14, 3], [4, 6, 1, 8, 8, 0, 0]]),)
