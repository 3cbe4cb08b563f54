"""LightShufflenet, converted from light_shufflenet.onnx (opset 9, made by onnx-
caffe2).

Inputs:  gpu_0/data_0  float32 (1, 3, 224, 224)
Outputs: gpu_0/softmax_1  float32 (1, 1000)
Weights: light_shufflenet.ckpt, named as in weight_map_of_light_shufflenet.json.
Note:    the batch size is frozen to 1: 33 reshapes would not take another
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("light_shufflenet.ckpt")


class ConcatBlock(nn.Cell):
    """x (1, in_channels, size, size) -> (1, c, h, w)."""

    def __init__(self, in_channels, out_channels, size):
        super().__init__()
        self.out_channels = out_channels
        self.size = size
        self.conv1 = nn.Conv2d(in_channels, out_channels, 1, group=4)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(
            out_channels,
            out_channels,
            3,
            2,
            pad_mode="pad",
            padding=1,
            group=out_channels,
        )
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.conv3 = nn.Conv2d(out_channels, out_channels, 1, group=4)
        self.bn3 = nn.BatchNorm2d(out_channels)
        self.pool = nn.AvgPool2d(
            3,
            2,
            pad_mode="pad",
            padding=1,
            count_include_pad=False,
        )

    def construct(self, x):
        out = ops.relu(self.bn1(self.conv1(x)))
        out = out.reshape((1, 4, self.out_channels // 4, self.size, self.size))
        out = out.swapaxes(1, 2).reshape((1, self.out_channels, self.size, self.size))
        out = self.bn2(self.conv2(out))
        out = self.bn3(self.conv3(out))
        x = self.pool(x)
        return ops.concat((out, x), axis=1)


class InvertedResidual(nn.Cell):
    """x (1, in_channels, size, size) -> (1, in_channels, size, size)."""

    def __init__(self, in_channels, size=14):
        super().__init__()
        self.in_channels = in_channels
        self.size = size
        self.conv1 = nn.Conv2d(in_channels, in_channels, 1, group=4)
        self.bn1 = nn.BatchNorm2d(in_channels)
        self.conv2 = nn.Conv2d(
            in_channels, in_channels, 3, pad_mode="pad", padding=1, group=in_channels
        )
        self.bn2 = nn.BatchNorm2d(in_channels)
        self.conv3 = nn.Conv2d(in_channels, in_channels, 1, group=4)
        self.bn3 = nn.BatchNorm2d(in_channels)

    def construct(self, x):
        x = ops.relu(x)
        out = ops.relu(self.bn1(self.conv1(x)))
        out = out.reshape((1, 4, self.in_channels // 4, self.size, self.size))
        out = out.swapaxes(1, 2).reshape((1, self.in_channels, self.size, self.size))
        out = self.bn2(self.conv2(out))
        return self.bn3(self.conv3(out)) + x


class LightShufflenet(nn.Cell):
    """data_0 (1, 3, 224, 224) -> (1, 1000)."""

    def __init__(self):
        super().__init__()
        self.conv3_0 = nn.Conv2d(3, 24, 3, 2, pad_mode="pad", padding=1, has_bias=True)
        self.conv3_0_bn = nn.BatchNorm2d(24)
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        self.stage1 = nn.SequentialCell(ConcatBlock(24, 112, 56))
        self.blocks2_1 = nn.SequentialCell(
            *[InvertedResidual(136, size=28) for _ in range(3)],
        )
        self.stage2 = nn.SequentialCell(ConcatBlock(136, 136, 28))
        self.blocks2_2 = nn.SequentialCell(*[InvertedResidual(272) for _ in range(7)])
        self.stage3 = nn.SequentialCell(ConcatBlock(272, 272, 14))
        self.blocks2_3 = nn.SequentialCell(
            *[InvertedResidual(544, size=7) for _ in range(3)],
        )
        self.pred = nn.Dense(544, 1000)

    def construct(self, data_0):
        x = ops.relu(self.conv3_0_bn(self.conv3_0(data_0)))
        x = self.pool(x)
        x = self.stage1(x)
        x = self.blocks2_1(x)
        x = ops.relu(x)
        x = self.stage2(x)
        x = self.blocks2_2(x)
        x = ops.relu(x)
        x = self.stage3(x)
        x = self.blocks2_3(x)
        x = ops.mean(ops.relu(x), (2, 3))
        return ops.softmax(self.pred(x), axis=-1)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = LightShufflenet()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 3, 224, 224), ms.float32)).shape)
