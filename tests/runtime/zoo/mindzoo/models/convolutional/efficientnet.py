"""EfficientNet: settings as data classes, padding by hand, a conditional convolution at the end."""

import copy
import math
from dataclasses import dataclass
from functools import partial
from typing import Callable, List, Optional, Sequence

from mindspore import nn, ops

from ..layers import CondConv2d, Conv2dSame, DropPath, SqueezeExcite, make_divisible
from ..layers.activation import Swish
from ..registry import register_model


@dataclass
class MBConvConfig:
    expand_ratio: float
    kernel_size: int
    stride: int
    in_chs: int
    out_chs: int
    num_layers: int
    width_cnf: float = 1.0
    depth_cnf: float = 1.0

    def __post_init__(self):
        self.input_channels = make_divisible(self.in_chs * self.width_cnf, 4, None)
        self.out_channels = make_divisible(self.out_chs * self.width_cnf, 4, None)
        self.num_layers = int(math.ceil(self.num_layers * self.depth_cnf))


class MBConv(nn.Cell):
    def __init__(self, cnf: MBConvConfig, keep_prob: float, norm: Callable, se_layer: Callable = SqueezeExcite):
        super().__init__()
        self.shortcut = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        layers: List[nn.Cell] = []
        expanded = make_divisible(cnf.input_channels * cnf.expand_ratio, 4)
        if expanded != cnf.input_channels:
            layers += [nn.Conv2d(cnf.input_channels, expanded, 1), norm(expanded), Swish()]
        layers += [Conv2dSame(expanded, expanded, cnf.kernel_size, cnf.stride, group=expanded), norm(expanded), Swish()]
        layers.append(se_layer(in_channels=expanded, rd_channels=max(1, cnf.input_channels // 4), act_layer=Swish))
        layers += [nn.Conv2d(expanded, cnf.out_channels, 1), norm(cnf.out_channels)]
        self.block = nn.SequentialCell(layers)
        self.drop_path = DropPath(1 - keep_prob)

    def construct(self, x):
        result = self.block(x)
        if self.shortcut:
            result = self.drop_path(result)
            result += x
        return result


class EfficientNet(nn.Cell):
    def __init__(self, settings: Sequence[MBConvConfig], num_classes, in_channels, norm_layer: Optional[Callable] = None):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        layers = [nn.SequentialCell(Conv2dSame(in_channels, 8, 3, 2), norm_layer(8), Swish())]
        total = sum(cnf.num_layers for cnf in settings)
        done = 0
        for cnf in settings:
            stage = []
            for _ in range(cnf.num_layers):
                block_cnf = copy.copy(cnf)
                if stage:
                    block_cnf.input_channels = block_cnf.out_channels
                    block_cnf.stride = 1
                stage.append(MBConv(block_cnf, 1 - 0.0 * float(done) / total, norm_layer))
                done += 1
            layers.append(nn.SequentialCell(stage))
        self.features = nn.SequentialCell(layers)
        last = settings[-1].out_channels
        self.head = CondConv2d(last, 24, 3)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.mlp_head = nn.Dense(24, num_classes)

    def construct(self, x):
        x = self.avgpool(self.head(self.features(x)))
        return self.mlp_head(ops.flatten(x))


@register_model
def efficientnet_b0(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    bneck = partial(MBConvConfig, width_cnf=1.0, depth_cnf=1.1)
    settings = [bneck(1, 3, 1, 8, 8, 1), bneck(4, 5, 2, 8, 12, 1)]
    return EfficientNet(settings, num_classes, in_channels, partial(nn.BatchNorm2d, eps=1e-3, momentum=0.99))
