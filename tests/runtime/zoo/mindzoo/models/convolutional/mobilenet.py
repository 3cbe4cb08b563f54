"""MobileNetV2 and MixNet: inverted residuals; kernels of several sizes."""

from typing import List

import numpy as np
from mindspore import nn, ops

from ..layers import GlobalAvgPooling, SqueezeExcite, create_activation, make_divisible
from ..registry import register_model


class InvertedResidual(nn.Cell):
    def __init__(self, in_channels, out_channels, stride, expand_ratio):
        super().__init__()
        assert stride in [1, 2]
        hidden_dim = round(in_channels * expand_ratio)
        self.use_res_connect = stride == 1 and in_channels == out_channels
        layers = []
        if expand_ratio != 1:
            layers.extend([nn.Conv2d(in_channels, hidden_dim, 1, 1, pad_mode="pad", padding=0),
                           nn.BatchNorm2d(hidden_dim), nn.ReLU6()])
        layers.extend([
            nn.Conv2d(hidden_dim, hidden_dim, 3, stride, pad_mode="pad", padding=1, group=hidden_dim),
            nn.BatchNorm2d(hidden_dim), nn.ReLU6(),
            nn.Conv2d(hidden_dim, out_channels, 1, 1, pad_mode="pad", padding=0),
            nn.BatchNorm2d(out_channels)])
        self.layers = nn.SequentialCell(layers)

    def construct(self, x):
        if self.use_res_connect:
            return x + self.layers(x)
        return self.layers(x)


class MobileNetV2(nn.Cell):
    def __init__(self, alpha=1.0, round_nearest=4, num_classes=1000, in_channels=3):
        super().__init__()
        input_channels = make_divisible(8 * alpha, round_nearest)
        last_channels = make_divisible(32 * max(1.0, alpha), round_nearest)
        inverted_residual_setting = [[1, 8, 1, 1], [4, 12, 2, 2], [3, 16, 1, 2]]
        features = [nn.Conv2d(in_channels, input_channels, 3, 2, pad_mode="pad", padding=1),
                    nn.BatchNorm2d(input_channels), nn.ReLU6()]
        for t, c, n, s in inverted_residual_setting:
            output_channel = make_divisible(c * alpha, round_nearest)
            for i in range(n):
                stride = s if i == 0 else 1
                features.append(InvertedResidual(input_channels, output_channel, stride, expand_ratio=t))
                input_channels = output_channel
        features.extend([nn.Conv2d(input_channels, last_channels, 1, 1), nn.BatchNorm2d(last_channels), nn.ReLU6()])
        self.features = nn.SequentialCell(features)
        self.pool = GlobalAvgPooling()
        self.classifier = nn.SequentialCell([nn.Dropout(p=0.0), nn.Dense(last_channels, num_classes)])

    def construct(self, x):
        return self.classifier(self.pool(self.features(x)))


def _split_channels(total_filters, num_groups):
    split = [total_filters // num_groups for _ in range(num_groups)]
    split[0] += total_filters - sum(split)
    return split


class MDConv(nn.Cell):
    def __init__(self, channels: int, kernel_size: List, stride: int) -> None:
        super().__init__()
        self.num_groups = len(kernel_size)
        self.split_channels = _split_channels(channels, self.num_groups)
        self.mixed_depthwise_conv = nn.CellList()
        for i in range(self.num_groups):
            self.mixed_depthwise_conv.append(nn.Conv2d(
                self.split_channels[i], self.split_channels[i], kernel_size[i], stride=stride,
                pad_mode="pad", padding=kernel_size[i] // 2, group=self.split_channels[i]))
        self.ends = np.cumsum([0] + self.split_channels).tolist()

    def construct(self, x):
        if self.num_groups == 1:
            return self.mixed_depthwise_conv[0](x)
        output = []
        start, end = 0, 0
        for i in range(self.num_groups):
            start, end = end, end + self.split_channels[i]
            output.append(self.mixed_depthwise_conv[i](x[:, start:end]))
        return ops.concat(output, axis=1)


class MixNetBlock(nn.Cell):
    def __init__(self, in_chs, out_chs, kernel_size, stride, expand, act="swish", se_ratio=0.5):
        super().__init__()
        mid = in_chs * expand
        self.residual = stride == 1 and in_chs == out_chs
        self.expand = nn.SequentialCell([nn.Conv2d(in_chs, mid, 1), nn.BatchNorm2d(mid), create_activation(act)()])
        self.depthwise = nn.SequentialCell([MDConv(mid, kernel_size, stride), nn.BatchNorm2d(mid), create_activation(act)()])
        self.se = SqueezeExcite(mid, rd_channels=int(in_chs * se_ratio), act_layer=create_activation(act))
        self.project = nn.SequentialCell([nn.Conv2d(mid, out_chs, 1), nn.BatchNorm2d(out_chs)])

    def construct(self, x):
        out = self.project(self.se(self.depthwise(self.expand(x))))
        if self.residual:
            out = out + x
        return out


class MixNet(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.stem = nn.SequentialCell([nn.Conv2d(in_channels, 8, 3, 2, "pad", 1), nn.BatchNorm2d(8), nn.ReLU()])
        self.layers = nn.SequentialCell([
            MixNetBlock(8, 12, [3, 5, 7], 2, 2), MixNetBlock(12, 12, [3, 5], 1, 2, "hard_mish")])
        self.pool, self.classifier = GlobalAvgPooling(), nn.Dense(12, num_classes)

    def construct(self, x):
        return self.classifier(self.pool(self.layers(self.stem(x))))


@register_model
def mobilenet_v2_100(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return MobileNetV2(alpha=1.0, num_classes=num_classes, in_channels=in_channels, **kwargs)


@register_model
def mixnet_s(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return MixNet(num_classes, in_channels)
