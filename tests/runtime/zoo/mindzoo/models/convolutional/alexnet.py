"""AlexNet."""

from mindspore import Tensor, nn, ops

from ..registry import register_model


def _cfg(url="", **kwargs):
    return {"url": url, "num_classes": 1000, "first_conv": "features.0", "classifier": "classifier.6", **kwargs}


default_cfgs = {"alexnet": _cfg(url="https://example.invalid/alexnet.ckpt")}


class AlexNet(nn.Cell):
    def __init__(self, num_classes=1000, in_channels=3, dropout=0.0):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(in_channels, 8, kernel_size=5, stride=2, pad_mode="pad", padding=2, has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(8, 12, kernel_size=5, pad_mode="same", has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(12, 16, kernel_size=3, pad_mode="same", has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=1),
        )
        self.classifier = nn.SequentialCell([
            nn.Dropout(p=dropout),
            nn.Dense(16 * 2 * 2, 32),
            nn.ReLU(),
            nn.Dropout(p=dropout),
            nn.Dense(32, num_classes),
        ])

    def forward_features(self, x: Tensor) -> Tensor:
        x = self.features(x)
        return ops.flatten(x)

    def forward_head(self, x: Tensor) -> Tensor:
        return self.classifier(x)

    def construct(self, x: Tensor) -> Tensor:
        return self.forward_head(self.forward_features(x))


@register_model
def alexnet(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs) -> AlexNet:
    return AlexNet(num_classes=num_classes, in_channels=in_channels, **kwargs)
