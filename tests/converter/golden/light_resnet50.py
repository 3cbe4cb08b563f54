"""LightResnet50, converted from light_resnet50.onnx (opset 9, made by onnx-caffe2).

Inputs:  gpu_0/data_0  float32 (1, 3, 224, 224)
Outputs: gpu_0/softmax_1  float32 (1, 1000)
Weights: light_resnet50.ckpt, named as in weight_map_of_light_resnet50.json.
Note:    the batch size is frozen to 1: 1 reshape would not take another
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("light_resnet50.ckpt")


class Re(nn.Cell):
    """x (1, in_channels, h, w) -> (1, c, h2, w2)."""

    def __init__(self, in_channels, out_channels, stride=1, downsample=False):
        super().__init__()
        self.branch2a = nn.Conv2d(in_channels, out_channels, 1)
        self.branch2a_bn = nn.BatchNorm2d(out_channels, eps=1.0000001e-05)
        self.branch2b = nn.Conv2d(
            out_channels,
            out_channels,
            3,
            stride,
            pad_mode="pad",
            padding=1,
        )
        self.branch2b_bn = nn.BatchNorm2d(out_channels, eps=1.0000001e-05)
        self.branch2c = nn.Conv2d(out_channels, 4 * out_channels, 1)
        self.branch2c_bn = nn.BatchNorm2d(4 * out_channels, eps=1.0000001e-05)
        self.downsample = None
        if downsample:
            self.downsample = nn.SequentialCell(
                nn.Conv2d(in_channels, 4 * out_channels, 1, stride),
                nn.BatchNorm2d(4 * out_channels, eps=1.0000001e-05),
            )

    def construct(self, x):
        out = ops.relu(self.branch2a_bn(self.branch2a(x)))
        out = ops.relu(self.branch2b_bn(self.branch2b(out)))
        out = self.branch2c_bn(self.branch2c(out))
        identity = x if self.downsample is None else self.downsample(x)
        return ops.relu(out + identity)


class LightResnet50(nn.Cell):
    """data_0 (1, 3, 224, 224) -> (1, 1000)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, pad_mode="pad", padding=3)
        self.res_conv1_bn = nn.BatchNorm2d(64, eps=1.0000001e-05)
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        self.res2 = nn.SequentialCell(
            Re(64, 64, downsample=True),
            Re(256, 64),
            Re(256, 64),
        )
        self.res3 = nn.SequentialCell(
            Re(256, 128, stride=2, downsample=True), *[Re(512, 128) for _ in range(3)]
        )
        self.res4 = nn.SequentialCell(
            Re(512, 256, stride=2, downsample=True), *[Re(1024, 256) for _ in range(5)]
        )
        self.res5 = nn.SequentialCell(
            Re(1024, 512, stride=2, downsample=True), Re(2048, 512), Re(2048, 512)
        )
        self.pred = nn.Dense(2048, 1000)

    def construct(self, data_0):
        x = ops.relu(self.res_conv1_bn(self.conv1(data_0)))
        x = self.pool(x)
        x = self.res2(x)
        x = self.res3(x)
        x = self.res4(x)
        x = self.res5(x)
        return ops.softmax(self.pred(ops.mean(x, (2, 3))), axis=-1)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = LightResnet50()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 3, 224, 224), ms.float32)).shape)
