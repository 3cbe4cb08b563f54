"""Cells under a microscope: a net with gates between its halves, borders, overlaps as a loss."""

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
import _ms_compat as compat


def dice(p, wanted):
    dims = (2, 3)
    both = (p * wanted).sum(dims)
    return 1.0 - (2.0 * both + 1.0) / (p.sum(dims) + wanted.sum(dims) + 1.0)


def borders(mask):
    """What is grown, less what is shrunk."""
    grown = ops.max_pool2d(mask, 3, stride=1, padding=1)
    shrunk = -ops.max_pool2d(-mask, 3, stride=1, padding=1)
    return grown - shrunk


class Squeeze(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.down = nn.Conv2d(width, width // 4, 1, pad_mode="valid", has_bias=True)
        self.up = nn.Conv2d(width // 4, width, 1, pad_mode="valid", has_bias=True)

    def construct(self, x):
        s = ops.adaptive_avg_pool2d(x, 1)
        s = ops.hardsigmoid(self.up(ops.relu(self.down(s))))
        return x * s


class Block(nn.Cell):
    def __init__(self, width, out, dilation):
        super().__init__()
        self.deep = nn.Conv2d(
            width,
            width,
            3,
            pad_mode="pad",
            padding=compat.sides(dilation),
            dilation=dilation,
            group=width,
            has_bias=False,
        )
        self.point = nn.Conv2d(width, out, 1, pad_mode="valid", has_bias=True)
        self.norm = nn.GroupNorm(out, out, affine=True)
        self.squeeze = Squeeze(out)
        self.skip = nn.Conv2d(width, out, 1, pad_mode="valid", has_bias=False)

    def construct(self, x):
        y = self.norm(self.point(self.deep(x)))
        y = self.squeeze(compat.mish(y))
        return ops.leaky_relu(y + self.skip(x), alpha=0.1)


class Gate(nn.Cell):
    """What of the finer map is let through, as the coarser says."""

    def __init__(self, fine, coarse, width):
        super().__init__()
        self.fine = nn.Conv2d(fine, width, 2, stride=2, pad_mode="valid", has_bias=False)
        self.coarse = nn.Conv2d(coarse, width, 1, pad_mode="valid", has_bias=True)
        self.score = nn.Conv2d(width, 1, 1, pad_mode="valid", has_bias=True)

    def construct(self, fine, coarse):
        both = ops.relu(self.fine(fine) + self.coarse(coarse))
        share = ops.sigmoid(self.score(both))
        share = compat.interpolate(share, scale_factor=2, mode="nearest")
        return fine * share


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.down1 = Block(1, 8, 1)
        self.down2 = Block(8, 12, 2)
        self.middle = Block(12, 16, 1)
        self.gate = Gate(12, 16, 8)
        self.up1 = nn.Conv2dTranspose(16, 12, 2, stride=2, pad_mode="valid", has_bias=True)
        self.up2 = nn.Conv2d(24, 32, 3, pad_mode="pad", padding=1, has_bias=True)
        self.last = Block(16, 8, 1)
        self.mask = nn.Conv2d(8, 2, 1, pad_mode="valid", has_bias=True)
        self.flow = compat.Conv2d(8, 2, 3, padding=1, padding_mode="reflect")
        self.mix = ms.Parameter(ms.tensor([0.4, 0.6]))

    def construct(self, image, wanted):
        low = image.amin((2, 3), keepdims=True)
        high = image.amax((2, 3), keepdims=True)
        x = (image - low) / (high - low + 1e-4)
        one = self.down1(x)
        two = self.down2(ops.avg_pool2d(one, 2, 2))
        three = self.middle(ops.max_pool2d(two, 2))
        up = ops.gelu(self.up1(three))
        up = ops.cat([self.gate(two, three), up], axis=1)
        up = ops.pixel_shuffle(self.up2(up), 2)
        x = self.last(ops.cat([up, one], axis=1))
        logits = self.mask(x)
        p = logits.sigmoid()
        edges = borders(wanted)
        weight = 1.0 + 2.0 * edges
        plain = ops.binary_cross_entropy_with_logits(logits, wanted, weight=weight)
        flow = ops.tanh(self.flow(x)) * 4.0
        dx = flow[:, :, :, 1:] - flow[:, :, :, :-1]
        dy = flow[:, :, 1:, :] - flow[:, :, :-1, :]
        smooth = dx.abs().mean() + dy.abs().mean()
        shares = ops.softmax(self.mix, axis=0)
        loss = shares[0] * plain + shares[1] * dice(p, wanted).mean()
        counted = (p > 0.5).float().sum((2, 3))
        return p, flow, loss + 0.05 * smooth, counted


def build():
    return Net()


def inputs():
    return ops.rand(2, 1, 16, 16), (ops.rand(2, 2, 16, 16) > 0.6).float()
