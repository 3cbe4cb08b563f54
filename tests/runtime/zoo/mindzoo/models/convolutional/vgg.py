"""VGG with batch normalisation: built of a list of numbers and letters."""

import math
from typing import Dict, List, Union

import mindspore.common.initializer as init
from mindspore import Tensor, nn

from ..registry import register_model

cfgs: Dict[str, List[Union[str, int]]] = {"vgg11": [8, "M", 12, "M", 16, 16, "M", 16, 16, "M"]}


def _make_layers(cfg, batch_norm=False, in_channels=3):
    layers = []
    for v in cfg:
        if v == "M":
            layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
        else:
            conv2d = nn.Conv2d(in_channels, v, kernel_size=3, pad_mode="pad", padding=1, has_bias=True)
            if batch_norm:
                layers += [conv2d, nn.BatchNorm2d(v), nn.ReLU()]
            else:
                layers += [conv2d, nn.ReLU()]
            in_channels = v
    return nn.SequentialCell(layers)


class VGG(nn.Cell):
    def __init__(self, model_name: str, batch_norm: bool = False, num_classes: int = 1000,
                 in_channels: int = 3, drop_rate: float = 0.0) -> None:
        super().__init__()
        cfg = cfgs[model_name]
        self.features = _make_layers(cfg, batch_norm=batch_norm, in_channels=in_channels)
        self.flatten = nn.Flatten()
        self.classifier = nn.SequentialCell([
            nn.Dense(16 * 2 * 2, 24), nn.ReLU(), nn.Dropout(p=drop_rate), nn.Dense(24, num_classes)])
        self._initialize_weights()

    def _initialize_weights(self) -> None:
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                cell.weight.set_data(
                    init.initializer(init.HeNormal(math.sqrt(5), mode="fan_out", nonlinearity="relu"),
                                     cell.weight.shape, cell.weight.dtype))
                if cell.bias is not None:
                    cell.bias.set_data(init.initializer("zeros", cell.bias.shape, cell.bias.dtype))
            elif isinstance(cell, nn.Dense):
                cell.weight.set_data(init.initializer(init.Normal(0.01), cell.weight.shape, cell.weight.dtype))

    def construct(self, x: Tensor) -> Tensor:
        x = self.features(x)
        x = self.flatten(x)
        return self.classifier(x)


@register_model
def vgg11_bn(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs) -> VGG:
    return VGG("vgg11", True, num_classes=num_classes, in_channels=in_channels, **kwargs)
