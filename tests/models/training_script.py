"""Training in plain MindSpore; run by real MindSpore and by `python -m msconvert.runtime`.

    python training_script.py MODES RESULTS.json

Writes the losses of ten steps of each network, in each of the modes ("0", "1" or "01").
"""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 5, pad_mode="same", has_bias=True)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3, stride=2, pad_mode="valid")
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(8 * 9, 16)
        self.fc2 = nn.Dense(16, 10)
        self.relu = nn.ReLU()

    def construct(self, x):
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        x = self.flatten(self.relu(self.conv2(x)))
        return self.fc2(self.relu(self.fc1(x)))


class Block(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.width, self.heads = width, heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.qkv = nn.Dense(width, 3 * width)
        self.out = nn.Dense(width, width)
        self.up, self.down = nn.Dense(width, 2 * width), nn.Dense(2 * width, width)

    def construct(self, x):
        n, t, c = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(n, t, 3, self.heads, c // self.heads)
        q, k, v = ops.unstack(qkv.transpose(2, 0, 3, 1, 4), axis=0)
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / (c // self.heads) ** 0.5
        mixed = ops.matmul(ops.softmax(scores, -1), v).transpose(0, 2, 1, 3).reshape(n, t, c)
        x = x + self.out(mixed)
        return x + self.down(ops.gelu(self.up(self.norm2(x))))


class Transformer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.blocks = nn.SequentialCell(Block(16, 4), Block(16, 4))
        self.head = nn.Dense(16, 5)

    def construct(self, ids):
        return self.head(ops.mean(self.blocks(self.embed(ids)), 1))


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8, batch_first=True, bidirectional=True)
        self.head = nn.Dense(16, 3)

    def construct(self, x):
        y, _ = self.lstm(x)
        return self.head(y[:, -1])


def filled(net):
    """The same weights everywhere."""
    for k, (name, p) in enumerate(sorted(net.parameters_and_names())):
        if "moving" not in name:
            array = np.random.RandomState(k).rand(*p.shape) * 0.4 - 0.2 + ("gamma" in name)
            p.set_data(ms.Tensor(array.astype(np.float32)))
    return net


def lenet(state):
    net = filled(LeNet()).set_train()
    decayed = [p for p in net.trainable_params() if "weight" in p.name]
    rest = [p for p in net.trainable_params() if "weight" not in p.name]
    groups = [
        {"params": decayed, "weight_decay": 0.01, "lr": 0.05},
        {"params": rest},
        {"order_params": net.trainable_params()},
    ]
    rate = nn.CosineDecayLR(0.001, 0.1, 10)
    optimizer = nn.Momentum(groups, rate, 0.9)
    x, y = state.rand(4, 1, 16, 16).astype(np.float32), state.randint(0, 10, 4).astype(np.int32)
    return net, optimizer, ms.Tensor(x), ms.Tensor(y)


def transformer(state):
    net = filled(Transformer()).set_train()
    optimizer = nn.AdamWeightDecay(net.trainable_params(), 0.01, weight_decay=0.1)
    x, y = state.randint(0, 20, (4, 7)).astype(np.int32), state.randint(0, 5, 4).astype(np.int32)
    return net, optimizer, ms.Tensor(x), ms.Tensor(y)


def recurrent(state):
    net = filled(Recurrent()).set_train()
    optimizer = nn.Adam(net.trainable_params(), nn.cosine_decay_lr(0.0, 0.05, 10, 2, 5))
    x, y = state.rand(4, 5, 6).astype(np.float32), state.randint(0, 3, 4).astype(np.int32)
    return net, optimizer, ms.Tensor(x), ms.Tensor(y)


def functional(net, optimizer, x, y):
    """value_and_grad, loss scaling, clipping, in one compiled step."""
    loss_fn = nn.CrossEntropyLoss()
    scaler = ms.amp.DynamicLossScaler(scale_value=2**8, scale_factor=2, scale_window=3)

    def forward(data, label):
        logits = net(data)
        loss = loss_fn(logits, label)
        return scaler.scale(loss), logits

    step = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def train(data, label):
        (loss, _), gradients = step(data, label)
        gradients = scaler.unscale(gradients)
        finite = ms.amp.all_finite(gradients)
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        optimizer(gradients)
        return scaler.unscale(loss), finite

    losses = []
    for _ in range(10):
        loss, finite = train(x, y)
        scaler.adjust(finite)
        losses.append(float(loss.asnumpy()))
    return losses


def classic(net, optimizer, x, y):
    """The cells that older scripts use."""
    with_loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(True, "mean"))
    train = nn.TrainOneStepCell(with_loss, optimizer).set_train()
    return [float(train(x, y).asnumpy()) for _ in range(10)]


def main(modes, results):
    found = {}
    for mode in modes:
        ms.set_context(mode=int(mode))
        for make in (lenet, transformer, recurrent):
            for loop in (functional, classic):
                name = f"{make.__name__} {loop.__name__} {mode}"
                found[name] = loop(*make(np.random.RandomState(0)))
    with open(results, "w") as stream:
        json.dump(found, stream)


if __name__ == "__main__":
    main(*sys.argv[1:])
