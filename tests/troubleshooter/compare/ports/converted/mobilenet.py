from msconvert.runtime import nn


class MBConv(nn.Cell):
    def __init__(self, i, o, stride, wide):
        super().__init__()
        self.residual = stride == 1 and i == o
        self.depthwise = nn.Conv2d(wide, wide, 3, stride, pad_mode="pad", padding=1, group=wide)
        self.expand = nn.Conv2d(i, wide, 1)
        self.project = nn.Conv2d(wide, o, 1)
        self.expand_bn = nn.BatchNorm2d(wide)
        self.depthwise_bn = nn.BatchNorm2d(wide)
        self.project_bn = nn.BatchNorm2d(o)
        self.act = nn.ReLU6()

    def construct(self, x):
        y = self.act(self.expand_bn(self.expand(x)))
        y = self.act(self.depthwise_bn(self.depthwise(y)))
        y = self.project_bn(self.project(y))
        return x + y if self.residual else y


class MobileNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv_stem = nn.Conv2d(3, 8, 3, 1, pad_mode="pad", padding=1)
        self.bn_stem = nn.BatchNorm2d(8)
        self.act = nn.ReLU6()
        self.block1 = MBConv(8, 8, 1, 16)
        self.block2 = MBConv(8, 8, 1, 16)
        self.block3 = MBConv(8, 12, 2, 16)
        self.dropout = nn.Dropout(p=0.2)
        self.logits = nn.Dense(12, 4)

    def construct(self, x):
        x = self.act(self.bn_stem(self.conv_stem(x)))
        x = self.block3(self.block2(self.block1(x)))
        return self.logits(self.dropout(x.mean((2, 3))))


def build():
    return MobileNet()
