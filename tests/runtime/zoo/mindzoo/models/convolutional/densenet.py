"""DenseNet with features by name and lists of tensors."""

from collections import OrderedDict

from mindspore import nn, ops

from ..registry import register_model


class _DenseLayer(nn.Cell):
    def __init__(self, num_input_features, growth_rate, bn_size, drop_rate=0.0):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(num_input_features)
        self.relu1 = nn.ReLU()
        self.conv1 = nn.Conv2d(num_input_features, bn_size * growth_rate, kernel_size=1, stride=1)
        self.norm2 = nn.BatchNorm2d(bn_size * growth_rate)
        self.relu2 = nn.ReLU()
        self.conv2 = nn.Conv2d(bn_size * growth_rate, growth_rate, kernel_size=3, stride=1, pad_mode="pad", padding=1)
        self.drop_rate = drop_rate
        self.dropout = nn.Dropout(p=self.drop_rate)

    def construct(self, features):
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
            self.cell_list.append(_DenseLayer(num_input_features + i * growth_rate, growth_rate, bn_size))

    def construct(self, init_features):
        features = init_features
        for layer in self.cell_list:
            new_features = layer(features)
            features = ops.concat((features, new_features), axis=1)
        return features


class _Transition(nn.Cell):
    def __init__(self, num_input_features, num_output_features):
        super().__init__()
        self.features = nn.SequentialCell(OrderedDict([
            ("norm", nn.BatchNorm2d(num_input_features)),
            ("relu", nn.ReLU()),
            ("conv", nn.Conv2d(num_input_features, num_output_features, kernel_size=1, stride=1)),
            ("pool", nn.AvgPool2d(kernel_size=2, stride=2))]))

    def construct(self, x):
        return self.features(x)


class DenseNet(nn.Cell):
    def __init__(self, growth_rate=4, block_config=(2, 2), num_init_features=8, bn_size=2,
                 num_classes=1000, in_channels=3):
        super().__init__()
        layers = OrderedDict()
        layers["conv0"] = nn.Conv2d(in_channels, num_init_features, 7, 2, pad_mode="pad", padding=3)
        layers["norm0"] = nn.BatchNorm2d(num_init_features)
        layers["relu0"] = nn.ReLU()
        layers["pool0"] = nn.SequentialCell([
            nn.Pad(paddings=((0, 0), (0, 0), (1, 1), (1, 1)), mode="CONSTANT"),
            nn.MaxPool2d(kernel_size=3, stride=2)])
        num_features = num_init_features
        for i, num_layers in enumerate(block_config):
            layers[f"denseblock{i + 1}"] = _DenseBlock(num_layers, num_features, bn_size, growth_rate)
            num_features += num_layers * growth_rate
            if i != len(block_config) - 1:
                layers[f"transition{i + 1}"] = _Transition(num_features, num_features // 2)
                num_features = num_features // 2
        layers["norm5"] = nn.BatchNorm2d(num_features)
        layers["relu5"] = nn.ReLU()
        self.num_features = num_features
        self.features = nn.SequentialCell(layers)
        self.classifier = nn.Dense(self.num_features, num_classes)

    def construct(self, x):
        x = self.features(x)
        return self.classifier(ops.mean(x, (2, 3), keep_dims=False))


@register_model
def densenet11(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return DenseNet(num_classes=num_classes, in_channels=in_channels, **kwargs)
