"""Of several modules some are set to evaluate, by their places: the others still train."""

import torch
from torch import nn


class Doubling(nn.Module):
    def forward(self, x):
        return x * 2 if self.training else x


x = torch.ones(2)
nets = [Doubling() for _ in range(3)]
nets[0].eval()
for net in nets:
    print(net.training, float(net(x).sum()))
pair = [Doubling(), Doubling()]
pair[-1].eval()
print([net.training for net in pair], [float(net(x).sum()) for net in pair])
by_name = {"a": Doubling(), "b": Doubling()}
by_name["b"].eval()
for name in "ab":
    print(by_name[name].training, float(by_name[name](x).sum()))
