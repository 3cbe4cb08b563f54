"""Crossings and roads, as lists of edges: shares over what comes in, sums by index, links guessed."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def summed_at(x, places, count):
    """The sum of the rows of x that go to each place."""
    index = places[:, None].expand_as(x)
    return compat.scatter_add(x.new_zeros((count, x.shape[1])), 0, index, x)


def shares_at(scores, places, count):
    """Softmax over all that goes to the same place."""
    scores = scores - scores.amax(0, keepdims=True)
    grown = ops.exp(scores)
    whole = summed_at(grown, places, count)
    return grown / (whole.index_select(0, places) + 1e-9)


class Attention(nn.Cell):
    def __init__(self, width, heads, edges):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.left = nn.Dense(width, width)
        self.right = nn.Dense(width, width, has_bias=False)
        self.edge = nn.Dense(edges, width, has_bias=False)
        self.score = ms.Parameter(ops.rand(heads, width // heads) - 0.5)
        self.bias = ms.Parameter(ops.zeros(width))

    def construct(self, x, source, target, edges):
        n = x.shape[0]
        left = self.left(x).index_select(0, source)
        right = self.right(x).index_select(0, target)
        both = (left + right + self.edge(edges)).view(-1, self.heads, self.size)
        scores = (ops.leaky_relu(both, alpha=0.2) * self.score).sum(-1)
        shares = shares_at(scores, target, n)
        carried = left.view(-1, self.heads, self.size) * shares[..., None]
        return summed_at(carried.flatten(1), target, n) + self.bias, shares


class Spread(nn.Cell):
    """Means of the neighbours by the roots of their degrees, some steps of it, each with a weight."""

    def __init__(self, width, steps):
        super().__init__()
        self.steps = steps
        self.weights = ms.Parameter(0.4 ** ops.arange(steps + 1).float())
        self.mix = nn.Dense(width, width)

    def construct(self, x, source, target):
        n = x.shape[0]
        ones = ops.ones((source.shape[0], 1))
        degree = summed_at(ones, target, n) + 1.0
        root = degree.pow(-0.5)
        scale = root.index_select(0, source) * root.index_select(0, target)
        y, total = x, self.weights[0] * x
        for i in range(self.steps):
            y = summed_at(y.index_select(0, source) * scale, target, n) + y / degree
            total = total + self.weights[i + 1] * y
        return ops.elu(self.mix(total))


class Norm(nn.Cell):
    """Over the whole graph, and only a part of the mean is taken away."""

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = ms.Parameter(ops.ones(width))
        self.bias = ms.Parameter(ops.zeros(width))
        self.part = ms.Parameter(ops.full((width,), 0.9, dtype=ms.float32))

    def construct(self, x):
        x = x - self.part * x.mean(0, keepdim=True)
        width = x.pow(2).mean(0, keepdim=True).add(self.eps).sqrt()
        return self.weight * x / width + self.bias


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.kinds = nn.Embedding(5, 6, embedding_table=Normal(1.0))
        self.enter = nn.Dense(6 + 3, 12)
        self.attention = Attention(12, 3, 4)
        self.norm = Norm(12)
        self.spread = Spread(12, 3)
        self.again = compat.GRUCell(12, 12)
        self.leave = nn.LayerNorm((24,), epsilon=1e-05)
        self.pair = nn.Dense(12, 12, has_bias=False)
        self.time = nn.SequentialCell(nn.Dense(24, 10), nn.SiLU(), nn.Dense(10, 1))

    def construct(self, kinds, x, source, target, edges, wrong):
        n = x.shape[0]
        given = ops.cat([self.kinds(kinds), x], axis=-1)
        h = ops.tanh(self.enter(given))
        near = (x.index_select(0, source) - x.index_select(0, target)).norm(dim=-1, keepdim=True)
        bumps = ops.exp(-((near - ops.linspace(0.0, 2.0, 3)) ** 2) / 0.5)
        edges = ops.cat([edges[:, None], bumps], axis=-1)
        y, shares = self.attention(h, source, target, edges)
        h = h + ops.elu(self.norm(y))
        spread = self.spread(h, source, target)
        h = self.again(spread, h)
        high = h.amax(0, keepdims=True)
        whole = ops.cat([h.mean(0, keepdim=True), high], axis=-1)
        travel = ops.softplus(self.time(self.leave(whole))).squeeze(-1)
        right = (self.pair(h[source]) * h[target]).sum(-1)
        other = (h[source] * h[wrong]).sum(-1) / 12**0.5
        linked = -compat.logsigmoid(right).mean() - compat.logsigmoid(-other).mean()
        ranked = ops.relu(1.0 - right + other).mean()
        flow = compat.index_add(ops.zeros(n), 0, target, shares.mean(-1) * near.squeeze(-1))
        smooth = ((h[source] - h[target]).square().sum(-1) * shares.mean(-1)).sum() / n
        return h, travel, flow, linked + 0.5 * ranked + 0.1 * smooth


def build():
    return Net()


def inputs():
    source = ops.randint(0, 8, (20,))
    target = ops.cat([ops.arange(8), ops.randint(0, 8, (12,))])
    wrong = ops.randint(0, 8, (20,))
    return ops.randint(0, 5, (8,)), ops.randn(8, 3), source, target, ops.rand(20), wrong
