import torch
from torch import nn
import torch.nn.functional as F


class DoubleConv(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm1 = nn.GroupNorm(4, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, padding_mode="reflect")
        self.norm2 = nn.GroupNorm(4, outputs)
        self.act = nn.SiLU()

    def forward(self, x):
        x = self.act(self.norm1(self.conv1(x)))
        return self.act(self.norm2(self.conv2(x)))


class Up(nn.Module):
    def __init__(self, deep, skip, outputs):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.conv = DoubleConv(deep + skip, outputs)

    def forward(self, x, skip):
        x = self.up(x)
        return self.conv(torch.cat([skip, x], dim=1))


class UNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.inc = DoubleConv(2, 8)
        self.pool1 = nn.MaxPool2d(2)
        self.down1 = DoubleConv(8, 16)
        self.pool2 = nn.AvgPool2d(2)
        self.down2 = DoubleConv(16, 16)
        self.gate = nn.Conv2d(16, 16, 1)
        self.up1 = Up(16, 16, 8)
        self.up2 = nn.ConvTranspose2d(8, 8, 3, stride=2, padding=1, output_padding=1)
        self.norm = nn.InstanceNorm2d(8, affine=True)
        self.last = DoubleConv(16, 8)
        self.expand = nn.Conv2d(8, 4 * classes, 1)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(self.pool1(x1))
        x3 = self.down2(self.pool2(x2))
        x3 = x3 * torch.sigmoid(self.gate(x3))
        y = self.up1(x3, x2)
        y = F.relu(self.norm(self.up2(y)))
        y = self.last(torch.cat([x1, y], dim=1))
        return (
            self.shuffle(self.expand(y)) + F.interpolate(x, scale_factor=2, mode="nearest")[:, :1]
        )


def inputs():
    return (torch.randn(2, 2, 16, 16),)
