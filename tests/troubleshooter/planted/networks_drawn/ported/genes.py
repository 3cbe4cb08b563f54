"""Counts along a sequence of letters: both strands, widening convolutions, attention by distance."""

import mindspore as ms
from mindspore import nn, ops
import _ms_compat as compat


def far_features(length, count):
    """How far each place is from each, on a logarithmic scale, with its sign."""
    places = ops.arange(length).float()
    away = places[None, :] - places[:, None]
    steps = 2.0 ** ops.arange(1, count + 1).float()
    near = (away.abs()[..., None] < steps).float()
    return ops.cat([near, ops.sign(away)[..., None] * near], axis=-1)


def poisson(rate, counts):
    return rate - counts * ops.log(rate + 1e-6)


class Widening(nn.Cell):
    def __init__(self, width, reach):
        super().__init__()
        self.conv = nn.Conv1d(
            width, width, 3, pad_mode="pad", padding=reach, dilation=reach, has_bias=True
        )
        self.norm = nn.GroupNorm(2, width)
        self.mix = nn.Conv1d(width, width, 1, pad_mode="valid", has_bias=True)
        self.gain = ms.Parameter(ops.full((width, 1), 0.5, dtype=ms.float32))

    def construct(self, x):
        y = self.conv(ops.gelu(self.norm(x)))
        y = self.mix(ops.gelu(y))
        return x + self.gain * y


class Pool(nn.Cell):
    """Two neighbours by the weights of a softmax."""

    def __init__(self, width):
        super().__init__()
        self.weigh = nn.Dense(width, width, has_bias=False)

    def construct(self, x):
        b, n, c = x.shape
        x = x.reshape(b, n // 2, 2, c)
        shares = ops.softmax(2.0 * self.weigh(x), axis=2)
        return (shares * x).sum(2)


class Attention(nn.Cell):
    def __init__(self, width, heads, length, features):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.q = nn.Dense(width, width, has_bias=False)
        self.k = nn.Dense(width, width, has_bias=False)
        self.v = nn.Dense(width, width)
        self.out = nn.Dense(width, width)
        self.far = nn.Dense(2 * features, heads, has_bias=False)
        self.bias = ms.Parameter(ops.zeros((heads, 1, self.size)))
        self.register_buffer("features", far_features(length, features))

    def split(self, x):
        b, n, _ = x.shape
        return x.reshape(b, n, self.heads, self.size).transpose(1, 2)

    def construct(self, x):
        b, n, c = x.shape
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        q = q * self.size**-0.5
        scores = compat.einsum("bhid,bhjd->bhij", q + self.bias, k)
        scores = scores + self.far(self.features).permute(2, 0, 1)
        shares = ops.softmax(scores, axis=-1)
        mixed = ops.matmul(shares, v).transpose(1, 2).reshape(b, n, c)
        return self.out(mixed)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(4, 12, 5, pad_mode="pad", padding=2, has_bias=True)
        self.reaches = nn.CellList([Widening(12, 2**i) for i in range(2)])
        self.pool = Pool(12)
        self.norm1 = nn.LayerNorm((12,), epsilon=1e-05)
        self.attention = Attention(12, 3, 8, 3)
        self.norm2 = nn.LayerNorm((12,), epsilon=1e-05)
        self.grow = nn.Dense(12, 24)
        self.shrink = nn.Dense(24, 12)
        self.tracks = nn.Dense(12, 3)
        self.total = nn.Dense(12, 1)

    def strand(self, x):
        x = self.stem(x)
        for one in self.reaches:
            x = one(x)
        x = self.pool(x.transpose(1, 2))
        x = x + self.attention(self.norm1(x))
        return x + self.shrink(ops.relu(self.grow(self.norm2(x))))

    def construct(self, letters, counts):
        x = ops.one_hot(letters, 4).float().transpose(1, 2)
        ahead = self.strand(x)
        back = self.strand(x.flip((2,)).flip((1,))).flip((1,))
        both = 0.5 * (ahead + back)
        rate = ops.softplus(self.tracks(both)) * counts.mean(1, keepdim=True)
        share = rate / (rate.sum(1, keepdim=True) + 1e-6)
        wanted = counts / counts.sum(1, keepdim=True).clamp(min=1.0)
        apart = (wanted * (ops.log(wanted + 1e-6) - ops.log(share + 1e-6))).sum(1)
        total = ops.exp(self.total(both.mean(1)).clamp(-4.0, 4.0)).squeeze(-1)
        missed = poisson(total, counts.sum((1, 2))).mean() / 20.0
        centred = rate - rate.mean(1, keepdim=True)
        other = counts - counts.mean(1, keepdim=True)
        sizes = centred.norm(dim=1) * other.norm(dim=1)
        like = (centred * other).sum(1) / (sizes + 1e-3)
        loss = poisson(rate, counts).mean() + 0.2 * missed + apart.mean()
        return rate, total, like, loss


def build():
    return Net()


def inputs():
    return ops.randint(0, 4, (2, 16)), ops.randint(0, 5, (2, 8, 3)).float()
