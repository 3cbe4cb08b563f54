"""Calls a network, or trains it for two steps, to be dumped: MODE WHAT."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops


class Block(nn.Cell):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 1, has_bias=True)
        self.bn = nn.BatchNorm2d(c)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.bn(self.conv(x))) + x


class Attention(nn.Cell):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Dense(d, d)
        self.k = nn.Dense(d, d)
        self.v = nn.Dense(d, d)
        self.proj = nn.Dense(d, d)

    def construct(self, x):
        scores = ops.matmul(self.q(x), self.k(x).swapaxes(-1, -2)) * 0.5
        return self.proj(ops.matmul(ops.softmax(scores, -1), self.v(x)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(7, 8)
        self.blocks = nn.CellList([Block(3) for _ in range(2)])
        self.stem = nn.SequentialCell(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3))
        self.flat = nn.Flatten()
        self.fc = nn.Dense(48, 8)
        self.att = Attention(8)
        self.norm = nn.LayerNorm([8])
        self.drop = nn.Dropout(p=0.1)

    def construct(self, x, ids):
        y = self.stem(x)
        for block in self.blocks:
            y = block(y)
        y = self.fc(self.flat(y))
        z = self.att(self.emb(ids)) + ops.expand_dims(y, 1)
        return self.drop(self.norm(z)).mean(1)


def loss(x, ids):
    return (net(x, ids) ** 2).mean()


mode, what = sys.argv[1:]
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
rng = np.random.default_rng(0)
net = Net()
for parameter in net.get_parameters():
    values = rng.normal(size=parameter.shape) * 0.5
    if "variance" in parameter.name:
        values = np.abs(values) + 0.1
    parameter.set_data(ms.Tensor(values, ms.float32))
x = ms.Tensor(rng.normal(size=(2, 3, 4, 4)), ms.float32)
ids = ms.Tensor(rng.integers(0, 7, (2, 5)), ms.int32)
net.set_train(what == "train")
if what == "train":
    optimizer = nn.Adam(net.trainable_params())
    step = ms.value_and_grad(loss, None, optimizer.parameters)
    for _ in range(2):
        optimizer(step(x, ids)[1])
else:
    net(x, ids)
