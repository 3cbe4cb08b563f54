"""The same for MindSpore."""

import mindspore as ms
from mindspore import mint, nn, ops


def added(values, places, count):
    member = ops.one_hot(places, count).astype(ms.float32)
    return ops.matmul(member.T, values)


class Layer(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.own = mint.nn.Linear(width, width)
        self.message = mint.nn.Linear(2 * width + 1, width)
        self.score = mint.nn.Linear(width, 1)

    def construct(self, h, source, target, length):
        count = h.shape[0]
        pairs = ops.cat((h[target], h[source], length.expand_dims(1)), axis=-1)
        message = ops.softplus(self.message(pairs))
        scores = ops.leaky_relu(self.score(message), 0.2).squeeze(-1)
        powers = ops.exp(scores - scores.max())
        total = added(powers.expand_dims(1), target, count).squeeze(1)
        weights = powers / (total[target] + 1e-9)
        mixed = added(message * weights.expand_dims(1), target, count)
        degree = added(ops.ones((target.shape[0], 1)), target, count).squeeze(1)
        scale = ops.clamp(degree, min=1) ** -0.5
        return ops.tanh(self.own(h) + mixed * scale.expand_dims(1))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.kinds = mint.nn.Embedding(6, 8)
        self.first = Layer(8)
        self.second = Layer(8)
        self.head = mint.nn.Linear(16, 2)

    def construct(self, kinds, places, edges, graph):
        source, target = edges[0], edges[1]
        length = ops.norm(places[source] - places[target], dim=-1)
        close = 0.5 * (ops.cos(length * 3.14159 / 5.0) + 1) * (length < 5.0)
        h = self.kinds(kinds)
        h = h + self.first(h, source, target, length)
        h = h + self.second(h, source, target, close)
        sums = added(h, graph, 2)
        counts = ops.one_hot(graph, 2).astype(ms.int64).sum(0)
        means = sums / counts.expand_dims(1)
        low = ops.full((1,), -1e30, dtype=ms.float32)
        most = ops.stack(
            [ops.amax(ops.where((graph == g).expand_dims(1), h, low), 0) for g in range(2)]
        )
        return self.head(ops.cat((means, most), axis=1))


def build():
    return Net()
