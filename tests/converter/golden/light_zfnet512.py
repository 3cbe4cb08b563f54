"""LightZfnet512, converted from light_zfnet512.onnx (opset 9, made by onnx-caffe2).

Inputs:  gpu_0/data_0  float32 (1, 3, 224, 224)
Outputs: gpu_0/softmax_1  float32 (1, 1000)
Weights: light_zfnet512.ckpt, named as in weight_map_of_light_zfnet512.json.
Note:    the batch size is frozen to 1: 1 reshape would not take another
Note:    LRN's beta 0.75 is written 0.7500001: MindSpore 2.10's CPU kernel fails with
         exactly 0.75 over 5 channels
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("light_zfnet512.ckpt")


class LightZfnet512(nn.Cell):
    """data_0 (1, 3, 224, 224) -> (1, 1000)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 96, 7, 2, pad_mode="valid", has_bias=True)
        self.lrn1 = nn.LRN(depth_radius=2, bias=2.0, alpha=0.0001, beta=0.7500001)
        self.pool1 = nn.MaxPool2d(3, 2)
        self.conv2 = nn.Conv2d(96, 256, 5, 2, pad_mode="valid", has_bias=True)
        self.conv3 = nn.Conv2d(256, 512, 3, pad_mode="pad", padding=1, has_bias=True)
        self.conv4 = nn.Conv2d(512, 512, 3, pad_mode="pad", padding=1, has_bias=True)
        self.conv5 = nn.Conv2d(512, 512, 3, pad_mode="pad", padding=1, has_bias=True)
        self.pool2 = nn.MaxPool2d(2, 2)
        self.fc6 = nn.Dense(18432, 4096)
        self.fc7 = nn.Dense(4096, 1024)
        self.fc8 = nn.Dense(1024, 1000)

    def construct(self, data_0):
        x = self.lrn1(ops.relu(self.conv1(data_0)))
        x = ops.relu(self.conv2(self.pool1(x)))
        x = self.pool1(self.lrn1(x))
        x = ops.relu(self.conv3(x))
        x = ops.relu(self.conv4(x))
        x = self.pool2(ops.relu(self.conv5(x)))
        x = ops.relu(self.fc6(x.flatten(start_dim=1)))
        x = ops.relu(self.fc7(x))
        return ops.softmax(self.fc8(x), axis=-1)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = LightZfnet512()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 3, 224, 224), ms.float32)).shape)
