"""Bodies that move: forces between pairs, a step of fourth order, energy and momentum kept."""

import torch
import torch.nn.functional as F
from torch import nn


def pairs(places):
    """From each body to each, and how far."""
    to = places[:, None, :, :] - places[:, :, None, :]
    far = (to.pow(2).sum(dim=-1) + 0.05).sqrt()
    return to, far


def waves(far, count):
    """Distances as bumps, cut off smoothly at three."""
    middles = torch.linspace(0.0, 3.0, count)
    bumps = torch.exp(-4.0 * (far[..., None] - middles) ** 2)
    cut = 0.5 * (torch.cos(far.clamp(max=3.0) * 3.14159 / 3.0) + 1.0)
    return bumps * cut[..., None]


class Forces(nn.Module):
    def __init__(self, kinds, width):
        super().__init__()
        self.kinds = nn.Embedding(kinds, width)
        self.near = nn.Linear(6, width)
        self.one = nn.Linear(width, width)
        self.two = nn.Linear(width, 1)
        self.drag = nn.Parameter(torch.tensor(0.1))

    def forward(self, places, speeds, kinds):
        to, far = pairs(places)
        h = self.kinds(kinds)
        both = h[:, :, None] * h[:, None, :]
        both = F.silu(self.near(waves(far, 6)) + both)
        strength = self.two(F.silu(self.one(both))).squeeze(-1)
        strength = strength * (1.0 - torch.eye(places.shape[1]))
        force = (strength[..., None] * to / far[..., None]).sum(dim=2)
        return force - self.drag * speeds


class Messages(nn.Module):
    """What each body hears of the others, gated."""

    def __init__(self, width):
        super().__init__()
        self.say = nn.Linear(2 * width + 1, width)
        self.hear = nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, h, far):
        b, n, c = h.shape
        own = h[:, :, None].expand(b, n, n, c)
        other = h[:, None].expand(b, n, n, c)
        said = self.say(torch.cat([own, other, far[..., None]], dim=-1))
        heard = (torch.sigmoid(said) * said).sum(dim=2) / (n - 1)
        return self.norm(h + self.hear(torch.cat([h, heard], dim=-1)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.forces = Forces(4, 8)
        self.kinds = nn.Embedding(4, 8)
        self.rounds = nn.ModuleList([Messages(8) for _ in range(2)])
        self.energy = nn.Sequential(nn.Linear(8, 12), nn.SiLU(), nn.Linear(12, 1))
        self.mass = nn.Embedding(4, 1)

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

    def forward(self, places, speeds, kinds):
        mass = F.softplus(self.mass(kinds)) + 0.5
        middle = (mass * places).sum(dim=1, keepdim=True) / mass.sum(dim=1, keepdim=True)
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
        held = each.sum(dim=1)
        moving = 0.5 * (mass.squeeze(-1) * speeds.square().sum(dim=-1)).sum(dim=1)
        pushed = (mass * speeds).sum(dim=1)
        turning = torch.cross(places, mass * speeds, dim=-1).sum(dim=1)
        return places, held + moving, pushed.norm(dim=-1), turning, torch.stack(track, dim=1)


def build():
    return Net()


def inputs():
    return torch.randn(2, 5, 3), 0.5 * torch.randn(2, 5, 3), torch.randint(0, 4, (2, 5))
