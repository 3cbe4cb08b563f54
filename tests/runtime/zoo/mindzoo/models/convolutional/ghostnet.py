"""GhostNet: half of the channels are made of the other half."""

import math

from mindspore import Tensor, nn, ops

from ..layers import SqueezeExcite
from ..registry import register_model


class ConvBnAct(nn.Cell):
    def __init__(self, in_chs, out_chs, kernel_size, stride=1, act_layer=nn.ReLU):
        super().__init__()
        self.conv = nn.Conv2d(in_chs, out_chs, kernel_size, stride, pad_mode="pad", padding=kernel_size // 2)
        self.bn1 = nn.BatchNorm2d(out_chs)
        self.act1 = act_layer()

    def construct(self, x):
        return self.act1(self.bn1(self.conv(x)))


class GhostModule(nn.Cell):
    def __init__(self, inp, oup, kernel_size=1, ratio=2, dw_size=3, stride=1, relu=True):
        super().__init__()
        self.oup = oup
        init_channels = math.ceil(oup / ratio)
        new_channels = init_channels * (ratio - 1)
        self.primary_conv = nn.SequentialCell(
            nn.Conv2d(inp, init_channels, kernel_size, stride, pad_mode="pad", padding=kernel_size // 2),
            nn.BatchNorm2d(init_channels), nn.ReLU() if relu else nn.SequentialCell())
        self.cheap_operation = nn.SequentialCell(
            nn.Conv2d(init_channels, new_channels, dw_size, 1, pad_mode="pad", padding=dw_size // 2, group=init_channels),
            nn.BatchNorm2d(new_channels), nn.ReLU() if relu else nn.SequentialCell())

    def construct(self, x: Tensor) -> Tensor:
        x1 = self.primary_conv(x)
        x2 = self.cheap_operation(x1)
        out = ops.concat((x1, x2), axis=1)
        return out[:, :self.oup, :, :]


class GhostBottleneck(nn.Cell):
    def __init__(self, in_chs, mid_chs, out_chs, dw_kernel_size=3, stride=1, se_ratio=0.0):
        super().__init__()
        has_se = se_ratio is not None and se_ratio > 0.0
        self.stride = stride
        self.ghost1 = GhostModule(in_chs, mid_chs, relu=True)
        if self.stride > 1:
            self.conv_dw = nn.Conv2d(mid_chs, mid_chs, dw_kernel_size, stride=stride, pad_mode="pad",
                                     padding=(dw_kernel_size - 1) // 2, group=mid_chs)
            self.bn_dw = nn.BatchNorm2d(mid_chs)
        self.se = SqueezeExcite(mid_chs, se_ratio, gate_layer=nn.HSigmoid) if has_se else None
        self.ghost2 = GhostModule(mid_chs, out_chs, relu=False)
        if in_chs == out_chs and self.stride == 1:
            self.shortcut = nn.SequentialCell()
        else:
            self.shortcut = nn.SequentialCell(
                nn.Conv2d(in_chs, in_chs, dw_kernel_size, stride=stride, pad_mode="pad",
                          padding=(dw_kernel_size - 1) // 2, group=in_chs),
                nn.BatchNorm2d(in_chs), nn.Conv2d(in_chs, out_chs, 1), nn.BatchNorm2d(out_chs))

    def construct(self, x):
        shortcut = x
        x = self.ghost1(x)
        if self.stride > 1:
            x = self.bn_dw(self.conv_dw(x))
        if self.se is not None:
            x = self.se(x)
        x = self.ghost2(x)
        if len(self.shortcut) > 0:
            shortcut = self.shortcut(shortcut)
        return x + shortcut


class GhostNet(nn.Cell):
    def __init__(self, num_classes, in_channels, drop_rate=0.0):
        super().__init__()
        self.cfgs = [[[3, 8, 8, 0, 1]], [[3, 16, 12, 0, 2], [3, 20, 13, 0.25, 1]]]
        self.conv_stem = nn.Conv2d(in_channels, 8, 3, 2, pad_mode="pad", padding=1)
        self.bn1, self.act1 = nn.BatchNorm2d(8), nn.ReLU()
        input_channel = 8
        stages = []
        for cfg in self.cfgs:
            layers = []
            for k, exp_size, c, se_ratio, s in cfg:
                layers.append(GhostBottleneck(input_channel, exp_size, c, k, s, se_ratio=se_ratio))
                input_channel = c
            stages.append(nn.SequentialCell(layers))
        stages.append(ConvBnAct(input_channel, 20, 1))
        self.blocks = nn.SequentialCell(stages)
        self.global_pool = nn.AdaptiveAvgPool2d(1)
        self.conv_head = nn.Conv2d(20, 24, 1, has_bias=True)
        self.drop_rate = drop_rate
        self.classifier = nn.Dense(24, num_classes)

    def construct(self, x):
        x = self.blocks(self.act1(self.bn1(self.conv_stem(x))))
        x = ops.relu(self.conv_head(self.global_pool(x)))
        x = x.view(x.shape[0], -1)
        if self.drop_rate > 0.0:
            x = ops.dropout(x, p=self.drop_rate, training=self.training)
        return self.classifier(x)


@register_model
def ghostnet_100(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return GhostNet(num_classes, in_channels, **kwargs)
