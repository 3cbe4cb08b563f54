"""Words by experts: a router that chooses two of four, distances as slopes, a window of places."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def slopes(heads):
    """A slope for each head, the half of the one before it."""
    return 2.0 ** (-2.0 * ops.arange(1, heads + 1).float())


def nearness(n, heads, window):
    """What distance costs each head, and nothing is seen outside of the window."""
    places = ops.arange(n)
    away = places[:, None] - places[None, :]
    seen = (away >= 0) & (away < window)
    cost = -slopes(heads)[:, None, None] * away.float().abs()
    return cost.masked_fill(~seen, -1e9)


class Attention(nn.Cell):
    def __init__(self, width, heads, window):
        super().__init__()
        self.heads, self.window, self.size = heads, window, width // heads
        self.query = nn.Dense(width, width, has_bias=False)
        self.key = nn.Dense(width, self.size, has_bias=False)
        self.value = nn.Dense(width, self.size, has_bias=False)
        self.norm_q = nn.LayerNorm((self.size,), epsilon=1e-05)
        self.norm_k = nn.LayerNorm((self.size,), epsilon=1e-05)
        self.sinks = ms.Parameter(ops.zeros(heads))
        self.out = nn.Dense(width, width)

    def construct(self, x):
        b, n, _ = x.shape
        q = self.norm_q(self.query(x).view(b, n, self.heads, self.size))
        k = self.norm_k(self.key(x))
        scores = compat.einsum("bihc,bjc->bhij", q, k) * self.size**-0.5
        scores = scores + nearness(n, self.heads, self.window)
        sink = self.sinks[None, :, None, None].expand(b, -1, n, 1)
        shares = ops.softmax(ops.cat([scores, sink], axis=-1), axis=-1)
        shares = shares[..., :n]
        mixed = compat.einsum("bhij,bjc->bihc", shares, self.value(x))
        return self.out(mixed.reshape(b, n, -1))


class Expert(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.both = nn.Dense(width, 4 * width)
        self.down = nn.Dense(2 * width, width)

    def construct(self, x):
        gate, up = self.both(x).chunk(2, -1)
        gate = gate.clamp(max=7.0)
        return self.down(gate * ops.sigmoid(1.702 * gate) * (up + 1.0))


class Chosen(nn.Cell):
    """Each word goes to the best two experts, and all of them are to have work."""

    def __init__(self, width, experts, best):
        super().__init__()
        self.best, self.count = best, experts
        self.router = nn.Dense(width, experts, has_bias=False)
        self.register_buffer("lean", ops.linspace(-0.1, 0.1, experts))
        self.experts = nn.CellList([Expert(width) for _ in range(experts)])
        self.shared = Expert(width)

    def construct(self, x):
        b, n, c = x.shape
        flat = x.reshape(-1, c)
        logits = self.router(flat)
        p = ops.softmax(logits, axis=-1)
        _, places = compat.topk(p + self.lean, self.best, -1)
        shares = ops.gather_elements(p, 1, places)
        shares = shares / shares.sum(-1, keepdim=True)
        hot = ops.one_hot(places, self.count).float()
        weights = (hot * shares[..., None]).sum(1)
        given = ops.stack([expert(flat) for expert in self.experts], axis=1)
        mixed = (weights[..., None] * given).sum(1)
        work = hot.sum(1).mean(0) / self.best
        balance = self.count * (work * p.mean(0)).sum()
        calm = compat.logsumexp(logits, -1).pow(2).mean()
        out = mixed + 0.5 * self.shared(flat)
        return out.view(b, n, c), balance + 1e-1 * calm, weights.view(b, n, -1)


class Block(nn.Cell):
    def __init__(self, width, window):
        super().__init__()
        self.norm1 = nn.LayerNorm((width,), epsilon=1e-05)
        self.norm2 = nn.LayerNorm((width,), epsilon=1e-05)
        self.attention = Attention(width, 4, window)
        self.chosen = Chosen(width, 4, 2)
        self.scale = ms.Parameter(ops.full((width,), 0.5, dtype=ms.float32))

    def construct(self, x):
        x = x + self.scale * self.attention(self.norm1(x))
        y, loss, weights = self.chosen(self.norm2(x))
        return x + y, loss, weights


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(22, 16, embedding_table=Normal(1.0))
        self.blocks = nn.CellList([Block(16, 3), Block(16, 8)])
        self.norm = nn.LayerNorm((16,), epsilon=1e-05)
        self.ahead = nn.Dense(32, 16)
        self.bias = ms.Parameter(ops.zeros(22))

    def construct(self, tokens, labels):
        x = self.words(tokens)
        extra, used = 0.0, []
        for block in self.blocks:
            x, loss, weights = block(x)
            extra = extra + loss
            used.append(weights.mean(1))
        x = self.norm(x)
        logits = ops.dense(x, self.words.embedding_table, self.bias)
        after = ops.cat([x[:, :-1], self.words(tokens[:, 1:])], axis=-1)
        second = ops.dense(ops.tanh(self.ahead(after)), self.words.embedding_table)
        loss = ops.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
        later = ops.cross_entropy(second[:, :-1].flatten(0, 1), labels[:, 2:].flatten())
        chance = ops.softmax(logits / 0.8, axis=-1)
        held, order = compat.sort(chance, -1, True)
        inside = held.cumsum(-1) - held < 0.9
        kept = held * inside.float()
        kept = kept / kept.sum(-1, keepdim=True)
        nucleus = ops.tensor_scatter_elements(ops.zeros_like(chance), order, kept, 2)
        return logits, nucleus, loss + 0.3 * later + 0.05 * extra, ops.stack(used, axis=1)


def build():
    return Net()


def inputs():
    labels = ops.randint(1, 22, (2, 6))
    labels[0, :2] = -100
    return ops.randint(0, 22, (2, 6)), labels
