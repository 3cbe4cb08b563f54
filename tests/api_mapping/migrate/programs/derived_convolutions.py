import torch
import torch.nn as nn
import torch.nn.functional as F


class Up(nn.ConvTranspose1d):
    def forward(self, x):
        return F.relu(super().forward(x))


class Deep(nn.ConvTranspose3d):
    pass


class Down(nn.Conv1d):
    def forward(self, x):
        return F.relu(super().forward(x))


class Halved(nn.ConvTranspose1d):
    def __init__(self, channels):
        super().__init__(channels, channels // 2, kernel_size=2, stride=2)


def described(m):
    return hasattr(m, "weight"), getattr(m, "bias", None) is not None


up = Up(2, 3, 4, stride=2, padding=1)
down = Down(3, 2, 3, stride=2, padding=1)
half = Halved(4)
deep = Deep(2, 1, 2, stride=2, padding=(1, 0, 0), output_padding=(1, 0, 1), bias=False)
norm = nn.BatchNorm2d(2)
layers = [*up.parameters(), *down.parameters(), *half.parameters(), *deep.parameters()]
for k, p in enumerate(layers):
    p.data.copy_(torch.cos(torch.arange(p.numel()).float() + k).view_as(p))
x = torch.sin(torch.arange(16.0))
z = deep(x.view(1, 2, 2, 2, 2))
print(tuple(z.shape), round(z.sum().item(), 3))
y = up(x.view(2, 2, 4))
print(
    tuple(y.shape), round(y.sum().item(), 3), tuple(down(y).shape), round(down(y).sum().item(), 3)
)
print(tuple(half(x.view(1, 4, 4)).shape), round(half(x.view(1, 4, 4)).sum().item(), 3))
print(isinstance(up, nn.ConvTranspose1d), isinstance(deep, nn.ConvTranspose1d))
options = {}
print(nn.ConvTranspose1d(1, 1, 2, **options)(torch.zeros(1, 1, 3)).size(2))
for m in (nn.Conv2d(1, 2, 3), norm):
    w = getattr(m, "weight", None)
    print(w is not None and tuple(w.shape), getattr(m, "bias", None) is not None)
    if hasattr(m, "weight") and m.weight is not None:
        print(m.weight.dim())
for m in (up, norm):
    print(hasattr(m, "weight"), getattr(m, "bias", None) is not None)
print([described(m) for m in (up, norm, nn.Embedding(2, 2), nn.ReLU(), 3)])
