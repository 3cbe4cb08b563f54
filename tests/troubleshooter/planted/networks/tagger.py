import torch
from torch import nn
import torch.nn.functional as F


class Highway(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.transform = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)

    def forward(self, x):
        t = torch.sigmoid(self.gate(x))
        return t * torch.relu(self.transform(x)) + (1 - t) * x


class Tagger(nn.Module):
    """Characters by a convolution, words by an LSTM, sentences by a GRU, tags by attention."""

    def __init__(self, words=50, letters=20, tags=7):
        super().__init__()
        self.letters = nn.Embedding(letters, 6)
        self.conv = nn.Conv1d(6, 8, 3, padding=1)
        self.words = nn.Embedding(words, 12)
        self.highway = Highway(20)
        self.lstm = nn.LSTM(20, 10, num_layers=2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(20)
        self.gru = nn.GRU(20, 12, batch_first=True)
        self.drop = nn.Dropout(0.3)
        self.score = nn.Linear(12, 1, bias=False)
        self.hidden = nn.Linear(24, 16)
        self.act = nn.ELU()
        self.output = nn.Linear(16, tags)

    def forward(self, words, letters):
        n, length, size = letters.shape
        c = self.letters(letters.reshape(n * length, size)).transpose(1, 2)
        c = torch.tanh(self.conv(c)).max(dim=2)[0].reshape(n, length, -1)
        x = self.highway(torch.cat([self.words(words), c], dim=-1))
        x, _ = self.lstm(self.drop(x))
        y, last = self.gru(self.norm(x))
        weights = F.softmax(self.score(y), dim=1)
        summary = (weights * y).sum(dim=1, keepdim=True).expand_as(y)
        x = self.act(self.hidden(torch.cat([y, summary], dim=-1)))
        return self.output(x), last[0]


def inputs():
    return torch.randint(0, 50, (2, 6)), torch.randint(0, 20, (2, 6, 5))
