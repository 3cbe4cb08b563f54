"""A sequence by states: gates that choose what is kept, short convolutions, a cumulative norm."""

import torch
import torch.nn.functional as F
from torch import nn


def scanned(x, rates, step, write, read):
    """The state decays as the step says; what is written to it is read again.

    x, step (b, n, c); rates (c, s); write, read (b, n, s).
    """
    decay = torch.exp(step[..., None] * rates)
    added = step[..., None] * write[:, :, None, :] * x[..., None]
    state = torch.zeros_like(added[:, 0])
    found = []
    for t in range(x.shape[1]):
        state = decay[:, t] * state + added[:, t]
        found.append((state * read[:, t, None, :]).sum(dim=-1))
    return torch.stack(found, dim=1), state


class GatedNorm(nn.Module):
    """The root of the mean square of groups, times a gate."""

    def __init__(self, width, groups, eps=1e-5):
        super().__init__()
        self.groups, self.eps = groups, eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x, gate):
        x = x * F.silu(gate)
        b, n, c = x.shape
        x = x.reshape(b, n, self.groups, c // self.groups)
        x = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + self.eps)
        return x.reshape(b, n, c) * self.weight


class Mixer(nn.Module):
    def __init__(self, width, inner, states, rank):
        super().__init__()
        self.states, self.rank = states, rank
        self.enter = nn.Linear(width, 2 * inner, bias=False)
        self.near = nn.Conv1d(inner, inner, 3, padding=2, groups=inner)
        self.chosen = nn.Linear(inner, rank + 2 * states, bias=False)
        self.step = nn.Linear(rank, inner)
        start = torch.arange(1, states + 1).float().repeat(inner, 1)
        self.rates = nn.Parameter(torch.log(start))
        self.past = nn.Parameter(torch.ones(inner))
        self.norm = GatedNorm(inner, 2)
        self.leave = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        n = x.shape[1]
        x, gate = self.enter(x).chunk(2, dim=-1)
        x = self.near(x.transpose(1, 2))[..., :n].transpose(1, 2)
        x = F.silu(x)
        step, write, read = self.chosen(x).split([self.rank, self.states, self.states], dim=-1)
        step = F.softplus(self.step(step) - 2.0)
        y, last = scanned(x, -torch.exp(self.rates), step, write, read)
        y = y + x * self.past
        return self.leave(self.norm(y, gate)), last


class Channels(nn.Module):
    """Mixed with what was there a step before, squared where it is positive."""

    def __init__(self, width):
        super().__init__()
        self.share = nn.Parameter(torch.linspace(0.2, 0.8, width))
        self.key = nn.Linear(width, 2 * width, bias=False)
        self.value = nn.Linear(2 * width, width, bias=False)
        self.gate = nn.Linear(width, width)

    def forward(self, x):
        before = F.pad(x, (0, 0, 1, 0))[:, :-1]
        mixed = torch.lerp(before, x, self.share)
        k = torch.relu(self.key(mixed)).square()
        return torch.sigmoid(self.gate(before)) * self.value(k)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(18, 12)
        self.norms = nn.ModuleList([nn.LayerNorm(12) for _ in range(4)])
        self.mixers = nn.ModuleList([Mixer(12, 16, 4, 3) for _ in range(2)])
        self.channels = nn.ModuleList([Channels(12) for _ in range(2)])
        self.last = nn.LayerNorm(12, eps=1e-6)
        self.head = nn.Linear(12, 18, bias=False)
        self.value = nn.Linear(24, 1)

    def forward(self, tokens, weight):
        x = self.words(tokens) * 12**0.5
        backwards = self.words(tokens.flip(1)) * 12**0.5
        lasts = []
        for i, (mixer, channel) in enumerate(zip(self.mixers, self.channels)):
            y, last = mixer(self.norms[2 * i](x))
            x = x + y
            x = x + 0.7 * channel(self.norms[2 * i + 1](x))
            lasts.append(last.abs().mean(dim=(1, 2)))
        other, _ = self.mixers[0](self.norms[0](backwards))
        both = torch.cat([x, other.flip(1)], dim=-1)
        counted = torch.arange(1, tokens.shape[1] + 1).float()
        running = torch.cumsum(self.value(both).squeeze(-1), dim=1) / counted
        logits = self.head(self.last(x))
        logits = 15.0 * torch.tanh(logits / 15.0)
        logs = F.log_softmax(logits[:, :-1], dim=-1)
        picked = -torch.gather(logs, 2, tokens[:, 1:, None]).squeeze(-1)
        loss = (picked * weight[:, 1:]).sum() / weight[:, 1:].sum().clamp(min=1.0)
        normal = torch.logsumexp(logits, dim=-1).square().mean()
        sure = -(logs.exp() * logs).sum(dim=-1)
        kept = torch.stack(lasts, dim=1)
        return logits, loss + 1e-2 * normal, running, sure, kept


def build():
    return Net()


def inputs():
    return torch.randint(0, 18, (2, 7)), (torch.rand(2, 7) > 0.3).float()
