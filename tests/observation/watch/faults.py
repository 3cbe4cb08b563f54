"""Twenty training faults and ten healthy runs, written before `msconvert watch` saw any of them.

Each is the script below with parts of it replaced. A fault says which condition must be named, and
a pattern that its place (layer path, parameter or line) must match.

Changed after the first run, as none of these came to a first step: the layer behind half precision
gets float32 (graph mode refuses to mix them), and loss scales that drop steps have the cell that a
CPU has for it, and half precision. The LSTM did not learn in 40 steps, and so was no healthy run:
it got Adam. Rows are shuffled by a seed now, by one iterator for all epochs. docs/tuning.md has the
figures of the first run and of the last.
"""

from __future__ import annotations

from dataclasses import dataclass

SCRIPT = """
import sys

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore import dataset as ds
from mindspore.common.initializer import initializer
from mindspore.train import DynamicLossScaleManager, FixedLossScaleManager, Model

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(1)
ds.config.set_seed(1)
random = np.random.default_rng(0)
x = random.normal(size=(256, 20)).astype(np.float32)
y = (x @ random.normal(size=(20, 4))).argmax(1).astype(np.int32)
#DATA


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(20, 32)
        self.relu1 = nn.ReLU()
        self.fc2 = nn.Dense(32, 32)
        self.relu2 = nn.ReLU()
        self.fc3 = nn.Dense(32, 4)
        #INIT

    def construct(self, x):
        x = self.relu1(self.fc1(x))
        x = self.relu2(self.fc2(x))
        return self.fc3(x)


net = Net()
#NETWORK
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
weights = net.trainable_params()
optimizer = nn.Momentum(weights, 0.05, 0.9)
rows = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
#TRAIN
"""

MODEL = "Model(net, loss_fn, optimizer).train(5, rows)"

LOOP = """

def forward(x, y):
    return loss_fn(net(x), y)


step = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
iterator = rows.create_tuple_iterator(num_epochs=5)
for epoch in range(5):
    for x, y in iterator:
        loss, gradients = step(x, y)
        optimizer(gradients)
"""

BODY = """        x = self.relu1(self.fc1(x))
        x = self.relu2(self.fc2(x))
        return self.fc3(x)
"""


@dataclass(frozen=True)
class Run:
    """A script, and what is to be named of it: one of the conditions, at a place; or nothing."""

    name: str
    changes: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...] = ()
    place: str = ""
    loop: bool = False
    steps: int = 40
    """Those that it comes to."""

    @property
    def script(self) -> str:
        text = SCRIPT
        for old, new in self.changes:
            assert old in text, f"{self.name}: {old}"
            text = text.replace(old, new)
        return text.replace("#TRAIN", LOOP if self.loop else MODEL)


def body(text: str) -> tuple[str, str]:
    """Another `construct`."""
    return BODY, "".join(f"        {line}\n" for line in text.strip().splitlines())


FAULTS = (
    Run("rate 100 times too high", (("weights, 0.05", "weights, 5.0"),),
        ("exploding", "nan", "overflow"), r"fc\d"),
    Run("log of 0", (
        ('loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")',
         "class Likelihood(nn.Cell):\n"
         "    def construct(self, logits, y):\n"
         "        p = ops.relu(logits)\n"
         "        p = p / (p.sum(1, keepdims=True) + 1e-6)\n"
         "        return -(ops.log(p) * ops.one_hot(y, 4)).sum(1).mean()  # here\n"
         "\n\nloss_fn = Likelihood()"),),
        ("overflow", "nan"), r"# here|ops\.log"),
    Run("fp16 overflow", (
        ("#INIT", "self.fc2.to_float(ms.float16)"),
        ("x = self.relu1(self.fc1(x))", "x = self.relu1(self.fc1(x)) * 200000.0"),
            ("return self.fc3(x)", "return self.fc3(ops.cast(x, ms.float32))"),
        ), ("overflow", "nan"), r"fc2", loop=True),
    Run("detached branch", (
        ("x = self.relu1(self.fc1(x))", "x = ops.stop_gradient(self.relu1(self.fc1(x)))"),
        ), ("zero-gradients", "unchanged-weights"), r"fc1"),
    Run("frozen layer", (
        ("weights = net.trainable_params()",
         "weights = [p for p in net.trainable_params() if 'fc2' not in p.name]"),
        ), ("unchanged-weights",), r"fc2", loop=True),
    Run("dead ReLUs", (
        ("#INIT", "self.fc1.bias.set_data(Tensor(np.full(32, -100, np.float32)))"),
        ), ("dead-activations",), r"relu1"),
    Run("label off by one", (("#DATA", "y = y + 1"),), ("data",), r"loss"),
    Run("wrong normalisation", (("#DATA", "x = x * 64 + 128"),), ("data",), r"input"),
    Run("data order fixed", (
        ("#DATA", "order = np.argsort(y)\nx, y = x[order], y[order]"),
        ("shuffle=True", "shuffle=False"),
        ), ("data",), r"order"),
    Run("loss scale stuck", (
        ("#TRAIN", "scale = nn.FixedLossScaleUpdateCell(2 ** 26)\n"
                "both = nn.WithLossCell(ms.amp.auto_mixed_precision(net, 'O2'), loss_fn)\n"
                "step = nn.TrainOneStepWithLossScaleCell(both, optimizer, scale)\n"
                "Model(step).train(5, rows)"),
        ), ("overflow", "unchanged-weights"), r"fc\d|Loss|loss|scale"),
    Run("all weights zero", (
        ("#NETWORK", "for p in net.get_parameters():\n"
         "    p.set_data(initializer('zeros', p.shape, p.dtype))"),
        ), ("zero-gradients", "unchanged-weights", "dead-activations"), r"fc1|fc2|relu1",
        loop=True),
    Run("root of 0", (
        body("x = self.relu1(self.fc1(x))\n"
             "size = ops.sqrt(((x - x) ** 2).sum(1, keepdims=True))  # here\n"
             "x = self.relu2(self.fc2(x)) + size\n"
             "return self.fc3(x)"),
        ), ("nan", "overflow"), r"# here|ops\.sqrt"),
    Run("division by a spread of 0", (
        ("#DATA", "x[:, 3] = 1.0"),
        ("x = self.relu1(self.fc1(x))",
         "x = (x - x.mean(0)) / ops.sqrt(((x - x.mean(0)) ** 2).mean(0))  # here\n"
         "        x = self.relu1(self.fc1(x))"),
        ), ("nan", "overflow"), r"# here", True),
    Run("saturated sigmoid", (
        ("self.relu1 = nn.ReLU()", "self.relu1 = nn.Sigmoid()"),
        ("#INIT", "self.fc1.weight.set_data(self.fc1.weight * 5000)"),
        ), ("dead-activations",), r"relu1"),
    Run("NaN in the data", (("#DATA", "x[100, 3] = np.nan"),), ("nan",), r"input", loop=True),
    Run("rate of 0", (("weights, 0.05", "weights, 0.0"),), ("unchanged-weights",), r"fc\d"),
    Run("labels of other rows", (
        ("#DATA", "y = random.permutation(y)"), ("weights, 0.05", "weights, 0.002"),
        ), ("loss-stuck",), r"loss"),
    Run("exp without a maximum", (
        body("x = self.relu1(self.fc1(x))\n"
             "x = self.relu2(self.fc2(x))\n"
             "e = ops.exp(self.fc3(x) * 400.0)  # here\n"
             "return e / e.sum(1, keepdims=True)"),
        ), ("overflow", "nan"), r"# here", loop=True),
    Run("the loss is maximised", (
        ('loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")',
         "class Wrong(nn.Cell):\n"
         "    def __init__(self):\n"
         "        super().__init__()\n"
         '        self.inner = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")\n'
         "\n"
         "    def construct(self, logits, y):\n"
         "        return 10.0 / (self.inner(logits, y) + 1.0)\n"
         "\n\nloss_fn = Wrong()"),
        ), ("exploding", "loss-stuck", "overflow", "nan"), r"fc\d|loss"),
    Run("rounding in the middle", (
        ("x = self.relu1(self.fc1(x))", "x = ops.round(self.relu1(self.fc1(x)))"),
        ), ("zero-gradients", "unchanged-weights"), r"fc1"),
)  # fmt: skip

CONVOLUTIONS = body(
    "x = self.relu1(self.norm(self.conv(x.reshape(-1, 1, 4, 5))))\n"
    "x = self.relu2(self.fc2(x.reshape(-1, 8 * 20)))\n"
    "return self.fc3(x)"
)

HEALTHY = (
    Run("momentum", ()),
    Run("adam", (("nn.Momentum(weights, 0.05, 0.9)", "nn.Adam(weights, 0.003)"),), loop=True),
    Run("convolution and batch norm", (
        ("#INIT", "self.conv = nn.Conv2d(1, 8, 3)\n        self.norm = nn.BatchNorm2d(8)"),
        ("self.fc2 = nn.Dense(32, 32)", "self.fc2 = nn.Dense(160, 32)"),
        ("        self.fc1 = nn.Dense(20, 32)\n", ""), CONVOLUTIONS,
        )),
    Run("dropout", (
        ("#INIT", "self.dropout = nn.Dropout(p=0.3)"),
        ("x = self.relu1(self.fc1(x))", "x = self.dropout(self.relu1(self.fc1(x)))"),
        ("nn.Momentum(weights, 0.05, 0.9)", "nn.AdamWeightDecay(weights, 0.003)"),
        )),
    Run("half precision, dynamic scale", (
        ("#TRAIN", "half = nn.WithLossCell(ms.amp.auto_mixed_precision(net, 'O2'), loss_fn)\n"
         "scale = nn.DynamicLossScaleUpdateCell(2 ** 24, 2, 100)\n"
         "step = nn.TrainOneStepWithLossScaleCell(half, optimizer, scale)\n"
         "Model(step).train(5, rows)"),
        )),
    Run("frozen backbone", (
        ("#NETWORK", "for p in net.fc1.get_parameters():\n    p.requires_grad = False"),
        )),
    Run("embedding of rare words", (
        ("#INIT", "self.words = nn.Embedding(5000, 20)"),
        ("x = self.relu1(self.fc1(x))",
         "x = self.words(x.astype(ms.int32)).mean(1)\n        x = self.relu1(self.fc1(x))"),
        ("#DATA", "x = random.integers(0, 60, (256, 20))\ny = (x < 10).any(1).astype(np.int32)"),
        ("nn.Momentum(weights, 0.05, 0.9)", "nn.Adam(weights, 0.01)"),
        ), loop=True),
    Run("LSTM", (
        ("#INIT", "self.lstm = nn.LSTM(4, 32, batch_first=True)"),
        ("nn.Momentum(weights, 0.05, 0.9)", "nn.Adam(weights, 0.01)"),
        ("        self.fc1 = nn.Dense(20, 32)\n", ""),
        ("x = self.relu1(self.fc1(x))", "x = self.lstm(x.reshape(-1, 5, 4))[0][:, -1]"),
        ("        self.relu1 = nn.ReLU()\n", ""),
        )),
    Run("warm-up and decay", (
        ("nn.Momentum(weights, 0.05, 0.9)",
         "nn.SGD(weights, [0.02 * min(k, 10) / (1 + k / 40) for k in range(60)], "
         "weight_decay=1e-4)"),
        ), loop=True),
    Run("masked attention", (
        ("#INIT", "self.query, self.key = nn.Dense(4, 4), nn.Dense(4, 4)"),
        ("x = self.relu1(self.fc1(x))",
         "t = x.reshape(-1, 5, 4)\n"
         "        scores = ops.matmul(self.query(t), self.key(t).swapaxes(1, 2))\n"
         "        mask = Tensor(np.triu(np.full((5, 5), -np.inf, np.float32), 1))\n"
         "        t = ops.matmul(ops.softmax(scores + mask, -1), t)\n"
         "        x = self.relu1(self.fc1(t.reshape(-1, 20)))"),
        )),
)  # fmt: skip
