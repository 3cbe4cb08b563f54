"""getattr, hasattr and setattr with names that are written out."""

import torch
import torch.nn.functional as F
from torch import nn, optim

silu = getattr(F, "silu")  #: F.silu


class Net(nn.Module):  #: nn.Module
    def __init__(self, act):
        super().__init__()
        self.fc = nn.Linear(3, 3)  #: nn.Linear
        setattr(self, "extra", nn.Linear(3, 3))  #: nn.Linear
        self.act = getattr(F, act)

    def forward(self, x: torch.Tensor, config):  #: torch.Tensor
        h = getattr(self.fc(x), "relu")()  #: T.relu
        h = getattr(h, "mul")(2).add(1)  #: T.mul T.add
        h = getattr(self, "extra")(h).tanh()  #: T.tanh
        w = getattr(self.fc, "weight").t()  #: T.t
        kind = getattr(h, "dtype", None)  #: T.dtype
        if hasattr(h, "numpy") and hasattr(self, "extra") and hasattr(config, "dtype"):  #: T.numpy
            h = silu(h).view(-1)  #: F.silu T.view
        total = getattr(h, "sum")  #: T.sum
        if getattr(self, "training"):  #: M.training
            setattr(h, "requires_grad", True)  #: T.requires_grad
        if getattr(h, "_is_mine", False) or getattr(config, "shape", None):
            return kind
        return total() + w  #: T.sum


def free(x, y, names: list):
    if hasattr(x, "numel"):
        return x.numel()  #: T.numel
    if hasattr(y, "unsqueeze"):
        names.append(y.view(2))  #: T.view
    getattr(names, "append")(3)
    return getattr(y, "items", None)


def train(net: Net):
    optimizer = getattr(optim, "SGD")(getattr(net, "parameters")(), lr=0.1)  #: torch.optim.SGD M.parameters
    getattr(optimizer, "zero_grad")()  #: O.zero_grad
    getattr(net, "eval")()  #: M.eval
    print(hasattr(torch, "compile"), getattr(torch, "float16"))  #: torch.compile torch.float16
