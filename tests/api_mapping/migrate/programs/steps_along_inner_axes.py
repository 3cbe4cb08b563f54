"""Every other place of inner axes, as Swin merges patches, with gradients and written to."""

import torch
from torch import nn
from torch.nn import functional as F


class Merge(nn.Module):
    def __init__(self):
        super().__init__()
        self.reduction = nn.Linear(12, 6)

    def forward(self, x):
        x0 = x[:, 0::2, 0::2, :]
        x1 = x[:, 1::2, 0::2, :]
        x2 = x[:, 0::2, 1::2]
        x3 = x[:, 1::2, 1::2, :]  # the last
        return self.reduction(torch.cat([x0, x1, x2, x3], -1))


class Shortcut(nn.Module):
    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, x):
        return F.pad(x[:, :, :: self.step, :: self.step], (0, 0, 0, 0, 1, 1))


def mixed(w):
    return (
        w[..., ::2, :].mean()
        + w[None, 1, ::2, :, ::2].pow(3).mean()
        + w[:, ::2, None, 1, ..., 1:].pow(2).mean()
        + w[..., ::2].mean()
    )


net, short = Merge(), Shortcut(2)
with torch.no_grad():
    net.reduction.weight.copy_(torch.linspace(-1, 1, 72).view(6, 12))
    net.reduction.bias.zero_()
w = nn.Parameter(torch.linspace(0, 1, 96).view(2, 4, 4, 3))
opt = torch.optim.SGD([w, *net.parameters()], lr=0.1)
for step in range(3):
    opt.zero_grad()
    y = net(w).pow(2).mean() + short(w).sin().mean() + mixed(w)
    y.backward()
    opt.step()
    print(step, f"{y.item():.4f}", f"{w.sum().item():.2f}")
v = torch.arange(24.0).view(2, 3, 4)
v[:, ::2].mul_(2)
v[:, ::2] += 1
v[:, ::2] = 5 * v[:, ::2]
v[:, ::2, :].add_(v[:, ::2, :])
print(v.tolist())
print(tuple(v[:, ::2].shape), v[:, 0:3:2].sum().item())
u = v[:, ::2]
u += 1
print(tuple(u.shape), v.sum().item())
