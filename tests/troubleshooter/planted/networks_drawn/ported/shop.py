"""What a customer buys next: fields that multiply, a history that is attended to, two losses."""

import msconvert.runtime as ms
from msconvert.runtime import nn, ops
from msconvert.runtime.common.initializer import Normal
import _ms_compat as compat


def pairwise(fields):
    """All products of two fields, by the square of the sum less the sum of squares."""
    total = fields.sum(1)
    squares = (fields * fields).sum(1)
    return 0.5 * (total * total - squares)


class Dice(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width, affine=False)
        self.alpha = ms.Parameter(ops.rand(width) * 0.3)

    def construct(self, x):
        p = ops.sigmoid(self.norm(x))
        return p * x + (1.0 - p) * self.alpha * x


class Interest(nn.Cell):
    """How much each thing of a history is like the one that is offered."""

    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Dense(4 * width, 12)
        self.fc2 = nn.Dense(12, 1)
        self.decay = ms.Parameter(ms.tensor(0.3))

    def construct(self, offered, history, real):
        n = history.shape[1]
        own = offered[:, None, :].tile((1, n, 1))
        pairs = ops.cat([own, history, own - history, own * history], axis=-1)
        scores = self.fc2(ops.relu(self.fc1(pairs))).squeeze(-1)
        age = ops.arange(n - 1, -1, -1).to(scores.dtype)
        scores = scores - ops.softplus(self.decay) * age[None, :]
        scores = ops.where(real, scores, ops.full_like(scores, -1e4))
        shares = ops.softmax(scores, axis=1)
        return compat.einsum("bn,bnc->bc", shares, history)


class Cross(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.w = nn.Dense(width, width)

    def construct(self, first, x):
        return first * self.w(x) + x


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.things = compat.Embedding(30, 8, padding_idx=0)
        self.users = nn.Embedding(10, 8, embedding_table=Normal(1.0))
        self.hours = nn.Embedding(24, 8, embedding_table=Normal(1.0))
        self.first = nn.Embedding(30, 1, embedding_table=Normal(1.0))
        self.interest = Interest(8)
        self.cross = nn.CellList([Cross(32), Cross(32)])
        self.fc = nn.Dense(32, 16)
        self.dice = Dice(16)
        self.out = nn.Dense(16 + 32 + 8, 1)
        self.experts = ms.Parameter(ops.randn(3, 32, 4) * 0.2)
        self.gate = nn.Dense(32, 3)

    def construct(self, user, offered, other, history, hour):
        real = history > 0
        seen = self.things(history)
        thing = self.things(offered)
        liked = self.interest(thing, seen, real)
        when = self.hours((hour + 3) % 24)
        fields = ops.stack([self.users(user), thing, liked, when], axis=1)
        x = fields.flatten(1)
        first = x
        for layer in self.cross:
            x = layer(first, x)
        deep = self.dice(self.fc(first))
        wide = self.first(offered).squeeze(-1)
        both = ops.cat([deep, x, pairwise(fields)], axis=1)
        score = self.out(both).squeeze(-1) + wide
        rival = (self.things(other) * liked).sum(-1) / 8**0.5
        better = (thing * liked).sum(-1) / 8**0.5
        ranked = -compat.logsigmoid(better - rival).mean()
        shares = ops.softmax(self.gate(first), axis=-1)
        tasks = compat.einsum("bi,eio->beo", first, self.experts)
        mixed = (shares[:, :, None] * ops.silu(tasks)).sum(1)
        popular = ops.log1p((history[:, :, None] == offered[:, None, None]).float().sum((1, 2)))
        return score + 0.2 * popular, mixed, ranked


def build():
    return Net()


def inputs():
    history = ops.randint(1, 30, (4, 6))
    history[0, 4:] = 0
    return (
        ops.randint(0, 10, (4,)),
        ops.randint(1, 30, (4,)),
        ops.randint(1, 30, (4,)),
        history,
        ops.randint(0, 24, (4,)),
    )
