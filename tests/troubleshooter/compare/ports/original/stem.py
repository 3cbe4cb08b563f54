import torch
from torch import nn


class Net(nn.Module):
    """A flat list against named stages."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.Conv2d(8, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
        )
        self.classifier = nn.Sequential(nn.Linear(16, 12), nn.Tanh(), nn.Linear(12, 5))

    def forward(self, x):
        x = self.features(x)
        return self.classifier(x.mean((2, 3)))


def build():
    return Net()


def inputs():
    return torch.randn(2, 3, 8, 8)
