"""Two pictures of a motion: all pairs compared, looked up around a guess, and mended by a GRU."""

import torch
import torch.nn.functional as F
from torch import nn


def grid(b, h, w):
    """The places of the points, x before y (b, 2, h, w)."""
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    return torch.stack([xs, ys], dim=0).float()[None].repeat(b, 1, 1, 1)


def taken(x, places):
    """The values of x at places in points, between them in proportion."""
    h, w = x.shape[-2:]
    across = 2.0 * places[..., 0] / (w - 1) - 1.0
    down = 2.0 * places[..., 1] / (h - 1) - 1.0
    return F.grid_sample(x, torch.stack([across, down], dim=-1), align_corners=True)


class Look(nn.Module):
    """What two maps have in common, point by point, in two sizes."""

    def __init__(self, reach):
        super().__init__()
        self.reach = reach

    def forward(self, one, other, places):
        b, c, h, w = one.shape
        common = torch.einsum("bcij,bckl->bijkl", one, other) / c**0.5
        common = common.reshape(b * h * w, 1, h, w)
        steps = torch.arange(-self.reach, self.reach + 1).float()
        dy, dx = torch.meshgrid(steps, steps, indexing="ij")
        around = torch.stack([dx, dy], dim=-1)
        found = []
        for level in range(2):
            centre = places.permute(0, 2, 3, 1).reshape(b * h * w, 1, 1, 2) / 2**level
            near = taken(common, centre + around)
            found.append(near.reshape(b, h, w, -1))
            common = F.avg_pool2d(common, 2)
        return torch.cat(found, dim=-1).permute(0, 3, 1, 2)


class Gru(nn.Module):
    """Across, then down."""

    def __init__(self, width, given):
        super().__init__()
        both = width + given
        self.z1 = nn.Conv2d(both, width, (1, 3), padding=(0, 1))
        self.r1 = nn.Conv2d(both, width, (1, 3), padding=(0, 1))
        self.q1 = nn.Conv2d(both, width, (1, 3), padding=(0, 1))
        self.z2 = nn.Conv2d(both, width, (3, 1), padding=(1, 0))
        self.r2 = nn.Conv2d(both, width, (3, 1), padding=(1, 0))
        self.q2 = nn.Conv2d(both, width, (3, 1), padding=(1, 0))

    def forward(self, h, x):
        hx = torch.cat([h, x], dim=1)
        z = torch.sigmoid(self.z1(hx))
        r = torch.sigmoid(self.r1(hx))
        q = torch.tanh(self.q1(torch.cat([r * h, x], dim=1)))
        h = (1.0 - z) * h + z * q
        hx = torch.cat([h, x], dim=1)
        z = torch.sigmoid(self.z2(hx))
        r = torch.sigmoid(self.r2(hx))
        q = torch.tanh(self.q2(torch.cat([r * h, x], dim=1)))
        return (1.0 - z) * h + z * q


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 5, stride=2, padding=2)
        self.norm = nn.GroupNorm(2, 8)
        self.second = nn.Conv2d(8, width, 3, padding=1)

    def forward(self, x):
        return self.second(F.leaky_relu(self.norm(self.first(x)), 0.2))


class Context(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.side = nn.Conv2d(8, 8, 3, padding=2, dilation=2)
        self.out = nn.Conv2d(8, width, 1)

    def forward(self, x):
        x = F.relu6(self.norm(self.stem(x)))
        return self.out(x + F.elu(self.side(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.feature = Encoder(12)
        self.context = Context(16)
        self.look = Look(1)
        self.joined = nn.Conv2d(18 + 2, 10, 3, padding=1)
        self.gru = Gru(8, 8 + 10 + 2)
        self.flow = nn.Conv2d(8, 2, 3, padding=1)
        self.finer = nn.Conv2d(8, 4 * 9, 1)

    def larger(self, flow, mask):
        """Each finer point is a mixture of the nine around it."""
        b, _, h, w = flow.shape
        mask = torch.softmax(mask.view(b, 1, 9, 2, 2, h, w), dim=2)
        near = F.unfold(2.0 * flow, 3, padding=1).view(b, 2, 9, 1, 1, h, w)
        mixed = (mask * near).sum(dim=2)
        return mixed.permute(0, 1, 4, 2, 5, 3).reshape(b, 2, 2 * h, 2 * w)

    def forward(self, first, second, wanted):
        first, second = 2.0 * first - 1.0, 2.0 * second - 1.0
        one, other = self.feature(first), self.feature(second)
        h, x = self.context(first).split([8, 8], dim=1)
        h, x = torch.tanh(h), F.relu(x)
        start = grid(one.shape[0], one.shape[2], one.shape[3])
        places = start + 0.25
        loss, flow = 0.0, None
        for i in range(2):
            common = self.look(one, other, places)
            moved = places - start
            near = F.relu(self.joined(torch.cat([common, moved], dim=1)))
            h = self.gru(h, torch.cat([x, near, moved], dim=1))
            places = places + self.flow(h)
            flow = self.larger(places - start, 0.25 * self.finer(h))
            away = (flow - wanted).abs().sum(dim=1)
            real = (wanted.square().sum(dim=1).sqrt() < 2.0).float()
            loss = loss + 0.8 ** (1 - i) * (real * away).mean()
        back = grid(flow.shape[0], flow.shape[2], flow.shape[3]) + flow
        warped = taken(second, back.permute(0, 2, 3, 1))
        off = torch.sqrt((warped - first).square() + 1e-4).mean(dim=1)
        return flow, loss, off, torch.norm(flow - wanted, dim=1)


def build():
    return Net()


def inputs():
    return torch.rand(2, 3, 10, 12), torch.rand(2, 3, 10, 12), torch.randn(2, 2, 10, 12)
