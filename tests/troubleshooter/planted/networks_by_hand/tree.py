"""Sequences: a recurrent layer, one by hand in both directions, a tree by recursion, a memory."""

import torch
import torch.nn.functional as F
from torch import nn


def cell_step(cell, x, h, c):
    i, f, g, o = (cell.x(x) + cell.h(h)).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


class Cell(nn.Module):
    def __init__(self, width, state):
        super().__init__()
        self.state = state
        self.x = nn.Linear(width, 4 * state)
        self.h = nn.Linear(state, 4 * state)

    def forward(self, x, real):
        h = x.new_zeros(x.shape[0], self.state)
        c = torch.zeros_like(h)
        found = []
        for t in range(x.shape[1]):
            new, memory = cell_step(self, x[:, t], h, c)
            now = real[:, t, None]
            h, c = torch.where(now, new, h), torch.where(now, memory, c)
            found.append(h)
        return torch.stack(found, dim=1), h


class Tree(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.join = nn.Linear(2 * width, width)
        self.leaf = nn.Linear(width, width)

    def node(self, x, low, high):
        if high - low == 1:
            return torch.tanh(self.leaf(x[:, low]))
        middle = (low + high) // 2
        left, right = self.node(x, low, middle), self.node(x, middle, high)
        both = self.join(torch.cat([left, right], dim=-1))
        return torch.relu(both) + 0.5 * (left + right)

    def forward(self, x):
        return self.node(x, 0, x.shape[1])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(15, 8)
        self.gru = nn.GRU(8, 6, num_layers=2, batch_first=True, bidirectional=True)
        self.cell = Cell(12, 6)
        self.tree = Tree(6)
        self.score = nn.Linear(6, 1)
        self.head = nn.Linear(30, 3)

    def forward(self, words, lengths):
        real = torch.arange(words.shape[1])[None] < lengths[:, None]
        x = self.words(words) * real[..., None]
        y, h = self.gru(x)
        last = torch.cat([h[-2], h[-1]], dim=-1)
        states, end = self.cell(y, real)
        scores = self.score(states).squeeze(-1).masked_fill(~real, float("-inf"))
        pooled = (scores.softmax(dim=1)[..., None] * states).sum(dim=1)
        decayed = [states[:, 0]]
        for t in range(1, states.shape[1]):
            decayed.append(0.9 * decayed[-1] + 0.1 * states[:, t])
        memory = sum(decayed) / len(decayed)
        whole = torch.cat([last, pooled + end, self.tree(states), memory], dim=-1)
        return F.log_softmax(self.head(whole), dim=-1), scores.argmax(dim=1)


def build():
    return Net()


def inputs():
    return torch.randint(1, 15, (3, 6)), torch.tensor([6, 4, 3])
