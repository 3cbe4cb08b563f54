"""Pictures from a few numbers: a posterior, chance that is handed in, mixtures, several losses."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def log_normal(x, mean, logs):
    return -0.5 * (math.log(2 * math.pi) + logs + (x - mean).pow(2) / logs.exp())


def kernel(x, y):
    away = (x[:, None] - y[None]).pow(2).sum(dim=-1)
    return sum(torch.exp(-away / (2.0 * width)) for width in (0.5, 1.0, 4.0))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 6, 4, stride=2, padding=1)
        self.n1 = nn.BatchNorm2d(6, momentum=0.2)
        self.c2 = nn.Conv2d(6, 8, 4, stride=2, padding=1)
        self.slope = nn.PReLU(8)
        self.mean = nn.Linear(72, 4)
        self.logs = nn.Linear(72, 4)

    def forward(self, x):
        h = F.leaky_relu(self.n1(self.c1(x)), 0.2)
        h = self.slope(self.c2(h)).flatten(1)
        logs = self.logs(h).clamp(-6.0, 2.0)
        return self.mean(h), logs


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 72)
        self.c1 = nn.ConvTranspose2d(8, 6, 4, stride=2, padding=1)
        self.c2 = nn.ConvTranspose2d(6, 1, 4, stride=2, padding=1)

    def forward(self, z):
        h = F.softplus(self.fc(z)).view(-1, 8, 3, 3)
        h = F.elu(self.c1(h), alpha=0.7)
        return self.c2(h)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.middles = nn.Parameter(torch.randn(3, 4))
        self.widths = nn.Parameter(torch.randn(3, 4) * 0.2)
        self.shares = nn.Parameter(torch.randn(3))

    def forward(self, x, noise):
        mean, logs = self.encoder(x)
        z = mean + torch.exp(0.5 * logs) * noise
        logits = self.decoder(z)
        each = F.binary_cross_entropy_with_logits(logits, x, reduction="none")
        made = each.sum(dim=(1, 2, 3))
        own = log_normal(z, mean, logs).sum(dim=-1)
        parts = log_normal(z[:, None], self.middles, self.widths).sum(dim=-1)
        prior = torch.logsumexp(parts + F.log_softmax(self.shares, dim=0), dim=1)
        plain = 0.5 * (mean.pow(2) + logs.exp() - 1.0 - logs)
        free = torch.maximum(plain.mean(dim=0), torch.tensor(0.1)).sum()
        same = kernel(z, z).mean() + kernel(noise, noise).mean()
        apart = same - 2.0 * kernel(z, noise).mean()
        image = torch.sigmoid(logits)
        down = (image[:, :, 1:] - image[:, :, :-1]).abs().mean()
        across = (image[..., 1:] - image[..., :-1]).abs().mean()
        loss = made.mean() + 0.8 * (own - prior).mean() + free + 3.0 * apart
        return image, loss + 0.2 * (down + across)


def build():
    return Net()


def inputs():
    return torch.rand(3, 1, 12, 12), torch.randn(3, 4)
