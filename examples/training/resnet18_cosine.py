"""Trains ResNet-18: `python resnet18_cosine.py [graph|pynative] [resnet18.ckpt] [width]`.

A functional loop with value_and_grad; the learning rate follows a cosine; only the weights of
convolutions and of the last layer decay. The checkpoint is where training starts: it is read if
it is there, and written if it is not. `width` is the number of channels of the first stage: 64
is the ResNet-18 of the paper.
"""

import os
import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.common.initializer import HeNormal, initializer

STEPS, BATCH, SIZE, CLASSES = 10, 16, 16, 10


def conv3x3(c_in, c_out, stride=1):
    return nn.Conv2d(c_in, c_out, 3, stride, pad_mode="pad", padding=1)


class BasicBlock(nn.Cell):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.conv1 = conv3x3(c_in, c_out, stride)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = conv3x3(c_out, c_out)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.relu = nn.ReLU()
        self.downsample = None
        if stride != 1 or c_in != c_out:
            self.downsample = nn.SequentialCell(
                nn.Conv2d(c_in, c_out, 1, stride), nn.BatchNorm2d(c_out)
            )

    def construct(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        return self.relu(out + identity)


class ResNet18(nn.Cell):
    def __init__(self, width, num_classes):
        super().__init__()
        self.conv1 = conv3x3(3, width)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.layer1 = self.make_layer(width, width, 1)
        self.layer2 = self.make_layer(width, 2 * width, 2)
        self.layer3 = self.make_layer(2 * width, 4 * width, 2)
        self.layer4 = self.make_layer(4 * width, 8 * width, 2)
        self.fc = nn.Dense(8 * width, num_classes)
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                weight = cell.weight
                weight.set_data(initializer(HeNormal(), weight.shape, weight.dtype))

    @staticmethod
    def make_layer(c_in, c_out, stride):
        return nn.SequentialCell(BasicBlock(c_in, c_out, stride), BasicBlock(c_out, c_out, 1))

    def construct(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(ops.mean(x, (2, 3)))


def batches():
    """Noisy images in one of ten tints; the tint is the class."""
    random = np.random.RandomState(0)
    tints = random.rand(CLASSES, 3, 1, 1)
    for _ in range(STEPS):
        label = random.randint(0, CLASSES, BATCH).astype(np.int32)
        image = tints[label] + 0.5 * random.randn(BATCH, 3, SIZE, SIZE)
        yield ms.Tensor(image.astype(np.float32)), ms.Tensor(label)


def main(mode="graph", checkpoint="resnet18.ckpt", width="16"):
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    net = ResNet18(int(width), CLASSES)
    if os.path.exists(checkpoint):
        ms.load_checkpoint(checkpoint, net)
    else:
        ms.save_checkpoint(net, checkpoint)
    net.set_train()

    params = net.trainable_params()
    decayed = [p for p in params if p.name.endswith("weight")]
    others = [p for p in params if not p.name.endswith("weight")]
    rates = nn.cosine_decay_lr(0.0, 0.005, STEPS, step_per_epoch=1, decay_epoch=STEPS)
    groups = [{"params": decayed, "weight_decay": 1e-4}, {"params": others, "weight_decay": 0.0},
              {"order_params": params}]  # fmt: skip
    optimizer = nn.Momentum(groups, learning_rate=rates, momentum=0.9)

    def forward(image, label):
        logits = net(image)
        return ops.cross_entropy(logits, label), logits

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def train_step(image, label):
        (loss, _), grads = grad_fn(image, label)
        optimizer(grads)
        return loss

    if mode == "graph":
        train_step = ms.jit(train_step)
    for step, (image, label) in enumerate(batches(), 1):
        print(f"step {step} loss {float(train_step(image, label).asnumpy()):.6f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
