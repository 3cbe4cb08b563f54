from msconvert.runtime import nn


class ConvNormAct(nn.Cell):
    def __init__(self, i, o, has_bias):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 3, pad_mode="pad", padding=1, has_bias=has_bias)
        self.norm = nn.BatchNorm2d(o)
        self.act = nn.ReLU()

    def construct(self, x):
        return self.act(self.norm(self.conv(x)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.head = nn.SequentialCell(nn.Dense(16, 12), nn.Tanh(), nn.Dense(12, 5))
        self.stem = ConvNormAct(3, 8, True)
        self.stage1 = ConvNormAct(8, 8, True)
        self.pool = nn.MaxPool2d(2, 2)
        self.stage2 = ConvNormAct(8, 16, False)

    def construct(self, x):
        x = self.stage2(self.pool(self.stage1(self.stem(x))))
        return self.head(x.mean((2, 3)))


def build():
    return Net()
