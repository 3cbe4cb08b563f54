import torch
from torch import nn


class Inverted(nn.Module):
    def __init__(self, i, o, stride, wide):
        super().__init__()
        self.same = stride == 1 and i == o
        self.conv = nn.Sequential(
            nn.Sequential(nn.Conv2d(i, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6()),
            nn.Sequential(
                nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False),
                nn.BatchNorm2d(wide),
                nn.ReLU6(),
            ),
            nn.Conv2d(wide, o, 1, bias=False),
            nn.BatchNorm2d(o),
        )

    def forward(self, x):
        return x + self.conv(x) if self.same else self.conv(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Sequential(nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6()),
            Inverted(8, 8, 1, 16),
            Inverted(8, 8, 1, 16),
            Inverted(8, 12, 2, 16),
        )
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(12, 4))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


def build():
    return Net()


def inputs():
    return torch.randn(2, 3, 8, 8)
