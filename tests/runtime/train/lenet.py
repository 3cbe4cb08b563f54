"""LeNet-5 as the beginner's course has it: Model.train, callbacks, Model.eval, on drawn digits.

python lenet.py graph start.ckpt
"""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import context, nn
from mindspore.common.initializer import Normal
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint
from mindspore.train.serialization import load_checkpoint, load_param_into_net

SEGMENTS = {
    "top": (slice(4, 6), slice(9, 19)),
    "middle": (slice(13, 15), slice(9, 19)),
    "bottom": (slice(22, 24), slice(9, 19)),
    "upper left": (slice(4, 14), slice(9, 11)),
    "upper right": (slice(4, 14), slice(17, 19)),
    "lower left": (slice(14, 24), slice(9, 11)),
    "lower right": (slice(14, 24), slice(17, 19)),
}
OFF = [
    ["middle"],
    ["top", "middle", "bottom", "upper left", "lower left"],
    ["upper left", "lower right"],
    ["upper left", "lower left"],
    ["top", "bottom", "lower left"],
    ["upper right", "lower left"],
    ["upper right"],
    ["middle", "bottom", "upper left", "lower left"],
    [],
    ["lower left"],
]


def digits(count, seed):
    """Images (count, 1, 32, 32) of digits as watches show them, moved and in noise; classes."""
    state = np.random.RandomState(seed)
    labels = state.randint(0, 10, count).astype(np.int32)
    images = state.rand(count, 1, 32, 32).astype(np.float32) * 0.3
    for image, label in zip(images[:, 0], labels, strict=True):
        drawn = np.zeros((28, 28), np.float32)
        for name, place in SEGMENTS.items():
            if name not in OFF[label]:
                drawn[place] = 1.0
        y, x = state.randint(0, 5, 2)
        image[y : y + 28, x : x + 28] += drawn * (0.6 + 0.4 * state.rand())
    return (images - 0.25) / 0.3, labels


def create_dataset(count, seed, batch_size=32):
    """Batches in a fixed order, so that both frameworks see the same."""
    data = ds.NumpySlicesDataset(digits(count, seed), ["image", "label"], shuffle=False)
    return data.batch(batch_size, drop_remainder=True)


class LeNet5(nn.Cell):
    def __init__(self, num_class=10, num_channel=1):
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, num_class, weight_init=Normal(0.02))
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def main(mode, start):
    context.set_context(mode=context.GRAPH_MODE if mode == "graph" else context.PYNATIVE_MODE)
    ms.set_seed(4)
    net = LeNet5()
    if os.path.exists(start):
        load_param_into_net(net, load_checkpoint(start))
    else:
        ms.save_checkpoint(net, start)
    net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net_opt = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
    config_ck = CheckpointConfig(save_checkpoint_steps=25, keep_checkpoint_max=3)
    ckpoint = ModelCheckpoint(prefix="checkpoint_lenet", directory=mode, config=config_ck)
    model = Model(net, net_loss, net_opt, metrics={"Accuracy": nn.Accuracy()})
    model.train(5, create_dataset(1600, 0), callbacks=[ckpoint, LossMonitor(20)],
                dataset_sink_mode=False)  # fmt: skip
    acc = model.eval(create_dataset(640, 1), dataset_sink_mode=False)
    print("Accuracy:", acc)

    kept = sorted(name for name in os.listdir(mode) if name.endswith(".ckpt"))
    print("kept:", kept)
    again = LeNet5()
    load_param_into_net(again, load_checkpoint(os.path.join(mode, kept[-1])))
    predicted = Model(again).predict(ms.Tensor(digits(16, 2)[0])).asnumpy().argmax(1)
    print("predicted:", predicted.tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
