"""Two pictures of a motion: all pairs compared, looked up around a guess, and mended by a GRU."""

from mindspore import nn, ops
import _ms_compat as compat


def grid(b, h, w):
    """The places of the points, x before y (b, 2, h, w)."""
    ys, xs = ops.meshgrid(ops.arange(h), ops.arange(w), indexing="ij")
    return ops.stack([xs, ys], axis=0).float()[None].tile((b, 1, 1, 1))


def taken(x, places):
    """The values of x at places in points, between them in proportion."""
    h, w = x.shape[-2:]
    across = 2.0 * places[..., 0] / (w - 1) - 1.0
    down = 2.0 * places[..., 1] / (h - 1) - 1.0
    return ops.grid_sample(x, ops.stack([across, down], axis=-1), align_corners=True)


class Look(nn.Cell):
    """What two maps have in common, point by point, in two sizes."""

    def __init__(self, reach):
        super().__init__()
        self.reach = reach

    def construct(self, one, other, places):
        b, c, h, w = one.shape
        common = compat.einsum("bcij,bckl->bijkl", one, other) / c**0.5
        common = common.reshape(b * h * w, 1, h, w)
        steps = ops.arange(-self.reach, self.reach + 1).float()
        dy, dx = ops.meshgrid(steps, steps, indexing="ij")
        around = ops.stack([dx, dy], axis=-1)
        found = []
        for level in range(2):
            centre = places.permute(0, 2, 3, 1).reshape(b * h * w, 1, 1, 2) / 2**level
            near = taken(common, centre + around)
            found.append(near.reshape(b, h, w, -1))
            common = ops.avg_pool2d(common, 2, 2)
        return ops.cat(found, axis=-1).permute(0, 3, 1, 2)


class Gru(nn.Cell):
    """Across, then down."""

    def __init__(self, width, given):
        super().__init__()
        both = width + given
        self.z1 = nn.Conv2d(
            both, width, (1, 3), pad_mode="pad", padding=(0, 0, 1, 1), has_bias=True
        )
        self.r1 = nn.Conv2d(
            both, width, (1, 3), pad_mode="pad", padding=(0, 0, 1, 1), has_bias=True
        )
        self.q1 = nn.Conv2d(
            both, width, (1, 3), pad_mode="pad", padding=(0, 0, 1, 1), has_bias=True
        )
        self.z2 = nn.Conv2d(
            both, width, (3, 1), pad_mode="pad", padding=(1, 1, 0, 0), has_bias=True
        )
        self.r2 = nn.Conv2d(
            both, width, (3, 1), pad_mode="pad", padding=(1, 1, 0, 0), has_bias=True
        )
        self.q2 = nn.Conv2d(
            both, width, (3, 1), pad_mode="pad", padding=(1, 1, 0, 0), has_bias=True
        )

    def construct(self, h, x):
        hx = ops.cat([h, x], axis=1)
        z = ops.sigmoid(self.z1(hx))
        r = ops.sigmoid(self.r1(hx))
        q = ops.tanh(self.q1(ops.cat([r * h, x], axis=1)))
        h = (1.0 - z) * h + z * q
        hx = ops.cat([h, x], axis=1)
        z = ops.sigmoid(self.z2(hx))
        r = ops.sigmoid(self.r2(hx))
        q = ops.tanh(self.q2(ops.cat([r * h, x], axis=1)))
        return (1.0 - z) * h + z * q


class Encoder(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 5, stride=2, pad_mode="pad", padding=2, has_bias=True)
        self.norm = nn.GroupNorm(2, 8)
        self.second = nn.Conv2d(8, width, 3, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, x):
        return self.second(ops.leaky_relu(self.norm(self.first(x)), alpha=0.2))


class Context(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, pad_mode="pad", padding=1, has_bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.side = nn.Conv2d(8, 8, 3, pad_mode="pad", padding=2, dilation=2, has_bias=True)
        self.out = nn.Conv2d(8, width, 1, pad_mode="valid", has_bias=True)

    def construct(self, x):
        x = ops.relu6(self.norm(self.stem(x)))
        return self.out(x + ops.elu(self.side(x)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.feature = Encoder(12)
        self.context = Context(16)
        self.look = Look(1)
        self.joined = nn.Conv2d(18 + 2, 10, 3, pad_mode="pad", padding=1, has_bias=True)
        self.gru = Gru(8, 8 + 10 + 2)
        self.flow = nn.Conv2d(8, 2, 3, pad_mode="pad", padding=1, has_bias=True)
        self.finer = nn.Conv2d(8, 4 * 9, 1, pad_mode="valid", has_bias=True)

    def larger(self, flow, mask):
        """Each finer point is a mixture of the nine around it."""
        b, _, h, w = flow.shape
        mask = ops.softmax(mask.view(b, 1, 9, 2, 2, h, w), axis=2)
        near = ops.unfold(2.0 * flow, 3, padding=1).view(b, 2, 9, 1, 1, h, w)
        mixed = (mask * near).sum(2)
        return mixed.permute(0, 1, 4, 2, 5, 3).reshape(b, 2, 2 * h, 2 * w)

    def construct(self, first, second, wanted):
        first, second = 2.0 * first - 1.0, 2.0 * second - 1.0
        one, other = self.feature(first), self.feature(second)
        h, x = self.context(first).split([8, 8], 1)
        h, x = ops.tanh(h), ops.relu(x)
        start = grid(one.shape[0], one.shape[2], one.shape[3])
        places = start + 0.25
        loss, flow = 0.0, None
        for i in range(2):
            common = self.look(one, other, places)
            moved = places - start
            near = ops.relu(self.joined(ops.cat([common, moved], axis=1)))
            h = self.gru(h, ops.cat([x, near, moved], axis=1))
            places = places + self.flow(h)
            flow = self.larger(places - start, 0.25 * self.finer(h))
            away = (flow - wanted).abs().sum(1)
            real = (wanted.square().sum(1).sqrt() < 2.0).float()
            loss = loss + 0.8 ** (1 - i) * (real * away).mean()
        back = grid(flow.shape[0], flow.shape[2], flow.shape[3]) + flow
        warped = taken(second, back.permute(0, 2, 3, 1))
        off = ops.sqrt((warped - first).square() + 1e-4).mean(1)
        return flow, loss, off, ops.norm(flow - wanted, dim=1)


def build():
    return Net()


def inputs():
    return ops.rand(2, 3, 10, 12), ops.rand(2, 3, 10, 12), ops.randn(2, 2, 10, 12)
