import msconvert.runtime as ms
from msconvert.runtime import nn, ops


class Block(nn.Cell):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(
            inputs, outputs, 3, stride, pad_mode="pad", padding=1, has_bias=False
        )
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, pad_mode="pad", padding=1, has_bias=False)
        self.bn2 = nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.7)
        self.shortcut = nn.SequentialCell()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.SequentialCell(
                nn.Conv2d(inputs, outputs, 1, stride, pad_mode="valid", has_bias=False),
                nn.BatchNorm2d(outputs),
            )

    def construct(self, x):
        y = ops.relu(self.bn1(self.conv1(x)))
        return ops.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class Net(nn.Cell):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.layer1 = Block(8, 8)
        self.layer2 = Block(8, 16, 2)
        self.pool = nn.MaxPool2d(2, 2)
        self.drop = nn.Dropout(p=0.3)
        self.fc = nn.Dense(16, classes)

    def construct(self, x):
        x = self.pool(self.layer2(self.layer1(self.stem(x))))
        return self.fc(self.drop(x.mean((2, 3))))


def build():
    return Net()
