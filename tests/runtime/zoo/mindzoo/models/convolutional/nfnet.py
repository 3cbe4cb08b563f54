"""A net without normalisation: gains of weights, scaled residuals."""

from mindspore import nn, ops

from ..layers import ScaledStdConv2d, SqueezeExcite
from ..registry import register_model


class NormFreeBlock(nn.Cell):
    def __init__(self, in_chs, out_chs, alpha=0.2, beta=1.0, stride=1):
        super().__init__()
        self.alpha = alpha
        self.beta = beta
        self.act = nn.GELU()
        self.conv1 = ScaledStdConv2d(in_chs, out_chs // 2, 1)
        self.conv2 = ScaledStdConv2d(out_chs // 2, out_chs // 2, 3, stride, pad_mode="pad", padding=1, group=2)
        self.conv3 = ScaledStdConv2d(out_chs // 2, out_chs, 1, gamma=1.7)
        self.downsample = None
        if stride > 1 or in_chs != out_chs:
            self.downsample = nn.SequentialCell([nn.AvgPool2d(stride, stride), ScaledStdConv2d(in_chs, out_chs, 1)])
        self.attn_last = SqueezeExcite(out_chs)

    def construct(self, x):
        out = self.act(x) * self.beta
        shortcut = self.downsample(out) if self.downsample is not None else x
        out = self.act(self.conv2(self.act(self.conv1(out))))
        out = 2.0 * self.attn_last(self.conv3(out))
        return out * self.alpha + shortcut


class NormFreeNet(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.stem = ScaledStdConv2d(in_channels, 8, 3, 2, pad_mode="pad", padding=1)
        stages = []
        expected_var = 1.0
        for in_chs, out_chs, stride in ((8, 16, 2), (16, 16, 1), (16, 24, 2)):
            stages.append(NormFreeBlock(in_chs, out_chs, beta=expected_var ** -0.5, stride=stride))
            expected_var = 1.0 if stride > 1 else expected_var + 0.04
        self.stages = nn.SequentialCell(*stages)
        self.final = nn.Dense(24, num_classes)

    def construct(self, x):
        x = self.stages(self.stem(x))
        return self.final(ops.adaptive_avg_pool2d(x, 1).squeeze(-1).squeeze(-1))


@register_model
def nfnet_f0(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return NormFreeNet(num_classes, in_channels)
