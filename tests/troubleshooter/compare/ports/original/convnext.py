import torch
from torch import nn


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.dwconv = nn.Conv2d(d, d, 7, padding=3, groups=d)
        self.norm = nn.LayerNorm(d, eps=1e-6)
        self.pwconv1 = nn.Linear(d, 4 * d)
        self.act = nn.GELU()
        self.pwconv2 = nn.Linear(4 * d, d)
        self.gamma = nn.Parameter(0.5 * torch.ones(d))

    def forward(self, x):
        y = self.dwconv(x).permute(0, 2, 3, 1)
        y = self.pwconv2(self.act(self.pwconv1(self.norm(y))))
        return x + (self.gamma * y).permute(0, 3, 1, 2)


class Net(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.downsample_layers = nn.ModuleList(
            [
                nn.Sequential(nn.Conv2d(3, d, 2, 2), LayerNorm2d(d, eps=1e-6)),
                nn.Sequential(LayerNorm2d(d, eps=1e-6), nn.Conv2d(d, 2 * d, 2, 2)),
            ]
        )
        self.stages = nn.ModuleList([nn.Sequential(Block(d), Block(d)), Block(2 * d)])
        self.norm = nn.LayerNorm(2 * d, eps=1e-6)
        self.head = nn.Linear(2 * d, 3)

    def forward(self, x):
        for down, stage in zip(self.downsample_layers, self.stages):
            x = stage(down(x))
        return self.head(self.norm(x.mean((2, 3))))


def build():
    return Net()


def inputs():
    return torch.randn(1, 3, 16, 16)
