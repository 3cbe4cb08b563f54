import torch
import torch.nn.functional as F
from torch import nn


def double(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1),
        nn.GroupNorm(2, o),
        nn.SiLU(),
        nn.Conv2d(o, o, 3, padding=1),
        nn.GroupNorm(2, o),
        nn.SiLU(),
    )


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inc = double(3, 8)
        self.down1 = double(8, 16)
        self.down2 = double(16, 16)
        self.up1 = nn.ConvTranspose2d(16, 16, 2, 2)
        self.conv1 = double(32, 8)
        self.up2 = nn.ConvTranspose2d(8, 8, 2, 2)
        self.conv2 = double(16, 8)
        self.outc = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.inc(x)
        b = self.down1(F.max_pool2d(a, 2))
        c = self.down2(F.max_pool2d(b, 2))
        y = self.conv1(torch.cat([b, self.up1(c)], 1))
        y = self.conv2(torch.cat([a, self.up2(y)], 1))
        return self.outc(y)


def build():
    return Net()


def inputs():
    return torch.randn(1, 3, 8, 8)
