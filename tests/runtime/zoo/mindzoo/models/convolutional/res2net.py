"""Res2Net: the channels of a block in parts, each of which adds the one before."""

import math

from mindspore import nn, ops

from ..registry import register_model


class Bottle2neck(nn.Cell):
    expansion = 2

    def __init__(self, in_channels, channels, stride=1, down_sample=None, base_width=26, scale=4, stype="normal"):
        super().__init__()
        width = int(math.floor(channels * (base_width / 64.0)))
        self.conv1 = nn.Conv2d(in_channels, width * scale, kernel_size=1)
        self.bn1 = nn.BatchNorm2d(width * scale)
        self.nums = 1 if scale == 1 else scale - 1
        if stype == "stage":
            self.pool = nn.AvgPool2d(kernel_size=3, stride=stride, pad_mode="same")
        self.convs = nn.CellList()
        self.bns = nn.CellList()
        for _ in range(self.nums):
            self.convs.append(nn.Conv2d(width, width, kernel_size=3, stride=stride, padding=1, pad_mode="pad"))
            self.bns.append(nn.BatchNorm2d(width))
        self.conv3 = nn.Conv2d(width * scale, channels * self.expansion, kernel_size=1)
        self.bn3 = nn.BatchNorm2d(channels * self.expansion)
        self.relu = nn.ReLU()
        self.down_sample = down_sample
        self.stype = stype
        self.scale = scale
        self.width = width

    def construct(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        spx = ops.split(out, self.width, axis=1)
        sp = self.relu(self.bns[0](self.convs[0](spx[0])))
        out = sp
        for i in range(1, self.nums):
            if self.stype == "stage":
                sp = spx[i]
            else:
                sp = sp + spx[i]
            sp = self.relu(self.bns[i](self.convs[i](sp)))
            out = ops.concat((out, sp), axis=1)
        if self.scale != 1 and self.stype == "normal":
            out = ops.concat((out, spx[self.nums]), axis=1)
        elif self.scale != 1 and self.stype == "stage":
            out = ops.concat((out, self.pool(spx[self.nums])), axis=1)
        out = self.bn3(self.conv3(out))
        if self.down_sample is not None:
            identity = self.down_sample(x)
        return self.relu(out + identity)


class Res2Net(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.conv1 = nn.SequentialCell([
            nn.Conv2d(in_channels, 8, 3, 2, pad_mode="pad", padding=1), nn.BatchNorm2d(8), nn.ReLU(),
            nn.Conv2d(8, 8, 3, 1, pad_mode="pad", padding=1)])
        self.bn1, self.relu = nn.BatchNorm2d(8), nn.ReLU()
        down = nn.SequentialCell([nn.AvgPool2d(2, 2, pad_mode="same"), nn.Conv2d(8, 32, 1), nn.BatchNorm2d(32)])
        self.layer1 = nn.SequentialCell(
            Bottle2neck(8, 16, 2, down, stype="stage"), Bottle2neck(32, 16))
        self.fc = nn.Dense(32, num_classes)

    def construct(self, x):
        x = self.layer1(self.relu(self.bn1(self.conv1(x))))
        return self.fc(x.mean(axis=(2, 3)))


@register_model
def res2net14(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return Res2Net(num_classes, in_channels)
