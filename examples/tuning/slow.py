"""A training that is slow: in PyNative mode, with rows that are made one by one."""

import sys

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
ms.set_seed(1)


def rows():
    random = np.random.default_rng(0)
    for number in range(640):
        noise = sum(random.normal(size=(3, 16, 16)) for _ in range(20))
        yield noise.astype(np.float32), np.int32(number % 10)


net = nn.SequentialCell(
    nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dense(2048, 10)
)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
data = ds.GeneratorDataset(rows, ["x", "y"], shuffle=False).batch(16)
Model(net, loss, optimizer).train(1, data)
