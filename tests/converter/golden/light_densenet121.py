"""LightDensenet121, converted from light_densenet121.onnx (opset 9, made by onnx-
caffe2).

Inputs:  data_0  float32 (1, 3, 224, 224)
Outputs: fc6_1  float32 (1, 1000, 1, 1)
Weights: light_densenet121.ckpt, named as in weight_map_of_light_densenet121.json.
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("light_densenet121.ckpt")


class DenseLayer(nn.Cell):
    """x (1, channels, h, w) -> (1, c, h, w)."""

    def __init__(self, channels):
        super().__init__()
        self.x1_bn = nn.BatchNorm2d(channels)
        self.x1 = nn.Conv2d(channels, 128, 1)
        self.x2_bn = nn.BatchNorm2d(128)
        self.x2 = nn.Conv2d(128, 32, 3, pad_mode="pad", padding=1)

    def construct(self, x):
        out = ops.relu(self.x1_bn(x))
        out = ops.relu(self.x2_bn(self.x1(out)))
        out = self.x2(out)
        return ops.concat((x, out), axis=1)


class Transition(nn.Cell):
    """x (1, channels, h, w) -> (1, c, h2, w2)."""

    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        self.conv = nn.Conv2d(channels, channels // 2, 1)
        self.pool = nn.AvgPool2d(2, 2)

    def construct(self, x):
        x = ops.relu(self.bn(x))
        return self.pool(self.conv(x))


class LightDensenet121(nn.Cell):
    """data_0 (1, 3, 224, 224) -> (1, 1000, 1, 1)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, pad_mode="pad", padding=3)
        self.conv1_bn = nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        self.conv2_1 = DenseLayer(64)
        self.conv2_2 = DenseLayer(96)
        self.conv2_3 = DenseLayer(128)
        self.conv2_4 = DenseLayer(160)
        self.conv2_5 = DenseLayer(192)
        self.conv2_6 = DenseLayer(224)
        self.conv2_blk = Transition(256)
        self.conv3_1 = DenseLayer(128)
        self.conv3_2 = DenseLayer(160)
        self.conv3_3 = DenseLayer(192)
        self.conv3_4 = DenseLayer(224)
        self.conv3_5 = DenseLayer(256)
        self.conv3_6 = DenseLayer(288)
        self.conv3_7 = DenseLayer(320)
        self.conv3_8 = DenseLayer(352)
        self.conv3_9 = DenseLayer(384)
        self.conv3_10 = DenseLayer(416)
        self.conv3_11 = DenseLayer(448)
        self.conv3_12 = DenseLayer(480)
        self.conv3_blk = Transition(512)
        self.conv4_1 = DenseLayer(256)
        self.conv4_2 = DenseLayer(288)
        self.conv4_3 = DenseLayer(320)
        self.conv4_4 = DenseLayer(352)
        self.conv4_5 = DenseLayer(384)
        self.conv4_6 = DenseLayer(416)
        self.conv4_7 = DenseLayer(448)
        self.conv4_8 = DenseLayer(480)
        self.conv4_9 = DenseLayer(512)
        self.conv4_10 = DenseLayer(544)
        self.conv4_11 = DenseLayer(576)
        self.conv4_12 = DenseLayer(608)
        self.conv4_13 = DenseLayer(640)
        self.conv4_14 = DenseLayer(672)
        self.conv4_15 = DenseLayer(704)
        self.conv4_16 = DenseLayer(736)
        self.conv4_17 = DenseLayer(768)
        self.conv4_18 = DenseLayer(800)
        self.conv4_19 = DenseLayer(832)
        self.conv4_20 = DenseLayer(864)
        self.conv4_21 = DenseLayer(896)
        self.conv4_22 = DenseLayer(928)
        self.conv4_23 = DenseLayer(960)
        self.conv4_24 = DenseLayer(992)
        self.conv4_blk = Transition(1024)
        self.conv5_1 = DenseLayer(512)
        self.conv5_2 = DenseLayer(544)
        self.conv5_3 = DenseLayer(576)
        self.conv5_4 = DenseLayer(608)
        self.conv5_5 = DenseLayer(640)
        self.conv5_6 = DenseLayer(672)
        self.conv5_7 = DenseLayer(704)
        self.conv5_8 = DenseLayer(736)
        self.conv5_9 = DenseLayer(768)
        self.conv5_10 = DenseLayer(800)
        self.conv5_11 = DenseLayer(832)
        self.conv5_12 = DenseLayer(864)
        self.conv5_13 = DenseLayer(896)
        self.conv5_14 = DenseLayer(928)
        self.conv5_15 = DenseLayer(960)
        self.conv5_16 = DenseLayer(992)
        self.conv5_blk_bn = nn.BatchNorm2d(1024)
        self.fc6 = nn.Conv2d(1024, 1000, 1, has_bias=True)

    def construct(self, data_0):
        x = ops.relu(self.conv1_bn(self.conv1(data_0)))
        x = self.pool(x)
        x = self.conv2_1(x)
        x = self.conv2_2(x)
        x = self.conv2_3(x)
        x = self.conv2_4(x)
        x = self.conv2_5(x)
        x = self.conv2_6(x)
        x = self.conv2_blk(x)
        x = self.conv3_1(x)
        x = self.conv3_2(x)
        x = self.conv3_3(x)
        x = self.conv3_4(x)
        x = self.conv3_5(x)
        x = self.conv3_6(x)
        x = self.conv3_7(x)
        x = self.conv3_8(x)
        x = self.conv3_9(x)
        x = self.conv3_10(x)
        x = self.conv3_11(x)
        x = self.conv3_12(x)
        x = self.conv3_blk(x)
        x = self.conv4_1(x)
        x = self.conv4_2(x)
        x = self.conv4_3(x)
        x = self.conv4_4(x)
        x = self.conv4_5(x)
        x = self.conv4_6(x)
        x = self.conv4_7(x)
        x = self.conv4_8(x)
        x = self.conv4_9(x)
        x = self.conv4_10(x)
        x = self.conv4_11(x)
        x = self.conv4_12(x)
        x = self.conv4_13(x)
        x = self.conv4_14(x)
        x = self.conv4_15(x)
        x = self.conv4_16(x)
        x = self.conv4_17(x)
        x = self.conv4_18(x)
        x = self.conv4_19(x)
        x = self.conv4_20(x)
        x = self.conv4_21(x)
        x = self.conv4_22(x)
        x = self.conv4_23(x)
        x = self.conv4_24(x)
        x = self.conv4_blk(x)
        x = self.conv5_1(x)
        x = self.conv5_2(x)
        x = self.conv5_3(x)
        x = self.conv5_4(x)
        x = self.conv5_5(x)
        x = self.conv5_6(x)
        x = self.conv5_7(x)
        x = self.conv5_8(x)
        x = self.conv5_9(x)
        x = self.conv5_10(x)
        x = self.conv5_11(x)
        x = self.conv5_12(x)
        x = self.conv5_13(x)
        x = self.conv5_14(x)
        x = self.conv5_15(x)
        x = self.conv5_16(x)
        x = ops.relu(self.conv5_blk_bn(x))
        x = ops.mean(x, (2, 3), keep_dims=True)
        return self.fc6(x)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = LightDensenet121()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 3, 224, 224), ms.float32)).shape)
