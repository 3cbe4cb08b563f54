"""HRNet: branches of several resolutions, fused by lists of lists."""

from mindspore import nn, ops

from ..layers import BlurPool2d, ChannelAttention
from ..registry import register_model


class IdentityCell(nn.Cell):
    def construct(self, x):
        return x


class BasicBlock(nn.Cell):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, pad_mode="pad")
        self.bn1 = nn.BatchNorm2d(channels, momentum=0.1, use_batch_statistics=None)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.bn1(self.conv1(x)) + x)


class HRModule(nn.Cell):
    def __init__(self, num_inchannels):
        super().__init__()
        self.num_branches = len(num_inchannels)
        self.branches = nn.CellList([BasicBlock(c) for c in num_inchannels])
        self.fuse_layers = nn.CellList([
            nn.CellList([self._fuse(num_inchannels, i, j) for j in range(self.num_branches)])
            for i in range(self.num_branches)])
        self.relu = nn.ReLU()

    def _fuse(self, chans, i, j):
        if j > i:
            return nn.SequentialCell(nn.Conv2d(chans[j], chans[i], 1), nn.BatchNorm2d(chans[i]))
        if j == i:
            return IdentityCell()
        return nn.SequentialCell([BlurPool2d(chans[j]), nn.Conv2d(chans[j], chans[i], 3, 1, "pad", 1),
                                  nn.BatchNorm2d(chans[i])])

    def construct(self, x):
        x1 = []
        for i in range(self.num_branches):
            x1.append(self.branches[i](x[i]))
        x_fuse = []
        for i in range(self.num_branches):
            y = self.fuse_layers[i][0](x1[0])
            for j in range(1, self.num_branches):
                if i == j:
                    y = y + x1[j]
                elif j > i:
                    _, _, height, width = x1[i].shape
                    t = self.fuse_layers[i][j](x1[j])
                    t = ops.interpolate(t, size=(height, width), mode="nearest")
                    y = y + t
                else:
                    y = y + self.fuse_layers[i][j](x1[j])
            x_fuse.append(self.relu(y))
        return x_fuse


class HRNet(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 8, kernel_size=3, stride=2, padding=1, pad_mode="pad")
        self.bn1 = nn.BatchNorm2d(8)
        self.transition = nn.CellList([
            nn.Conv2d(8, 8, 3, 1, "pad", 1), nn.Conv2d(8, 12, 3, 2, "pad", 1)])
        self.stage2, self.flags = HRModule([8, 12]), [1, 1]
        self.attention = ChannelAttention(12)
        self.downsample = nn.Conv2d(8, 12, 3, 2, "pad", 1, has_bias=True)
        self.classifier = nn.Dense(12, num_classes)

    def construct(self, x):
        x = ops.relu(self.bn1(self.conv1(x)))
        x_list = []
        for i in range(2):
            if self.flags[i]:
                x_list.append(self.transition[i](x))
            else:
                x_list.append(x)
        y = self.stage2(x_list)
        y = self.attention(y[1]) + self.downsample(y[0])
        return self.classifier(y.mean((2, 3)))


@register_model
def hrnet_w8(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return HRNet(num_classes, in_channels)
