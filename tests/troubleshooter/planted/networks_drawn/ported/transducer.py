"""Speech to letters: stacked frames, recurrences of both sides, a joiner, sums over a lattice."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def stacked(x, factor):
    b, n, c = x.shape
    left = n % factor
    x = x[:, : n - left]
    return x.reshape(b, n // factor, c * factor)


def lattice(blank, label):
    """Of the probabilities to go on in time and in letters, of all ways: a logarithm."""
    _, steps, letters = blank.shape
    rows = [ops.pad(label[:, 0, : letters - 1], (1, 0)).cumsum(1)]
    for t in range(1, steps):
        stay = rows[-1] + blank[:, t - 1]
        row = [stay[:, 0]]
        for u in range(1, letters):
            move = row[-1] + label[:, t, u - 1]
            row.append(compat.logaddexp(stay[:, u], move))
        rows.append(ops.stack(row, axis=1))
    return rows[-1][:, -1] + blank[:, -1, -1]


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enter = nn.Dense(12, 16)
        self.norm = nn.LayerNorm((16,), epsilon=1e-05)
        self.lstm = nn.LSTM(16, 10, batch_first=True, bidirectional=True)
        self.leave = nn.Dense(20, 14)

    def construct(self, x):
        x = x - x.mean(1, keepdim=True)
        x = ops.relu(self.enter(stacked(x, 2)))
        y, _ = self.lstm(self.norm(x))
        return self.leave(y)


class Predictor(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 10, embedding_table=Normal(1.0))
        self.gru = nn.GRU(10, 12, batch_first=True)
        self.leave = nn.Dense(12, 14)

    def construct(self, labels):
        begun = ops.pad(labels, (1, 0), value=8)
        y, last = self.gru(self.embedding(begun))
        y = y + 0.1 * last[-1][:, None, :]
        return self.leave(y)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.predictor = Predictor()
        self.join = nn.Dense(14, 9)

    def construct(self, sound, labels):
        heard = self.encoder(sound)
        said = self.predictor(labels)
        both = ops.tanh(heard[:, :, None, :] + said[:, None, :, :])
        logs = ops.log_softmax(self.join(both) / 1.2, axis=-1)
        blank = logs[..., 0]
        index = ops.pad(labels, (0, 1))[:, None, :, None].expand(-1, logs.shape[1], -1, -1)
        label = ops.gather_elements(logs, 3, index).squeeze(3)
        score = lattice(blank, label)
        greedy = logs[:, :, 0].argmax(-1)
        quiet = (greedy == 0).float().mean(1)
        loss = -(score / (labels.shape[1] + 1)).mean()
        return logs, loss + 0.5 * quiet.mean()


def build():
    return Net()


def inputs():
    return ops.randn(2, 9, 6), ms.tensor([[2, 5, 1], [7, 3, 3]])
