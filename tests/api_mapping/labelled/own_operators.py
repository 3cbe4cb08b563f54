"""Operators of the project's own classes, flags that are off, methods that names hold."""

import torch


class History:
    def __init__(self):
        self.last = torch.zeros(3)  #: torch.zeros

    def __iadd__(self, x):
        self.last = torch.exp(x)  #: torch.exp
        return self

    def __add__(self, other):
        return torch.cat([self.last, other.last])  #: torch.cat

    def __rmul__(self, factor):
        return [factor]

    def mean(self):
        return 3

    def push(self, x):
        self.last = x


def run(xs: list[torch.Tensor], y: torch.Tensor):  #: torch.Tensor torch.Tensor
    history = History()
    for x in xs:
        history += x
        history.push(x)
    history.mean()
    (history + history).sum()  #: T.sum
    (y * history).append(3)
    torch.nonzero(y, as_tuple=False).squeeze(1)  #: torch.nonzero T.squeeze
    torch.nonzero(y, as_tuple=True)[0].abs()  #: torch.nonzero T.abs
    torch.unique(y, return_counts=False).sum()  #: torch.unique T.sum
    torch.unique(y, return_inverse=True)[1].sum()  #: torch.unique T.sum
    torch.max_pool1d(y, 2).sum()  #: torch.max_pool1d T.sum
    factor, pivots = torch.linalg.ldl_factor(y)  #: torch.linalg.ldl_factor
    pivots.sum()  #: T.sum
    [part.cos() for part in y.unsafe_split(2)]  #: T.cos T.unsafe_split


def held(done):
    found = [1]
    push = found.append
    push(torch.ones(3))  #: torch.ones
    found[0].view(3)  #: T.view
    done(found.append)
    table = {"a": 1}
    fill = table.update
    fill({"b": torch.ones(3)})  #: torch.ones
    table["b"].view(3)  #: T.view


class Freezing:
    """Mixed into modules of other files."""

    def freeze(self):
        for p in self.parameters():  #: M.parameters
            p.requires_grad_(False)  #: T.requires_grad_
        return self.nothing_of_pytorch()
