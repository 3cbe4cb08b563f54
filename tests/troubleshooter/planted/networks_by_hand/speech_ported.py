"""The same for MindSpore."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def bank(bins, filters, rate=8000.0):
    top = 2595.0 * np.log10(1.0 + rate / 2 / 700.0)
    edges = 700.0 * (10.0 ** (np.linspace(0.0, top, filters + 2) / 2595.0) - 1.0)
    f = np.linspace(0.0, rate / 2, bins)
    found = np.zeros((bins, filters))
    for i in range(filters):
        low, middle, high = edges[i : i + 3]
        found[:, i] = np.minimum((f - low) / (middle - low), (high - f) / (high - middle))
    return np.clip(found, 0.0, None).astype(np.float32)


def waves(length):
    whole = np.exp(-2j * np.pi * np.outer(np.arange(length // 2 + 1), np.arange(length)) / length)
    return whole.real.astype(np.float32), whole.imag.astype(np.float32)


def hann(length):
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)).astype(np.float32)


class Frontend(nn.Cell):
    def __init__(self, length=32, hop=16):
        super().__init__()
        self.length, self.hop = length, hop
        real, imaginary = waves(length)
        self.real, self.imaginary = Tensor(real), Tensor(imaginary)
        self.window = Tensor(hann(length))
        self.bank = Tensor(bank(17, 8))

    def construct(self, sound):
        sharp = sound[:, 1:] - 0.97 * sound[:, :-1]
        count = (sharp.shape[1] - self.length) // self.hop + 1
        starts = [i * self.hop for i in range(count)]
        frames = ops.stack([sharp[:, s : s + self.length] for s in starts], axis=1)
        frames = frames * self.window
        real = ops.matmul(frames, self.real.T)
        imaginary = ops.matmul(frames, self.imaginary.T)
        power = ops.square(real) + ops.square(imaginary)
        mel = ops.log(ops.matmul(power, self.bank) + 1e-6)
        mean = mel.mean(1, keep_dims=True)
        spread = ops.sqrt(ops.square(mel - mean).sum(1, keepdims=True) / (mel.shape[1] - 1))
        return (mel - mean) / (spread + 1e-5)


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.inner = nn.Dense(width, 2 * width)
        self.outer = nn.Dense(width, width)
        self.kernel = Parameter(ops.ones((width, 1, 3)), name="kernel")

    def construct(self, x):
        value, gate = ops.split(self.inner(self.norm(x)), x.shape[-1], axis=-1)
        y = value * ops.sigmoid(gate)
        before = ops.zeros((y.shape[0], 2, y.shape[2]), ms.float32)
        y = ops.cat((before, y), axis=1)
        n = x.shape[1]
        taps = [y[:, i : i + n] * self.kernel[:, 0, i] for i in range(3)]
        y = taps[0] + taps[1] + taps[2]
        return x + 0.5 * self.outer(y * ops.sigmoid(y))


def log_sum(a, b):
    high = ops.maximum(a, b)
    return high + ops.log1p(ops.exp(-ops.abs(a - b)))


def forward_scores(logs, labels):
    """Of a left-to-right lattice: stay or go on."""
    low = ops.full((logs.shape[0], labels.shape[1] - 1), -1e5, dtype=ms.float32)
    alpha = ops.cat((ops.gather_elements(logs[:, 0], 1, labels[:, :1]), low), axis=1)
    for step in range(1, logs.shape[1]):
        came = ops.cat((low[:, :1], alpha[:, :-1]), axis=1)
        alpha = log_sum(alpha, came) + ops.gather_elements(logs[:, step], 1, labels)
    return alpha[:, -1]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.front = Frontend()
        self.enter = nn.Dense(8, 12)
        self.blocks = nn.CellList([Block(12) for _ in range(2)])
        self.head = nn.Dense(12, 6)

    def construct(self, sound, labels):
        x = ops.softplus(self.enter(self.front(sound)))
        for block in self.blocks:
            x = block(x)
        logs = ops.log_softmax(self.head(x) / 1.5, -1)
        loss = -forward_scores(logs, labels) / labels.shape[1]
        return logs, loss.mean()


def build():
    return Net()
