"""SqueezeNet."""

import mindspore.common.initializer as init
from mindspore import nn, ops

from ..registry import register_model


class Fire(nn.Cell):
    def __init__(self, in_channels, squeeze_channels, expand1x1_channels, expand3x3_channels):
        super().__init__()
        self.squeeze = nn.Conv2d(in_channels, squeeze_channels, kernel_size=1, has_bias=True)
        self.squeeze_activation = nn.ReLU()
        self.expand1x1 = nn.Conv2d(squeeze_channels, expand1x1_channels, kernel_size=1, has_bias=True)
        self.expand1x1_activation = nn.ReLU()
        self.expand3x3 = nn.Conv2d(squeeze_channels, expand3x3_channels, kernel_size=3, pad_mode="same", has_bias=True)
        self.expand3x3_activation = nn.ReLU()

    def construct(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        return ops.concat((self.expand1x1_activation(self.expand1x1(x)),
                           self.expand3x3_activation(self.expand3x3(x))), axis=1)


class SqueezeNet(nn.Cell):
    def __init__(self, num_classes, in_channels, drop_rate=0.0):
        super().__init__()
        self.features = nn.SequentialCell([
            nn.Conv2d(in_channels, 8, kernel_size=3, stride=2, pad_mode="valid", has_bias=True), nn.ReLU(),
            nn.MaxPool2d(kernel_size=3, stride=2), Fire(8, 4, 6, 6), Fire(12, 4, 6, 6),
            nn.MaxPool2d(kernel_size=3, stride=2), Fire(12, 4, 8, 8)])
        self.final_conv = nn.Conv2d(16, num_classes, kernel_size=1, has_bias=True)
        self.classifier = nn.SequentialCell([nn.Dropout(p=drop_rate), self.final_conv, nn.ReLU(),
                                             nn.AdaptiveAvgPool2d((1, 1))])
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                if cell is self.final_conv:
                    cell.weight.set_data(init.initializer(init.Normal(), cell.weight.shape, cell.weight.dtype))
                else:
                    cell.weight.set_data(init.initializer(init.HeUniform(), cell.weight.shape, cell.weight.dtype))

    def construct(self, x):
        x = self.classifier(self.features(x))
        return ops.flatten(x)


@register_model
def squeezenet1_1(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return SqueezeNet(num_classes, in_channels)
