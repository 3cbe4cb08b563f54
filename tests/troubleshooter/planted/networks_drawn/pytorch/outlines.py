"""Things in images without anchors: distances to edges, their distribution, centres, two losses."""

import torch
import torch.nn.functional as F
from torch import nn


def centres(h, w, stride):
    ys = (torch.arange(h).float() + 0.5) * stride
    xs = (torch.arange(w).float() + 0.5) * stride
    y, x = torch.meshgrid(ys, xs, indexing="ij")
    return torch.stack([x, y], dim=-1).reshape(-1, 2)


def corners(points, sides):
    low = points - sides[..., :2]
    high = points + sides[..., 2:]
    return torch.cat([low, high], dim=-1)


def generalised(a, b):
    """The overlap of boxes, less what lies between them."""
    low = torch.max(a[..., :2], b[..., :2])
    high = torch.min(a[..., 2:], b[..., 2:])
    inner = (high - low).clamp(min=0).prod(dim=-1)
    areas = [(x[..., 2:] - x[..., :2]).prod(dim=-1) for x in (a, b)]
    union = areas[0] + areas[1] - inner
    outer = torch.max(a[..., 2:], b[..., 2:]) - torch.min(a[..., :2], b[..., :2])
    around = outer.prod(dim=-1)
    return inner / union - (around - union) / around


def focal(logits, wanted):
    p = torch.sigmoid(logits)
    plain = F.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    hit = p * wanted + (1 - p) * (1 - wanted)
    weight = 0.25 * wanted + 0.75 * (1 - wanted)
    return (weight * (1 - hit) ** 2 * plain).sum(dim=-1)


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.c2 = nn.Conv2d(8, 12, 3, stride=2, padding=1)
        self.c3 = nn.Conv2d(12, 12, 3, stride=2, padding=1)
        self.side1 = nn.Conv2d(12, 8, 1)
        self.side2 = nn.Conv2d(12, 8, 1)
        self.norm = nn.BatchNorm2d(8, eps=1e-3)
        self.weights = nn.Parameter(torch.rand(2) + 0.3)

    def forward(self, x):
        one = F.silu(self.norm(self.c1(x)))
        two = F.silu(self.c2(one))
        three = F.silu(self.c3(two))
        up = F.interpolate(
            self.side2(three), size=two.shape[-2:], mode="bilinear", align_corners=False
        )
        weights = F.relu(self.weights)
        weights = weights / (weights.sum() + 1e-4)
        return weights[0] * self.side1(two) + weights[1] * up, self.side2(three)


class Head(nn.Module):
    def __init__(self, classes, bins):
        super().__init__()
        self.bins = bins
        self.tower = nn.Conv2d(8, 8, 3, padding=1)
        self.norm = nn.GroupNorm(2, 8)
        self.classes = nn.Conv2d(8, classes, 1)
        self.sides = nn.Conv2d(8, 4 * bins, 1)

    def forward(self, x, stride):
        b = x.shape[0]
        t = F.relu(self.norm(self.tower(x)))
        logits = self.classes(t).flatten(2).transpose(1, 2)
        spread = self.sides(t).reshape(b, 4, self.bins, -1).permute(0, 3, 1, 2)
        shares = F.softmax(spread, dim=-1)
        steps = torch.arange(self.bins).float()
        return logits, (shares * steps).sum(dim=-1) * stride


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pyramid = Pyramid()
        self.head = Head(3, 6)

    def forward(self, images, boxes, labels):
        found = []
        for x, stride in zip(self.pyramid(images), (4, 8)):
            logits, sides = self.head(x, stride)
            points = centres(x.shape[2], x.shape[3], stride)
            found.append((logits, corners(points, sides), points))
        logits = torch.cat([one[0] for one in found], dim=1)
        guess = torch.cat([one[1] for one in found], dim=1)
        points = torch.cat([one[2] for one in found], dim=0)
        left = points[None] - boxes[:, None, :2]
        right = boxes[:, None, 2:] - points[None]
        inside = torch.cat([left, right], dim=-1).amin(dim=-1) > 0
        across, along = left[..., 0] / right[..., 0], left[..., 1] / right[..., 1]
        ratio = torch.minimum(across, 1 / across) * torch.minimum(along, 1 / along)
        middle = torch.where(inside, ratio.clamp(min=0).sqrt(), torch.zeros_like(ratio))
        wanted = F.one_hot(labels, 3).float()[:, None] * inside.float()[..., None]
        count = inside.float().sum().clamp(min=1.0)
        classes = focal(logits, wanted).sum() / count
        apart = 1.0 - generalised(guess, boxes[:, None])
        placed = (apart * middle).sum() / middle.sum().clamp(min=1e-6)
        score = torch.sigmoid(logits).amax(dim=-1) * middle
        best, order = score.topk(4, dim=1)
        chosen = guess.gather(1, order[..., None].expand(-1, -1, 4))
        return chosen.clamp(0, 32), best, classes + 2.0 * placed


def build():
    return Net()


def inputs():
    boxes = torch.tensor([[4.0, 6.0, 25.0, 22.0], [9.0, 3.0, 29.0, 30.0]])
    return torch.randn(2, 3, 32, 32), boxes, torch.tensor([0, 2])
