"""ResNet as model zoos write it: typed blocks, initialised after construction."""

import mindspore.common.initializer as init
from mindspore import Tensor, nn

SHAPE = (1, 3, 32, 32)


class BasicBlock(nn.Cell):
    expansion: int = 1

    def __init__(
        self,
        in_channels: int,
        channels: int,
        stride: int = 1,
        groups: int = 1,
        norm: nn.Cell | None = None,
        down_sample: nn.Cell | None = None,
    ) -> None:
        super().__init__()
        if norm is None:
            norm = nn.BatchNorm2d
        assert groups == 1, "BasicBlock only supports groups=1"
        self.conv1 = nn.Conv2d(
            in_channels, channels, kernel_size=3, stride=stride, padding=1, pad_mode="pad"
        )
        self.bn1 = norm(channels)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(
            channels, channels, kernel_size=3, stride=1, padding=1, pad_mode="pad"
        )
        self.bn2 = norm(channels)
        self.down_sample = down_sample

    def construct(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.down_sample is not None:
            identity = self.down_sample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Cell):
    def __init__(self, block: type[BasicBlock], layers: list[int], num_classes: int = 10) -> None:
        super().__init__()
        self.input_channels = 8
        self.feature_info = []
        self.conv1 = nn.Conv2d(
            3, self.input_channels, kernel_size=7, stride=2, pad_mode="pad", padding=3
        )
        self.bn1 = nn.BatchNorm2d(self.input_channels)
        self.relu = nn.ReLU()
        self.max_pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        self.layer1 = self._make_layer(block, 8, layers[0])
        self.feature_info.append(dict(chs=block.expansion * 8, reduction=4, name="layer1"))
        self.layer2 = self._make_layer(block, 16, layers[1], stride=2)
        self.num_features = 16 * block.expansion
        self.classifier = nn.Dense(self.num_features, num_classes)
        self._initialize_weights()

    def _initialize_weights(self) -> None:
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                cell.weight.set_data(
                    init.initializer(
                        init.HeNormal(mode="fan_out", nonlinearity="relu"),
                        cell.weight.shape,
                        cell.weight.dtype,
                    )
                )
                if cell.bias is not None:
                    cell.bias.set_data(init.initializer("zeros", cell.bias.shape, cell.bias.dtype))
            elif isinstance(cell, nn.BatchNorm2d):
                cell.gamma.set_data(init.initializer("ones", cell.gamma.shape, cell.gamma.dtype))
                cell.beta.set_data(init.initializer("zeros", cell.beta.shape, cell.beta.dtype))
            elif isinstance(cell, nn.Dense):
                cell.weight.set_data(
                    init.initializer(
                        init.HeUniform(mode="fan_in", nonlinearity="sigmoid"),
                        cell.weight.shape,
                        cell.weight.dtype,
                    )
                )
                cell.bias.set_data(init.initializer("zeros", cell.bias.shape, cell.bias.dtype))

    def _make_layer(
        self, block, channels: int, block_nums: int, stride: int = 1
    ) -> nn.SequentialCell:
        down_sample = None
        if stride != 1 or self.input_channels != channels * block.expansion:
            down_sample = nn.SequentialCell(
                [
                    nn.Conv2d(
                        self.input_channels,
                        channels * block.expansion,
                        kernel_size=1,
                        stride=stride,
                    ),
                    nn.BatchNorm2d(channels * block.expansion),
                ]
            )
        layers = [block(self.input_channels, channels, stride=stride, down_sample=down_sample)]
        self.input_channels = channels * block.expansion
        for _ in range(1, block_nums):
            layers.append(block(self.input_channels, channels))
        return nn.SequentialCell(layers)

    def forward_features(self, x: Tensor) -> Tensor:
        x = self.max_pool(self.relu(self.bn1(self.conv1(x))))
        return self.layer2(self.layer1(x))

    def construct(self, x: Tensor) -> Tensor:
        return self.classifier(self.forward_features(x).mean((2, 3)))


def network() -> nn.Cell:
    return ResNet(BasicBlock, [1, 2])
