"""The same for MindSpore."""

import math

import mindspore as ms
from mindspore import Parameter, mint, nn, ops


class CodeBook(nn.Cell):
    def __init__(self, count, width):
        super().__init__()
        self.codes = Parameter(ops.randn(count, width), name="codes")

    def construct(self, x):
        away = ops.square(x.expand_dims(1) - self.codes).sum(-1)
        nearest = ops.argmin(away, axis=1)
        chosen = self.codes[nearest]
        commit = ops.mse_loss(ops.stop_gradient(chosen), x) * 0.25 + ops.mse_loss(
            chosen, ops.stop_gradient(x)
        )
        return x + ops.stop_gradient(chosen - x), commit


class Experts(nn.Cell):
    def __init__(self, width, count):
        super().__init__()
        self.count = count
        self.gate = mint.nn.Linear(width, count)
        self.up = Parameter(ops.randn(count, width, 2 * width) * 0.3, name="up")
        self.down = Parameter(ops.randn(count, 2 * width, width) * 0.3, name="down")

    def construct(self, x):
        logits = self.gate(x)
        best, places = ops.topk(logits, 2, dim=-1)
        shares = ops.softmax(best, axis=-1)
        chosen = mint.nn.functional.one_hot(places, self.count).astype(ms.float32)
        weights = (chosen * shares.expand_dims(-1)).sum(1)
        h = ops.matmul(x, self.up)
        y = ops.matmul(ops.square(ops.relu(h)), self.down)
        mixed = (y * weights.T.expand_dims(-1)).sum(0)
        load = chosen.sum((0, 1)) / chosen.sum()
        balance = self.count * (load * ops.softmax(logits, axis=-1).mean(0)).sum()
        return mixed, balance


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = mint.nn.Linear(6, 8)
        self.book = CodeBook(5, 8)
        self.experts = Experts(8, 4)
        self.means = mint.nn.Linear(8, 3)
        self.widths = mint.nn.Linear(8, 3)
        self.mix = mint.nn.Linear(8, 3)

    def density(self, h, y):
        mean, spread = self.means(h), ops.softplus(self.widths(h)) + 1e-3
        z = (y.expand_dims(1) - mean) / spread
        each = -0.5 * z**2 - ops.log(spread) - 0.5 * math.log(2 * math.pi)
        return -ops.logsumexp(each + ops.log_softmax(self.mix(h), axis=-1), -1).mean()

    def construct(self, x, y):
        h = ops.tanh(self.body(x))
        coded, commit = self.book(h)
        mixed, balance = self.experts(coded)
        h = mint.nn.functional.layer_norm(coded + mixed, (8,), eps=1e-5)
        parts = h.reshape(-1, 2, 4)
        turned = ops.flip(parts, (1,)).reshape(-1, 8)
        bins = ops.arange(8) // 3
        steps = turned * bins + 0.5
        ranks, _ = ops.sort(steps, axis=1, descending=True)
        tail = ops.prod(ranks[:, :3], 1)
        return self.density(h, y) + commit, balance, tail


def build():
    return Net()
