"""Reads a line of handwriting: columns, a recurrent layer, attention with coverage, a beam's score."""

import torch
import torch.nn.functional as F
from torch import nn


def levelled(x):
    """Each picture by its own mean and spread."""
    mean = x.mean(dim=(1, 2, 3), keepdim=True)
    spread = (x - mean).pow(2).mean(dim=(1, 2, 3), keepdim=True).sqrt()
    return (x - mean) / (spread + 1e-3)


def slant(x, by):
    """Each row moved by a part of a column, as its height says."""
    n = x.shape[2]
    parts = []
    for i in range(n):
        share = by * (i - n // 2)
        moved = torch.roll(x[:, :, i], 1, dims=-1)
        parts.append((1.0 - share) * x[:, :, i] + share * moved)
    return torch.stack(parts, dim=2)


class Columns(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, padding=1)
        self.norm1 = nn.InstanceNorm2d(6, affine=True)
        self.conv2 = nn.Conv2d(6, 8, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(8)
        self.act = nn.LeakyReLU(0.1)
        self.pool = nn.MaxPool2d(2, 2)
        self.leave = nn.Linear(32, width)

    def forward(self, x):
        x = self.pool(self.act(self.norm1(self.conv1(x))))
        x = self.act(self.norm2(self.conv2(x)))
        high = F.max_pool2d(x, (2, 1))
        low = F.avg_pool2d(x, (2, 1))
        x = high + 0.5 * low
        b, c, h, w = x.shape
        x = x.permute(0, 3, 1, 2).reshape(b, w, c * h)
        return torch.tanh(self.leave(x))


class Covering(nn.Module):
    """Attention that knows where it has looked before."""

    def __init__(self, width):
        super().__init__()
        self.asked = nn.Linear(width, width)
        self.given = nn.Linear(width, width, bias=False)
        self.seen = nn.Linear(1, width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, state, memory, covered):
        hidden = self.asked(state)[:, None] + self.given(memory) + self.seen(covered[..., None])
        scores = self.score(torch.tanh(hidden)).squeeze(-1)
        shares = torch.softmax(scores, dim=1)
        return torch.bmm(shares[:, None], memory).squeeze(1), shares


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.columns = Columns(10)
        self.along = nn.GRU(10, 5, batch_first=True, bidirectional=True)
        self.letters = nn.Embedding(9, 6)
        self.cell = nn.Linear(26, 20)
        self.attention = Covering(10)
        self.head = nn.Linear(20, 9)
        self.paths = nn.Linear(10, 10)

    def forward(self, picture, text):
        x = slant(levelled(picture), 0.1)
        memory, last = self.along(self.columns(x))
        state = last.transpose(0, 1).reshape(-1, 10)
        covered = torch.zeros_like(memory[:, :, 0])
        context = memory.mean(dim=1)
        scores, again = [], []
        for t in range(text.shape[1] - 1):
            letter = self.letters(text[:, t])
            joined = torch.cat([letter, context, state], dim=-1)
            gate, new = self.cell(joined).chunk(2, dim=-1)
            gate = torch.sigmoid(gate - 1.0)
            state = gate * state + (1.0 - gate) * torch.tanh(new)
            context, shares = self.attention(state, memory, covered)
            again.append(torch.minimum(shares, covered).sum(dim=1))
            covered = covered + shares
            scores.append(self.head(torch.cat([state, context], dim=-1)))
        logits = torch.stack(scores, dim=1)
        wanted = text[:, 1:]
        logs = F.log_softmax(logits, dim=-1)
        real = (wanted > 0).float()
        picked = -logs.gather(2, wanted[..., None]).squeeze(-1)
        smooth = 0.9 * picked - 0.1 * logs.mean(dim=-1)
        loss = (smooth * real).sum() / real.sum().clamp(min=1.0)
        twice = torch.stack(again, dim=1).mean()
        beam = (picked * real).sum(dim=1) / (5.0 + real.sum(dim=1)) ** 0.6
        columns = F.softmax(self.paths(memory), dim=-1)
        blank = columns[:, :, 0].prod(dim=1)
        length = (1.0 - columns[:, :, 0]).sum(dim=1) / 2.0
        return logits, loss + 0.3 * twice, beam, length - blank


def build():
    return Net()


def inputs():
    return torch.rand(2, 1, 16, 12), torch.randint(0, 9, (2, 5))
