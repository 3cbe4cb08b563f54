"""The benchmark's networks in plain MindSpore: run by the real one and by the runtime alike.

Parameters are made in the same order and shapes as in `in_torch.py`.
"""

import math

import mindspore as ms
from mindspore import nn, ops


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="pad", padding=2, has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        x = ops.reshape(x, (x.shape[0], -1))
        return self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x)))))


def conv(c, o, kernel=3, stride=1, group=1):
    """Convolution without bias, padded to keep its size."""
    padding = kernel // 2
    return nn.Conv2d(c, o, kernel, stride, pad_mode="pad", padding=padding, group=group)


class BasicBlock(nn.Cell):
    expansion = 1

    def __init__(self, c, width, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(c, width, 3, stride), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width), nn.BatchNorm2d(width)
        self.short = None
        if stride > 1 or c != width:
            self.short = nn.SequentialCell(conv(c, width, 1, stride), nn.BatchNorm2d(width))

    def construct(self, x):
        y = ops.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return ops.relu(y + (x if self.short is None else self.short(x)))


class Bottleneck(nn.Cell):
    expansion = 4

    def __init__(self, c, width, stride):
        super().__init__()
        o = 4 * width
        self.conv1, self.bn1 = conv(c, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width, 3, stride), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = conv(width, o, 1), nn.BatchNorm2d(o)
        self.short = None
        if stride > 1 or c != o:
            self.short = nn.SequentialCell(conv(c, o, 1, stride), nn.BatchNorm2d(o))

    def construct(self, x):
        y = ops.relu(self.bn1(self.conv1(x)))
        y = ops.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return ops.relu(y + (x if self.short is None else self.short(x)))


class ResNet(nn.Cell):
    def __init__(self, block, depths):
        super().__init__()
        self.conv, self.bn = conv(3, 64, 7, 2), nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        c, blocks = 64, []
        for stage, depth in enumerate(depths):
            for k in range(depth):
                blocks.append(block(c, 64 << stage, 2 if stage and not k else 1))
                c = (64 << stage) * block.expansion
        self.blocks = nn.SequentialCell(*blocks)
        self.fc = nn.Dense(c, 1000)

    def construct(self, x):
        x = self.pool(ops.relu(self.bn(self.conv(x))))
        return self.fc(ops.mean(self.blocks(x), (2, 3)))


class InvertedResidual(nn.Cell):
    def __init__(self, c, o, stride, ratio):
        super().__init__()
        wide = c * ratio
        self.expand = None
        if ratio > 1:
            self.expand = nn.SequentialCell(conv(c, wide, 1), nn.BatchNorm2d(wide), nn.ReLU6())
        self.body = nn.SequentialCell(
            conv(wide, wide, 3, stride, wide), nn.BatchNorm2d(wide), nn.ReLU6(),
            conv(wide, o, 1), nn.BatchNorm2d(o),
        )  # fmt: skip
        self.adds = stride == 1 and c == o

    def construct(self, x):
        y = self.body(x if self.expand is None else self.expand(x))
        return x + y if self.adds else y


MOBILE_STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                 (6, 160, 3, 2), (6, 320, 1, 1))  # fmt: skip


class MobileNetV2(nn.Cell):
    def __init__(self):
        super().__init__()
        cells = [conv(3, 32, 3, 2), nn.BatchNorm2d(32), nn.ReLU6()]
        c = 32
        for ratio, o, depth, stride in MOBILE_STAGES:
            for k in range(depth):
                cells.append(InvertedResidual(c, o, 1 if k else stride, ratio))
                c = o
        cells += [conv(c, 1280, 1), nn.BatchNorm2d(1280), nn.ReLU6()]
        self.features = nn.SequentialCell(*cells)
        self.fc = nn.Dense(1280, 1000)

    def construct(self, x):
        return self.fc(ops.mean(self.features(x), (2, 3)))


class EncoderLayer(nn.Cell):
    """Attention, then two dense layers, each added to its input and normalised."""

    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.scale = heads, 1 / math.sqrt(d // heads)
        self.qkv, self.out = nn.Dense(d, 3 * d), nn.Dense(d, d)
        self.wide, self.narrow = nn.Dense(d, 4 * d), nn.Dense(4 * d, d)
        self.norm1 = nn.LayerNorm((d,), epsilon=1e-5)
        self.norm2 = nn.LayerNorm((d,), epsilon=1e-5)

    def construct(self, x):
        n, t, d = x.shape
        qkv = ops.reshape(self.qkv(x), (n, t, 3, self.heads, d // self.heads))
        q, k, v = ops.unbind(ops.transpose(qkv, (2, 0, 3, 1, 4)))
        scores = ops.matmul(q * self.scale, ops.transpose(k, (0, 1, 3, 2)))
        y = ops.matmul(ops.softmax(scores, -1), v)
        y = self.out(ops.reshape(ops.transpose(y, (0, 2, 1, 3)), (n, t, d)))
        x = self.norm1(x + y)
        return self.norm2(x + self.narrow(ops.gelu(self.wide(x))))


class Transformer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 256)
        self.layers = nn.SequentialCell(*[EncoderLayer(256, 8) for _ in range(4)])
        self.fc = nn.Dense(256, 10)

    def construct(self, x):
        return self.fc(ops.mean(self.layers(self.embedding(x)), 1))


class Classifier(nn.Cell):
    """An LSTM whose last output is classified."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 128)
        self.lstm = nn.LSTM(128, 256, batch_first=True)
        self.fc = nn.Dense(256, 10)

    def construct(self, x):
        y, _ = self.lstm(self.embedding(x))
        return self.fc(y[:, -1])


NETWORKS = {
    "lenet": LeNet,
    "resnet18": lambda: ResNet(BasicBlock, (2, 2, 2, 2)),
    "resnet50": lambda: ResNet(Bottleneck, (3, 4, 6, 3)),
    "mobilenet": MobileNetV2,
    "transformer": Transformer,
    "lstm": Classifier,
}


def training_step(name, x, y, compiled):
    """A function that trains one step and gives the loss."""
    ms.set_context(mode=ms.GRAPH_MODE if compiled else ms.PYNATIVE_MODE)
    net = NETWORKS[name]()
    net.set_train()
    parameters = net.trainable_params()
    if x.dtype.kind == "f":
        optimizer = nn.Momentum(parameters, 0.01, 0.9)
    else:
        optimizer = nn.Adam(parameters, 1e-3)

    def forward(x, y):
        return ops.cross_entropy(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    def train(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    step = ms.jit(train) if compiled else train
    data, label = ms.Tensor(x), ms.Tensor(y)
    return net, lambda: float(step(data, label).asnumpy())


def inference(name, x, compiled):
    """A function that computes the logits."""
    ms.set_context(mode=ms.GRAPH_MODE if compiled else ms.PYNATIVE_MODE)
    net = NETWORKS[name]()
    net.set_train(False)
    data = ms.Tensor(x)
    return net, lambda: net(data).asnumpy()
