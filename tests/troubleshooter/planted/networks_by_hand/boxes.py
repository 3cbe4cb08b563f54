"""A detector: maps added top down, boxes decoded against anchors, their overlap, the best."""

import torch
import torch.nn.functional as F
from torch import nn


def anchors(h, w, stride):
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    centres = (torch.stack([xs, ys], dim=-1).float() + 0.5) * stride
    sizes = torch.tensor([4.0, 8.0]) * stride
    centres = centres[:, :, None, :].expand(h, w, 2, 2)
    sizes = sizes[None, None, :, None].expand(h, w, 2, 2)
    return torch.cat([centres, sizes], dim=-1).reshape(-1, 4)


def decode(deltas, boxes):
    centres = boxes[:, :2] + deltas[..., :2] * boxes[:, 2:]
    sizes = boxes[:, 2:] * torch.exp(deltas[..., 2:].clamp(max=4.0))
    corners = torch.cat([centres - sizes / 2, centres + sizes / 2], dim=-1)
    return corners.clamp(min=0.0, max=64.0)


def overlap(a, b):
    low = torch.maximum(a[:, :, None, :2], b[:, None, :, :2])
    high = torch.minimum(a[:, :, None, 2:], b[:, None, :, 2:])
    sides = (high - low).clamp(min=0)
    inner = sides[..., 0] * sides[..., 1]
    area_a = (a[..., 2] - a[..., 0]) * (a[..., 3] - a[..., 1])
    area_b = (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])
    return inner / (area_a[:, :, None] + area_b[:, None, :] - inner + 1e-6)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 8, 3, 2, 1)
        self.c2 = nn.Conv2d(8, 8, 3, 2, 1)
        self.c3 = nn.Conv2d(8, 8, 3, 2, 1)
        self.side = nn.Conv2d(8, 8, 1)
        self.boxes = nn.Conv2d(8, 8, 1)
        self.classes = nn.Conv2d(8, 6, 1)

    def features(self, x):
        one = F.leaky_relu(self.c1(x), 0.1)
        two = F.leaky_relu(self.c2(one), 0.1)
        three = F.leaky_relu(self.c3(two), 0.1)
        up = F.interpolate(three, scale_factor=2, mode="nearest")
        merged = self.side(two) + up
        wide = F.interpolate(merged, size=(16, 16), mode="bilinear", align_corners=False)
        return F.avg_pool2d(wide, 3, 2, 1, count_include_pad=False)

    def forward(self, x):
        x = self.features(x)
        b, _, h, w = x.shape
        deltas = self.boxes(x).view(b, 2, 4, h, w).permute(0, 3, 4, 1, 2).reshape(b, -1, 4)
        logits = self.classes(x).view(b, 2, 3, h, w).permute(0, 3, 4, 1, 2).reshape(b, -1, 3)
        found = decode(deltas, anchors(h, w, 4))
        scores, labels = torch.sigmoid(logits).max(dim=-1)
        best, order = scores.topk(5, dim=1)
        chosen = torch.gather(found, 1, order[..., None].expand(-1, -1, 4))
        shares = overlap(chosen, chosen)
        alone = shares - torch.eye(5) * 2
        crowded = alone.amax(dim=-1)
        kept = torch.where(crowded > 0.5, best * (1 - crowded), best)
        return chosen / 64, kept, labels.gather(1, order)


def build():
    return Net()


def inputs():
    return torch.randn(2, 3, 32, 32)
