"""Pictures from a few numbers: a posterior, chance that is handed in, mixtures, several losses."""

import math

import mindspore as ms
from mindspore import nn, ops
import _ms_compat as compat


def log_normal(x, mean, logs):
    return -0.5 * (math.log(2 * math.pi) + logs + (x - mean).pow(2) / logs.exp())


def kernel(x, y):
    away = (x[:, None] - y[None]).pow(2).sum(-1)
    return sum(ops.exp(-away / (2.0 * width)) for width in (0.5, 1.0, 4.0))


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 6, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.n1 = nn.BatchNorm2d(6, momentum=0.8)
        self.c2 = nn.Conv2d(6, 8, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.slope = nn.PReLU(channel=8)
        self.mean = nn.Dense(72, 4)
        self.logs = nn.Dense(72, 4)

    def construct(self, x):
        h = ops.leaky_relu(self.n1(self.c1(x)), alpha=0.2)
        h = self.slope(self.c2(h)).flatten(1)
        logs = self.logs(h).clamp(-6.0, 2.0)
        return self.mean(h), logs


class Decoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 72)
        self.c1 = nn.Conv2dTranspose(8, 6, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.c2 = nn.Conv2dTranspose(6, 1, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, z):
        h = ops.softplus(self.fc(z)).view(-1, 8, 3, 3)
        h = compat.elu(self.c1(h), 0.7)
        return self.c2(h)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.middles = ms.Parameter(ops.randn(3, 4))
        self.widths = ms.Parameter(ops.randn(3, 4) * 0.2)
        self.shares = ms.Parameter(ops.randn(3))

    def construct(self, x, noise):
        mean, logs = self.encoder(x)
        z = mean + ops.exp(0.5 * logs) * noise
        logits = self.decoder(z)
        each = ops.binary_cross_entropy_with_logits(logits, x, reduction="none")
        made = each.sum((1, 2, 3))
        own = log_normal(z, mean, logs).sum(-1)
        parts = log_normal(z[:, None], self.middles, self.widths).sum(-1)
        prior = compat.logsumexp(parts + ops.log_softmax(self.shares, axis=0), 1)
        plain = 0.5 * (mean.pow(2) + logs.exp() - 1.0 - logs)
        free = ops.maximum(plain.mean(0), ms.tensor(0.1)).sum()
        same = kernel(z, z).mean() + kernel(noise, noise).mean()
        apart = same - 2.0 * kernel(z, noise).mean()
        image = ops.sigmoid(logits)
        down = (image[:, :, 1:] - image[:, :, :-1]).abs().mean()
        across = (image[..., 1:] - image[..., :-1]).abs().mean()
        loss = made.mean() + 0.8 * (own - prior).mean() + free + 3.0 * apart
        return image, loss + 0.2 * (down + across)


def build():
    return Net()


def inputs():
    return ops.rand(3, 1, 12, 12), ops.randn(3, 4)
