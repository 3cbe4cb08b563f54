"""The same for MindSpore."""

import mindspore as ms
from mindspore import Tensor, mint, nn, ops


class FocalLoss(nn.Cell):
    def __init__(self, alpha=0.25, gamma=2.0):
        super().__init__()
        self.alpha, self.gamma = alpha, gamma

    def construct(self, logits, wanted):
        plain = mint.nn.functional.binary_cross_entropy_with_logits(
            logits, wanted, reduction="none"
        )
        p = ops.sigmoid(logits)
        hit = p * wanted + (1 - p) * (1 - wanted)
        weight = self.alpha * wanted + (1 - self.alpha) * (1 - wanted)
        return (weight * (1 - hit) ** self.gamma * plain).mean()


def dice(logits, wanted, smooth=1.0):
    p = ops.sigmoid(logits).reshape(logits.shape[0], -1)
    wanted = wanted.reshape(wanted.shape[0], -1)
    both = (p * wanted).sum(1)
    score = (2 * both + smooth) / (p.sum(1) + wanted.sum(1) + smooth)
    return 1 - score.mean()


def normalized(x):
    return x / ops.clamp(ops.sqrt((x * x).sum(1, keepdims=True)), min=1e-12)


def contrast(one, other, temperature=0.2):
    one, other = normalized(one), normalized(other)
    logits = ops.matmul(one, other.T) / temperature
    wanted = ops.arange(one.shape[0])
    return (ops.cross_entropy(logits, wanted) + ops.cross_entropy(logits.T, wanted)) / 2


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = mint.nn.Linear(10, 12)
        self.classes = mint.nn.Linear(12, 5)
        self.marks = mint.nn.Linear(12, 4)
        self.places = mint.nn.Linear(12, 4)
        self.view = mint.nn.Linear(12, 6)
        self.focal = FocalLoss()
        self.register_buffer("shares", Tensor([1.0, 2.0, 0.5, 1.5, 1.0], ms.float32))

    def construct(self, x, y, marks, places):
        h = ops.elu(self.body(x))
        a, b = self.view(h), self.view(h * 0.5 + 0.1)
        classes = mint.nn.functional.cross_entropy(
            self.classes(h), y, weight=self.shares, ignore_index=3, label_smoothing=0.1
        )
        focal = self.focal(self.marks(h), marks)
        overlap = dice(self.marks(h), marks)
        smooth = ops.smooth_l1_loss(self.places(h), places, beta=0.5, reduction="sum") / x.shape[0]
        apart = ops.kl_div(
            ops.log_softmax(a / 2.0, -1), ops.softmax(b / 2.0, -1), reduction="batchmean"
        )
        near = ops.sqrt(ops.square(a - b).sum(-1))
        far = ops.sqrt(ops.square(a - ops.roll(b, 1, 0)).sum(-1))
        margin = ops.relu(0.3 + near - far)
        spread = ops.std(h, 0, 1).mean()
        total = classes + focal + 0.5 * overlap + 0.1 * smooth + contrast(a, b) + 4.0 * apart
        return total + margin.mean() - 0.01 * spread, classes, focal, overlap, smooth, apart


def build():
    return Net()
