"""A board game: columns of stones, blocks that weigh channels, a policy of legal moves, a value."""

import torch
import torch.nn.functional as F
from torch import nn


def legal_shares(logits, legal):
    """Softmax over what is allowed."""
    low = torch.full_like(logits, -1e4)
    kept = torch.where(legal > 0.5, logits, low)
    return F.softmax(kept, dim=-1), F.log_softmax(kept, dim=-1)


def around(x):
    """How many stones stand next to each place, diagonals by half."""
    padded = F.pad(x, (1, 1, 1, 1))
    straight = padded[:, :, 1:-1, 2:] + padded[:, :, 1:-1, :-2]
    straight = straight + padded[:, :, 2:, 1:-1] + padded[:, :, :-2, 1:-1]
    across = padded[:, :, 2:, 2:] + padded[:, :, :-2, :-2]
    return straight + 0.5 * across


class Weighed(nn.Module):
    """A residual block whose channels are scaled and shifted by what the whole board says."""

    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(width)
        self.squeeze = nn.Linear(2 * width, width)
        self.excite = nn.Linear(width, 2 * width)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        pooled = torch.cat([y.mean(dim=(2, 3)), y.amax(dim=(2, 3))], dim=1)
        scale, shift = self.excite(F.relu(self.squeeze(pooled))).chunk(2, dim=1)
        y = y * torch.sigmoid(scale)[:, :, None, None] + shift[:, :, None, None]
        return F.relu(x + y)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(7, 10, 3, padding=1)
        self.blocks = nn.ModuleList([Weighed(10) for _ in range(2)])
        self.policy = nn.Conv2d(10, 3, 1)
        self.wait = nn.Linear(10, 1)
        self.value1 = nn.Linear(10, 12)
        self.value2 = nn.Linear(12, 3)
        self.owner = nn.Conv2d(10, 1, 1)

    def forward(self, board, legal, played):
        own, other = board[:, 0:1], board[:, 1:2]
        empty = 1.0 - own - other
        near = around(own) - around(other)
        free = around(empty) / 6.0
        pressed = (own * (1.0 - free)).clamp(min=0.25)
        x = torch.cat([own, other, empty, near, free, pressed, own - other], dim=1)
        x = F.relu(self.enter(x))
        for block in self.blocks:
            x = block(x)
        moves = self.policy(x)
        best = moves.amax(dim=1) + 0.1 * moves.mean(dim=1)
        whole = x.mean(dim=(2, 3))
        logits = torch.cat([best.flatten(1), self.wait(whole)], dim=1)
        shares, logs = legal_shares(logits, legal)
        outcome = F.softmax(self.value2(F.elu(self.value1(whole))), dim=-1)
        value = outcome[:, 0] - outcome[:, 2]
        owned = torch.tanh(self.owner(x)).squeeze(1)
        score = (owned * empty[:, 0]).sum(dim=(1, 2)) - 3.5
        spread = -(shares * logs).sum(dim=-1)
        missed = -torch.gather(logs, 1, played[:, None]).squeeze(1).clamp(min=-8.0)
        loss = (missed * (1.0 + value.abs())).mean() - 0.01 * spread.mean()
        return shares, value, owned, score / 10.0, loss


def build():
    return Net()


def inputs():
    stones = torch.randint(0, 3, (2, 1, 5, 5))
    board = torch.cat([(stones == 1).float(), (stones == 2).float()], dim=1)
    legal = torch.cat([(stones == 0).float().flatten(1), torch.ones(2, 1)], dim=1)
    return board, legal, torch.randint(0, 26, (2,))
