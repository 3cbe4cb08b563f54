"""Model, converted from model.onnx (opset 17, made by pytorch 2.13.0).

Inputs:  image  float32 (2, 3, 64, 64)
Outputs: 1447  float32 (2, 1000)
Weights: model.ckpt, named as in weight_map_of_model.json.
Note:    the exporter folded BatchNorm into 155 convolutions
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("model.ckpt")


class Bottleneck(nn.Cell):
    """x (2, in_channels, h, w) -> (2, c, h2, w2)."""

    def __init__(self, in_channels, out_channels, stride=1, downsample=False):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 1, has_bias=True)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(
            out_channels,
            out_channels,
            3,
            stride,
            pad_mode="pad",
            padding=1,
            has_bias=True,
        )
        self.conv3 = nn.Conv2d(out_channels, 32 * out_channels, 1, has_bias=True)
        self.downsample = None
        if downsample:
            self.downsample = nn.SequentialCell(
                nn.Conv2d(in_channels, 32 * out_channels, 1, stride, has_bias=True)
            )

    def construct(self, x):
        out = self.relu(self.conv1(x))
        out = self.relu(self.conv2(out))
        out = self.conv3(out)
        identity = x if self.downsample is None else self.downsample(x)
        return self.relu(out + identity)


class Model(nn.Cell):
    """image (2, 3, 64, 64) -> (2, 1000)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, pad_mode="pad", padding=3, has_bias=True)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        self.layer1 = nn.SequentialCell(
            Bottleneck(64, 8, downsample=True), Bottleneck(256, 8), Bottleneck(256, 8)
        )
        self.layer2 = nn.SequentialCell(
            Bottleneck(256, 16, stride=2, downsample=True),
            *[Bottleneck(512, 16) for _ in range(7)],
        )
        self.layer3 = nn.SequentialCell(
            Bottleneck(512, 32, stride=2, downsample=True),
            *[Bottleneck(1024, 32) for _ in range(35)],
        )
        self.layer4 = nn.SequentialCell(
            Bottleneck(1024, 64, stride=2, downsample=True),
            Bottleneck(2048, 64),
            Bottleneck(2048, 64),
        )
        self.fc = nn.Dense(2048, 1000)

    def construct(self, image):
        x = self.maxpool(self.relu(self.conv1(image)))
        x = self.layer1(x)
        x = self.layer2(x)
        x = self.layer3(x)
        x = self.layer4(x)
        return self.fc(ops.mean(x, (2, 3)))


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = Model()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((2, 3, 64, 64), ms.float32)).shape)
