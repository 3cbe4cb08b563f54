"""../net.py for MindSpore, by hand, with two faults: docs/troubleshooting.md finds them."""

from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm1 = nn.BatchNorm2d(8, momentum=0.1)
        self.conv2 = nn.Conv2d(8, 16, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm2 = nn.BatchNorm2d(16, momentum=0.1)
        self.conv3 = nn.Conv2d(16, 16, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm3 = nn.BatchNorm2d(16, momentum=0.1)
        self.act = nn.LeakyReLU()
        self.pool = nn.MaxPool2d(2, stride=2)
        self.head = nn.Dense(16 * 4 * 4, 10)

    def construct(self, x):
        x = self.pool(self.act(self.norm1(self.conv1(x))))
        x = self.pool(self.act(self.norm2(self.conv2(x))))
        x = self.act(self.norm3(self.conv3(x)))
        return self.head(x.flatten(start_dim=1))
