"""A classifier that does not converge; with `fixed`, the one that does."""

import sys

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn
from mindspore.train import Model, SummaryCollector

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)
ds.config.set_seed(1)
fixed = "fixed" in sys.argv
name = "fixed" if fixed else "stuck"

random = np.random.default_rng(0)
x = random.normal(128, 64, size=(512, 20)).astype(np.float32)
y = ((x - 128) @ random.normal(size=(20, 4))).argmax(1).astype(np.int32)
if fixed:
    x = (x - x.mean(0)) / x.std(0)


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(20, 64)
        self.relu = nn.ReLU()
        self.logits = nn.Dense(64, 4)

    def construct(self, x):
        return self.logits(self.relu(self.hidden(x)))


net = Classifier()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.05 if fixed else 5.0, 0.9)
model = Model(net, loss, optimizer, metrics={"accuracy"})
rows = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
collector = SummaryCollector(f"summaries/{name}", collect_freq=1)
model.fit(4, rows, rows, callbacks=[collector])
