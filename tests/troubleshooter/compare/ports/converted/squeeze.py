from msconvert.runtime import nn, ops


class SqueezeExcite(nn.Cell):
    """Its convolutions of one pixel are linear layers."""

    def __init__(self, c):
        super().__init__()
        self.reduce = nn.Dense(c, c // 2)
        self.expand = nn.Dense(c // 2, c)

    def construct(self, x):
        s = ops.sigmoid(self.expand(ops.relu(self.reduce(x.mean((2, 3))))))
        return x * s[:, :, None, None]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv_stem = nn.SequentialCell(
            nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1), nn.BatchNorm2d(8), nn.HSwish()
        )
        self.attention1 = SqueezeExcite(8)
        self.body = nn.SequentialCell(
            nn.Conv2d(8, 8, 3, pad_mode="pad", padding=1),
            nn.BatchNorm2d(8),
            nn.PReLU(8),
            SqueezeExcite(8),
        )
        self.last = nn.Dense(8, 4)

    def construct(self, x):
        x = self.attention1(self.conv_stem(x))
        x = x + self.body(x)
        return self.last(x.mean((2, 3)))


def build():
    return Net()
