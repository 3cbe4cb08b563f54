"""DenseNet and Inception blocks as model zoos write them: concatenations, several branches."""

from collections import OrderedDict

from mindspore import Tensor, nn, ops

SHAPE = (2, 3, 32, 32)


class _DenseLayer(nn.Cell):
    def __init__(self, num_input_features, growth_rate, bn_size, drop_rate=0.0):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(num_input_features)
        self.relu1 = nn.ReLU()
        self.conv1 = nn.Conv2d(num_input_features, bn_size * growth_rate, kernel_size=1, stride=1)
        self.norm2 = nn.BatchNorm2d(bn_size * growth_rate)
        self.relu2 = nn.ReLU()
        self.conv2 = nn.Conv2d(
            bn_size * growth_rate, growth_rate, kernel_size=3, stride=1, pad_mode="pad", padding=1
        )
        self.drop_rate = drop_rate
        self.dropout = nn.Dropout(p=self.drop_rate)

    def construct(self, features: Tensor) -> Tensor:
        bottleneck = self.conv1(self.relu1(self.norm1(features)))
        new_features = self.conv2(self.relu2(self.norm2(bottleneck)))
        if self.drop_rate > 0.0:
            new_features = self.dropout(new_features)
        return new_features


class _DenseBlock(nn.Cell):
    def __init__(self, num_layers, num_input_features, bn_size, growth_rate):
        super().__init__()
        self.cell_list = nn.CellList()
        for i in range(num_layers):
            self.cell_list.append(
                _DenseLayer(num_input_features + i * growth_rate, growth_rate, bn_size)
            )

    def construct(self, init_features: Tensor) -> Tensor:
        features = init_features
        for layer in self.cell_list:
            features = ops.concat((features, layer(features)), axis=1)
        return features


class _Transition(nn.Cell):
    def __init__(self, num_input_features, num_output_features):
        super().__init__()
        self.features = nn.SequentialCell(
            OrderedDict(
                [
                    ("norm", nn.BatchNorm2d(num_input_features)),
                    ("relu", nn.ReLU()),
                    (
                        "conv",
                        nn.Conv2d(num_input_features, num_output_features, kernel_size=1, stride=1),
                    ),
                    ("pool", nn.AvgPool2d(kernel_size=2, stride=2)),
                ]
            )
        )

    def construct(self, x: Tensor) -> Tensor:
        return self.features(x)


class BasicConv2d(nn.Cell):
    def __init__(
        self, in_channels, out_channels, kernel_size=1, stride=1, padding=0, pad_mode="same"
    ):
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, out_channels, kernel_size, stride, padding=padding, pad_mode=pad_mode
        )
        self.bn = nn.BatchNorm2d(out_channels, eps=0.001)
        self.relu = nn.ReLU()

    def construct(self, x: Tensor) -> Tensor:
        return self.relu(self.bn(self.conv(x)))


class InceptionA(nn.Cell):
    def __init__(self, in_channels, pool_features):
        super().__init__()
        self.branch0 = BasicConv2d(in_channels, 8, kernel_size=1)
        self.branch1 = nn.SequentialCell(
            [BasicConv2d(in_channels, 6, kernel_size=1), BasicConv2d(6, 8, kernel_size=5)]
        )
        self.branch_pool = nn.SequentialCell(
            nn.AvgPool2d(kernel_size=3, pad_mode="same"),
            BasicConv2d(in_channels, pool_features, kernel_size=(1, 3)),
        )

    def construct(self, x: Tensor) -> Tensor:
        return ops.concat((self.branch0(x), self.branch1(x), self.branch_pool(x)), axis=1)


class DenseNet(nn.Cell):
    def __init__(self, growth_rate=4, num_classes=6):
        super().__init__()
        layers = OrderedDict()
        layers["conv0"] = nn.Conv2d(3, 8, kernel_size=7, stride=2, pad_mode="pad", padding=3)
        layers["norm0"] = nn.BatchNorm2d(8)
        layers["relu0"] = nn.ReLU()
        layers["pool0"] = nn.SequentialCell(
            [
                nn.Pad(paddings=((0, 0), (0, 0), (1, 1), (1, 1)), mode="CONSTANT"),
                nn.MaxPool2d(kernel_size=3, stride=2),
            ]
        )
        layers["denseblock1"] = _DenseBlock(3, 8, 2, growth_rate)
        layers["transition1"] = _Transition(20, 10)
        layers["inception"] = InceptionA(10, 4)
        self.features = nn.SequentialCell(layers)
        self.dropout = nn.Dropout(keep_prob=0.9)
        self.classifier = nn.Dense(20, num_classes)

    def construct(self, x: Tensor) -> Tensor:
        x = ops.adaptive_avg_pool2d(self.features(x), 1)
        return self.classifier(self.dropout(ops.flatten(x)))


def network() -> nn.Cell:
    return DenseNet()
