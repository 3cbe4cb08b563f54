"""The benchmark's networks in PyTorch, as its users write them.

Parameters are made in the same order and shapes as in `in_mindspore.py`.
"""

import torch
from torch import nn
from torch.nn import functional


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip


def conv(c, o, kernel=3, stride=1, groups=1):
    return nn.Conv2d(c, o, kernel, stride, kernel // 2, groups=groups, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, c, width, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(c, width, 3, stride), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width), nn.BatchNorm2d(width)
        self.short = None
        if stride > 1 or c != width:
            self.short = nn.Sequential(conv(c, width, 1, stride), nn.BatchNorm2d(width))

    def forward(self, x):
        y = functional.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += x if self.short is None else self.short(x)
        return functional.relu(y, inplace=True)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, c, width, stride):
        super().__init__()
        o = 4 * width
        self.conv1, self.bn1 = conv(c, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width, 3, stride), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = conv(width, o, 1), nn.BatchNorm2d(o)
        self.short = None
        if stride > 1 or c != o:
            self.short = nn.Sequential(conv(c, o, 1, stride), nn.BatchNorm2d(o))

    def forward(self, x):
        y = functional.relu(self.bn1(self.conv1(x)), inplace=True)
        y = functional.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += x if self.short is None else self.short(x)
        return functional.relu(y, inplace=True)


class ResNet(nn.Module):
    def __init__(self, block, depths):
        super().__init__()
        self.conv, self.bn = conv(3, 64, 7, 2), nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, 1)
        c, blocks = 64, []
        for stage, depth in enumerate(depths):
            for k in range(depth):
                blocks.append(block(c, 64 << stage, 2 if stage and not k else 1))
                c = (64 << stage) * block.expansion
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(c, 1000)

    def forward(self, x):
        x = self.pool(functional.relu(self.bn(self.conv(x)), inplace=True))
        return self.fc(self.blocks(x).mean((2, 3)))


class InvertedResidual(nn.Module):
    def __init__(self, c, o, stride, ratio):
        super().__init__()
        wide = c * ratio
        self.expand = None
        if ratio > 1:
            self.expand = nn.Sequential(
                conv(c, wide, 1), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True)
            )
        self.body = nn.Sequential(
            conv(wide, wide, 3, stride, wide), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
            conv(wide, o, 1), nn.BatchNorm2d(o),
        )  # fmt: skip
        self.adds = stride == 1 and c == o

    def forward(self, x):
        y = self.body(x if self.expand is None else self.expand(x))
        return x + y if self.adds else y


MOBILE_STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                 (6, 160, 3, 2), (6, 320, 1, 1))  # fmt: skip


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        cells = [conv(3, 32, 3, 2), nn.BatchNorm2d(32), nn.ReLU6(inplace=True)]
        c = 32
        for ratio, o, depth, stride in MOBILE_STAGES:
            for k in range(depth):
                cells.append(InvertedResidual(c, o, 1 if k else stride, ratio))
                c = o
        cells += [conv(c, 1280, 1), nn.BatchNorm2d(1280), nn.ReLU6(inplace=True)]
        self.features = nn.Sequential(*cells)
        self.fc = nn.Linear(1280, 1000)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 256)
        layers = [
            nn.TransformerEncoderLayer(256, 8, 1024, 0.0, "gelu", batch_first=True)
            for _ in range(4)
        ]
        self.layers = nn.Sequential(*layers)
        self.fc = nn.Linear(256, 10)

    def forward(self, x):
        return self.fc(self.layers(self.embedding(x)).mean(1))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 128)
        self.lstm = nn.LSTM(128, 256, batch_first=True)
        self.fc = nn.Linear(256, 10)

    def forward(self, x):
        y, _ = self.lstm(self.embedding(x))
        return self.fc(y[:, -1])


NETWORKS = {
    "lenet": lenet,
    "resnet18": lambda: ResNet(BasicBlock, (2, 2, 2, 2)),
    "resnet50": lambda: ResNet(Bottleneck, (3, 4, 6, 3)),
    "mobilenet": MobileNetV2,
    "transformer": Transformer,
    "lstm": Classifier,
}


def training_step(name, x, y):
    """A function that trains one step and gives the loss."""
    net = NETWORKS[name]()
    net.train()
    if x.dtype.kind == "f":
        optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    else:
        optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    data, label = torch.from_numpy(x), torch.from_numpy(y).long()

    def train():
        optimizer.zero_grad()
        loss = functional.cross_entropy(net(data), label)
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return net, train


def inference(name, x):
    """A function that computes the logits."""
    net = NETWORKS[name]()
    net.eval()
    data = torch.from_numpy(x)

    def compute():
        with torch.no_grad():
            return net(data).numpy()

    return net, compute
