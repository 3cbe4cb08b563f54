"""BiT: weight standardisation by a layer derived from nn.Conv2d, group normalisation before it."""

from mindspore import nn, ops

from ..layers import GroupNormAct, StdConv2d
from ..registry import register_model


class PreActBottleneck(nn.Cell):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        cmid = cout // 2
        self.norm1 = GroupNormAct(cin)
        self.conv1 = StdConv2d(cin, cmid, 1)
        self.norm2 = GroupNormAct(cmid)
        self.conv2 = StdConv2d(cmid, cmid, 3, stride, pad_mode="pad", padding=1)
        self.norm3 = GroupNormAct(cmid)
        self.conv3 = StdConv2d(cmid, cout, 1, has_bias=True)
        self.downsample = StdConv2d(cin, cout, 1, stride) if stride > 1 or cin != cout else None

    def construct(self, x):
        out = self.norm1(x)
        shortcut = x
        if self.downsample is not None:
            shortcut = self.downsample(out)
        out = self.conv1(out)
        out = self.conv2(self.norm2(out))
        out = self.conv3(self.norm3(out))
        return out + shortcut


class BiTResNet(nn.Cell):
    def __init__(self, num_classes=10, in_channels=3):
        super().__init__()
        self.conv1 = StdConv2d(in_channels, 8, 7, 2, pad_mode="pad", padding=3)
        self.pad = nn.ConstantPad2d(1, 0)
        self.max_pool = nn.MaxPool2d(3, 2, pad_mode="valid")
        self.blocks = nn.SequentialCell(PreActBottleneck(8, 16), PreActBottleneck(16, 24, 2))
        self.norm = GroupNormAct(24)
        self.head = nn.Dense(24, num_classes)

    def construct(self, x):
        x = self.max_pool(self.pad(self.conv1(x)))
        x = self.norm(self.blocks(x))
        return self.head(ops.mean(x, (2, 3)))


@register_model
def bit_resnet14(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return BiTResNet(num_classes, in_channels, **kwargs)
