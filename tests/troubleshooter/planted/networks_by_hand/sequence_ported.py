"""The same for MindSpore."""

import math

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops


def positions(length, width):
    place = np.arange(length)[:, None]
    rates = np.exp(np.arange(0, width, 2) * (-math.log(10000.0) / width))
    table = np.zeros((length, width), np.float32)
    table[:, 0::2] = np.sin(place * rates)
    table[:, 1::2] = np.cos(place * rates)
    return Tensor(table)


class Cell(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.inner = mint.nn.Linear(width, 3 * width)
        self.outer = mint.nn.Linear(width, 3 * width)

    def construct(self, x, h):
        ri, zi, ni = ops.split(self.inner(x), 8, axis=-1)
        rh, zh, nh = ops.split(self.outer(h), 8, axis=-1)
        reset = ops.sigmoid(ri + rh)
        update = ops.sigmoid(zi + zh)
        new = ops.tanh(ni + reset * nh)
        return new + update * (h - new)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = mint.nn.Embedding(20, 8)
        self.forward_cell = Cell(8)
        self.backward_cell = Cell(8)
        self.tags = mint.nn.Linear(16, 4)
        self.transitions = Parameter(ops.zeros((4, 4)), name="transitions")
        self.head = mint.nn.Linear(32, 3)

    def run(self, cell, x):
        h = ops.zeros((x.shape[0], x.shape[2]))
        states = []
        for t in range(x.shape[1]):
            h = cell(x[:, t], h)
            states.append(h)
        return ops.stack(states, axis=1)

    def partition(self, scores):
        alpha = scores[:, 0]
        for t in range(1, scores.shape[1]):
            paths = alpha.expand_dims(2) + self.transitions + scores[:, t].expand_dims(1)
            alpha = ops.logsumexp(paths, 1)
        return ops.logsumexp(alpha, -1)

    def construct(self, tokens, lengths):
        x = self.words(tokens) * math.sqrt(8) + positions(tokens.shape[1], 8)
        ahead = self.run(self.forward_cell, x)
        back = ops.flip(self.run(self.backward_cell, ops.flip(x, (1,))), (1,))
        h = ops.cat((ahead, back), axis=-1)
        present = (ops.arange(h.shape[1]).expand_dims(0) < lengths.expand_dims(1)).astype(
            ms.float32
        )
        mean = (h * present.expand_dims(-1)).sum(1) / lengths.expand_dims(1)
        last = h[ops.arange(h.shape[0]), lengths - 1]
        gate = ops.cumsum(present, 1) / present.shape[1]
        scores = self.tags(h) * gate.expand_dims(-1)
        return self.head(ops.cat((mean, last), axis=-1)), self.partition(scores)


def build():
    return Net()
