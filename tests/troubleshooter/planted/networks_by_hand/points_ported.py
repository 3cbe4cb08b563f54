"""The same for MindSpore."""

import mindspore as ms
from mindspore import nn, ops


def distances(one, other):
    product = ops.matmul(one, other.swapaxes(1, 2))
    own = ops.square(one).sum(-1).expand_dims(2)
    others = ops.square(other).sum(-1).expand_dims(1)
    return ops.clamp(own - 2 * product + others, min=0.0)


def picked(values, index):
    """Rows of each sample: (b, n, c), (b, ...) -> (b, ..., c)."""
    return ops.stack([values[i][index[i]] for i in range(values.shape[0])], axis=0)


def farthest(points, count):
    chosen = [ops.zeros((points.shape[0],), ms.int32)]
    nearest = ops.full(points.shape[:2], 1e10)
    for _ in range(count - 1):
        last = picked(points, chosen[-1])
        away = ops.square(points - last.expand_dims(1)).sum(-1)
        nearest = ops.minimum(nearest, away)
        chosen.append(ops.argmax(nearest, dim=1).astype(ms.int32))
    return ops.stack(chosen, axis=1)


class Edges(nn.Cell):
    def __init__(self, width, out, near):
        super().__init__()
        self.near = near
        self.one = nn.Dense(2 * width, out)
        self.two = nn.Dense(out, out)

    def construct(self, features, places):
        _, index = ops.topk(-distances(places, places), self.near)
        around = picked(features, index)
        own = ops.broadcast_to(features.expand_dims(2), around.shape)
        pairs = ops.cat((own, around - own), axis=-1)
        h = ops.leaky_relu(self.one(pairs), 0.2)
        h = ops.leaky_relu(self.two(h), 0.2)
        return h.max(axis=2)


class Align(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one = nn.Dense(3, 16)
        self.two = nn.Dense(16, 9)

    def construct(self, places):
        h = ops.relu(self.one(places)).max(axis=1)
        turn = self.two(h).reshape(-1, 3, 3) * 0.1 + ops.eye(3, 3, ms.float32)
        return ops.bmm(places, turn), turn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.align = Align()
        self.first = Edges(3, 8, 4)
        self.second = Edges(8, 12, 3)
        self.head = nn.Dense(24, 4)

    def construct(self, places):
        places = places - places.mean(1, keep_dims=True)
        radius = ops.sqrt(ops.square(places).sum(-1)).max(axis=1)
        places = places / radius.reshape(-1, 1, 1)
        places, turn = self.align(places)
        one = self.first(places, places)
        index = farthest(places, 5)
        few = picked(places, index)
        two = self.second(picked(one, index), few)
        owner = ops.argmin(distances(places, few), axis=-1)
        member = (owner.expand_dims(-1) == ops.arange(5)).astype(ms.float32)
        sums = ops.matmul(member.swapaxes(1, 2), one)
        counts = member.sum(1)
        means = sums / ops.clamp(counts, min=1).expand_dims(-1)
        pooled = ops.cat((two.max(axis=1), two.mean(1)), axis=-1)
        square = ops.bmm(turn, turn.swapaxes(1, 2)) - ops.eye(3, 3, ms.float32)
        return self.head(pooled), means, ops.square(square).sum((1, 2)).mean()


def build():
    return Net()
