"""Bodies that move: forces between pairs, a step of fourth order, energy and momentum kept."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal


def pairs(places):
    """From each body to each, and how far."""
    to = places[:, None, :, :] - places[:, :, None, :]
    far = (to.pow(2).sum(-1) + 0.05).sqrt()
    return to, far


def waves(far, count):
    """Distances as bumps, cut off smoothly at three."""
    middles = ops.linspace(0.0, 3.0, count)
    bumps = ops.exp(-4.0 * (far[..., None] - middles) ** 2)
    cut = 0.5 * (ops.cos(far.clamp(max=3.0) * 3.14159 / 3.0) + 1.0)
    return bumps * cut[..., None]


class Forces(nn.Cell):
    def __init__(self, kinds, width):
        super().__init__()
        self.kinds = nn.Embedding(kinds, width, embedding_table=Normal(1.0))
        self.near = nn.Dense(6, width)
        self.one = nn.Dense(width, width)
        self.two = nn.Dense(width, 1)
        self.drag = ms.Parameter(ms.tensor(0.1))

    def construct(self, places, speeds, kinds):
        to, far = pairs(places)
        h = self.kinds(kinds)
        both = h[:, :, None] * h[:, None, :]
        both = ops.silu(self.near(waves(far, 6)) + both)
        strength = self.two(ops.silu(self.one(both))).squeeze(-1)
        strength = strength * (1.0 - ops.eye(places.shape[1]))
        force = (strength[..., None] * to / far[..., None]).sum(2)
        return force - self.drag * speeds


class Messages(nn.Cell):
    """What each body hears of the others, gated."""

    def __init__(self, width):
        super().__init__()
        self.say = nn.Dense(2 * width + 1, width)
        self.hear = nn.Dense(2 * width, width)
        self.norm = nn.LayerNorm((width,), epsilon=1e-05)

    def construct(self, h, far):
        b, n, c = h.shape
        own = h[:, :, None].expand(b, n, n, c)
        other = h[:, None].expand(b, n, n, c)
        said = self.say(ops.cat([own, other, far[..., None]], axis=-1))
        heard = (ops.sigmoid(said) * said).sum(2) / (n - 1)
        return self.norm(h + self.hear(ops.cat([h, heard], axis=-1)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.forces = Forces(4, 8)
        self.kinds = nn.Embedding(4, 8, embedding_table=Normal(1.0))
        self.rounds = nn.CellList([Messages(8) for _ in range(2)])
        self.energy = nn.SequentialCell(nn.Dense(8, 12), nn.SiLU(), nn.Dense(12, 1))
        self.mass = nn.Embedding(4, 1, embedding_table=Normal(1.0))

    def step(self, places, speeds, kinds, mass, by):
        first = self.forces(places, speeds, kinds) / mass
        half = places + 0.5 * by * speeds
        second = self.forces(half, speeds + 0.5 * by * first, kinds) / mass
        third = self.forces(half + 0.25 * by**2 * first, speeds + 0.5 * by * second, kinds) / mass
        whole = places + by * speeds + 0.5 * by**2 * second
        fourth = self.forces(whole, speeds + by * third, kinds) / mass
        places = places + by * speeds + by**2 / 6.0 * (first + second + third)
        speeds = speeds + by / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
        return places, speeds

    def construct(self, places, speeds, kinds):
        mass = ops.softplus(self.mass(kinds)) + 0.5
        middle = (mass * places).sum(1, keepdim=True) / mass.sum(1, keepdim=True)
        places = places - middle
        track = []
        for _ in range(2):
            places, speeds = self.step(places, speeds, kinds, mass, 0.2)
            track.append(places.norm(dim=-1))
        h = self.kinds(kinds)
        _, far = pairs(places)
        for one in self.rounds:
            h = one(h, far)
        each = self.energy(h).squeeze(-1)
        held = each.sum(1)
        moving = 0.5 * (mass.squeeze(-1) * speeds.square().sum(-1)).sum(1)
        pushed = (mass * speeds).sum(1)
        turning = ops.cross(*ms.numpy.broadcast_arrays(places, mass * speeds), dim=-1).sum(1)
        return places, held + moving, pushed.norm(dim=-1), turning, ops.stack(track, axis=1)


def build():
    return Net()


def inputs():
    return ops.randn(2, 5, 3), 0.5 * ops.randn(2, 5, 3), ops.randint(0, 4, (2, 5))
