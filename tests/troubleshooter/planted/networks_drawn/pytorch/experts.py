"""Words by experts: a router that chooses two of four, distances as slopes, a window of places."""

import torch
import torch.nn.functional as F
from torch import nn


def slopes(heads):
    """A slope for each head, the half of the one before it."""
    return 2.0 ** (-2.0 * torch.arange(1, heads + 1).float())


def nearness(n, heads, window):
    """What distance costs each head, and nothing is seen outside of the window."""
    places = torch.arange(n)
    away = places[:, None] - places[None, :]
    seen = (away >= 0) & (away < window)
    cost = -slopes(heads)[:, None, None] * away.float().abs()
    return cost.masked_fill(~seen, -1e9)


class Attention(nn.Module):
    def __init__(self, width, heads, window):
        super().__init__()
        self.heads, self.window, self.size = heads, window, width // heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, self.size, bias=False)
        self.value = nn.Linear(width, self.size, bias=False)
        self.norm_q = nn.LayerNorm(self.size)
        self.norm_k = nn.LayerNorm(self.size)
        self.sinks = nn.Parameter(torch.zeros(heads))
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.norm_q(self.query(x).view(b, n, self.heads, self.size))
        k = self.norm_k(self.key(x))
        scores = torch.einsum("bihc,bjc->bhij", q, k) * self.size**-0.5
        scores = scores + nearness(n, self.heads, self.window)
        sink = self.sinks[None, :, None, None].expand(b, -1, n, 1)
        shares = torch.softmax(torch.cat([scores, sink], dim=-1), dim=-1)
        shares = shares[..., :n]
        mixed = torch.einsum("bhij,bjc->bihc", shares, self.value(x))
        return self.out(mixed.reshape(b, n, -1))


class Expert(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.both = nn.Linear(width, 4 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        gate, up = self.both(x).chunk(2, dim=-1)
        gate = gate.clamp(max=7.0)
        return self.down(gate * torch.sigmoid(1.702 * gate) * (up + 1.0))


class Chosen(nn.Module):
    """Each word goes to the best two experts, and all of them are to have work."""

    def __init__(self, width, experts, best):
        super().__init__()
        self.best, self.count = best, experts
        self.router = nn.Linear(width, experts, bias=False)
        self.register_buffer("lean", torch.linspace(-0.1, 0.1, experts))
        self.experts = nn.ModuleList([Expert(width) for _ in range(experts)])
        self.shared = Expert(width)

    def forward(self, x):
        b, n, c = x.shape
        flat = x.reshape(-1, c)
        logits = self.router(flat)
        p = torch.softmax(logits, dim=-1)
        _, places = torch.topk(p + self.lean, self.best, dim=-1)
        shares = torch.gather(p, 1, places)
        shares = shares / shares.sum(dim=-1, keepdim=True)
        hot = F.one_hot(places, self.count).float()
        weights = (hot * shares[..., None]).sum(dim=1)
        given = torch.stack([expert(flat) for expert in self.experts], dim=1)
        mixed = (weights[..., None] * given).sum(dim=1)
        work = hot.sum(dim=1).mean(dim=0) / self.best
        balance = self.count * (work * p.mean(dim=0)).sum()
        calm = torch.logsumexp(logits, dim=-1).pow(2).mean()
        out = mixed + 0.5 * self.shared(flat)
        return out.view(b, n, c), balance + 1e-1 * calm, weights.view(b, n, -1)


class Block(nn.Module):
    def __init__(self, width, window):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.attention = Attention(width, 4, window)
        self.chosen = Chosen(width, 4, 2)
        self.scale = nn.Parameter(torch.full((width,), 0.5))

    def forward(self, x):
        x = x + self.scale * self.attention(self.norm1(x))
        y, loss, weights = self.chosen(self.norm2(x))
        return x + y, loss, weights


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(22, 16)
        self.blocks = nn.ModuleList([Block(16, 3), Block(16, 8)])
        self.norm = nn.LayerNorm(16)
        self.ahead = nn.Linear(32, 16)
        self.bias = nn.Parameter(torch.zeros(22))

    def forward(self, tokens, labels):
        x = self.words(tokens)
        extra, used = 0.0, []
        for block in self.blocks:
            x, loss, weights = block(x)
            extra = extra + loss
            used.append(weights.mean(dim=1))
        x = self.norm(x)
        logits = F.linear(x, self.words.weight, self.bias)
        after = torch.cat([x[:, :-1], self.words(tokens[:, 1:])], dim=-1)
        second = F.linear(torch.tanh(self.ahead(after)), self.words.weight)
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
        later = F.cross_entropy(second[:, :-1].flatten(0, 1), labels[:, 2:].flatten())
        chance = torch.softmax(logits / 0.8, dim=-1)
        held, order = torch.sort(chance, dim=-1, descending=True)
        inside = torch.cumsum(held, dim=-1) - held < 0.9
        kept = held * inside.float()
        kept = kept / kept.sum(dim=-1, keepdim=True)
        nucleus = torch.zeros_like(chance).scatter(2, order, kept)
        return logits, nucleus, loss + 0.3 * later + 0.05 * extra, torch.stack(used, dim=1)


def build():
    return Net()


def inputs():
    labels = torch.randint(1, 22, (2, 6))
    labels[0, :2] = -100
    return torch.randint(0, 22, (2, 6)), labels
