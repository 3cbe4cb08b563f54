from msconvert.runtime import nn


class Unit(nn.Cell):
    """The shortcut is made, and computed, first."""

    def __init__(self, i, o, stride):
        super().__init__()
        self.shortcut = None
        if stride > 1 or i != o:
            self.shortcut = nn.SequentialCell(
                nn.Conv2d(i, o, 1, stride, pad_mode="valid"), nn.BatchNorm2d(o)
            )
        self.branch = nn.SequentialCell(
            nn.Conv2d(i, o, 3, stride, pad_mode="pad", padding=1),
            nn.BatchNorm2d(o),
            nn.ReLU(),
            nn.Conv2d(o, o, 3, 1, pad_mode="pad", padding=1),
            nn.BatchNorm2d(o),
        )
        self.relu = nn.ReLU()

    def construct(self, x):
        short = x if self.shortcut is None else self.shortcut(x)
        return self.relu(self.branch(x) + short)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.SequentialCell(
            nn.Conv2d(3, 8, 3, 1, pad_mode="pad", padding=1), nn.BatchNorm2d(8), nn.ReLU()
        )
        units = [Unit(8, 8, 1), Unit(8, 8, 1), Unit(8, 16, 2), Unit(16, 16, 1)]
        self.units = nn.CellList(units)
        self.output = nn.Dense(16, 4)

    def construct(self, x):
        x = self.stem(x)
        for unit in self.units:
            x = unit(x)
        return self.output(x.mean((2, 3)))


def build():
    return Net()
