"""Attention over channels."""

import math

from mindspore import Tensor, nn, ops

from .pooling import GlobalAvgPooling
from .weight_init import make_divisible


class SqueezeExcite(nn.Cell):
    def __init__(self, in_channels: int, rd_ratio: float = 1.0 / 16, rd_channels: int = None,
                 rd_divisor: int = 4, norm=None, act_layer=nn.ReLU, gate_layer=nn.Sigmoid) -> None:
        super().__init__()
        self.norm = norm
        self.act = act_layer()
        self.gate = gate_layer()
        if not rd_channels:
            rd_channels = make_divisible(in_channels * rd_ratio, rd_divisor, round_limit=0.0)
        self.conv_reduce = nn.Conv2d(in_channels, rd_channels, 1, has_bias=True)
        if self.norm:
            self.bn = nn.BatchNorm2d(rd_channels)
        self.conv_expand = nn.Conv2d(rd_channels, in_channels, 1, has_bias=True)
        self.pool = GlobalAvgPooling(keep_dims=True)

    def construct(self, x: Tensor) -> Tensor:
        x_se = self.pool(x)
        x_se = self.conv_reduce(x_se)
        if self.norm:
            x_se = self.bn(x_se)
        x_se = self.act(x_se)
        x_se = self.conv_expand(x_se)
        return x * self.gate(x_se)


class SqueezeExciteV2(nn.Cell):
    """With layers for vectors."""

    def __init__(self, channels, reduction=4):
        super().__init__()
        self.fc = nn.SequentialCell([
            nn.Dense(channels, channels // reduction, has_bias=False), nn.ReLU(),
            nn.Dense(channels // reduction, channels, has_bias=False), nn.HSigmoid()])
        self.pool = ops.ReduceMean(keep_dims=False)

    def construct(self, x):
        weight = self.fc(self.pool(x, (2, 3)))
        return x * weight.expand_dims(-1).expand_dims(-1)


class EcaModule(nn.Cell):
    def __init__(self, channels, gamma=2, beta=1):
        super().__init__()
        t = int(abs(math.log(channels, 2) + beta) / gamma)
        k = max(t if t % 2 else t + 1, 3)
        self.conv = nn.Conv1d(1, 1, kernel_size=k, pad_mode="pad", padding=(k - 1) // 2)
        self.sigmoid = ops.Sigmoid()

    def construct(self, x):
        y = x.mean((2, 3)).expand_dims(1)
        y = self.sigmoid(self.conv(y)).view(x.shape[0], -1, 1, 1)
        return x * y.expand_as(x)


class ChannelAttention(nn.Cell):
    """CBAM's: the means and the largest, by one perceptron."""

    def __init__(self, channels, ratio=4):
        super().__init__()
        self.avg = nn.AdaptiveAvgPool2d(1)
        self.max = nn.AdaptiveMaxPool2d(1)
        self.mlp = nn.SequentialCell(
            nn.Conv2d(channels, channels // ratio, 1), nn.ReLU(), nn.Conv2d(channels // ratio, channels, 1))
        self.spatial = nn.Conv2d(2, 1, 7, pad_mode="pad", padding=3)
        self.concat = ops.Concat(1)
        self.reduce_max = ops.ReduceMax(True)
        self.reduce_mean = ops.ReduceMean(True)

    def construct(self, x):
        x = x * ops.sigmoid(self.mlp(self.avg(x)) + self.mlp(self.max(x)))
        both = self.concat((self.reduce_mean(x, 1), self.reduce_max(x, 1)))
        return x * ops.sigmoid(self.spatial(both))
