"""Heads, converted from model.onnx (opset 20, made by pytorch 2.13.0+cpu).

Inputs:  image  float32 (2, 3, 128, 128)
Outputs: cat  float32 (2, 3069, 5)
         cat_1  float32 (2, 3069, 4)
Weights: model.ckpt, named as in weight_map_of_model.json.
Note:    the exporter folded BatchNorm into 53 convolutions
Note:    the batch size is frozen to 2: 20 reshapes would not take another
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
        self.conv2 = nn.Conv2d(
            out_channels,
            out_channels,
            3,
            stride,
            pad_mode="pad",
            padding=1,
            has_bias=True,
        )
        self.conv3 = nn.Conv2d(out_channels, 4 * out_channels, 1, has_bias=True)
        self.downsample = None
        if downsample:
            self.downsample = nn.SequentialCell(
                nn.Conv2d(in_channels, 4 * out_channels, 1, stride, has_bias=True)
            )

    def construct(self, x):
        out = ops.relu(self.conv1(x))
        out = ops.relu(self.conv2(out))
        out = self.conv3(out)
        identity = x if self.downsample is None else self.downsample(x)
        return ops.relu(out + identity)


class Conv2dNormActivation(nn.SequentialCell):
    """x (2, in_channels, h, w) -> (2, 256, h, w)."""

    def __init__(self, in_channels, kernel_size=1, padding=0):
        super().__init__(
            nn.Conv2d(
                in_channels,
                256,
                kernel_size,
                pad_mode="pad",
                padding=padding,
                has_bias=True,
            )
        )


class LastLevelP6P7(nn.Cell):
    """x (2, 256, 4, 4) -> (2, 256, 2, 2), (2, 256, 1, 1)."""

    def __init__(self):
        super().__init__()
        self.p6 = nn.Conv2d(256, 256, 3, 2, pad_mode="pad", padding=1, has_bias=True)
        self.p7 = nn.Conv2d(256, 256, 3, 2, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, x):
        x = self.p6(x)
        return x, self.p7(ops.relu(x))


class Conv2dNormActivation1(nn.SequentialCell):
    """x (2, 256, h, w) -> (2, 256, h, w)."""

    def __init__(self):
        super().__init__(
            nn.Conv2d(256, 256, 3, pad_mode="pad", padding=1, has_bias=True), nn.ReLU()
        )


class IntermediateLayerGetter(nn.Cell):
    """image (2, 3, 128, 128) -> (2, 512, 16, 16), (2, 1024, 8, 8), (2, 2048, 4, 4)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, pad_mode="pad", padding=3, has_bias=True)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        self.layer1 = nn.SequentialCell(
            Bottleneck(64, 64, downsample=True),
            Bottleneck(256, 64),
            Bottleneck(256, 64),
        )
        self.layer2 = nn.SequentialCell(
            Bottleneck(256, 128, stride=2, downsample=True),
            *[Bottleneck(512, 128) for _ in range(3)],
        )
        self.layer3 = nn.SequentialCell(
            Bottleneck(512, 256, stride=2, downsample=True),
            *[Bottleneck(1024, 256) for _ in range(5)],
        )
        self.layer4 = nn.SequentialCell(
            Bottleneck(1024, 512, stride=2, downsample=True),
            Bottleneck(2048, 512),
            Bottleneck(2048, 512),
        )

    def construct(self, image):
        x = self.maxpool(self.relu(self.conv1(image)))
        x = self.layer1(x)
        x = self.layer2(x)
        out = self.layer3(x)
        return x, out, self.layer4(out)


class FeaturePyramidNetwork(nn.Cell):
    """x (2, 2048, 4, 4), y (2, 1024, 8, 8), z (2, 512, 16, 16) -> (2, 256, 4, 4),
    (2, 256, 8, 8), (2, 256, 16, 16), (2, 256, 2, 2), (2, 256, 1, 1).
    """

    def __init__(self):
        super().__init__()
        self.inner_blocks = nn.CellList(
            [
                Conv2dNormActivation(512),
                Conv2dNormActivation(1024),
                Conv2dNormActivation(2048),
            ]
        )
        self.layer_blocks = nn.CellList(
            [Conv2dNormActivation(256, kernel_size=3, padding=1) for _ in range(3)]
        )
        self.extra_blocks = LastLevelP6P7()

    def construct(self, x, y, z):
        x = self.inner_blocks[2](x)
        y = self.inner_blocks[1](y)
        z = self.inner_blocks[0](z)
        y = y + ops.interpolate(x, size=(8, 8), mode="nearest")
        y2 = z + ops.interpolate(y, size=(16, 16), mode="nearest")
        x = self.layer_blocks[2](x)
        y = self.layer_blocks[1](y)
        y2 = self.layer_blocks[0](y2)
        a, b = self.extra_blocks(x)
        return x, y, y2, a, b


class RetinaNetClassificationHead(nn.Cell):
    """x (2, 256, 16, 16), y (2, 256, 8, 8), z (2, 256, 4, 4), y2 (2, 256, 2, 2),
    y3 (2, 256, 1, 1) -> (2, 3069, 5).
    """

    def __init__(self):
        super().__init__()
        self.conv = nn.SequentialCell(*[Conv2dNormActivation1() for _ in range(4)])
        self.cls_logits = nn.Conv2d(
            256,
            45,
            3,
            pad_mode="pad",
            padding=1,
            has_bias=True,
        )

    def construct(self, x, y, z, y2, y3):
        x = self.conv(x)
        x = self.cls_logits(x).reshape((2, 9, 5, 16, 16))
        x = x.transpose((0, 3, 4, 1, 2)).reshape((2, 2304, 5))
        y = self.conv(y)
        y = self.cls_logits(y).reshape((2, 9, 5, 8, 8)).transpose((0, 3, 4, 1, 2))
        y = y.reshape((2, 576, 5))
        z = self.conv(z)
        z = self.cls_logits(z).reshape((2, 9, 5, 4, 4)).transpose((0, 3, 4, 1, 2))
        z = z.reshape((2, 144, 5))
        y2 = self.conv(y2)
        y2 = self.cls_logits(y2).reshape((2, 9, 5, 2, 2)).transpose((0, 3, 4, 1, 2))
        y2 = y2.reshape((2, 36, 5))
        y3 = self.conv(y3)
        y3 = self.cls_logits(y3).reshape((2, 9, 5, 1, 1)).transpose((0, 3, 4, 1, 2))
        return ops.concat((x, y, z, y2, y3.reshape((2, 9, 5))), axis=1)


class RetinaNetRegressionHead(nn.Cell):
    """x (2, 256, 16, 16), y (2, 256, 8, 8), z (2, 256, 4, 4), y2 (2, 256, 2, 2),
    y3 (2, 256, 1, 1) -> (2, 3069, 4).
    """

    def __init__(self):
        super().__init__()
        self.conv = nn.SequentialCell(*[Conv2dNormActivation1() for _ in range(4)])
        self.bbox_reg = nn.Conv2d(256, 36, 3, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, x, y, z, y2, y3):
        x = self.conv(x)
        x = self.bbox_reg(x).reshape((2, 9, 4, 16, 16)).transpose((0, 3, 4, 1, 2))
        x = x.reshape((2, 2304, 4))
        y = self.conv(y)
        y = self.bbox_reg(y).reshape((2, 9, 4, 8, 8)).transpose((0, 3, 4, 1, 2))
        y = y.reshape((2, 576, 4))
        z = self.conv(z)
        z = self.bbox_reg(z).reshape((2, 9, 4, 4, 4)).transpose((0, 3, 4, 1, 2))
        z = z.reshape((2, 144, 4))
        y2 = self.conv(y2)
        y2 = self.bbox_reg(y2).reshape((2, 9, 4, 2, 2)).transpose((0, 3, 4, 1, 2))
        y2 = y2.reshape((2, 36, 4))
        y3 = self.conv(y3)
        y3 = self.bbox_reg(y3).reshape((2, 9, 4, 1, 1)).transpose((0, 3, 4, 1, 2))
        return ops.concat((x, y, z, y2, y3.reshape((2, 9, 4))), axis=1)


class BackboneWithFPN(nn.Cell):
    """image (2, 3, 128, 128) -> (2, 256, 4, 4), (2, 256, 8, 8), (2, 256, 16, 16),
    (2, 256, 2, 2), (2, 256, 1, 1).
    """

    def __init__(self):
        super().__init__()
        self.body = IntermediateLayerGetter()
        self.fpn = FeaturePyramidNetwork()

    def construct(self, image):
        q, k, v = self.body(image)
        a, b, c, d, e = self.fpn(v, k, q)
        return a, b, c, d, e


class RetinaNetHead(nn.Cell):
    """x (2, 256, 16, 16), y (2, 256, 8, 8), z (2, 256, 4, 4), y2 (2, 256, 2, 2),
    y3 (2, 256, 1, 1) -> (2, 3069, 5), (2, 3069, 4).
    """

    def __init__(self):
        super().__init__()
        self.classification_head = RetinaNetClassificationHead()
        self.regression_head = RetinaNetRegressionHead()

    def construct(self, x, y, z, y2, y3):
        classification_head = self.classification_head(x, y, z, y2, y3)
        return classification_head, self.regression_head(x, y, z, y2, y3)


class Heads(nn.Cell):
    """image (2, 3, 128, 128) -> (2, 3069, 5), (2, 3069, 4)."""

    def __init__(self):
        super().__init__()
        self.backbone = BackboneWithFPN()
        self.head = RetinaNetHead()

    def construct(self, image):
        a, b, c, d, e = self.backbone(image)
        a, b = self.head(c, b, a, d, e)
        return a, b


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = Heads()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print([y.shape for y in load()(ops.zeros((2, 3, 128, 128), ms.float32))])
