"""What older repositories write: losses told to average, meters, layers with other weights."""

import warnings
from functools import partial

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

warnings.filterwarnings("ignore", message="size_average")


class AverageMeter(object):
    def __init__(self, name, fmt=":f"):
        self.name, self.fmt = name, fmt
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        text = "{name} {val" + self.fmt + "} ({avg" + self.fmt + "})"
        return text.format(**self.__dict__)


class Standardised(nn.Conv2d):
    def forward(self, x):
        weight = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
        return self._conv_forward(x, weight, self.bias)


class Scaled(nn.Module):
    def __init__(self, width, is_learnt):
        super().__init__()
        self.width = width
        if is_learnt:
            self.scale = nn.Parameter(torch.cos(torch.arange(self.width)))
        else:
            self.register_buffer("scale", torch.ones(width))

    def forward(self, x):
        return x * self.scale


def fill(module, counter):
    for p in module.parameters(recurse=False):
        counter[0] += 1
        values = np.sin(np.arange(p.numel()) + counter[0]) * 0.3
        p.data.copy_(torch.from_numpy(values).view(p.size()))


def make_net():
    net = nn.Sequential()
    net.add_module("conv", Standardised(1, 2, 3, padding=1, padding_mode="reflect"))
    net.add_module("flat", nn.Flatten())
    net.add_module("fc", nn.Linear(32, 3))
    net.apply(partial(fill, counter=[2]))
    return net


def memories(n):
    return [torch.empty(0) for _ in range(n)]


def losses(a, b, size_average=True, reduce=True):
    return F.mse_loss(a, b, size_average=size_average), F.l1_loss(a, b, reduce=reduce)


x = torch.linspace(0.1, 0.9, 6).view(2, 3)
y = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
print("%.4f" % F.binary_cross_entropy(x, y, size_average=False).item())
print("%.4f" % nn.MSELoss(size_average=False)(x, y).item(), nn.L1Loss(reduce=False)(x, y).shape[0])
print("%.4f" % nn.NLLLoss(None, False, reduce=True)(x, torch.tensor([0, 2])).item())
print(["%.4f" % v.sum().item() for v in (*losses(x, y, False, False), *losses(x, y))])
to_tensor = partial(torch.tensor, dtype=torch.float32)
print(torch.sparse.torch.eye(3).sum().item(), to_tensor([1, 2]).mean().item())

net = make_net()
print(net.training, [len(list(Scaled(4, learnt).parameters())) for learnt in (True, False)])
print("%.4f" % Scaled(4, True)(torch.ones(4)).sum().item())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
meter, top1 = AverageMeter("Loss", ":.4f"), AverageMeter("Acc@1", ":6.2f")
images = torch.from_numpy(np.random.RandomState(0).rand(4, 1, 4, 4).astype(np.float32))
labels = torch.tensor([0, 1, 2, 1])
mems = memories(1)
for step in range(3):
    output = net(images)
    loss = F.cross_entropy(output, labels)
    meter.update(loss.item(), images.size(0))
    top1.update((output.argmax(1) == labels).float().mean() * 100)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    mems = [torch.cat([mem, output.detach()], dim=0) for mem in mems]
    print(meter, top1, mems[0].shape[0])
print(" * Acc@1 {top1.avg:.3f} {0.val:.2f}".format(meter, top1=top1))
