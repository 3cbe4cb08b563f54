"""Split attention of ResNeSt."""

from mindspore import nn, ops


class RadixSoftmax(nn.Cell):
    def __init__(self, radix: int, cardinality: int) -> None:
        super().__init__()
        self.radix = radix
        self.cardinality = cardinality

    def construct(self, x):
        batch = x.shape[0]
        if self.radix > 1:
            x = x.view((batch, self.cardinality, self.radix, -1))
            x = ops.transpose(x, (0, 2, 1, 3))
            x = ops.softmax(x, axis=1)
            x = x.view((batch, -1))
        else:
            x = ops.Sigmoid()(x)
        return x


class SplitAttn(nn.Cell):
    def __init__(self, in_channels, channels, kernel_size=3, stride=1, group=1, radix=2, reduction=4):
        super().__init__()
        inter = max(in_channels * radix // reduction, 8)
        self.radix = radix
        self.cardinality = group
        self.channels = channels
        self.conv = nn.Conv2d(in_channels, channels * radix, kernel_size, stride, pad_mode="pad",
                              padding=kernel_size // 2, group=group * radix, has_bias=False)
        self.bn0 = nn.BatchNorm2d(channels * radix)
        self.relu = nn.ReLU()
        self.fc1 = nn.Conv2d(channels, inter, 1, group=group, has_bias=True)
        self.bn1 = nn.BatchNorm2d(inter)
        self.fc2 = nn.Conv2d(inter, channels * radix, 1, group=group, has_bias=True)
        self.rsoftmax = RadixSoftmax(radix, group)

    def construct(self, x):
        x = self.relu(self.bn0(self.conv(x)))
        batch, rchannel = x.shape[:2]
        if self.radix > 1:
            splited = ops.split(x, rchannel // self.radix, 1)
            gap = sum(splited)
        else:
            splited = (x,)
            gap = x
        gap = ops.adaptive_avg_pool2d(gap, 1)
        gap = self.relu(self.bn1(self.fc1(gap)))
        atten = self.rsoftmax(self.fc2(gap)).view(batch, -1, 1, 1)
        if self.radix > 1:
            attens = ops.split(atten, rchannel // self.radix, 1)
            out = 0
            for att, part in zip(attens, splited):
                out = out + att * part
            return out
        return atten * x
