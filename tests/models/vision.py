"""Convolutional networks as people write them, narrow enough for tests."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SqueezeExcitation(nn.Module):
    def __init__(self, channels: int, squeeze: int) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, squeeze, 1)
        self.fc2 = nn.Conv2d(squeeze, channels, 1)
        self.activation = nn.ReLU()
        self.scale_activation = nn.Hardsigmoid()

    def forward(self, x: Tensor) -> Tensor:
        scale = self.avgpool(x)
        scale = self.activation(self.fc1(scale))
        return self.scale_activation(self.fc2(scale)) * x


class InvertedResidual(nn.Module):
    """MobileNetV3's block: expand, depthwise, squeeze-excite, project."""

    def __init__(self, c_in: int, c_out: int, kernel: int, stride: int, se: bool, hs: bool) -> None:
        super().__init__()
        self.use_res_connect = stride == 1 and c_in == c_out
        activation = nn.Hardswish if hs else nn.ReLU
        expanded = c_in * 3
        layers: list[nn.Module] = [conv_bn(c_in, expanded, 1, activation=activation)]
        layers.append(conv_bn(expanded, expanded, kernel, stride, expanded, activation))
        if se:
            layers.append(SqueezeExcitation(expanded, expanded // 4))
        layers.append(conv_bn(expanded, c_out, 1))
        self.block = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        result = self.block(x)
        if self.use_res_connect:
            result += x
        return result


def conv_bn(
    c_in: int,
    c_out: int,
    kernel: int,
    stride: int = 1,
    groups: int = 1,
    activation: type[nn.Module] | None = None,
) -> nn.Sequential:
    layers: list[nn.Module] = [
        nn.Conv2d(c_in, c_out, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(c_out, eps=0.001),
    ]
    if activation is not None:
        layers.append(activation())
    return nn.Sequential(*layers)


class MobileNetV3(nn.Module):
    """image (n, 3, h, w) -> logits (n, 10)."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            conv_bn(3, 8, 3, 2, activation=nn.Hardswish),
            InvertedResidual(8, 8, 3, 2, se=True, hs=False),
            InvertedResidual(8, 12, 3, 2, se=False, hs=False),
            InvertedResidual(12, 12, 3, 1, se=False, hs=False),
            InvertedResidual(12, 16, 5, 2, se=True, hs=True),
            InvertedResidual(16, 16, 5, 1, se=True, hs=True),
            InvertedResidual(16, 16, 5, 1, se=True, hs=True),
            conv_bn(16, 48, 1, activation=nn.Hardswish),
        )
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            nn.Linear(48, 64), nn.Hardswish(inplace=True), nn.Dropout(0.2), nn.Linear(64, 10)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.features(x)
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)


class VGG(nn.Module):
    """VGG-11's order of layers, an eighth as wide: image (n, 3, 32, 32) -> logits (n, 10)."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        c_in = 3
        for width in (8, "M", 16, "M", 32, 32, "M", 64, 64, "M", 64, 64, "M"):
            if isinstance(width, str):
                layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
            else:
                layers += [nn.Conv2d(c_in, width, kernel_size=3, padding=1), nn.ReLU(inplace=True)]
                c_in = width
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.classifier = nn.Sequential(
            nn.Linear(64, 128),
            nn.ReLU(True),
            nn.Dropout(),
            nn.Linear(128, 128),
            nn.ReLU(True),
            nn.Dropout(),
            nn.Linear(128, 10),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.features(x)
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)


class DoubleConv(nn.Module):
    def __init__(self, c_in: int, c_out: int) -> None:
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(c_out),
            nn.ReLU(inplace=True),
            nn.Conv2d(c_out, c_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(c_out),
            nn.ReLU(inplace=True),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, c_in: int, c_out: int) -> None:
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(c_in, c_out))

    def forward(self, x: Tensor) -> Tensor:
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, c_in: int, c_out: int) -> None:
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.conv = DoubleConv(c_in, c_out)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        x1 = self.up(x1)
        return self.conv(torch.cat([x2, x1], dim=1))


class UNet(nn.Module):
    """image (n, 3, h, w) -> mask logits (n, 2, h, w)."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.inc = DoubleConv(3, width)
        self.down1 = Down(width, width * 2)
        self.down2 = Down(width * 2, width * 4)
        self.down3 = Down(width * 4, width * 4)
        self.up1 = Up(width * 8, width * 2)
        self.up2 = Up(width * 4, width)
        self.up3 = Up(width * 2, width)
        self.outc = nn.Conv2d(width, 2, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        x = self.up1(x4, x3)
        x = self.up2(x, x2)
        x = self.up3(x, x1)
        return self.outc(x)


class DenseLayer(nn.Module):
    def __init__(self, c_in: int, growth: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(c_in)
        self.conv1 = nn.Conv2d(c_in, 4 * growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(4 * growth)
        self.conv2 = nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)

    def forward(self, features: list[Tensor]) -> Tensor:
        x = torch.cat(features, 1)
        x = self.conv1(F.relu(self.norm1(x)))
        return self.conv2(F.relu(self.norm2(x)))


class DenseBlock(nn.ModuleDict):
    def __init__(self, layers: int, c_in: int, growth: int) -> None:
        super().__init__()
        for i in range(layers):
            self.add_module(f"denselayer{i + 1}", DenseLayer(c_in + i * growth, growth))

    def forward(self, x: Tensor) -> Tensor:
        features = [x]
        for layer in self.values():
            features.append(layer(features))
        return torch.cat(features, 1)


class DenseNet(nn.Module):
    """image (n, 3, h, w) -> logits (n, 10)."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.block1 = DenseBlock(3, 8, 4)
        self.transition = nn.Sequential(
            nn.BatchNorm2d(20), nn.ReLU(inplace=True), nn.Conv2d(20, 10, 1), nn.AvgPool2d(2, 2)
        )
        self.block2 = DenseBlock(3, 10, 4)
        self.norm = nn.BatchNorm2d(22)
        self.classifier = nn.Linear(22, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.transition(self.block1(self.stem(x)))
        x = F.relu(self.norm(self.block2(x)), inplace=True)
        x = F.adaptive_avg_pool2d(x, (1, 1))
        return self.classifier(torch.flatten(x, 1))


class BasicConv2d(nn.Module):
    def __init__(self, c_in: int, c_out: int, kernel: int | tuple[int, int], **kwargs: int) -> None:
        super().__init__()
        padding = kernel // 2 if isinstance(kernel, int) else (kernel[0] // 2, kernel[1] // 2)
        self.conv = nn.Conv2d(c_in, c_out, kernel, padding=padding, bias=False, **kwargs)
        self.bn = nn.BatchNorm2d(c_out, eps=0.001)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.bn(self.conv(x)), inplace=True)


class InceptionBlock(nn.Module):
    def __init__(self, c_in: int) -> None:
        super().__init__()
        self.branch1x1 = BasicConv2d(c_in, 6, 1)
        self.branch7x7_1 = BasicConv2d(c_in, 4, 1)
        self.branch7x7_2 = BasicConv2d(4, 4, (1, 7))
        self.branch7x7_3 = BasicConv2d(4, 6, (7, 1))
        self.branch_pool = BasicConv2d(c_in, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        branch7x7 = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        branch_pool = F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
        return torch.cat([self.branch1x1(x), branch7x7, self.branch_pool(branch_pool)], 1)


class Inception(nn.Module):
    """image (n, 3, h, w) -> class probabilities (n, 5)."""

    def __init__(self) -> None:
        super().__init__()
        self.Conv2d_1a_3x3 = BasicConv2d(3, 8, 3, stride=2)
        self.Mixed_5b = InceptionBlock(8)
        self.Mixed_5c = InceptionBlock(16)
        self.dropout = nn.Dropout()
        self.fc = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.Mixed_5c(self.Mixed_5b(self.Conv2d_1a_3x3(x)))
        x = F.max_pool2d(x, kernel_size=3, stride=2, ceil_mode=True)
        x = self.dropout(x.mean((2, 3)))
        return F.softmax(self.fc(x), dim=-1)


class MBConv(nn.Module):
    """EfficientNet's block: SiLU and a sigmoid gate."""

    def __init__(self, channels: int, expansion: int = 2) -> None:
        super().__init__()
        hidden = channels * expansion
        self.expand = conv_bn(channels, hidden, 1, activation=nn.SiLU)
        self.depthwise = conv_bn(hidden, hidden, 3, 1, hidden, nn.SiLU)
        self.se_reduce = nn.Conv2d(hidden, 4, 1)
        self.se_expand = nn.Conv2d(4, hidden, 1)
        self.project = conv_bn(hidden, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        out = self.depthwise(self.expand(x))
        gate = F.silu(self.se_reduce(out.mean((2, 3), keepdim=True)))
        out = out * torch.sigmoid(self.se_expand(gate))
        return x + self.project(out)


class EfficientNet(nn.Module):
    """image (batch, 3, h, w) -> logits (batch, 10)."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = conv_bn(3, 8, 3, 2, activation=nn.SiLU)
        self.blocks = nn.Sequential(MBConv(8), MBConv(8))
        self.head = conv_bn(8, 24, 1, activation=nn.SiLU)
        self.classifier = nn.Linear(24, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(self.blocks(self.stem(x)))
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.classifier(x)


class Generator(nn.Module):
    """DCGAN-like decoder: noise (n, 16) -> image (n, 3, 16, 16) in (-1, 1)."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(16, 32 * 4 * 4)
        self.main = nn.Sequential(
            nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False),
            nn.BatchNorm2d(16),
            nn.LeakyReLU(0.2),
            nn.ConvTranspose2d(16, 3, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, z: Tensor) -> Tensor:
        x = self.project(z).view(-1, 32, 4, 4)
        return self.main(x)


class NormNet(nn.Module):
    """GroupNorm and InstanceNorm: image (n, 3, h, w) -> style image (n, 3, h, w)."""

    def __init__(self) -> None:
        super().__init__()
        self.pad = nn.ReflectionPad2d(1)
        self.conv1 = nn.Conv2d(3, 8, 3)
        self.in1 = nn.InstanceNorm2d(8, affine=True)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
        self.gn = nn.GroupNorm(4, 8)
        self.act = nn.PReLU(8)
        self.conv3 = nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.elu(self.in1(self.conv1(self.pad(x))))
        x = self.act(self.gn(self.conv2(x)))
        return torch.sigmoid(self.conv3(x))
