"""A scene of light: rays sampled twice, colours summed along them, as far as they reach."""

import math

import mindspore as ms
from mindspore import nn, ops
import _ms_compat as compat


def waves(x, bands):
    """The place itself, with sines and cosines of it in octaves."""
    rates = 2.0 ** ops.arange(bands).float() * math.pi
    angles = (x[..., None, :] * rates[:, None]).flatten(-2)
    return ops.cat([x, angles.sin(), angles.cos()], axis=-1)


def picked_again(edges, weights, places):
    """Where the summed weights reach each of the places, between two edges."""
    weights = weights + 1e-3
    shares = weights / weights.sum(-1, keepdim=True)
    summed = shares.cumsum(-1)
    summed = ops.cat([ops.zeros_like(summed[..., :1]), summed], axis=-1)
    spread = places[None, :].expand(edges.shape[0], -1).contiguous()
    above = compat.searchsorted(summed, spread, True)
    below = (above - 1).clamp(min=0)
    above = above.clamp(max=summed.shape[-1] - 1)
    low, high = ops.gather_elements(summed, 1, below), ops.gather_elements(summed, 1, above)
    left, right = ops.gather_elements(edges, 1, below), ops.gather_elements(edges, 1, above)
    wide = high - low
    wide = ops.where(wide < 1e-5, ops.ones_like(wide), wide)
    part = (spread - low) / wide
    return left + part * (right - left)


class Field(nn.Cell):
    """What a place gives in a direction: colours, and how dense it is."""

    def __init__(self, width, bands):
        super().__init__()
        self.bands = bands
        size = 3 + 6 * bands
        self.first = nn.Dense(size, width)
        self.second = nn.Dense(width, width)
        self.again = nn.Dense(width + size, width)
        self.dense = nn.Dense(width, 1)
        self.feature = nn.Dense(width, width)
        self.turned = nn.Dense(width + 15, width // 2)
        self.colour = nn.Dense(width // 2, 3)

    def construct(self, places, directions):
        x = waves(places, self.bands)
        h = ops.relu(self.first(x))
        h = ops.relu(self.second(h))
        h = ops.relu(self.again(ops.cat([h, x], axis=-1)))
        density = ops.softplus(self.dense(h) - 1.0).squeeze(-1)
        seen = waves(directions, 2)[:, None, :].expand(-1, places.shape[1], -1)
        both = ops.cat([self.feature(h), seen], axis=-1)
        colours = ops.sigmoid(self.colour(ops.relu(self.turned(both))))
        return colours * 1.002 - 0.001, density


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.near, self.far = 0.5, 3.0
        self.coarse = Field(16, 3)
        self.fine = Field(24, 4)
        self.sky = ms.Parameter(ms.tensor([0.2, 0.5, 0.8]))
        self.register_buffer("places", ops.linspace(0.05, 0.95, 6))

    def summed(self, field, origins, directions, edges):
        middles = 0.5 * (edges[:, 1:] + edges[:, :-1])
        lengths = edges[:, 1:] - edges[:, :-1]
        places = origins[:, None, :] + middles[..., None] * directions[:, None, :]
        colours, density = field(places, directions)
        stopped = 1.0 - ops.exp(-density * lengths)
        through = ops.cumprod(1.0 - stopped + 1e-6, -1)
        through = ops.cat([ops.ones_like(through[:, :1]), through[:, :-1]], axis=-1)
        weights = stopped * through
        seen = (weights[..., None] * colours).sum(1)
        left = 1.0 - weights.sum(-1, keepdim=True)
        seen = seen + left * self.sky
        depth = (weights * middles).sum(-1) / (weights.sum(-1) + 1e-4)
        return seen, depth, weights, middles

    def construct(self, origins, directions, wanted):
        directions = compat.normalize(directions, dim=-1)
        steps = ops.linspace(0.0, 1.0, 9)
        edges = 1.0 / ((1.0 - steps) / self.near + steps / self.far)
        edges = edges[None, :].expand(origins.shape[0], -1)
        rough, far, weights, _ = self.summed(self.coarse, origins, directions, edges)
        more = picked_again(edges, ops.stop_gradient(weights), self.places)
        both, _ = compat.sort(ops.cat([edges, more], axis=-1), -1)
        seen, depth, weights, middles = self.summed(self.fine, origins, directions, both)
        apart = (middles[:, :, None] - middles[:, None, :]).abs()
        spread = (weights[:, :, None] * weights[:, None, :] * apart).sum((1, 2))
        own = weights.pow(2) * (both[:, 1:] - both[:, :-1])
        spread = spread + own.sum(-1) / 3.0
        rough = ops.mse_loss(rough, wanted)
        error = ops.mse_loss(seen, wanted)
        quality = -10.0 * ops.log10(error)
        loss = error + 0.1 * rough + 0.01 * spread.mean() + 0.02 * (far - depth).abs().mean()
        return seen, depth, loss, quality


def build():
    return Net()


def inputs():
    return ops.randn(5, 3) * 0.3, ops.randn(5, 3), ops.rand(5, 3)
