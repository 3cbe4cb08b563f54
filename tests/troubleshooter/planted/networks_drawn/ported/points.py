"""Points in space: neighbours by distance, edges between them, farthest points, chamfer distance."""

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
import _ms_compat as compat


def apart(a, b):
    """Squared distances of all points of one set to all of another."""
    both = ops.matmul(a, b.transpose(1, 2))
    return (a**2).sum(-1)[:, :, None] - 2.0 * both + (b**2).sum(-1)[:, None, :]


def neighbours(x, count):
    return compat.topk(-apart(x, x), count, -1)[1]


def taken(x, places):
    b, n, k = places.shape
    flat = places.reshape(b, n * k)[..., None].expand(-1, -1, x.shape[-1])
    return ops.gather_elements(x, 1, flat).reshape(b, n, k, -1)


class Edges(nn.Cell):
    def __init__(self, width, out, count):
        super().__init__()
        self.count = count
        self.mlp = nn.SequentialCell(
            nn.Conv2d(2 * width, out, 1, pad_mode="valid", has_bias=False),
            nn.BatchNorm2d(out),
            nn.LeakyReLU(alpha=0.2),
        )
        self.gate = nn.Dense(out, out)

    def construct(self, x, near):
        others = taken(x, near)
        own = x[:, :, None, :].expand_as(others)
        edges = ops.cat([own, others - own], axis=-1)
        y = self.mlp(edges.permute(0, 3, 1, 2))
        high = y.amax(-1).transpose(1, 2)
        low = y.mean(-1).transpose(1, 2)
        return high + ops.sigmoid(self.gate(low)) * low


class Turn(nn.Cell):
    """A rotation that is learnt, by six numbers."""

    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Dense(width, 16)
        self.fc2 = nn.Dense(16, 6)

    def construct(self, x):
        six = self.fc2(ops.elu(self.fc1(x.amax(1))))
        first = compat.normalize(six[:, :3] + 0.1, dim=-1)
        second = six[:, 3:] - (first * six[:, 3:]).sum(-1, keepdim=True) * first
        second = compat.normalize(second, dim=-1)
        third = ops.cross(*ms.numpy.broadcast_arrays(first, second), dim=-1)
        return ops.stack([first, second, third], axis=-1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.edges1 = Edges(3, 8, 4)
        self.edges2 = Edges(8, 12, 4)
        self.turn = Turn(3)
        self.weigh = nn.Dense(20, 1)
        self.head = nn.SequentialCell(nn.Dense(20, 16), nn.GELU(approximate=False), nn.Dense(16, 5))
        self.move = nn.Dense(20, 3)

    def construct(self, points, wanted):
        middle = points.mean(1, keepdim=True)
        x = points - middle
        size = x.norm(dim=-1).amax(1)
        x = x / (size[:, None, None] + 1e-6)
        turned = ops.bmm(x, self.turn(x))
        near = neighbours(turned, 4)
        one = self.edges1(turned, near)
        two = self.edges2(one, near)
        both = ops.cat([one, two], axis=-1)
        shares = ops.softmax(self.weigh(both) / 0.7, axis=1)
        pooled = (shares * both).sum(1)
        scores = self.head(pooled)
        moved = turned + 0.5 * ops.tanh(self.move(both))
        away = apart(moved, wanted)
        chamfer = away.amin(2).mean(1) + away.amin(1).mean(1)
        return scores, moved, chamfer.sqrt()


def build():
    return Net()


def inputs():
    return ops.randn(2, 10, 3), ops.randn(2, 7, 3)
