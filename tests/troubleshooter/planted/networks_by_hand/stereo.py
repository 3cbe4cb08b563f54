"""Two pictures: costs by shifts, a soft minimum, a convolutional GRU, convex upsampling."""

import torch
import torch.nn.functional as F
from torch import nn


class Features(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.norm = nn.InstanceNorm2d(width, affine=True)
        self.two = nn.Conv2d(width, width, 3, padding=2, dilation=2)

    def forward(self, x):
        x = 2 * (x / 255.0) - 1.0
        return self.two(F.relu(self.norm(self.one(x))))


class Costs(nn.Module):
    def __init__(self, reach, groups=2):
        super().__init__()
        self.reach, self.groups = reach, groups

    def forward(self, left, right):
        b, _, h, w = left.shape
        volume = left.new_zeros(b, self.groups, self.reach, h, w)
        for d in range(self.reach):
            product = left[..., d:] * right[..., : w - d]
            volume[:, :, d, :, d:] = product.view(b, self.groups, -1, h, w - d).mean(2)
        return volume


class Update(nn.Module):
    def __init__(self, width, state):
        super().__init__()
        self.gates = nn.Conv2d(width + state, 2 * state, 3, padding=1)
        self.new = nn.Conv2d(width + state, state, 3, padding=1)
        self.move = nn.Conv2d(state, 1, 3, padding=1)
        self.mask = nn.Conv2d(state, 4 * 9, 1)

    def forward(self, h, x):
        z, r = torch.sigmoid(self.gates(torch.cat([h, x], dim=1))).chunk(2, dim=1)
        q = torch.tanh(self.new(torch.cat([r * h, x], dim=1)))
        h = (1 - z) * h + z * q
        return h, self.move(h), 0.25 * self.mask(h)


class Net(nn.Module):
    def __init__(self, width=4, reach=4, state=6):
        super().__init__()
        self.reach, self.rounds = reach, 3
        self.features = Features(width)
        self.costs = Costs(reach)
        self.squeeze = nn.Conv3d(2, 1, 1)
        self.context = nn.Conv2d(width, state, 3, padding=1)
        self.update = Update(2 * reach + 2, state)

    def warp(self, x, flow):
        h, w = x.shape[2:]
        ys, xs = torch.meshgrid(torch.arange(h).float(), torch.arange(w).float(), indexing="ij")
        xs = xs[None] - flow[:, 0]
        grid = torch.stack([2 * xs / (w - 1) - 1, 2 * ys[None].expand_as(xs) / (h - 1) - 1], dim=-1)
        return F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=True)

    def lookup(self, volume, flow):
        places = flow[:, 0].clamp(0, self.reach - 1)
        low = places.floor().long()
        high = (low + 1).clamp(max=self.reach - 1)
        share = (places - low)[:, None, None]

        def take(at):
            return volume.gather(2, at[:, None, None].expand(-1, 2, 1, -1, -1))

        return ((1 - share) * take(low) + share * take(high)).flatten(1, 2)

    def enlarge(self, flow, mask):
        b, _, h, w = flow.shape
        mask = torch.softmax(mask.view(b, 1, 9, 2, 2, h, w), dim=2)
        around = F.unfold(2 * flow, 3, padding=1).view(b, 1, 9, 1, 1, h, w)
        found = (mask * around).sum(2).permute(0, 1, 4, 2, 5, 3)
        return found.reshape(b, 1, 2 * h, 2 * w)

    def forward(self, left, right, truth):
        one, two = self.features(left), self.features(right)
        volume = self.costs(one, two)
        chances = F.softmax(self.squeeze(volume).squeeze(1), dim=1)
        flow = (chances * torch.arange(self.reach).float()[:, None, None]).sum(1, keepdim=True)
        h = torch.tanh(self.context(one))
        near = volume.flatten(1, 2)
        loss, found = 0.0, []
        for i in range(self.rounds):
            flow = flow.detach()
            seen = torch.cat([self.lookup(volume, flow), near[:, :7], flow], dim=1)
            h, step, mask = self.update(h, seen)
            flow = flow + step
            big = self.enlarge(flow, mask)
            valid = (truth > 0) & (truth < 6)
            error = F.smooth_l1_loss(big, truth, beta=0.5, reduction="none")
            loss = loss + 0.8 ** (self.rounds - i - 1) * error[valid].mean()
            found.append(big)
        gap = (one - self.warp(two, flow)).abs().mean(1, keepdim=True)
        smooth = (flow[..., 1:] - flow[..., :-1]).abs() * torch.exp(-gap[..., 1:])
        return found[-1], loss + 0.1 * smooth.mean()


def build():
    return Net()


def inputs():
    return (
        255 * torch.rand(2, 3, 8, 12),
        255 * torch.rand(2, 3, 8, 12),
        8 * torch.rand(2, 1, 8, 12) - 1,
    )
