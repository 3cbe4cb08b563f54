"""Xception: separable convolutions, blocks of lists."""

from mindspore import nn, ops

from ..layers import GlobalAvgPooling
from ..registry import register_model


class SeparableConv2d(nn.Cell):
    def __init__(self, in_channels, out_channels, kernel_size=1, stride=1, padding=0):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, in_channels, kernel_size, stride, group=in_channels,
                               pad_mode="pad", padding=padding)
        self.pointwise = nn.Conv2d(in_channels, out_channels, kernel_size=1, stride=1, pad_mode="valid")

    def construct(self, x):
        return self.pointwise(self.conv1(x))


class Block(nn.Cell):
    def __init__(self, in_filters, out_filters, reps, strides=1, start_with_relu=True, grow_first=True):
        super().__init__()
        if out_filters != in_filters or strides != 1:
            self.skip = nn.Conv2d(in_filters, out_filters, 1, stride=strides, pad_mode="valid", has_bias=False)
            self.skipbn = nn.BatchNorm2d(out_filters, momentum=0.9)
        else:
            self.skip = None
        self.relu = nn.ReLU()
        rep = []
        filters = in_filters
        if grow_first:
            rep += [nn.ReLU(), SeparableConv2d(in_filters, out_filters, 3, 1, 1), nn.BatchNorm2d(out_filters)]
            filters = out_filters
        for _ in range(reps - 1):
            rep += [nn.ReLU(), SeparableConv2d(filters, filters, 3, 1, 1), nn.BatchNorm2d(filters)]
        if not grow_first:
            rep += [nn.ReLU(), SeparableConv2d(in_filters, out_filters, 3, 1, 1), nn.BatchNorm2d(out_filters)]
        if not start_with_relu:
            rep = rep[1:]
        else:
            rep[0] = nn.ReLU()
        if strides != 1:
            rep.append(nn.MaxPool2d(3, strides, pad_mode="same"))
        self.rep = nn.SequentialCell(*rep)
        self.add = ops.Add()

    def construct(self, inp):
        x = self.rep(inp)
        if self.skip is not None:
            skip = self.skipbn(self.skip(inp))
        else:
            skip = inp
        return self.add(x, skip)


class Xception(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        blocks = [Block(8, 12, 2, 2, False, True), Block(12, 12, 2), Block(12, 16, 2, 2, True, False)]
        self.conv1 = nn.Conv2d(in_channels, 8, 3, 2, pad_mode="valid")
        self.bn1 = nn.BatchNorm2d(8, momentum=0.9)
        self.relu = nn.ReLU()
        self.blocks = nn.SequentialCell(blocks)
        self.conv3 = SeparableConv2d(16, 24, 3, 1, 1)
        self.bn3 = nn.BatchNorm2d(24, momentum=0.9)
        self.pool = GlobalAvgPooling()
        self.classifier = nn.Dense(24, num_classes)

    def construct(self, x):
        x = self.blocks(self.relu(self.bn1(self.conv1(x))))
        return self.classifier(self.pool(self.relu(self.bn3(self.conv3(x)))))


@register_model
def xception(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return Xception(num_classes, in_channels)
