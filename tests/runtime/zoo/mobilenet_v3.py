"""MobileNetV3 as model zoos write it: squeeze and excitation, hard activations, divisors."""

import math

import mindspore.common.initializer as init
from mindspore import Tensor, nn, ops

SHAPE = (2, 3, 32, 32)


def make_divisible(v: float, divisor: int, min_value: int | None = None) -> int:
    if not min_value:
        min_value = divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < 0.9 * v:
        new_v += divisor
    return new_v


class GlobalAvgPooling(nn.Cell):
    def __init__(self, keep_dims: bool = False) -> None:
        super().__init__()
        self.keep_dims = keep_dims

    def construct(self, x):
        return ops.mean(x, axis=(2, 3), keep_dims=self.keep_dims)


class SqueezeExcite(nn.Cell):
    def __init__(self, in_channels: int, rd_ratio: float = 1.0 / 4, rd_divisor: int = 8) -> None:
        super().__init__()
        rd_channels = make_divisible(in_channels * rd_ratio, rd_divisor)
        self.conv_reduce = nn.Conv2d(in_channels, rd_channels, kernel_size=1, has_bias=True)
        self.act1 = nn.ReLU()
        self.conv_expand = nn.Conv2d(rd_channels, in_channels, kernel_size=1, has_bias=True)
        self.act2 = nn.HSigmoid()
        self.pool = GlobalAvgPooling(keep_dims=True)

    def construct(self, x: Tensor) -> Tensor:
        x_se = self.act1(self.conv_reduce(self.pool(x)))
        return x * self.act2(self.conv_expand(x_se))


class Bottleneck(nn.Cell):
    def __init__(
        self,
        in_channels,
        mid_channels,
        out_channels,
        kernel_size,
        stride=1,
        activation="relu",
        use_se=False,
    ):
        super().__init__()
        self.use_res_connect = stride == 1 and in_channels == out_channels
        assert activation in ["relu", "hswish"]
        self.activation = nn.HSwish if activation == "hswish" else nn.ReLU
        layers = []
        if in_channels != mid_channels:
            layers.extend(
                [
                    nn.Conv2d(
                        in_channels, mid_channels, 1, 1, pad_mode="pad", padding=0, has_bias=False
                    ),
                    nn.BatchNorm2d(mid_channels),
                    self.activation(),
                ]
            )
        layers.extend(
            [
                nn.Conv2d(
                    mid_channels,
                    mid_channels,
                    kernel_size,
                    stride,
                    pad_mode="same",
                    group=mid_channels,
                ),
                nn.BatchNorm2d(mid_channels),
                self.activation(),
            ]
        )
        if use_se:
            layers.append(SqueezeExcite(mid_channels))
        layers.extend(
            [
                nn.Conv2d(mid_channels, out_channels, 1, 1, pad_mode="pad", padding=0),
                nn.BatchNorm2d(out_channels),
            ]
        )
        self.layers = nn.SequentialCell(layers)

    def construct(self, x: Tensor) -> Tensor:
        if self.use_res_connect:
            return x + self.layers(x)
        return self.layers(x)


class MobileNetV3(nn.Cell):
    def __init__(self, num_classes=7):
        super().__init__()
        features = [
            nn.Conv2d(3, 8, 3, 2, pad_mode="pad", padding=1, has_bias=False),
            nn.BatchNorm2d(8),
            nn.HSwish(),
        ]
        config = [
            [3, 8, 8, True, "relu", 1],
            [5, 24, 16, False, "hswish", 2],
            [5, 32, 16, True, "hswish", 1],
        ]
        channels = 8
        for k, exp, out, se, act, s in config:
            features.append(Bottleneck(channels, exp, out, k, s, act, se))
            channels = out
        self.features = nn.SequentialCell(features)
        self.pool = GlobalAvgPooling()
        self.classifier = nn.SequentialCell(
            [nn.Dense(channels, 32), nn.HSwish(), nn.Dropout(p=0.2), nn.Dense(32, num_classes)]
        )
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                n = cell.kernel_size[0] * cell.kernel_size[1] * cell.out_channels
                cell.weight.set_data(
                    init.initializer(
                        init.Normal(sigma=math.sqrt(2.0 / n), mean=0.0),
                        cell.weight.shape,
                        cell.weight.dtype,
                    )
                )

    def construct(self, x: Tensor) -> Tensor:
        return self.classifier(self.pool(self.features(x)))


def network() -> nn.Cell:
    return MobileNetV3()
