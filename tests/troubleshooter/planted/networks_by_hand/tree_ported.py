"""The same for MindSpore."""

import mindspore as ms
from mindspore import nn, ops


def cell_step(cell, x, h, c):
    gates = cell.x(x) + cell.h(h)
    n = cell.state
    i, f = ops.sigmoid(gates[:, :n]), ops.sigmoid(gates[:, n : 2 * n])
    g, o = ops.tanh(gates[:, 2 * n : 3 * n]), ops.sigmoid(gates[:, 3 * n :])
    c = f * c + i * g
    return o * ops.tanh(c), c


class Cell(nn.Cell):
    def __init__(self, width, state):
        super().__init__()
        self.state = state
        self.x = nn.Dense(width, 4 * state)
        self.h = nn.Dense(state, 4 * state)

    def construct(self, x, real):
        h = ops.zeros((x.shape[0], self.state), ms.float32)
        c = ops.zeros((x.shape[0], self.state), ms.float32)
        found = []
        for t in range(x.shape[1]):
            new, memory = cell_step(self, x[:, t], h, c)
            now = real[:, t].expand_dims(1)
            h = now * new + (1 - now) * h
            c = now * memory + (1 - now) * c
            found.append(h)
        return ops.stack(found, axis=1), h


class Tree(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.join = nn.Dense(2 * width, width)
        self.leaf = nn.Dense(width, width)

    def node(self, x, low, high):
        if high - low == 1:
            return ops.tanh(self.leaf(x[:, low]))
        middle = (low + high) // 2
        left, right = self.node(x, low, middle), self.node(x, middle, high)
        both = self.join(ops.cat((left, right), axis=-1))
        return ops.relu(both) + (left + right) / 2

    def construct(self, x):
        return self.node(x, 0, x.shape[1])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(15, 8)
        self.gru = nn.GRU(8, 6, num_layers=2, batch_first=True, bidirectional=True)
        self.cell = Cell(12, 6)
        self.tree = Tree(6)
        self.score = nn.Dense(6, 1)
        self.head = nn.Dense(30, 3)

    def construct(self, words, lengths):
        real = (ops.arange(words.shape[1]).expand_dims(0) < lengths.expand_dims(1)).astype(
            ms.float32
        )
        x = self.words(words) * real.expand_dims(-1)
        y, h = self.gru(x)
        last = ops.cat((h[-2], h[-1]), axis=-1)
        states, end = self.cell(y, real)
        scores = self.score(states).squeeze(-1) - (1 - real) * 1e9
        pooled = (ops.softmax(scores, 1).expand_dims(-1) * states).sum(1)
        held = states[:, 0]
        memory = held
        for t in range(1, states.shape[1]):
            held = 0.9 * held + 0.1 * states[:, t]
            memory = memory + held
        memory = memory / states.shape[1]
        whole = ops.cat((last, pooled + end, self.tree(states), memory), axis=-1)
        return ops.log_softmax(self.head(whole), -1), ops.argmax(scores, dim=1)


def build():
    return Net()
