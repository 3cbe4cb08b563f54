"""Things in images without anchors: distances to edges, their distribution, centres, two losses."""

import mindspore as ms
from mindspore import nn, ops
import _ms_compat as compat


def centres(h, w, stride):
    ys = (ops.arange(h).float() + 0.5) * stride
    xs = (ops.arange(w).float() + 0.5) * stride
    y, x = ops.meshgrid(ys, xs, indexing="ij")
    return ops.stack([x, y], axis=-1).reshape(-1, 2)


def corners(points, sides):
    low = points - sides[..., :2]
    high = points + sides[..., 2:]
    return ops.cat([low, high], axis=-1)


def generalised(a, b):
    """The overlap of boxes, less what lies between them."""
    low = compat.max_of(a[..., :2], b[..., :2])
    high = compat.min_of(a[..., 2:], b[..., 2:])
    inner = (high - low).clamp(min=0).prod(-1)
    areas = [(x[..., 2:] - x[..., :2]).prod(-1) for x in (a, b)]
    union = areas[0] + areas[1] - inner
    outer = compat.max_of(a[..., 2:], b[..., 2:]) - compat.min_of(a[..., :2], b[..., :2])
    around = outer.prod(-1)
    return inner / union - (around - union) / around


def focal(logits, wanted):
    p = ops.sigmoid(logits)
    plain = ops.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    hit = p * wanted + (1 - p) * (1 - wanted)
    weight = 0.25 * wanted + 0.75 * (1 - wanted)
    return (weight * (1 - hit) ** 2 * plain).sum(-1)


class Pyramid(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 8, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.c2 = nn.Conv2d(8, 12, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.c3 = nn.Conv2d(12, 12, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.side1 = nn.Conv2d(12, 8, 1, pad_mode="valid", has_bias=True)
        self.side2 = nn.Conv2d(12, 8, 1, pad_mode="valid", has_bias=True)
        self.norm = nn.BatchNorm2d(8, eps=1e-3)
        self.weights = ms.Parameter(ops.rand(2) + 0.3)

    def construct(self, x):
        one = ops.silu(self.norm(self.c1(x)))
        two = ops.silu(self.c2(one))
        three = ops.silu(self.c3(two))
        up = ops.interpolate(
            self.side2(three), size=two.shape[-2:], mode="bilinear", align_corners=False
        )
        weights = ops.relu(self.weights)
        weights = weights / (weights.sum() + 1e-4)
        return weights[0] * self.side1(two) + weights[1] * up, self.side2(three)


class Head(nn.Cell):
    def __init__(self, classes, bins):
        super().__init__()
        self.bins = bins
        self.tower = nn.Conv2d(8, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.GroupNorm(2, 8)
        self.classes = nn.Conv2d(8, classes, 1, pad_mode="valid", has_bias=True)
        self.sides = nn.Conv2d(8, 4 * bins, 1, pad_mode="valid", has_bias=True)

    def construct(self, x, stride):
        b = x.shape[0]
        t = ops.relu(self.norm(self.tower(x)))
        logits = self.classes(t).flatten(2).transpose(1, 2)
        spread = self.sides(t).reshape(b, 4, self.bins, -1).permute(0, 3, 1, 2)
        shares = ops.softmax(spread, axis=-1)
        steps = ops.arange(self.bins).float()
        return logits, (shares * steps).sum(-1) * stride


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.pyramid = Pyramid()
        self.head = Head(3, 6)

    def construct(self, images, boxes, labels):
        found = []
        for x, stride in zip(self.pyramid(images), (4, 8)):
            logits, sides = self.head(x, stride)
            points = centres(x.shape[2], x.shape[3], stride)
            found.append((logits, corners(points, sides), points))
        logits = ops.cat([one[0] for one in found], axis=1)
        guess = ops.cat([one[1] for one in found], axis=1)
        points = ops.cat([one[2] for one in found], axis=0)
        left = points[None] - boxes[:, None, :2]
        right = boxes[:, None, 2:] - points[None]
        inside = ops.cat([left, right], axis=-1).amin(-1) > 0
        across, along = left[..., 0] / right[..., 0], left[..., 1] / right[..., 1]
        ratio = ops.minimum(across, 1 / across) * ops.minimum(along, 1 / along)
        middle = ops.where(inside, ratio.clamp(min=0).sqrt(), ops.zeros_like(ratio))
        wanted = ops.one_hot(labels, 3).float()[:, None] * inside.float()[..., None]
        count = inside.float().sum().clamp(min=1.0)
        classes = focal(logits, wanted).sum() / count
        apart = 1.0 - generalised(guess, boxes[:, None])
        placed = (apart * middle).sum() / middle.sum().clamp(min=1e-6)
        score = ops.sigmoid(logits).amax(-1) * middle
        best, order = compat.topk(score, 4, 1)
        chosen = guess.gather(1, order[..., None].expand(-1, -1, 4))
        return chosen.clamp(0, 32), best, classes + 2.0 * placed


def build():
    return Net()


def inputs():
    boxes = ms.tensor([[4.0, 6.0, 25.0, 22.0], [9.0, 3.0, 29.0, 30.0]])
    return ops.randn(2, 3, 32, 32), boxes, ms.tensor([0, 2])
