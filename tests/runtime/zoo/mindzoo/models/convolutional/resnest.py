"""ResNeSt: split attention, average pooling in the shortcut."""

from mindspore import nn, ops

from ..layers import GlobalAvgPooling, SplitAttn
from ..registry import register_model


class Bottleneck(nn.Cell):
    def __init__(self, inplanes, planes, stride=1, radix=2, avd=True):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, kernel_size=1)
        self.bn1 = nn.BatchNorm2d(planes)
        self.avd = avd and stride > 1
        if self.avd:
            self.avd_layer = nn.AvgPool2d(3, stride, pad_mode="pad", padding=1, count_include_pad=False)
        self.conv2 = SplitAttn(planes, planes, radix=radix)
        self.conv3 = nn.Conv2d(planes, planes * 2, kernel_size=1)
        self.bn3 = nn.BatchNorm2d(planes * 2)
        self.relu = nn.ReLU()
        down = []
        if stride > 1:
            down.append(nn.AvgPool2d(kernel_size=stride, stride=stride, ceil_mode=True, count_include_pad=False))
        down += [nn.Conv2d(inplanes, planes * 2, kernel_size=1), nn.BatchNorm2d(planes * 2)]
        self.downsample = nn.SequentialCell(*down)

    def construct(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.conv2(out)
        if self.avd:
            out = self.avd_layer(out)
        out = self.bn3(self.conv3(out))
        return self.relu(out + self.downsample(x))


class ResNeSt(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.stem = nn.SequentialCell(
            nn.Conv2d(in_channels, 8, 3, stride=2, pad_mode="pad", padding=1), nn.BatchNorm2d(8), nn.ReLU(),
            nn.MaxPool2d(3, 2, pad_mode="pad", padding=1))
        self.layer1 = Bottleneck(8, 8)
        self.layer2 = Bottleneck(16, 12, 2)
        self.avgpool = GlobalAvgPooling()
        self.fc = nn.Dense(24, num_classes)

    def construct(self, x):
        return self.fc(self.avgpool(self.layer2(self.layer1(self.stem(x)))))


@register_model
def resnest14(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return ResNeSt(num_classes, in_channels)
