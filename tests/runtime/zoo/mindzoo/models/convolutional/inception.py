"""GoogLeNet and InceptionV3: branches, auxiliary heads while training."""

from typing import Tuple, Union

from mindspore import Tensor, nn, ops

from ..layers import Conv2dNormActivation
from ..registry import register_model


class BasicConv2d(nn.Cell):
    def __init__(self, in_channels, out_channels, kernel_size=1, stride=1, padding=0, pad_mode="same"):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, stride, padding=padding,
                              pad_mode=pad_mode, has_bias=True)
        self.relu = nn.ReLU()

    def construct(self, x: Tensor) -> Tensor:
        return self.relu(self.conv(x))


class Inception(nn.Cell):
    def __init__(self, in_channels, n1x1, n3x3red, n3x3, n5x5red, n5x5, pool_planes):
        super().__init__()
        self.b1 = BasicConv2d(in_channels, n1x1, kernel_size=1)
        self.b2 = nn.SequentialCell([BasicConv2d(in_channels, n3x3red, 1), BasicConv2d(n3x3red, n3x3, 3)])
        self.b3 = nn.SequentialCell([BasicConv2d(in_channels, n5x5red, 1), BasicConv2d(n5x5red, n5x5, 3)])
        self.b4 = nn.SequentialCell([
            nn.MaxPool2d(kernel_size=3, stride=1, pad_mode="same"), BasicConv2d(in_channels, pool_planes, 1)])

    def construct(self, x: Tensor) -> Tensor:
        branch1, branch2, branch3, branch4 = self.b1(x), self.b2(x), self.b3(x), self.b4(x)
        return ops.concat((branch1, branch2, branch3, branch4), axis=1)


class InceptionAux(nn.Cell):
    def __init__(self, in_channels, num_classes, drop_rate=0.0):
        super().__init__()
        self.avg_pool = nn.AvgPool2d(kernel_size=3, stride=2)
        self.conv = BasicConv2d(in_channels, 8, kernel_size=1)
        self.fc1 = nn.Dense(8 * 9, 16)
        self.fc2 = nn.Dense(16, num_classes)
        self.flatten = nn.Flatten()
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(p=drop_rate)

    def construct(self, x: Tensor) -> Tensor:
        x = self.conv(self.avg_pool(x))
        return self.fc2(self.dropout(self.relu(self.fc1(self.flatten(x)))))


class GoogLeNet(nn.Cell):
    def __init__(self, num_classes: int = 1000, aux_logits: bool = False, in_channels: int = 3) -> None:
        super().__init__()
        self.aux_logits = aux_logits
        self.conv1 = BasicConv2d(in_channels, 8, kernel_size=7, stride=2)
        self.maxpool1 = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        self.block3a = Inception(8, 4, 4, 6, 2, 4, 4)
        self.block3b = Inception(18, 6, 4, 6, 2, 4, 4)
        self.maxpool3 = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        self.block4a = Inception(20, 6, 4, 8, 2, 4, 4)
        if self.aux_logits:
            self.aux1 = InceptionAux(20, num_classes)
        self.fc = nn.Dense(22, num_classes)

    def construct(self, x: Tensor) -> Union[Tensor, Tuple[Tensor, Tensor]]:
        x = self.maxpool1(self.conv1(x))
        x = self.block3b(self.block3a(x))
        if self.aux_logits and self.training:
            aux1 = self.aux1(x)
        else:
            aux1 = None
        x = self.block4a(self.maxpool3(x))
        x = self.fc(x.mean((2, 3)))
        if self.aux_logits and self.training:
            return x, aux1
        return x


class InceptionA(nn.Cell):
    def __init__(self, in_channels, pool_features):
        super().__init__()
        self.branch0 = Conv2dNormActivation(in_channels, 6, kernel_size=1)
        self.branch1 = nn.SequentialCell([
            Conv2dNormActivation(in_channels, 4, kernel_size=1), Conv2dNormActivation(4, 6, kernel_size=5)])
        self.branch_pool = nn.SequentialCell([
            nn.AvgPool2d(kernel_size=3, pad_mode="same"), Conv2dNormActivation(in_channels, pool_features, 1)])

    def construct(self, x):
        return ops.concat((self.branch0(x), self.branch1(x), self.branch_pool(x)), axis=1)


class InceptionC(nn.Cell):
    """Kernels of one row and of one column."""

    def __init__(self, in_channels, width):
        super().__init__()
        self.branch0 = nn.SequentialCell(
            Conv2dNormActivation(in_channels, width, 1),
            Conv2dNormActivation(width, width, (1, 7)),
            Conv2dNormActivation(width, 8, (7, 1)))
        self.branch1 = Conv2dNormActivation(8, 8, 3, 2, pad_mode="valid")
        self.maxpool = nn.MaxPool2d(3, 2)

    def construct(self, x):
        return ops.concat((self.branch1(self.branch0(x)), self.maxpool(x)), 1)


class InceptionV3(nn.Cell):
    def __init__(self, num_classes=1000, aux_logits=True, in_channels=3):
        super().__init__()
        self.aux_logits = aux_logits
        self.conv1a = Conv2dNormActivation(in_channels, 6, 3, 2, pad_mode="valid")
        self.conv2a = Conv2dNormActivation(6, 8, 3, pad_mode="pad", padding=1)
        self.inception5 = InceptionA(8, 4)
        self.inception6 = InceptionC(16, 8)
        if self.aux_logits:
            self.aux = nn.SequentialCell([nn.AvgPool2d(5, 3), Conv2dNormActivation(16, 8, 1), nn.Flatten()])
            self.aux_fc = nn.Dense(8 * 16, num_classes)
        self.num_features = 24
        self.classifier = nn.Dense(self.num_features, num_classes)

    def forward_preaux(self, x):
        return self.inception5(self.conv2a(self.conv1a(x)))

    def construct(self, x):
        x = self.forward_preaux(x)
        aux = self.aux_fc(self.aux(x)) if self.training and self.aux_logits else None
        x = self.classifier(ops.mean(self.inception6(x), (2, 3)))
        if aux is not None:
            return x, aux
        return x


@register_model
def googlenet(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return GoogLeNet(num_classes=num_classes, in_channels=in_channels, aux_logits=True, **kwargs)


@register_model
def inception_v3(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return InceptionV3(num_classes=num_classes, in_channels=in_channels, **kwargs)
