"""Cells under a microscope: a net with gates between its halves, borders, overlaps as a loss."""

import torch
import torch.nn.functional as F
from torch import nn


def dice(p, wanted):
    dims = (2, 3)
    both = (p * wanted).sum(dim=dims)
    return 1.0 - (2.0 * both + 1.0) / (p.sum(dim=dims) + wanted.sum(dim=dims) + 1.0)


def borders(mask):
    """What is grown, less what is shrunk."""
    grown = F.max_pool2d(mask, 3, stride=1, padding=1)
    shrunk = -F.max_pool2d(-mask, 3, stride=1, padding=1)
    return grown - shrunk


class Squeeze(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.down = nn.Conv2d(width, width // 4, 1)
        self.up = nn.Conv2d(width // 4, width, 1)

    def forward(self, x):
        s = F.adaptive_avg_pool2d(x, 1)
        s = F.hardsigmoid(self.up(F.relu(self.down(s))))
        return x * s


class Block(nn.Module):
    def __init__(self, width, out, dilation):
        super().__init__()
        self.deep = nn.Conv2d(
            width, width, 3, padding=dilation, dilation=dilation, groups=width, bias=False
        )
        self.point = nn.Conv2d(width, out, 1)
        self.norm = nn.InstanceNorm2d(out, affine=True)
        self.squeeze = Squeeze(out)
        self.skip = nn.Conv2d(width, out, 1, bias=False)

    def forward(self, x):
        y = self.norm(self.point(self.deep(x)))
        y = self.squeeze(F.mish(y))
        return F.leaky_relu(y + self.skip(x), 0.1)


class Gate(nn.Module):
    """What of the finer map is let through, as the coarser says."""

    def __init__(self, fine, coarse, width):
        super().__init__()
        self.fine = nn.Conv2d(fine, width, 2, stride=2, bias=False)
        self.coarse = nn.Conv2d(coarse, width, 1)
        self.score = nn.Conv2d(width, 1, 1)

    def forward(self, fine, coarse):
        both = F.relu(self.fine(fine) + self.coarse(coarse))
        share = torch.sigmoid(self.score(both))
        share = F.interpolate(share, scale_factor=2, mode="nearest")
        return fine * share


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = Block(1, 8, 1)
        self.down2 = Block(8, 12, 2)
        self.middle = Block(12, 16, 1)
        self.gate = Gate(12, 16, 8)
        self.up1 = nn.ConvTranspose2d(16, 12, 2, stride=2)
        self.up2 = nn.Conv2d(24, 32, 3, padding=1)
        self.last = Block(16, 8, 1)
        self.mask = nn.Conv2d(8, 2, 1)
        self.flow = nn.Conv2d(8, 2, 3, padding=1, padding_mode="reflect")
        self.mix = nn.Parameter(torch.tensor([0.4, 0.6]))

    def forward(self, image, wanted):
        low = image.amin(dim=(2, 3), keepdim=True)
        high = image.amax(dim=(2, 3), keepdim=True)
        x = (image - low) / (high - low + 1e-4)
        one = self.down1(x)
        two = self.down2(F.avg_pool2d(one, 2))
        three = self.middle(F.max_pool2d(two, 2))
        up = F.gelu(self.up1(three))
        up = torch.cat([self.gate(two, three), up], dim=1)
        up = F.pixel_shuffle(self.up2(up), 2)
        x = self.last(torch.cat([up, one], dim=1))
        logits = self.mask(x)
        p = logits.sigmoid()
        edges = borders(wanted)
        weight = 1.0 + 2.0 * edges
        plain = F.binary_cross_entropy_with_logits(logits, wanted, weight=weight)
        flow = torch.tanh(self.flow(x)) * 4.0
        dx = flow[:, :, :, 1:] - flow[:, :, :, :-1]
        dy = flow[:, :, 1:, :] - flow[:, :, :-1, :]
        smooth = dx.abs().mean() + dy.abs().mean()
        shares = torch.softmax(self.mix, dim=0)
        loss = shares[0] * plain + shares[1] * dice(p, wanted).mean()
        counted = (p > 0.5).float().sum(dim=(2, 3))
        return p, flow, loss + 0.05 * smooth, counted


def build():
    return Net()


def inputs():
    return torch.rand(2, 1, 16, 16), (torch.rand(2, 2, 16, 16) > 0.6).float()
