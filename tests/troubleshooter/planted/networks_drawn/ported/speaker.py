"""Letters to sound: an LSTM step by step that looks along the letters, and knows where it was."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def hearing(bins, bands):
    """Triangles over the bins of a spectrum, narrower where it is low."""
    places = ops.arange(bins).float() / (bins - 1)
    centres = ops.linspace(0.0, 1.0, bands + 2) ** 1.5
    left, middle, right = centres[:-2, None], centres[1:-1, None], centres[2:, None]
    up = (places - left) / (middle - left)
    down = (right - places) / (right - middle)
    return ops.minimum(up, down).clamp(min=0.0)


class Look(nn.Cell):
    """Scores of what is asked, of each letter, and of where it has looked before."""

    def __init__(self, width, memory, size):
        super().__init__()
        self.asked = nn.Dense(width, size, has_bias=False)
        self.letters = nn.Dense(memory, size, has_bias=False)
        self.where = nn.Conv1d(2, 4, 5, pad_mode="pad", padding=2, has_bias=False)
        self.place = nn.Dense(4, size, has_bias=False)
        self.score = nn.Dense(size, 1)

    def construct(self, asked, memory, before, summed, real):
        seen = self.where(ops.stack([before, summed], axis=1))
        seen = self.place(seen.transpose(1, 2))
        energy = ops.tanh(self.asked(asked)[:, None] + self.letters(memory) + seen)
        scores = self.score(energy).squeeze(-1)
        scores = scores.masked_fill(real < 0.5, float("-inf"))
        shares = ops.softmax(scores, axis=-1)
        return ops.bmm(shares[:, None], memory).squeeze(1), shares


class Post(nn.Cell):
    def __init__(self, bands):
        super().__init__()
        self.one = nn.Conv1d(bands, 12, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.BatchNorm1d(12)
        self.two = nn.Conv1d(12, bands, 3, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, x):
        return x + self.two(ops.tanh(self.norm(self.one(x))))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.bands = 6
        self.letters = compat.Embedding(15, 10, padding_idx=0)
        self.near = nn.Conv1d(10, 10, 3, pad_mode="pad", padding=1, has_bias=True)
        self.normal = nn.BatchNorm1d(10)
        self.reader = nn.LSTM(10, 6, batch_first=True, bidirectional=True)
        self.voices = nn.Embedding(3, 12, embedding_table=Normal(1.0))
        self.before1 = nn.Dense(6, 8)
        self.before2 = nn.Dense(8, 8)
        self.first = compat.LSTMCell(8 + 12, 14)
        self.second = compat.LSTMCell(14 + 12, 14)
        self.look = Look(14, 12, 9)
        self.frame = nn.Dense(14 + 12, 6)
        self.end = nn.Dense(14 + 12, 1)
        self.post = Post(6)
        self.scale = ms.Parameter(ms.tensor(0.6))

    def read(self, tokens, voice):
        x = self.letters(tokens).transpose(1, 2)
        x = x + ops.relu(self.normal(self.near(x)))
        memory, _ = self.reader(x.transpose(1, 2))
        return memory + self.scale * ops.softsign(self.voices(voice))[:, None]

    def construct(self, tokens, voice, spectrum, lengths):
        real = (tokens != 0).float()
        memory = self.read(tokens, voice)
        heard = ops.log((spectrum @ hearing(16, self.bands).T).clamp(min=1e-3))
        b, n = tokens.shape
        steps = heard.shape[1]
        h1, c1 = memory.new_zeros((b, 14)), memory.new_zeros((b, 14))
        h2, c2 = memory.new_zeros((b, 14)), memory.new_zeros((b, 14))
        seen = memory.new_zeros((b, 12))
        shares = ops.one_hot(ops.zeros_like(voice), n).float()
        summed = shares
        last = ops.zeros_like(heard[:, 0])
        frames, ends, looked = [], [], []
        for t in range(steps):
            given = ops.relu(self.before2(ops.relu(self.before1(last))))
            h1, c1 = self.first(ops.cat([given, seen], axis=1), (h1, c1))
            seen, shares = self.look(h1, memory, shares, summed, real)
            summed = summed + shares
            h2, c2 = self.second(ops.cat([h1, seen], axis=1), (h2, c2))
            both = ops.cat([h1 + h2, seen], axis=1)
            frames.append(self.frame(both))
            ends.append(self.end(both))
            looked.append(shares)
            last = heard[:, t]
        rough = ops.stack(frames, axis=2)
        fine = self.post(rough)
        ends = ops.cat(ends, axis=1)
        looked = ops.stack(looked, axis=1)
        within = (ops.arange(steps)[None] < lengths[:, None]).float()
        apart = (rough.transpose(1, 2) - heard).square() + (fine.transpose(1, 2) - heard).abs()
        apart = (apart.mean(-1) * within).sum() / within.sum()
        over = (ops.arange(steps)[None] >= lengths[:, None] - 1).float()
        stop = ops.binary_cross_entropy_with_logits(ends, over, pos_weight=ms.tensor(3.0))
        at = ops.arange(steps).float()[None, :, None] / lengths[:, None, None]
        letter = ops.arange(n).float()[None, None, :] / real.sum(1)[:, None, None]
        guide = 1.0 - ops.exp(-((at - letter) ** 2) / (2 * 0.2**2))
        guided = (guide * looked * within[..., None]).sum((1, 2)) / lengths
        where = (looked * ops.arange(n).float()).sum(-1)
        moved = ops.relu(where[:, :-1] - where[:, 1:]).sum(1)
        loss = apart + 0.5 * stop + guided.mean() + 0.1 * moved.mean()
        return fine, ops.sigmoid(ends), looked, loss


def build():
    return Net()


def inputs():
    tokens = ops.randint(1, 15, (2, 6))
    tokens[1, 4:] = 0
    return tokens, ms.tensor([0, 2]), ops.rand(2, 5, 16), ms.tensor([5, 3])
