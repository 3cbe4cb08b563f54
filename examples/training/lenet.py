"""Trains LeNet on drawn bars: `python lenet.py [graph|pynative] [lenet.ckpt]`.

The checkpoint is where training starts: it is read if it is there, and written if it is not.
"""

import os
import sys

import mindspore as ms
import numpy as np
from mindspore import nn

STEPS, BATCH = 10, 32


class LeNet5(nn.Cell):
    def __init__(self, num_class=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="same")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, num_class)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def batches():
    """Noisy images with one bright column; its place tells the class."""
    random = np.random.RandomState(0)
    for _ in range(STEPS):
        label = random.randint(0, 10, BATCH).astype(np.int32)
        image = random.rand(BATCH, 1, 28, 28).astype(np.float32)
        for k, place in enumerate(label):
            image[k, 0, :, 4 + 2 * place] += 2
        yield ms.Tensor(image), ms.Tensor(label)


def main(mode="graph", checkpoint="lenet.ckpt"):
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    net = LeNet5()
    if os.path.exists(checkpoint):
        ms.load_checkpoint(checkpoint, net)
    else:
        ms.save_checkpoint(net, checkpoint)
    loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
    train = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
    train.set_train()
    for step, (image, label) in enumerate(batches(), 1):
        print(f"step {step} loss {float(train(image, label).asnumpy()):.6f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
