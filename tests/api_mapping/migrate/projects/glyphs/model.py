"""A small convolutional network for glyph classification."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvBlock(nn.Sequential):
    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1):
        padding = (kernel_size - 1) // 2
        super().__init__(
            nn.Conv2d(in_channels, out_channels, kernel_size, stride, padding, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )


class ResidualUnit(nn.Module):
    def __init__(self, channels, dropout=0.0):
        super().__init__()
        self.conv1 = ConvBlock(channels, channels)
        self.conv2 = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        )
        self.drop = nn.Dropout2d(dropout) if dropout > 0 else nn.Identity()

    def forward(self, x):
        out = self.conv2(self.conv1(x))
        out += x
        return self.drop(F.relu(out))


class GlyphNet(nn.Module):
    def __init__(self, num_classes=10, width=8, depth=1, dropout=0.0):
        super().__init__()
        self.num_classes = num_classes
        self.stem = ConvBlock(3, width)
        stages = []
        channels = width
        for i in range(2):
            stages.append(ConvBlock(channels, channels * 2, stride=2))
            channels *= 2
            stages.extend(ResidualUnit(channels, dropout) for _ in range(depth))
        self.features = nn.Sequential(*stages)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(channels, num_classes)
        self.reset_parameters()

    def reset_parameters(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
            elif isinstance(m, nn.Linear):
                bound = 1 / math.sqrt(m.in_features)
                nn.init.uniform_(m.weight, -bound, bound)
                nn.init.zeros_(m.bias)
        # zero-init the last BN of each residual unit
        for m in self.modules():
            if isinstance(m, ResidualUnit):
                nn.init.zeros_(m.conv2[1].weight)

    def forward(self, x):
        x = self.stem(x)
        x = self.features(x)
        x = self.pool(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)


def build_model(args):
    model = GlyphNet(num_classes=args.num_classes, width=args.width, dropout=args.dropout)
    n_parameters = sum(p.numel() for p in model.parameters() if p.requires_grad)
    print(f"number of params: {n_parameters / 1e3:.1f}k")
    return model
