"""Demo, converted from demo.onnx (opset 17, made by msconvert-example).

Inputs:  image  float32 (batch, 1, 32, 32)
Outputs: logits  float32 (batch, 5)
Weights: demo.ckpt, named as in weight_map_of_demo.json.
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("demo.ckpt")


class Features(nn.Cell):
    """image (batch, 1, 32, 32) -> (batch, 16, 16, 16)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(8, 16, 3, 2, pad_mode="pad", padding=1)
        self.bn2 = nn.BatchNorm2d(16)
        self.relu2 = nn.ReLU()

    def construct(self, image):
        x = self.relu1(self.bn1(self.conv1(image)))
        return self.relu2(self.bn2(self.conv2(x)))


class BasicBlock(nn.Cell):
    """x (batch, 16, 16, 16) -> (batch, 16, 16, 16)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(16, 16, 3, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(16, 16, 3, pad_mode="pad", padding=1)
        self.bn2 = nn.BatchNorm2d(16)
        self.relu2 = nn.ReLU()

    def construct(self, x):
        out = self.relu1(self.bn1(self.conv1(x)))
        return self.relu2(self.bn2(self.conv2(out)) + x)


class Demo(nn.Cell):
    """image (batch, 1, 32, 32) -> (batch, 5)."""

    def __init__(self):
        super().__init__()
        self.features = Features()
        self.blocks = nn.SequentialCell(BasicBlock(), BasicBlock())
        self.pool = nn.MaxPool2d(2, 2)
        self.classifier = nn.Dense(16, 5)

    def construct(self, image):
        x = self.features(image)
        x = self.blocks(x)
        x = self.pool(x)
        return self.classifier(ops.mean(x, (2, 3)))


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = Demo()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 1, 32, 32), ms.float32)).shape)
