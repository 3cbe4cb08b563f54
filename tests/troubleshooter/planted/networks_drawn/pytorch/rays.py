"""A scene of light: rays sampled twice, colours summed along them, as far as they reach."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def waves(x, bands):
    """The place itself, with sines and cosines of it in octaves."""
    rates = 2.0 ** torch.arange(bands).float() * math.pi
    angles = (x[..., None, :] * rates[:, None]).flatten(-2)
    return torch.cat([x, angles.sin(), angles.cos()], dim=-1)


def picked_again(edges, weights, places):
    """Where the summed weights reach each of the places, between two edges."""
    weights = weights + 1e-3
    shares = weights / weights.sum(dim=-1, keepdim=True)
    summed = torch.cumsum(shares, dim=-1)
    summed = torch.cat([torch.zeros_like(summed[..., :1]), summed], dim=-1)
    spread = places[None, :].expand(edges.shape[0], -1).contiguous()
    above = torch.searchsorted(summed, spread, right=True)
    below = (above - 1).clamp(min=0)
    above = above.clamp(max=summed.shape[-1] - 1)
    low, high = torch.gather(summed, 1, below), torch.gather(summed, 1, above)
    left, right = torch.gather(edges, 1, below), torch.gather(edges, 1, above)
    wide = high - low
    wide = torch.where(wide < 1e-5, torch.ones_like(wide), wide)
    part = (spread - low) / wide
    return left + part * (right - left)


class Field(nn.Module):
    """What a place gives in a direction: colours, and how dense it is."""

    def __init__(self, width, bands):
        super().__init__()
        self.bands = bands
        size = 3 + 6 * bands
        self.first = nn.Linear(size, width)
        self.second = nn.Linear(width, width)
        self.again = nn.Linear(width + size, width)
        self.dense = nn.Linear(width, 1)
        self.feature = nn.Linear(width, width)
        self.turned = nn.Linear(width + 15, width // 2)
        self.colour = nn.Linear(width // 2, 3)

    def forward(self, places, directions):
        x = waves(places, self.bands)
        h = F.relu(self.first(x))
        h = F.relu(self.second(h))
        h = F.relu(self.again(torch.cat([h, x], dim=-1)))
        density = F.softplus(self.dense(h) - 1.0).squeeze(-1)
        seen = waves(directions, 2)[:, None, :].expand(-1, places.shape[1], -1)
        both = torch.cat([self.feature(h), seen], dim=-1)
        colours = torch.sigmoid(self.colour(F.relu(self.turned(both))))
        return colours * 1.002 - 0.001, density


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.near, self.far = 0.5, 3.0
        self.coarse = Field(16, 3)
        self.fine = Field(24, 4)
        self.sky = nn.Parameter(torch.tensor([0.2, 0.5, 0.8]))
        self.register_buffer("places", torch.linspace(0.05, 0.95, 6))

    def summed(self, field, origins, directions, edges):
        middles = 0.5 * (edges[:, 1:] + edges[:, :-1])
        lengths = edges[:, 1:] - edges[:, :-1]
        places = origins[:, None, :] + middles[..., None] * directions[:, None, :]
        colours, density = field(places, directions)
        stopped = 1.0 - torch.exp(-density * lengths)
        through = torch.cumprod(1.0 - stopped + 1e-6, dim=-1)
        through = torch.cat([torch.ones_like(through[:, :1]), through[:, :-1]], dim=-1)
        weights = stopped * through
        seen = (weights[..., None] * colours).sum(dim=1)
        left = 1.0 - weights.sum(dim=-1, keepdim=True)
        seen = seen + left * self.sky
        depth = (weights * middles).sum(dim=-1) / (weights.sum(dim=-1) + 1e-4)
        return seen, depth, weights, middles

    def forward(self, origins, directions, wanted):
        directions = F.normalize(directions, dim=-1)
        steps = torch.linspace(0.0, 1.0, 9)
        edges = 1.0 / ((1.0 - steps) / self.near + steps / self.far)
        edges = edges[None, :].expand(origins.shape[0], -1)
        rough, far, weights, _ = self.summed(self.coarse, origins, directions, edges)
        more = picked_again(edges, weights.detach(), self.places)
        both, _ = torch.sort(torch.cat([edges, more], dim=-1), dim=-1)
        seen, depth, weights, middles = self.summed(self.fine, origins, directions, both)
        apart = (middles[:, :, None] - middles[:, None, :]).abs()
        spread = (weights[:, :, None] * weights[:, None, :] * apart).sum(dim=(1, 2))
        own = weights.pow(2) * (both[:, 1:] - both[:, :-1])
        spread = spread + own.sum(dim=-1) / 3.0
        rough = F.mse_loss(rough, wanted)
        error = F.mse_loss(seen, wanted)
        quality = -10.0 * torch.log10(error)
        loss = error + 0.1 * rough + 0.01 * spread.mean() + 0.02 * (far - depth).abs().mean()
        return seen, depth, loss, quality


def build():
    return Net()


def inputs():
    return torch.randn(5, 3) * 0.3, torch.randn(5, 3), torch.rand(5, 3)
