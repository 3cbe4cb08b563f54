import torch.nn as nn
from torch import cat as concatenate


class Base(nn.Module):  #: nn.Module
    """The root of the project's modules."""

    def parameters_count(self):
        return sum(p.numel() for p in self.parameters())  #: T.numel M.parameters


class ConvBlock(Base):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 3)  #: nn.Conv2d
        self.act = nn.SiLU()  #: nn.SiLU

    def forward(self, x):
        return self.act(self.conv(x))


def join(*tensors):
    return concatenate(tensors, 1)  #: torch.cat
