"""Twenty more training faults and ten more healthy runs, written before any of them was watched.

As those in `faults.py`, whose script they change. docs/tuning.md has the figures of the first run.

Changed after it: RMSProp did not learn at a rate of 0.003 in 40 steps, with MindSpore neither, as
its mean square begins at 1; so it was no healthy run. It got a rate of 0.03.
"""

from __future__ import annotations

from .faults import Run

LOSS = 'loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")'
FIRST = "x = self.relu1(self.fc1(x))"
SECOND = "x = self.relu2(self.fc2(x))"
MOMENTUM = "nn.Momentum(weights, 0.05, 0.9)"


def loss_of(code: str) -> tuple[str, str]:
    """A loss that makes something of the usual one, `inner`."""
    return LOSS, (
        "class Own(nn.Cell):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        '        self.inner = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")\n'
        "\n"
        "    def construct(self, logits, y):\n"
        f"        return {code}\n"
        "\n\nloss_fn = Own()"
    )


def looped(code: str) -> tuple[str, str]:
    """Another end of each turn of the loop: what is done with the gradients."""
    return "#TRAIN", LOOP_WITH.format(code=code)


LOOP_WITH = """

def forward(x, y):
    return loss_fn(net(x), y)


step = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
iterator = rows.create_tuple_iterator(num_epochs=5)
for epoch in range(5):
    for x, y in iterator:
        loss, gradients = step(x, y)
        {code}
"""

FAULTS = (
    Run("the sign of the loss", (loss_of("-self.inner(logits, y)"),),
        ("loss-stuck", "exploding", "nan", "overflow"), r"loss|fc\d"),
    Run("a layer replaced behind the optimizer", (
        ("#TRAIN", "net.fc3 = nn.Dense(32, 4)\n" + LOOP_WITH.format(code="optimizer(gradients)")),
        ), ("unchanged-weights", "zero-gradients"), r"fc3"),
    Run("through NumPy in the middle", (
        (FIRST, "x = self.relu1(Tensor(self.fc1(x).asnumpy()))"),
        ), ("zero-gradients", "unchanged-weights"), r"fc1", loop=True),
    Run("argmax in the middle", (
        (SECOND, "x = self.relu2(self.fc2(ops.one_hot(x.argmax(1), 32).astype(ms.float32)))"),
        ), ("zero-gradients", "unchanged-weights"), r"fc1"),
    Run("saturated tanh", (
        ("self.relu1 = nn.ReLU()", "self.relu1 = nn.Tanh()"),
        ("#INIT", "self.fc1.weight.set_data(self.fc1.weight * 5000)"),
        ), ("dead-activations",), r"relu1"),
    Run("one by nothing", (
        (SECOND, "x = self.relu2(self.fc2(x)) * (1.0 / (x.sum() * 0.0))  # here"),
        ), ("nan", "overflow"), r"# here"),
    Run("root of what is negative", (
        (SECOND, "x = self.relu2(self.fc2(x)) + ops.pow(self.fc2(x), 0.5)  # here"),
        ), ("nan", "overflow"), r"# here|ops\.pow"),
    Run("infinity in the data", (("#DATA", "x[40, 2] = np.inf"),), ("nan", "overflow"), r"input"),
    Run("inputs by the thousand", (("#DATA", "x = x * 10000"),), ("data",), r"input", loop=True),
    Run("labels from minus one on", (("#DATA", "y = y - 1"),), ("data",), r"loss"),
    Run("momentum above one", (("0.05, 0.9", "0.05, 1.5"),),
        ("exploding", "nan", "overflow"), r"fc\d"),
    Run("Adam at a rate of one", ((MOMENTUM, "nn.Adam(weights, 1.0)"),),
        ("exploding", "loss-stuck", "nan", "overflow"), r"fc\d|loss", loop=True),
    Run("a loss that counts nothing", (loss_of("self.inner(logits, y) * 0.0"),),
        ("zero-gradients", "unchanged-weights"), r"fc\d"),
    Run("gradients scaled to nothing", (looped("optimizer([g * 1e-12 for g in gradients])"),),
        ("unchanged-weights",), r"fc\d"),
    Run("weight decay of fifty", ((MOMENTUM, "nn.SGD(weights, 0.05, weight_decay=50.0)"),),
        ("exploding", "nan", "overflow"), r"fc\d"),
    Run("arcsine out of range", (
        (SECOND, "x = self.relu2(ops.asin(self.fc2(x) * 30.0))  # here"),
        ), ("nan", "overflow"), r"# here|ops\.asin", loop=True),
    Run("exp in half precision", (
        (SECOND, "e = ops.exp(ops.cast(self.fc2(x) * 60.0, ms.float16))  # here\n"
                 "        x = ops.cast(e, ms.float32)"),
        ), ("overflow", "nan"), r"# here"),
    Run("dropout of all", (
        ("#INIT", "self.dropout = nn.Dropout(p=0.9999)"),
        (FIRST, "x = self.dropout(self.relu1(self.fc1(x)))"),
        ), ("loss-stuck", "zero-gradients", "dead-activations"), r"loss|fc\d|relu|dropout"),
    Run("the optimizer is not called", (looped("continue"),), ("unchanged-weights",), r"fc\d"),
    Run("a rectified end", (
        ("return self.fc3(x)", "return ops.relu(self.fc3(x) - 100.0)  # here"),
        ), ("dead-activations", "zero-gradients", "unchanged-weights"), r"# here|fc3|Net"),
)  # fmt: skip

HEALTHY = (
    Run("rmsprop", ((MOMENTUM, "nn.RMSProp(weights, 0.03)"),), loop=True),
    Run("gelu and layer norm", (
        ("#INIT", "self.norm = nn.LayerNorm([32])"),
        ("self.relu1 = nn.ReLU()", "self.relu1 = nn.GELU()"),
        (FIRST, "x = self.norm(self.relu1(self.fc1(x)))"),
        )),
    Run("leaky, with a way around", (
        ("self.relu2 = nn.ReLU()", "self.relu2 = nn.LeakyReLU()"),
        (SECOND, "x = x + self.relu2(self.fc2(x))"),
        )),
    Run("nesterov and decay", (
        (MOMENTUM, "nn.Momentum(weights, 0.03, 0.9, weight_decay=1e-3, use_nesterov=False)"),
        ), loop=True),
    Run("GRU", (
        ("#INIT", "self.gru = nn.GRU(4, 32, batch_first=True)"),
        (MOMENTUM, "nn.Adam(weights, 0.01)"),
        ("        self.fc1 = nn.Dense(20, 32)\n", ""),
        (FIRST, "x = self.gru(x.reshape(-1, 5, 4))[0][:, -1]"),
        ("        self.relu1 = nn.ReLU()\n", ""),
        )),
    Run("clipped gradients", (looped("optimizer(ops.clip_by_global_norm(gradients, 1.0))"),)),
    Run("smoothed labels", ((LOSS, "loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)"),)),
    Run("gates", (
        ("#INIT", "self.gate = nn.Dense(32, 32)"),
        (SECOND, "x = self.relu2(self.fc2(x)) * ops.sigmoid(self.gate(x))"),
        (MOMENTUM, "nn.AdamWeightDecay(weights, 0.003)"),
        ), loop=True),
    Run("a layer of a transformer", (
        ("#INIT", "self.layer = nn.TransformerEncoderLayer(4, 2, 16, 0.0, batch_first=True)"),
        (FIRST, "x = self.relu1(self.fc1(self.layer(x.reshape(-1, 5, 4)).reshape(-1, 20)))"),
        (MOMENTUM, "nn.Adam(weights, 0.003)"),
        )),
    Run("half of the features are padding", (("#DATA", "x[:, 10:] = 0.0"),)),
)  # fmt: skip
