from msconvert.runtime import nn

from .parts.layers import Head


class Volume(nn.Cell):
    def __init__(self, sizes):
        super().__init__()
        self.norm = nn.BatchNorm3d(4)
        self.head = Head(sizes)

    def construct(self, x):
        return self.head(self.norm(x).amax((2, 3, 4)))


def small(sizes=(2, 3)):
    return Volume(sizes)
