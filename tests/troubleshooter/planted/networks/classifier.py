import torch
from torch import nn
import torch.nn.functional as F


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.reduce = nn.Conv2d(channels, channels // 2, 1)
        self.expand = nn.Conv2d(channels // 2, channels, 1)
        self.gate = nn.Hardsigmoid()

    def forward(self, x):
        s = F.adaptive_avg_pool2d(x, 1)
        return x * self.gate(self.expand(F.relu(self.reduce(s))))


class Residual(nn.Module):
    def __init__(self, channels, dilation=1):
        super().__init__()
        self.conv1 = nn.Conv2d(
            channels, channels, 3, padding=dilation, dilation=dilation, bias=False
        )
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels, eps=1e-3)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return self.relu(y + x)


class Separable(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.depthwise = nn.Conv2d(inputs, inputs, 5, stride, 2, groups=inputs, bias=False)
        self.bn1 = nn.BatchNorm2d(inputs)
        self.se = SqueezeExcite(inputs)
        self.pointwise = nn.Conv2d(inputs, outputs, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.act = nn.Hardswish()

    def forward(self, x):
        y = self.se(self.act(self.bn1(self.depthwise(x))))
        return self.bn2(self.pointwise(y))


class Classifier(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.act = nn.LeakyReLU(0.1)
        self.pool = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.layer1 = Residual(8)
        self.layer2 = Residual(8, dilation=2)
        self.mix = nn.Conv2d(8, 16, 3, padding=1, groups=2)
        self.prelu = nn.PReLU(16)
        self.down = nn.AvgPool2d(3, 2, 1)
        self.layer3 = Separable(16, 24, 2)
        self.head = nn.Conv2d(24, 32, 1)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(32, classes)

    def forward(self, x):
        x = self.pool(self.act(self.norm(self.stem(x))))
        x = self.layer2(self.layer1(x))
        x = self.down(self.prelu(self.mix(x)))
        x = F.relu6(self.head(self.layer3(x)))
        x = x.mean((2, 3))
        return self.fc(self.drop(x))


def inputs():
    return (torch.randn(2, 3, 36, 36),)
