"""Sound without labels: convolutions, masked steps, a codebook, a loss against distractors."""

import mindspore as ms
from mindspore import nn, ops
import _ms_compat as compat


class Extractor(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(1, 8, 8, stride=4, pad_mode="valid", has_bias=False)
        self.n1 = nn.GroupNorm(8, 8)
        self.c2 = nn.Conv1d(8, 12, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.c3 = nn.Conv1d(12, 12, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, wave):
        wave = wave - wave.mean(-1, keepdim=True)
        wave = wave / ops.sqrt(wave.var(-1, ddof=0, keepdims=True) + 1e-7)
        x = ops.gelu(self.n1(self.c1(wave[:, None])))
        x = ops.gelu(self.c2(x))
        x = ops.gelu(self.c3(x))
        return x.transpose(1, 2)


class Places(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 4, pad_mode="pad", padding=2, group=4, has_bias=True)

    def construct(self, x):
        y = self.conv(x.transpose(1, 2))
        y = y[:, :, :-1]
        return x + ops.gelu(y).transpose(1, 2)


class Codebook(nn.Cell):
    def __init__(self, width, groups, codes):
        super().__init__()
        self.groups = groups
        self.codes = codes
        self.choose = nn.Dense(width, groups * codes)
        self.book = ms.Parameter(ops.randn(groups, codes, 6))

    def construct(self, x):
        b, n, _ = x.shape
        logits = self.choose(x).view(b * n, self.groups, self.codes)
        best = logits.argmax(-1)
        hard = ops.one_hot(best, self.codes).float()
        soft = ops.softmax(logits, axis=-1)
        used = soft.mean(0)
        spread = ops.exp(-(used * ops.log(used + 1e-7)).sum(-1)).sum()
        chosen = compat.einsum("ngc,gcd->ngd", hard, self.book)
        return chosen.reshape(b, n, -1), spread / (self.groups * self.codes)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.extract = Extractor()
        self.norm = nn.LayerNorm((12,), epsilon=1e-05)
        self.enter = nn.Dense(12, 16)
        self.hidden = ms.Parameter(ops.rand(16))
        self.places = Places(16)
        self.layer = nn.TransformerEncoderLayer(
            16, 4, dim_feedforward=32, dropout=0.0, activation="gelu", batch_first=True
        )
        self.codebook = Codebook(12, 2, 5)
        self.leave = nn.Dense(16, 12)

    def construct(self, wave, hidden):
        features = self.norm(self.extract(wave))
        targets, spread = self.codebook(features)
        x = self.enter(features)
        x = ops.where(hidden[:, :, None], self.hidden, x)
        x = self.layer(self.places(x))
        guess = self.leave(x)
        others = ops.stack([ms.numpy.roll(targets, shift, 1) for shift in (0, 1, 3)], axis=2)
        near = compat.cosine_similarity(guess[:, :, None], others, -1) / 0.1
        logs = ops.log_softmax(near, axis=-1)[:, :, 0]
        loss = -(logs * hidden.float()).sum() / hidden.float().sum()
        size = features.pow(2).mean()
        return guess, loss + 0.1 * (1.0 - spread) + 10.0 * size


def build():
    return Net()


def inputs():
    hidden = ms.tensor([[0, 1, 1, 0, 0, 0, 1, 1], [1, 1, 0, 0, 1, 0, 0, 0]], dtype=ms.bool_)
    return ops.randn(2, 136), hidden
