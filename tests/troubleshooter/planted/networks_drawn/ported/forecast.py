"""What comes next in series: a trend taken out, delays found by products, quantiles, a likelihood."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def trend(x, width):
    left = x[:, :1].tile((1, (width - 1) // 2, 1))
    right = x[:, -1:].tile((1, width // 2, 1))
    longer = ops.cat([left, x, right], axis=1).transpose(1, 2)
    return ops.avg_pool1d(longer, width, 1).transpose(1, 2)


def quantile_loss(guess, wanted, levels):
    apart = wanted[..., None] - guess
    return ops.maximum(levels * apart, (levels - 1) * apart).sum(-1)


class Delays(nn.Cell):
    """Attention by delays: what the series is like when it is moved."""

    def __init__(self, width, most):
        super().__init__()
        self.most = most
        self.q = nn.Dense(width, width)
        self.k = nn.Dense(width, width)
        self.v = nn.Dense(width, width)
        self.out = nn.Dense(width, width)

    def construct(self, x):
        n = x.shape[1]
        q, k, v = self.q(x), self.k(x), self.v(x)
        alike = [(q * ms.numpy.roll(k, step, 1)).mean((1, 2)) for step in range(n)]
        alike = ops.stack(alike, axis=1) * 4.0
        best, delays = compat.topk(alike, self.most, 1)
        shares = ops.softmax(best, axis=-1)
        places = (ops.arange(n)[None, :, None] + delays[:, None, :]) % n
        moved = ops.stack([v[i][places[i]] for i in range(x.shape[0])], axis=0)
        mixed = (moved * shares[:, None, :, None]).sum(2)
        return self.out(mixed)


class Layer(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.delays = Delays(width, 3)
        self.conv1 = nn.Conv1d(width, 2 * width, 1, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv1d(2 * width, width, 1, pad_mode="valid", has_bias=True)
        self.norm = nn.LayerNorm((width,), epsilon=1e-05)

    def construct(self, x):
        x = x + self.delays(x)
        slow = trend(x, 5)
        x = x - slow
        y = self.conv2(ops.relu(self.conv1(x.transpose(1, 2)))).transpose(1, 2)
        x = self.norm(x + y)
        return x - x.mean(1, keepdim=True), slow


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enter = compat.Conv1d(3, 12, 3, padding=1, padding_mode="circular")
        self.hours = nn.Embedding(24, 12, embedding_table=Normal(1.0))
        self.layers = nn.CellList([Layer(12), Layer(12)])
        self.rnn = nn.RNN(12, 8, batch_first=True, nonlinearity="tanh")
        self.seasonal = nn.Dense(12, 3)
        self.quantiles = nn.Dense(8, 3)
        self.gauss = nn.Dense(8, 2)
        self.register_buffer("levels", ms.tensor([0.1, 0.5, 0.9]))

    def construct(self, series, hours, wanted):
        middle = series.mean(1, keepdim=True)
        spread = series.std(1, ddof=0, keepdims=True) + 1e-5
        x = (series - middle) / spread
        x = self.enter(x.transpose(1, 2)).transpose(1, 2) + self.hours(hours % 24)
        slow = ops.zeros_like(x)
        for layer in self.layers:
            x, part = layer(x)
            slow = slow + part
        steps, last = self.rnn(x + slow)
        ahead = self.seasonal(x + slow) * spread + middle
        guess = self.quantiles(last.squeeze(0)).cumsum(-1)
        mean, width = self.gauss(steps[:, -1]).unbind(-1)
        width = ops.softplus(width) + 1e-3
        likely = ops.log(width) + 0.5 * ((wanted - mean) / width) ** 2
        smooth = ops.smooth_l1_loss(ahead[:, -1, 0], wanted, beta=0.5, reduction="mean")
        bent = ahead[:, 2:] - 2 * ahead[:, 1:-1] + ahead[:, :-2]
        loss = quantile_loss(guess, wanted, self.levels).mean() + 0.3 * likely.mean()
        return ahead, guess, loss + smooth + 0.01 * bent.abs().mean()


def build():
    return Net()


def inputs():
    hours = ops.arange(12)[None] + ms.tensor([[3], [17]])
    return ops.randn(2, 12, 3).cumsum(1), hours, ops.randn(2)
