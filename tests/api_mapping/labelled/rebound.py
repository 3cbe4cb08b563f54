"""Parameters that get other values on some paths: what shows these to be tensors, shows them."""

import torch
from torch import nn


class Rebound(nn.Module):  #: nn.Module
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)  #: nn.Linear

    def forward(self, x, repeat=3):
        if x.sum() > 0:  #: T.sum
            x = x * 2
        for _ in range(repeat):
            x = 1 - x / 2
        return self.fc(x)

    def cut(self, x, y, z):
        y = y[:, 1:]
        if y.mean() > 1:  #: T.mean
            y **= 2
        x = x[..., :2] if x.max() > 1 else x  #: T.max
        z = (z + z)[1:].exp()  #: T.exp
        return self.fc(x), self.fc(y), self.fc(z)

    def words(self, text, ids):
        if text.count(" "):
            text = text * 2
        text = text[1:].split()
        text.index("a")
        ids = ids[:3] * 2
        ids.append(3)
        ids.sort(); ids.index(1)
        return self.fc(torch.tensor(ids))  #: torch.tensor

    def lists(self, parts, other):
        if self.training:  #: M.training
            parts.sort()
            parts = parts[0]
        other.sort()
        other = other[0] * 2
        return self.fc(parts), self.fc(other)


def declared(x: torch.Tensor, y: torch.Tensor | None, z, block):  #: torch.Tensor torch.Tensor
    x = block(x)
    if y is None:
        y = block(z)
    x = x.mean(0)  #: T.mean
    return x.view(y.shape[0], -1)  #: T.view T.shape
