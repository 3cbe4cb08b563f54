"""Letters to sound: an LSTM step by step that looks along the letters, and knows where it was."""

import torch
import torch.nn.functional as F
from torch import nn


def hearing(bins, bands):
    """Triangles over the bins of a spectrum, narrower where it is low."""
    places = torch.arange(bins).float() / (bins - 1)
    centres = torch.linspace(0.0, 1.0, bands + 2) ** 1.5
    left, middle, right = centres[:-2, None], centres[1:-1, None], centres[2:, None]
    up = (places - left) / (middle - left)
    down = (right - places) / (right - middle)
    return torch.minimum(up, down).clamp(min=0.0)


class Look(nn.Module):
    """Scores of what is asked, of each letter, and of where it has looked before."""

    def __init__(self, width, memory, size):
        super().__init__()
        self.asked = nn.Linear(width, size, bias=False)
        self.letters = nn.Linear(memory, size, bias=False)
        self.where = nn.Conv1d(2, 4, 5, padding=2, bias=False)
        self.place = nn.Linear(4, size, bias=False)
        self.score = nn.Linear(size, 1)

    def forward(self, asked, memory, before, summed, real):
        seen = self.where(torch.stack([before, summed], dim=1))
        seen = self.place(seen.transpose(1, 2))
        energy = torch.tanh(self.asked(asked)[:, None] + self.letters(memory) + seen)
        scores = self.score(energy).squeeze(-1)
        scores = scores.masked_fill(real < 0.5, float("-inf"))
        shares = F.softmax(scores, dim=-1)
        return torch.bmm(shares[:, None], memory).squeeze(1), shares


class Post(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.one = nn.Conv1d(bands, 12, 3, padding=1)
        self.norm = nn.BatchNorm1d(12)
        self.two = nn.Conv1d(12, bands, 3, padding=1)

    def forward(self, x):
        return x + self.two(torch.tanh(self.norm(self.one(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bands = 6
        self.letters = nn.Embedding(15, 10, padding_idx=0)
        self.near = nn.Conv1d(10, 10, 3, padding=1)
        self.normal = nn.BatchNorm1d(10)
        self.reader = nn.LSTM(10, 6, batch_first=True, bidirectional=True)
        self.voices = nn.Embedding(3, 12)
        self.before1 = nn.Linear(6, 8)
        self.before2 = nn.Linear(8, 8)
        self.first = nn.LSTMCell(8 + 12, 14)
        self.second = nn.LSTMCell(14 + 12, 14)
        self.look = Look(14, 12, 9)
        self.frame = nn.Linear(14 + 12, 6)
        self.end = nn.Linear(14 + 12, 1)
        self.post = Post(6)
        self.scale = nn.Parameter(torch.tensor(0.6))

    def read(self, tokens, voice):
        x = self.letters(tokens).transpose(1, 2)
        x = x + F.relu(self.normal(self.near(x)))
        memory, _ = self.reader(x.transpose(1, 2))
        return memory + self.scale * F.softsign(self.voices(voice))[:, None]

    def forward(self, tokens, voice, spectrum, lengths):
        real = (tokens != 0).float()
        memory = self.read(tokens, voice)
        heard = torch.log((spectrum @ hearing(16, self.bands).T).clamp(min=1e-3))
        b, n = tokens.shape
        steps = heard.shape[1]
        h1, c1 = memory.new_zeros(b, 14), memory.new_zeros(b, 14)
        h2, c2 = memory.new_zeros(b, 14), memory.new_zeros(b, 14)
        seen = memory.new_zeros(b, 12)
        shares = F.one_hot(torch.zeros_like(voice), n).float()
        summed = shares
        last = torch.zeros_like(heard[:, 0])
        frames, ends, looked = [], [], []
        for t in range(steps):
            given = F.relu(self.before2(F.relu(self.before1(last))))
            h1, c1 = self.first(torch.cat([given, seen], dim=1), (h1, c1))
            seen, shares = self.look(h1, memory, shares, summed, real)
            summed = summed + shares
            h2, c2 = self.second(torch.cat([h1, seen], dim=1), (h2, c2))
            both = torch.cat([h1 + h2, seen], dim=1)
            frames.append(self.frame(both))
            ends.append(self.end(both))
            looked.append(shares)
            last = heard[:, t]
        rough = torch.stack(frames, dim=2)
        fine = self.post(rough)
        ends = torch.cat(ends, dim=1)
        looked = torch.stack(looked, dim=1)
        within = (torch.arange(steps)[None] < lengths[:, None]).float()
        apart = (rough.transpose(1, 2) - heard).square() + (fine.transpose(1, 2) - heard).abs()
        apart = (apart.mean(dim=-1) * within).sum() / within.sum()
        over = (torch.arange(steps)[None] >= lengths[:, None] - 1).float()
        stop = F.binary_cross_entropy_with_logits(ends, over, pos_weight=torch.tensor(3.0))
        at = torch.arange(steps).float()[None, :, None] / lengths[:, None, None]
        letter = torch.arange(n).float()[None, None, :] / real.sum(dim=1)[:, None, None]
        guide = 1.0 - torch.exp(-((at - letter) ** 2) / (2 * 0.2**2))
        guided = (guide * looked * within[..., None]).sum(dim=(1, 2)) / lengths
        where = (looked * torch.arange(n).float()).sum(dim=-1)
        moved = F.relu(where[:, :-1] - where[:, 1:]).sum(dim=1)
        loss = apart + 0.5 * stop + guided.mean() + 0.1 * moved.mean()
        return fine, torch.sigmoid(ends), looked, loss


def build():
    return Net()


def inputs():
    tokens = torch.randint(1, 15, (2, 6))
    tokens[1, 4:] = 0
    return tokens, torch.tensor([0, 2]), torch.rand(2, 5, 16), torch.tensor([5, 3])
