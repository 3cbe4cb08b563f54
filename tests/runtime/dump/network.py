"""Trains or calls a small network; run by the runtime and by the real MindSpore: MODE WHAT."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(4, 3)
        self.body = nn.SequentialCell(nn.ReLU(), nn.Dense(3, 3), nn.Tanh())
        self.fc2 = nn.Dense(3, 2)

    def construct(self, x):
        return self.fc2(self.body(self.fc1(x)))


mode, what = sys.argv[1:]
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
rng = np.random.default_rng(0)
net = Net()
for parameter in net.get_parameters():
    parameter.set_data(ms.Tensor(rng.normal(size=parameter.shape), ms.float32))
if what == "marked":
    ms.set_dump(net.body)
if what == "half marked":
    ms.set_dump(net)
    ms.set_dump(net.body, False)
x = ms.Tensor(rng.normal(size=(2, 4)), ms.float32)
if what == "overflow":
    x = ms.Tensor(np.full((2, 4), np.inf), ms.float32)
if what == "train":
    loss = nn.MSELoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)
    for _ in range(4):
        sys.stdout.write(f"{step(x, ms.Tensor(np.zeros((2, 2)), ms.float32))}\n")
else:
    for _ in range(2):
        sys.stdout.write(f"{net(x)}\n")
