"""The same for MindSpore."""

import mindspore as ms
from mindspore import Tensor, mint, nn, ops


def anchors(h, w, stride):
    ys, xs = ops.meshgrid(ops.arange(h), ops.arange(w), indexing="ij")
    centres = (ops.stack((xs, ys), axis=-1).astype(ms.float32) + 0.5) * stride
    sizes = Tensor([4.0, 8.0], ms.float32) * stride
    centres = ops.broadcast_to(centres.expand_dims(2), (h, w, 2, 2))
    sizes = ops.broadcast_to(sizes.reshape(1, 1, 2, 1), (h, w, 2, 2))
    return ops.cat((centres, sizes), axis=-1).reshape(-1, 4)


def decode(deltas, boxes):
    centres = boxes[:, :2] + deltas[..., :2] * boxes[:, 2:]
    sizes = boxes[:, 2:] * ops.exp(ops.clamp(deltas[..., 2:], max=4.0))
    corners = ops.cat((centres - sizes / 2, centres + sizes / 2), axis=-1)
    return ops.clamp(corners, 0.0, 64.0)


def overlap(a, b):
    low = ops.maximum(a[:, :, None, :2], b[:, None, :, :2])
    high = ops.minimum(a[:, :, None, 2:], b[:, None, :, 2:])
    sides = ops.relu(high - low)
    inner = sides[..., 0] * sides[..., 1]
    area_a = (a[..., 2] - a[..., 0]) * (a[..., 3] - a[..., 1])
    area_b = (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])
    return inner / (area_a.expand_dims(2) + area_b.expand_dims(1) - inner + 1e-6)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c1 = mint.nn.Conv2d(3, 8, 3, 2, 1)
        self.c2 = mint.nn.Conv2d(8, 8, 3, 2, 1)
        self.c3 = mint.nn.Conv2d(8, 8, 3, 2, 1)
        self.side = mint.nn.Conv2d(8, 8, 1)
        self.boxes = mint.nn.Conv2d(8, 8, 1)
        self.classes = mint.nn.Conv2d(8, 6, 1)

    def features(self, x):
        one = ops.leaky_relu(self.c1(x), 0.1)
        two = ops.leaky_relu(self.c2(one), 0.1)
        three = ops.leaky_relu(self.c3(two), 0.1)
        up = mint.nn.functional.interpolate(three, scale_factor=2.0, mode="nearest")
        merged = self.side(two) + up
        wide = mint.nn.functional.interpolate(
            merged, size=(16, 16), mode="bilinear", align_corners=False
        )
        return mint.nn.functional.avg_pool2d(wide, 3, 2, 1, count_include_pad=False)

    def construct(self, x):
        x = self.features(x)
        b, _, h, w = x.shape
        deltas = self.boxes(x).reshape(b, 2, 4, h, w).transpose(0, 3, 4, 1, 2).reshape(b, -1, 4)
        logits = self.classes(x).reshape(b, 2, 3, h, w).transpose(0, 3, 4, 1, 2).reshape(b, -1, 3)
        found = decode(deltas, anchors(h, w, 4))
        scores, labels = ops.max(ops.sigmoid(logits), axis=-1)
        best, order = ops.topk(scores, 5, dim=1)
        chosen = ops.gather_elements(found, 1, ops.tile(order.expand_dims(-1), (1, 1, 4)))
        shares = overlap(chosen, chosen)
        alone = shares - ops.eye(5) * 2
        crowded = ops.amax(alone, axis=-1)
        kept = ops.where(crowded > 0.5, best * (1 - crowded), best)
        return chosen / 64, kept, ops.gather_elements(labels, 1, order)


def build():
    return Net()
