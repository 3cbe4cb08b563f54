"""A scale without axes, and a norm whose weights MindSpore holds as ones and zeros."""

from msconvert.runtime import Parameter, Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(6, 8)
        self.plain = nn.BatchNorm1d(8, affine=False)
        self.factor = Parameter(Tensor(0.0), name="factor")
        self.second = nn.Dense(8, 8)
        self.third = nn.Dense(8, 3)

    def construct(self, x):
        x = self.factor * ops.tanh(self.plain(self.first(x)))
        return self.third(ops.relu(self.second(x)))


def build():
    return Net()
