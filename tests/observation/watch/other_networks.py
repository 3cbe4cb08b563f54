"""Twenty faults and ten healthy runs of other networks, written before any of them was watched.

A transformer of words, an autoencoder, a siamese network, a GRU that tags words, a U-Net that
segments: each a script of its own, whose parts the runs replace. docs/tuning.md has the figures of
the first run.

Changed in it: rows come of one iterator for all epochs; of a new one for each they came in the same
order, as in MindSpore, and were named for that.
"""

from __future__ import annotations

from dataclasses import dataclass

from .faults import Run

HEAD = """
import sys

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore import dataset as ds

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(1)
ds.config.set_seed(1)
random = np.random.default_rng(0)
"""

LOOP = """
rows = ds.NumpySlicesDataset(arrays, shuffle=True).batch(32)


def forward(*batch):
    return loss_of(*batch)


step = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
iterator = rows.create_tuple_iterator(num_epochs=5)
for epoch in range(5):
    for batch in iterator:
        loss, gradients = step(*batch)
        optimizer(gradients)
"""

TRANSFORMER = (
    HEAD
    + """
words = random.integers(1, 40, (256, 9)).astype(np.int32)
words[random.random((256, 9)) < 0.2] = 0
words[:, 0] = random.integers(1, 40, 256)
y = (words[:, :3] > 20).any(1).astype(np.int32)
arrays = (words, y)


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Dense(16, 16), nn.Dense(16, 16), nn.Dense(16, 16)
        self.norm1, self.norm2 = nn.LayerNorm([16]), nn.LayerNorm([16])
        self.up, self.act, self.down = nn.Dense(16, 32), nn.GELU(), nn.Dense(32, 16)

    def construct(self, x, mask):
        t = self.norm1(x)
        scores = ops.matmul(self.q(t), self.k(t).swapaxes(1, 2)) / 4.0
        weights = ops.softmax(ops.masked_fill(scores, mask, -1e9), -1)
        x = x + ops.matmul(weights, self.v(t))
        return x + self.down(self.act(self.up(self.norm2(x))))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(40, 16)
        self.places = Parameter(Tensor(random.normal(0, 0.1, (9, 16)).astype(np.float32)))
        self.blocks = nn.CellList([Block() for _ in range(2)])
        self.head = nn.Dense(16, 2)

    def construct(self, words):
        x = self.words(words) * 4.0 + self.places
        mask = (words == 0).expand_dims(1)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x[:, 0])


net = Net()
optimizer = nn.Adam(net.trainable_params(), 0.003)
cross = nn.CrossEntropyLoss()


def loss_of(words, y):
    return cross(net(words), y)

"""
    + LOOP
)

AUTOENCODER = (
    HEAD
    + """
bars = random.integers(0, 8, 256)
x = random.random((256, 1, 8, 8)).astype(np.float32) * 0.2
x[np.arange(256), 0, bars] += 0.8
arrays = (x,)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Flatten(), nn.Dense(64, 32), nn.ReLU())
        self.code = nn.Dense(32, 8)
        self.bend = nn.ReLU()
        self.decoder = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 64))

    def construct(self, x):
        z = self.bend(self.code(self.encoder(x)))
        return self.decoder(z).reshape(-1, 1, 8, 8)


net = Net()
optimizer = nn.Adam(net.trainable_params(), 0.003)


def loss_of(x):
    return ops.binary_cross_entropy_with_logits(net(x), x, ops.ones_like(x), ops.ones_like(x))

"""
    + LOOP
)

SIAMESE = (
    HEAD
    + """
centres = random.normal(size=(6, 10)).astype(np.float32) * 2
kinds = random.integers(0, 6, (256, 2))
left = centres[kinds[:, 0]] + random.normal(0, 0.5, (256, 10)).astype(np.float32)
right = centres[kinds[:, 1]] + random.normal(0, 0.5, (256, 10)).astype(np.float32)
same = (kinds[:, 0] == kinds[:, 1]).astype(np.float32)
arrays = (left, right, same)


def tower():
    return nn.SequentialCell(nn.Dense(10, 24), nn.Tanh(), nn.Dense(24, 8))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.tower = tower()

    def construct(self, a, b):
        a, b = self.tower(a), self.tower(b)
        return ops.sqrt(((a - b) ** 2).sum(1) + 1e-8)


net = Net()
optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9)


def loss_of(a, b, same):
    d = net(a, b)
    return (same * d**2 + (1 - same) * ops.relu(1.5 - d) ** 2).mean()

"""
    + LOOP
)

TAGGER = (
    HEAD
    + """
words = random.integers(1, 30, (256, 7)).astype(np.int32)
tags = ((words % 3) + (np.roll(words, 1, 1) > 15)).astype(np.int32)
tags[:, 0] = words[:, 0] % 3
short = random.random((256, 7)) < np.linspace(-0.6, 0.6, 7)
words[short], tags[short] = 0, -100
arrays = (words, tags)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 12)
        self.gru = nn.GRU(12, 24, batch_first=True)
        self.tags = nn.Dense(24, 4)

    def construct(self, words):
        x = self.words(words)
        y, _ = self.gru(x)
        return self.tags(y)


net = Net()
optimizer = nn.Adam(net.trainable_params(), 0.01)


def loss_of(words, tags):
    return ops.cross_entropy(net(words).reshape(-1, 4), tags.reshape(-1), ignore_index=-100)

"""
    + LOOP
)

SEGMENTER = (
    HEAD
    + """
x = random.normal(0, 0.3, (160, 1, 16, 16)).astype(np.float32)
masks = np.zeros_like(x)
for k, (i, j) in enumerate(random.integers(0, 10, (160, 2))):
    masks[k, 0, i : i + 6, j : j + 6] = 1.0
x += masks * 1.5
arrays = (x, masks)


def double(n, m):
    return nn.SequentialCell(
        nn.Conv2d(n, m, 3), nn.BatchNorm2d(m), nn.ReLU(),
        nn.Conv2d(m, m, 3), nn.BatchNorm2d(m), nn.ReLU(),
    )


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = double(1, 6), double(6, 12)
        self.pool = nn.MaxPool2d(2, 2)
        self.up = nn.Conv2dTranspose(12, 6, 2, stride=2)
        self.joined = double(12, 6)
        self.out = nn.Conv2d(6, 1, 1, has_bias=True)

    def construct(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        return self.out(self.joined(ops.cat((a, self.up(b)), 1)))


net = Net()
optimizer = nn.Adam(net.trainable_params(), 0.003)
binary = nn.BCEWithLogitsLoss()


def loss_of(x, masks):
    return binary(net(x), masks)

"""
    + LOOP
)

WORDS = (
    HEAD
    + """
middle = random.integers(0, 200, 1280).astype(np.int32)
near = ((middle + random.integers(1, 4, 1280)) % 200).astype(np.int32)
arrays = (middle, near)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inputs, self.outputs = nn.Embedding(200, 16), nn.Embedding(200, 16)

    def construct(self, middle, near):
        return (self.inputs(middle) * self.outputs(near)).sum(-1)


net = Net()
optimizer = nn.Adam(net.trainable_params(), 0.05)


def loss_of(middle, near):
    far = ops.roll(near, 7, 0)
    return -(ops.logsigmoid(net(middle, near)) + ops.logsigmoid(-net(middle, far))).mean()

"""
    + LOOP
)


@dataclass(frozen=True)
class Of(Run):
    """A run of another script."""

    base: str = ""

    @property
    def script(self) -> str:
        text = self.base
        for old, new in self.changes:
            assert old in text, f"{self.name}: {old}"
            text = text.replace(old, new)
        return text


ADAM = "nn.Adam(net.trainable_params(), 0.003)"
CODE = "z = self.bend(self.code(self.encoder(x)))"
DISTANCE = "return ops.sqrt(((a - b) ** 2).sum(1) + 1e-8)"
HOLLOW = ("exploding", "loss-stuck", "nan", "overflow")

FAULTS = (
    # a transformer
    Of("a row whose words are all masked", (
        ("words[:, 0] = random.integers(1, 40, 256)", "words[5] = 0"),
        ("weights = ops.softmax(ops.masked_fill(scores, mask, -1e9), -1)",
         'weights = ops.softmax(ops.masked_fill(scores, mask, float("-inf")), -1)  # here'),
        ), ("nan",), r"# here", base=TRANSFORMER),
    Of("a transformer at a rate of a third", ((ADAM, "nn.Adam(net.trainable_params(), 0.3)"),),
        HOLLOW, r"blocks|head|words|places|loss", base=TRANSFORMER),
    Of("words that the optimizer does not have", (
        (ADAM, "nn.Adam([p for p in net.trainable_params() if 'words' not in p.name], 0.003)"),
        ), ("unchanged-weights",), r"words", base=TRANSFORMER),
    Of("scores in half precision, not scaled", (
        ("scores = ops.matmul(self.q(t), self.k(t).swapaxes(1, 2)) / 4.0",
         "q, k = ops.cast(self.q(t) * 400, ms.float16), ops.cast(self.k(t) * 400, ms.float16)\n"
         "        scores = ops.cast(ops.matmul(q, k.swapaxes(1, 2)), ms.float32)  # here"),
        ), ("overflow",), r"# here", base=TRANSFORMER),
    # an autoencoder
    Of("pictures from 0 to 255", (("arrays = (x,)", "x = x * 255\narrays = (x,)"),),
        ("data",), r"loss|input", base=AUTOENCODER),
    Of("the code is detached", ((CODE, CODE.replace("self.bend", "ops.stop_gradient")),),
        ("zero-gradients", "unchanged-weights"), r"code|encoder", base=AUTOENCODER),
    Of("a code that is always 0", (
        ("net = Net()",
         "net = Net()\nnet.code.bias.set_data(Tensor(np.full(8, -60, np.float32)))"),
        ), ("dead-activations",), r"bend", base=AUTOENCODER),
    Of("the logarithm of a spread of 0", (
        ("return ops.binary_cross_entropy_with_logits(net(x), x, ops.ones_like(x), "
         "ops.ones_like(x))",
         "spread = ops.relu(net.code(net.encoder(x)))\n"
         "    far = (spread - ops.log(spread)).mean()  # here\n"
         "    return ((net(x) - x) ** 2).mean() + 0.01 * far"),
        ), ("overflow", "nan"), r"# here", base=AUTOENCODER),
    # a siamese network
    Of("the root of a distance of 0", (
        ("right = centres[kinds[:, 1]] + random.normal(0, 0.5, (256, 10)).astype(np.float32)",
         "right = np.where(kinds[:, :1] == kinds[:, 1:], left, centres[kinds[:, 1]])"),
        (DISTANCE, "return ops.sqrt(((a - b) ** 2).sum(1))  # here"),
        ), ("nan", "overflow"), r"# here", base=SIAMESE),
    Of("a second tower of its own, not trained", (
        ("self.tower = tower()", "self.tower, self.other = tower(), tower()"),
        ("a, b = self.tower(a), self.tower(b)", "a, b = self.tower(a), self.other(b)"),
        ("net.trainable_params()", "net.tower.trainable_params()"),
        ), ("unchanged-weights",), r"other", base=SIAMESE),
    Of("gradients with the wrong sign", (
        ("optimizer(gradients)", "optimizer([-g for g in gradients])"),
        ), HOLLOW, r"tower|loss", base=SIAMESE),
    Of("one side in other units", (("arrays = (left", "left = left * 500\narrays = (left"),),
        ("data",), r"input", base=SIAMESE),
    # a GRU that tags words
    Of("tags from one on", (("arrays = (words", "tags[~short] += 1\narrays = (words"),),
        ("data",), r"loss", base=TAGGER),
    Of("no word has a tag", (
        ("arrays = (words", "tags[words > 0] = -100\narrays = (words"),
        ), ("nan",), r"loss|cross_entropy", base=TAGGER),
    Of("a recurrence that grows", (
        ("y, _ = self.gru(x)",
         "h = ops.zeros((x.shape[0], 24))\n"
         "        for k in range(7):\n"
         "            h = ops.matmul(h, self.grow) + ops.pad(x[:, k], (0, 12)) * 1e4  # here\n"
         "        return self.tags(h.expand_dims(1) * ops.ones((1, 7, 1)))"),
        ("self.gru = nn.GRU(12, 24, batch_first=True)",
         "self.grow = Parameter(Tensor(random.normal(0, 3e5, (24, 24)).astype(np.float32)))"),
        ), ("overflow", "nan", "exploding"), r"# here|grow|tags|loss", base=TAGGER),
    Of("a warm-up that whole numbers keep at 0", (
        ("nn.Adam(net.trainable_params(), 0.01)",
         "nn.Adam(net.trainable_params(), [0.01 * (k // 100) for k in range(60)])"),
        ), ("unchanged-weights",), r"words|gru|tags", base=TAGGER),
    # a U-Net
    Of("the overlap of empty masks", (
        ("arrays = (x, masks)", "masks[:] = 0\narrays = (x, masks)"),
        ("return binary(net(x), masks)",
         "p = ops.cast(net(x) > 1e6, ms.float32) * ops.sigmoid(net(x))\n"
         "    return 1 - 2 * (p * masks).sum() / (p.sum() + masks.sum())  # here"),
        ), ("nan",), r"# here", base=SEGMENTER),
    Of("two sigmoids", (("return binary(net(x), masks)",
                         "return binary(ops.sigmoid(net(x)), masks)"),),
        ("data",), r"loss", base=SEGMENTER),
    Of("pictures in the order of their masks", (
        ("arrays = (x, masks)",
         "order = np.argsort(masks.argmax(2).max((1, 2)))\narrays = (x[order], masks[order])"),
        ("shuffle=True", "shuffle=False"),
        ), ("data",), r"order", base=SEGMENTER),
    Of("norms as in an evaluation", (("net.set_train()", "net.set_train(False)"),),
        ("unchanged-weights",), r"down|joined", base=SEGMENTER),
)  # fmt: skip

HEALTHY = (
    Of("words with padding", (), base=TRANSFORMER),
    Of("warm-up, decay and dropout", (
        (ADAM, "nn.AdamWeightDecay(net.trainable_params(), "
               "[0.004 * min(k + 1, 8) / 8 for k in range(60)], weight_decay=0.01)"),
        ("self.act, self.down = nn.Dense(16, 32), nn.GELU(), nn.Dense(32, 16)",
         "self.act, self.down = nn.Dense(16, 32), nn.GELU(), nn.Dense(32, 16)\n"
         "        self.drop = nn.Dropout(p=0.1)"),
        ("return x + self.down(", "return x + self.drop("),
        ("self.act(self.up(self.norm2(x))))", "self.down(self.act(self.up(self.norm2(x)))))"),
        ), base=TRANSFORMER),
    Of("an autoencoder", (), base=AUTOENCODER),
    Of("a variational one", (
        (CODE, "h = self.encoder(x)\n"
               "        z = self.code(h) + ops.randn(x.shape[0], 8) * ops.exp(self.spread(h) / 2)"),
        ("self.bend = nn.ReLU()", "self.spread = nn.Dense(32, 8)"),
        ("return ops.binary_cross_entropy_with_logits(",
         "h = net.encoder(x)\n    m, s = net.code(h), net.spread(h)\n"
         "    far = -0.5 * (1 + s - m**2 - ops.exp(s)).mean()\n"
         "    return 0.01 * far + ops.binary_cross_entropy_with_logits("),
        ), base=AUTOENCODER),
    Of("a siamese network", (), base=SIAMESE),
    Of("a tagger of words", (), base=TAGGER),
    Of("a tagger both ways, clipped", (
        ("nn.GRU(12, 24, batch_first=True)",
         "nn.GRU(12, 24, batch_first=True, bidirectional=True)"),
        ("nn.Dense(24, 4)", "nn.Dense(48, 4)"),
        ("optimizer(gradients)", "optimizer(ops.clip_by_global_norm(gradients, 1.0))"),
        ), base=TAGGER),
    Of("a U-Net", (), base=SEGMENTER, steps=25),
    Of("a U-Net with both losses", (
        ("return binary(net(x), masks)",
         "y = net(x)\n    p = ops.sigmoid(y)\n"
         "    overlap = 2 * (p * masks).sum() / (p.sum() + masks.sum() + 1e-6)\n"
         "    return binary(y, masks) + 1 - overlap"),
        (ADAM, "nn.Momentum(net.trainable_params(), 0.02, 0.9)"),
        ), base=SEGMENTER, steps=25),
    Of("words and their neighbours", (), base=WORDS, steps=200),
)  # fmt: skip
