"""A density by invertible steps: scales of channels, couplings, splines, bits for each dimension."""

import math

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
from msconvert.runtime.common.initializer import Normal
import _ms_compat as compat


def squeezed(x):
    """Four neighbours become four channels."""
    b, c, h, w = x.shape
    x = x.reshape(b, c, h // 2, 2, w // 2, 2)
    return x.permute(0, 1, 3, 5, 2, 4).reshape(b, 4 * c, h // 2, w // 2)


def gaussian(x, mean, logs):
    each = -0.5 * (math.log(2 * math.pi) + 2.0 * logs + (x - mean) ** 2 * ops.exp(-2.0 * logs))
    return each.flatten(1).sum(1)


def bent(x, widths, heights):
    """A monotone function in pieces, on the unit interval."""
    widths = ops.softmax(widths, axis=-1).expand(*x.shape, -1)
    heights = ops.softmax(heights, axis=-1).expand(*x.shape, -1)
    ends = widths.cumsum(-1)
    tops = heights.cumsum(-1)
    part = (x[..., None] >= ends[..., :-1]).sum(-1, keepdim=True)
    width = ops.gather_elements(widths, -1, part).squeeze(-1)
    height = ops.gather_elements(heights, -1, part).squeeze(-1)
    end = ops.gather_elements(ends, -1, part).squeeze(-1)
    top = ops.gather_elements(tops, -1, part).squeeze(-1)
    slope = height / width
    return top - (end - x) * slope, ops.log(slope)


class Scales(nn.Cell):
    def __init__(self, count):
        super().__init__()
        self.bias = ms.Parameter(ops.randn(1, count, 1, 1) * 0.1)
        self.logs = ms.Parameter(ops.randn(1, count, 1, 1) * 0.1)

    def construct(self, x):
        size = x.shape[2] * x.shape[3]
        return (x + self.bias) * ops.exp(self.logs), self.logs.sum() * size


class Coupling(nn.Cell):
    def __init__(self, count, width):
        super().__init__()
        self.net = nn.SequentialCell(
            nn.Conv2d(count // 2, width, 3, pad_mode="pad", padding=1, has_bias=True),
            nn.GroupNorm(2, width),
            nn.SiLU(),
            nn.Conv2d(width, count, 3, pad_mode="pad", padding=1, has_bias=True),
        )
        self.limit = ms.Parameter(ms.tensor(0.7))

    def construct(self, x):
        a, b = x.chunk(2, 1)
        scale, shift = self.net(a).chunk(2, 1)
        scale = self.limit * ops.tanh(scale)
        b = b * ops.exp(scale) + shift
        return ops.cat([a, b], axis=1), scale.flatten(1).sum(1)


class Step(nn.Cell):
    def __init__(self, count):
        super().__init__()
        self.scales = Scales(count)
        self.mix = nn.Conv2d(count, count, 1, pad_mode="valid", has_bias=False)
        self.coupling = Coupling(count, 8)

    def construct(self, x):
        x, one = self.scales(x)
        x = self.mix(x)
        x, two = self.coupling(x.flip((1,)))
        return x, one + two


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.steps = nn.CellList([Step(4), Step(4)])
        self.prior = nn.Conv2d(2, 4, 3, pad_mode="pad", padding=1, has_bias=True)
        self.knots = ms.Parameter(ops.randn(2, 5) * 0.5)
        self.classes = nn.Embedding(3, 16, embedding_table=Normal(1.0))
        self.read = nn.Dense(2 * 16, 16)

    def construct(self, images, noise, labels):
        x = (images * 255.0 + noise) / 256.0
        x, grown = bent(x, self.knots[0], self.knots[1])
        total = grown.flatten(1).sum(1)
        x = ops.log(x + 0.05) - ops.log1p(0.05 - x + 1e-3)
        x = squeezed(x)
        for step in self.steps:
            x, more = step(x)
            total = total + more
        kept, out = x[:, :2], x[:, 2:]
        mean, logs = self.prior(kept).chunk(2, 1)
        total = total + gaussian(out, mean, logs.clamp(max=2.0))
        total = total + gaussian(kept, ops.zeros_like(kept), ops.zeros_like(kept))
        count = images[0].numel()
        bits = math.log2(256.0) - total / (count * math.log(2.0))
        read = self.read(compat.instance_norm(kept).flatten(1))
        near = compat.cosine_similarity(read[:, None], self.classes.embedding_table[None], -1)
        loss = ops.cross_entropy(near / 0.2, labels, label_smoothing=0.1)
        return bits, near, loss, x


def build():
    return Net()


def inputs():
    return ops.rand(3, 1, 8, 8) * 0.8 + 0.1, ops.rand(3, 1, 8, 8), ms.tensor([0, 2, 1])
