"""Reads a line of handwriting: columns, a recurrent layer, attention with coverage, a beam's score."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def levelled(x):
    """Each picture by its own mean and spread."""
    mean = x.mean((1, 2, 3), keep_dims=True)
    spread = (x - mean).pow(2).mean((1, 2, 3), keep_dims=True).sqrt()
    return (x - mean) / (spread + 1e-3)


def slant(x, by):
    """Each row moved by a part of a column, as its height says."""
    n = x.shape[2]
    parts = []
    for i in range(n):
        share = by * (i - n // 2)
        moved = ms.numpy.roll(x[:, :, i], 1, -1)
        parts.append((1.0 - share) * x[:, :, i] + share * moved)
    return ops.stack(parts, axis=2)


class Columns(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm1 = nn.GroupNorm(6, 6, affine=True)
        self.conv2 = nn.Conv2d(6, 8, 3, pad_mode="pad", padding=1, has_bias=False)
        self.norm2 = nn.BatchNorm2d(8)
        self.act = nn.LeakyReLU(alpha=0.1)
        self.pool = nn.MaxPool2d(2, stride=2)
        self.leave = nn.Dense(32, width)

    def construct(self, x):
        x = self.pool(self.act(self.norm1(self.conv1(x))))
        x = self.act(self.norm2(self.conv2(x)))
        high = ops.max_pool2d(x, (2, 1))
        low = ops.avg_pool2d(x, (2, 1), (2, 1))
        x = high + 0.5 * low
        b, c, h, w = x.shape
        x = x.permute(0, 3, 1, 2).reshape(b, w, c * h)
        return ops.tanh(self.leave(x))


class Covering(nn.Cell):
    """Attention that knows where it has looked before."""

    def __init__(self, width):
        super().__init__()
        self.asked = nn.Dense(width, width)
        self.given = nn.Dense(width, width, has_bias=False)
        self.seen = nn.Dense(1, width, has_bias=False)
        self.score = nn.Dense(width, 1, has_bias=False)

    def construct(self, state, memory, covered):
        hidden = self.asked(state)[:, None] + self.given(memory) + self.seen(covered[..., None])
        scores = self.score(ops.tanh(hidden)).squeeze(-1)
        shares = ops.softmax(scores, axis=1)
        return ops.bmm(shares[:, None], memory).squeeze(1), shares


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.columns = Columns(10)
        self.along = nn.GRU(10, 5, batch_first=True, bidirectional=True)
        self.letters = nn.Embedding(9, 6, embedding_table=Normal(1.0))
        self.cell = nn.Dense(26, 20)
        self.attention = Covering(10)
        self.head = nn.Dense(20, 9)
        self.paths = nn.Dense(10, 10)

    def construct(self, picture, text):
        x = slant(levelled(picture), 0.1)
        memory, last = self.along(self.columns(x))
        state = last.transpose(0, 1).reshape(-1, 10)
        covered = ops.zeros_like(memory[:, :, 0])
        context = memory.mean(1)
        scores, again = [], []
        for t in range(text.shape[1] - 1):
            letter = self.letters(text[:, t])
            joined = ops.cat([letter, context, state], axis=-1)
            gate, new = self.cell(joined).chunk(2, -1)
            gate = ops.sigmoid(gate - 1.0)
            state = gate * state + (1.0 - gate) * ops.tanh(new)
            context, shares = self.attention(state, memory, covered)
            again.append(ops.minimum(shares, covered).sum(1))
            covered = covered + shares
            scores.append(self.head(ops.cat([state, context], axis=-1)))
        logits = ops.stack(scores, axis=1)
        wanted = text[:, 1:]
        logs = ops.log_softmax(logits, axis=-1)
        real = (wanted > 0).float()
        picked = -logs.gather(2, wanted[..., None]).squeeze(-1)
        smooth = 0.9 * picked - 0.1 * logs.mean(-1)
        loss = (smooth * real).sum() / real.sum().clamp(min=1.0)
        twice = ops.stack(again, axis=1).mean()
        beam = (picked * real).sum(1) / (5.0 + real.sum(1)) ** 0.6
        columns = ops.softmax(self.paths(memory), axis=-1)
        blank = columns[:, :, 0].prod(1)
        length = (1.0 - columns[:, :, 0]).sum(1) / 2.0
        return logits, loss + 0.3 * twice, beam, length - blank


def build():
    return Net()


def inputs():
    return ops.rand(2, 1, 16, 12), ops.randint(0, 9, (2, 5))
