from mindspore import nn, ops


class Images(nn.Cell):
    def __init__(self, outputs=5):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.bn2 = nn.BatchNorm2d(8)
        self.head = nn.Dense(8, outputs)

    def construct(self, x):
        x = ops.relu(self.bn1(self.conv1(x)))
        x = ops.relu(self.bn2(self.conv2(x)))
        return self.head(x.mean((2, 3)))


class Rows(nn.Cell):
    def __init__(self, outputs=4):
        super().__init__()
        self.embed = nn.Dense(6, 16)
        self.norm = nn.LayerNorm((16,), epsilon=1e-5)
        self.hidden = nn.Dense(16, 16)
        self.head = nn.Dense(16, outputs)

    def construct(self, x):
        x = ops.tanh(self.norm(self.embed(x)))
        return self.head(x + ops.tanh(self.hidden(x)))
