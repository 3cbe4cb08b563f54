"""LightSqueezenet, converted from light_squeezenet.onnx (opset 9, made by onnx-
caffe2).

Inputs:  data_0  float32 (1, 3, 224, 224)
Outputs: softmaxout_1  float32 (1, 1000, 1, 1)
Weights: light_squeezenet.ckpt, named as in weight_map_of_light_squeezenet.json.
Note:    dropout at n61 exists only in training
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("light_squeezenet.ckpt")


class Fire(nn.Cell):
    """x (1, in_channels, h, w) -> (1, c, h, w)."""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.squeeze1x1 = nn.Conv2d(in_channels, out_channels, 1, has_bias=True)
        self.expand1x1 = nn.Conv2d(out_channels, 4 * out_channels, 1, has_bias=True)
        self.expand3x3 = nn.Conv2d(
            out_channels, 4 * out_channels, 3, pad_mode="pad", padding=1, has_bias=True
        )

    def construct(self, x):
        x = ops.relu(self.squeeze1x1(x))
        out = ops.relu(self.expand1x1(x))
        x = ops.relu(self.expand3x3(x))
        return ops.concat((out, x), axis=1)


class LightSqueezenet(nn.Cell):
    """data_0 (1, 3, 224, 224) -> (1, 1000, 1, 1)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 3, 2, pad_mode="valid", has_bias=True)
        self.pool1 = nn.MaxPool2d(3, 2)
        self.fire2 = Fire(64, 16)
        self.fire3 = Fire(128, 16)
        self.fire4 = Fire(128, 32)
        self.fire5 = Fire(256, 32)
        self.fire6 = Fire(256, 48)
        self.fire7 = Fire(384, 48)
        self.fire8 = Fire(384, 64)
        self.fire9 = Fire(512, 64)
        self.conv10 = nn.Conv2d(512, 1000, 1, has_bias=True)

    def construct(self, data_0):
        x = self.pool1(ops.relu(self.conv1(data_0)))
        x = self.fire2(x)
        x = self.fire3(x)
        x = self.pool1(x)
        x = self.fire4(x)
        x = self.fire5(x)
        x = self.pool1(x)
        x = self.fire6(x)
        x = self.fire7(x)
        x = self.fire8(x)
        x = self.fire9(x)
        x = ops.relu(self.conv10(x))
        return ops.softmax(ops.mean(x, (2, 3), keep_dims=True), axis=1)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = LightSqueezenet()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 3, 224, 224), ms.float32)).shape)
