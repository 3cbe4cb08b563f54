"""Networks that use parts of their containers of modules: the parameters keep their names."""

import json
from collections import OrderedDict

import torch
from torch import nn


def lines(count):
    return [nn.Linear(3, 3) for _ in range(count)]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.layers = nn.ModuleList(lines(4))
        self.seq = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
        self.named = nn.ModuleDict({"a": nn.Sequential(nn.Linear(3, 3), nn.Tanh())})
        self.split = 2


class Tail(Net):
    def forward(self, x):
        for layer in self.layers[1:]:
            x = layer(x)
        return x


class Heads(Net):
    def forward(self, x):
        for i, layer in enumerate(self.layers[:-1]):
            x = layer(x) + i
        for layer in self.layers[self.split :]:
            x = layer(x)
        return x


class Pairs(Net):
    def forward(self, x):
        for a, b in zip(self.layers[:-1], self.layers[1:]):
            x = b(a(x))
        return x


class Backwards(Net):
    def forward(self, x):
        for layer in reversed(self.layers[1:]):
            x = layer(x)
        for layer in self.layers[::-1]:
            x = layer(x)
        return x


class Listed(Net):
    def forward(self, x):
        for layer in list(self.layers)[1:]:
            x = layer(x)
        first, *rest = self.layers[:3]
        for layer in rest:
            x = layer(x)
        return first(x)


class Called(Net):
    def forward(self, x):
        return self.seq[:2](x) + self.seq[1:](x) + self.named["a"][:1](x)


class Chained(Net):
    def forward(self, x):
        x = nn.Sequential(*self.layers[1:3])(x)
        x = nn.Sequential(self.stem, *list(self.layers)[1:])(x)
        steps = OrderedDict([("first", self.stem), ("second", self.layers[0])])
        more = []
        for layer in self.layers:
            more.append(layer)
        more.append(self.stem)
        y = nn.Sequential(OrderedDict(first=self.stem))(x) + nn.Sequential(steps)(x)
        return nn.Sequential(*more)(y)


def run_all(blocks, x):
    for block in blocks:
        x = block(x)
    return x


def run_rest(blocks, x):
    for block in blocks[1:]:
        x = block(x)
    return x


class HandedOn(Net):
    def forward(self, x):
        x = run_all(self.layers[2:], x)
        x = run_rest(self.layers, x)
        return run_rest(self.seq, x)


class Kept(Net):
    def forward(self, x):
        some = self.layers[1:]
        body = self.seq[: self.split]
        for layer in some:
            x = layer(x)
        return body(x) + len(some)


class Stepped(Net):
    def forward(self, x):
        y = [layer(x) for layer in self.layers[::2]]
        return sum(y) + sum(layer(x) for layer in self.layers[1::2])


def frozen(net, count):
    for layer in net.layers[:count]:
        for p in layer.parameters():
            p.requires_grad = False


def head_of(net):
    return net.seq[:1]


SAMPLE = torch.tensor([[0.5, -1.0, 2.0]])
NETS = (Tail, Heads, Pairs, Backwards, Listed, Called, Chained, HandedOn, Kept, Stepped)


def main():
    found = {}
    for kind in NETS:
        net: nn.Module = kind()
        before = [name for name, _ in net.named_parameters()]
        net(SAMPLE)
        net(SAMPLE)
        after = [name for name, _ in net.named_parameters()]
        found[kind.__name__] = [before, after, list(net.state_dict())]
    net = Tail()
    frozen(net, 2)
    head_of(net)(SAMPLE)
    torch.optim.SGD(net.layers[2:].parameters(), lr=0.1)
    trained = [name for name, p in net.named_parameters() if p.requires_grad]
    found["outside"] = [[name for name, _ in net.named_parameters()], trained]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
