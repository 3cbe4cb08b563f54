"""Speech to letters: stacked frames, recurrences of both sides, a joiner, sums over a lattice."""

import torch
import torch.nn.functional as F
from torch import nn


def stacked(x, factor):
    b, n, c = x.shape
    left = n % factor
    x = x[:, : n - left]
    return x.reshape(b, n // factor, c * factor)


def lattice(blank, label):
    """Of the probabilities to go on in time and in letters, of all ways: a logarithm."""
    _, steps, letters = blank.shape
    rows = [torch.cumsum(F.pad(label[:, 0, : letters - 1], (1, 0)), dim=1)]
    for t in range(1, steps):
        stay = rows[-1] + blank[:, t - 1]
        row = [stay[:, 0]]
        for u in range(1, letters):
            move = row[-1] + label[:, t, u - 1]
            row.append(torch.logaddexp(stay[:, u], move))
        rows.append(torch.stack(row, dim=1))
    return rows[-1][:, -1] + blank[:, -1, -1]


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(12, 16)
        self.norm = nn.LayerNorm(16)
        self.lstm = nn.LSTM(16, 10, batch_first=True, bidirectional=True)
        self.leave = nn.Linear(20, 14)

    def forward(self, x):
        x = x - x.mean(dim=1, keepdim=True)
        x = F.relu(self.enter(stacked(x, 2)))
        y, _ = self.lstm(self.norm(x))
        return self.leave(y)


class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 10)
        self.gru = nn.GRU(10, 12, batch_first=True)
        self.leave = nn.Linear(12, 14)

    def forward(self, labels):
        begun = F.pad(labels, (1, 0), value=8)
        y, last = self.gru(self.embedding(begun))
        y = y + 0.1 * last[-1][:, None, :]
        return self.leave(y)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.predictor = Predictor()
        self.join = nn.Linear(14, 9)

    def forward(self, sound, labels):
        heard = self.encoder(sound)
        said = self.predictor(labels)
        both = torch.tanh(heard[:, :, None, :] + said[:, None, :, :])
        logs = F.log_softmax(self.join(both) / 1.2, dim=-1)
        blank = logs[..., 0]
        index = F.pad(labels, (0, 1))[:, None, :, None].expand(-1, logs.shape[1], -1, -1)
        label = torch.gather(logs, 3, index).squeeze(3)
        score = lattice(blank, label)
        greedy = logs[:, :, 0].argmax(dim=-1)
        quiet = (greedy == 0).float().mean(dim=1)
        loss = -(score / (labels.shape[1] + 1)).mean()
        return logs, loss + 0.5 * quiet.mean()


def build():
    return Net()


def inputs():
    return torch.randn(2, 9, 6), torch.tensor([[2, 5, 1], [7, 3, 3]])
