"""../net.py as MindSpore has it."""

from msconvert.runtime import nn, ops


class Net(nn.Cell):
    def __init__(self, width=8):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.BatchNorm2d(width)

    def construct(self, x):
        return ops.relu(self.norm(self.conv(x))).mean((2, 3))
