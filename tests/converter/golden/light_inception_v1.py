"""LightInceptionV1, converted from light_inception_v1.onnx (opset 9, made by onnx-
caffe2).

Inputs:  data_0  float32 (1, 3, 224, 224)
Outputs: prob_1  float32 (1, 1000)
Weights: light_inception_v1.ckpt, named as in weight_map_of_light_inception_v1.json.
Note:    dropout at n139 exists only in training
Note:    the batch size is frozen to 1: 1 reshape would not take another
Note:    LRN's beta 0.75 is written 0.7500001: MindSpore 2.10's CPU kernel fails with
         exactly 0.75 over 5 channels
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("light_inception_v1.ckpt")


class Inception(nn.Cell):
    """x (1, in_channels, h, w) -> (1, c, h, w)."""

    def __init__(
        self,
        in_channels,
        conv1x1_channels,
        conv3x3_reduce_channels,
        conv3x3_channels,
        conv5x5_reduce_channels,
        conv5x5_channels,
        out_channels,
    ):
        super().__init__()
        self.conv1x1 = nn.Conv2d(in_channels, conv1x1_channels, 1, has_bias=True)
        self.conv3x3_reduce = nn.Conv2d(
            in_channels,
            conv3x3_reduce_channels,
            1,
            has_bias=True,
        )
        self.conv3x3 = nn.Conv2d(
            conv3x3_reduce_channels,
            conv3x3_channels,
            3,
            pad_mode="pad",
            padding=1,
            has_bias=True,
        )
        self.conv5x5_reduce = nn.Conv2d(
            in_channels,
            conv5x5_reduce_channels,
            1,
            has_bias=True,
        )
        self.conv5x5 = nn.Conv2d(
            conv5x5_reduce_channels,
            conv5x5_channels,
            5,
            pad_mode="pad",
            padding=2,
            has_bias=True,
        )
        self.pool = nn.MaxPool2d(3, pad_mode="pad", padding=1)
        self.pool_proj = nn.Conv2d(in_channels, out_channels, 1, has_bias=True)

    def construct(self, x):
        out = ops.relu(self.conv1x1(x))
        y = ops.relu(self.conv3x3_reduce(x))
        y = ops.relu(self.conv3x3(y))
        y2 = ops.relu(self.conv5x5_reduce(x))
        y2 = ops.relu(self.conv5x5(y2))
        x = ops.relu(self.pool_proj(self.pool(x)))
        return ops.concat((out, y, y2, x), axis=1)


class LightInceptionV1(nn.Cell):
    """data_0 (1, 3, 224, 224) -> (1, 1000)."""

    def __init__(self):
        super().__init__()
        self.conv1_7x7_s2 = nn.Conv2d(
            3,
            64,
            7,
            2,
            pad_mode="pad",
            padding=3,
            has_bias=True,
        )
        self.pool1 = nn.MaxPool2d(3, 2)
        self.lrn1 = nn.LRN(depth_radius=2, alpha=2e-05, beta=0.7500001)
        self.conv2_3x3_reduce = nn.Conv2d(64, 64, 1, has_bias=True)
        self.conv2_3x3 = nn.Conv2d(64, 192, 3, pad_mode="pad", padding=1, has_bias=True)
        self.inception_3a = Inception(192, 64, 96, 128, 16, 32, 32)
        self.inception_3b = Inception(256, 128, 128, 192, 32, 96, 64)
        self.inception_4a = Inception(480, 192, 96, 208, 16, 48, 64)
        self.inception_4b = Inception(512, 160, 112, 224, 24, 64, 64)
        self.inception_4c = Inception(512, 128, 128, 256, 24, 64, 64)
        self.inception_4d = Inception(512, 112, 144, 288, 32, 64, 64)
        self.inception_4e = Inception(528, 256, 160, 320, 32, 128, 128)
        self.inception_5a = Inception(832, 256, 160, 320, 32, 128, 128)
        self.inception_5b = Inception(832, 384, 192, 384, 48, 128, 128)
        self.loss3_classifier = nn.Dense(1024, 1000)

    def construct(self, data_0):
        x = self.pool1(ops.relu(self.conv1_7x7_s2(data_0)))
        x = ops.relu(self.conv2_3x3_reduce(self.lrn1(x)))
        x = self.lrn1(ops.relu(self.conv2_3x3(x)))
        x = self.pool1(x)
        x = self.inception_3a(x)
        x = self.inception_3b(x)
        x = self.pool1(x)
        x = self.inception_4a(x)
        x = self.inception_4b(x)
        x = self.inception_4c(x)
        x = self.inception_4d(x)
        x = self.inception_4e(x)
        x = self.pool1(x)
        x = self.inception_5a(x)
        x = self.inception_5b(x)
        return ops.softmax(self.loss3_classifier(ops.mean(x, (2, 3))), axis=-1)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = LightInceptionV1()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 3, 224, 224), ms.float32)).shape)
