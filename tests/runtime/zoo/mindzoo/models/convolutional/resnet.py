"""ResNet, ResNeXt with squeeze and excitation, SKNet: one class, other blocks."""

from typing import List, Optional, Type

from mindspore import Tensor, nn

from ..layers import EcaModule, GlobalAvgPooling, SelectiveKernel, SqueezeExciteV2, init_like_conv_zoo
from ..registry import register_model


class Bottleneck(nn.Cell):
    expansion: int = 2

    def __init__(self, in_channels: int, channels: int, stride: int = 1, groups: int = 1,
                 base_width: int = 64, norm: Optional[nn.Cell] = None,
                 down_sample: Optional[nn.Cell] = None) -> None:
        super().__init__()
        if norm is None:
            norm = nn.BatchNorm2d
        width = int(channels * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2d(in_channels, width, kernel_size=1, stride=1)
        self.bn1 = norm(width)
        self.conv2 = nn.Conv2d(width, width, kernel_size=3, stride=stride, padding=1, pad_mode="pad",
                               group=groups)
        self.bn2 = norm(width)
        self.conv3 = nn.Conv2d(width, channels * self.expansion, kernel_size=1, stride=1)
        self.bn3 = norm(channels * self.expansion)
        self.relu = nn.ReLU()
        self.down_sample = down_sample
        self.attention = self.make_attention(channels * self.expansion)

    def make_attention(self, channels):
        return EcaModule(channels)

    def construct(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out = self.attention(out)
        if self.down_sample is not None:
            identity = self.down_sample(x)
        out += identity
        out = self.relu(out)
        return out


class SEBottleneck(Bottleneck):
    def make_attention(self, channels):
        return SqueezeExciteV2(channels)


class SKBottleneck(Bottleneck):
    def __init__(self, in_channels, channels, stride=1, **kwargs):
        super().__init__(in_channels, channels, stride, **kwargs)
        width = self.conv2.out_channels
        self.conv2 = SelectiveKernel(width, width, stride=stride)
        self.bn2 = nn.Identity()


class ResNet(nn.Cell):
    def __init__(self, block: Type[nn.Cell], layers: List[int], num_classes: int = 1000,
                 in_channels: int = 3, groups: int = 1, base_width: int = 64,
                 norm: Optional[nn.Cell] = None) -> None:
        super().__init__()
        if norm is None:
            norm = nn.BatchNorm2d
        self.norm: nn.Cell = norm
        self.input_channels = 8
        self.groups = groups
        self.base_with = base_width
        self.conv1 = nn.Conv2d(in_channels, self.input_channels, kernel_size=7, stride=2, pad_mode="pad", padding=3)
        self.bn1 = norm(self.input_channels)
        self.relu = nn.ReLU()
        self.max_pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        self.layer1 = self._make_layer(block, 8, layers[0])
        self.layer2 = self._make_layer(block, 12, layers[1], stride=2)
        self.feature_info = [dict(chs=8, reduction=2, name="relu")]
        for i, channels in enumerate((8, 12)):
            self.feature_info.append(
                dict(chs=channels * block.expansion, reduction=2 ** (i + 2), name=f"layer{i + 1}"))
        self.pool = GlobalAvgPooling()
        self.num_features = 12 * block.expansion
        self.classifier = nn.Dense(self.num_features, num_classes)
        init_like_conv_zoo(self)

    def _make_layer(self, block, channels: int, block_nums: int, stride: int = 1) -> nn.SequentialCell:
        down_sample = None
        if stride != 1 or self.input_channels != channels * block.expansion:
            down_sample = nn.SequentialCell([
                nn.Conv2d(self.input_channels, channels * block.expansion, kernel_size=1, stride=stride),
                self.norm(channels * block.expansion)])
        layers = []
        layers.append(block(self.input_channels, channels, stride=stride, down_sample=down_sample,
                            groups=self.groups, base_width=self.base_with, norm=self.norm))
        self.input_channels = channels * block.expansion
        for _ in range(1, block_nums):
            layers.append(block(self.input_channels, channels, groups=self.groups,
                                base_width=self.base_with, norm=self.norm))
        return nn.SequentialCell(layers)

    def forward_features(self, x: Tensor) -> Tensor:
        x = self.max_pool(self.relu(self.bn1(self.conv1(x))))
        return self.layer2(self.layer1(x))

    def forward_head(self, x: Tensor) -> Tensor:
        x = self.pool(x)
        return self.classifier(x)

    def construct(self, x: Tensor) -> Tensor:
        return self.forward_head(self.forward_features(x))


@register_model
def ecaresnet14(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs):
    return ResNet(Bottleneck, [1, 1], num_classes=num_classes, in_channels=in_channels, **kwargs)


@register_model
def seresnext14(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs):
    return ResNet(SEBottleneck, [1, 1], num_classes=num_classes, in_channels=in_channels, groups=2, base_width=32, **kwargs)


@register_model
def skresnet14(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs):
    return ResNet(SKBottleneck, [1, 1], num_classes=num_classes, in_channels=in_channels, **kwargs)
