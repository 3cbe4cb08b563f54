"""ShuffleNet, both versions: groups of channels, shuffled."""

from mindspore import nn, ops

from ..layers import GlobalAvgPooling
from ..registry import register_model


class ShuffleV1Block(nn.Cell):
    def __init__(self, inp, oup, group, first_group, mid_channels, ksize, stride):
        super().__init__()
        self.stride, self.group = stride, group
        pad = ksize // 2
        if stride == 2:
            outputs = oup - inp
        else:
            outputs = oup
        branch_main_1 = [
            nn.Conv2d(inp, mid_channels, 1, 1, pad_mode="pad", padding=0, group=1 if first_group else group),
            nn.BatchNorm2d(mid_channels), nn.ReLU()]
        branch_main_2 = [
            nn.Conv2d(mid_channels, mid_channels, ksize, stride, pad_mode="pad", padding=pad, group=mid_channels),
            nn.BatchNorm2d(mid_channels),
            nn.Conv2d(mid_channels, outputs, 1, 1, pad_mode="pad", padding=0, group=group),
            nn.BatchNorm2d(outputs)]
        self.branch_main_1 = nn.SequentialCell(branch_main_1)
        self.branch_main_2 = nn.SequentialCell(branch_main_2)
        if stride == 2:
            self.branch_proj = nn.AvgPool2d(kernel_size=3, stride=2, pad_mode="same")
        self.relu = nn.ReLU()

    def construct(self, old_x):
        left = old_x
        right = old_x
        out = old_x
        right = self.branch_main_1(right)
        if self.group > 1:
            right = self.channel_shuffle(right)
        right = self.branch_main_2(right)
        if self.stride == 1:
            out = self.relu(left + right)
        elif self.stride == 2:
            left = self.branch_proj(left)
            out = ops.concat((left, right), axis=1)
            out = self.relu(out)
        return out

    def channel_shuffle(self, x):
        batch_size, num_channels, height, width = x.shape
        group_channels = num_channels // self.group
        x = ops.reshape(x, (batch_size, group_channels, self.group, height, width))
        x = ops.transpose(x, (0, 2, 1, 3, 4))
        return ops.reshape(x, (batch_size, num_channels, height, width))


class ShuffleNetV1(nn.Cell):
    def __init__(self, num_classes, in_channels, group=2):
        super().__init__()
        self.first_conv = nn.SequentialCell(
            nn.Conv2d(in_channels, 8, 3, 2, "pad", 1), nn.BatchNorm2d(8), nn.ReLU())
        self.max_pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        features = []
        input_channel = 8
        for stage, repeats in enumerate((2, 1)):
            output_channel = (16, 24)[stage]
            for i in range(repeats):
                features.append(ShuffleV1Block(input_channel, output_channel, group, stage == 0 and i == 0,
                                               output_channel // 4 * 2, 3, 2 if i == 0 else 1))
                input_channel = output_channel
        self.features = nn.SequentialCell(features)
        self.global_pool, self.classifier = GlobalAvgPooling(), nn.Dense(24, num_classes, has_bias=False)

    def construct(self, x):
        x = self.max_pool(self.first_conv(x))
        return self.classifier(self.global_pool(self.features(x)))


class ShuffleV2Block(nn.Cell):
    def __init__(self, inp, oup, mid_channels, ksize, stride):
        super().__init__()
        self.stride = stride
        pad = ksize // 2
        outputs = oup - inp
        self.branch_main = nn.SequentialCell([
            nn.Conv2d(inp, mid_channels, 1), nn.BatchNorm2d(mid_channels), nn.ReLU(),
            nn.Conv2d(mid_channels, mid_channels, ksize, stride, "pad", pad, group=mid_channels),
            nn.BatchNorm2d(mid_channels), nn.Conv2d(mid_channels, outputs, 1), nn.BatchNorm2d(outputs), nn.ReLU()])
        self.branch_proj = None
        if stride == 2:
            self.branch_proj = nn.SequentialCell([
                nn.Conv2d(inp, inp, ksize, stride, "pad", pad, group=inp), nn.BatchNorm2d(inp),
                nn.Conv2d(inp, inp, 1), nn.BatchNorm2d(inp), nn.ReLU()])

    def construct(self, old_x):
        if self.stride == 1:
            x_proj, x = self.channel_shuffle(old_x)
            return ops.concat((x_proj, self.branch_main(x)), axis=1)
        if self.stride == 2:
            return ops.concat((self.branch_proj(old_x), self.branch_main(old_x)), axis=1)
        return None

    @staticmethod
    def channel_shuffle(x):
        batch_size, num_channels, height, width = x.shape
        x = ops.reshape(x, (batch_size * num_channels // 2, 2, height * width,))
        x = ops.transpose(x, (1, 0, 2,))
        x = ops.reshape(x, (2, -1, num_channels // 2, height, width,))
        return x[0], x[1]


class ShuffleNetV2(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.first_conv = nn.SequentialCell([nn.Conv2d(in_channels, 8, 3, 2, "pad", 1), nn.BatchNorm2d(8), nn.ReLU()])
        self.features = nn.SequentialCell([
            ShuffleV2Block(8, 16, 8, 3, 2), ShuffleV2Block(8, 16, 8, 3, 1), ShuffleV2Block(16, 24, 12, 3, 2)])
        self.conv_last = nn.SequentialCell([nn.Conv2d(24, 32, 1), nn.BatchNorm2d(32), nn.ReLU()])
        self.pool, self.classifier = GlobalAvgPooling(), nn.Dense(32, num_classes, has_bias=False)

    def construct(self, x):
        return self.classifier(self.pool(self.conv_last(self.features(self.first_conv(x)))))


@register_model
def shufflenet_v1_g2(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return ShuffleNetV1(num_classes, in_channels, **kwargs)


@register_model
def shufflenet_v2_x0_5(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return ShuffleNetV2(num_classes, in_channels)
