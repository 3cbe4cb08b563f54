"""Modules counted, numbered and named: MindSpore's layers have cells in them that PyTorch's lack."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv3d(1, 2, 1), nn.BatchNorm3d(2), nn.ReLU())
        self.around = nn.Conv2d(2, 2, 3, padding=1, padding_mode="reflect")
        self.line = nn.Sequential(nn.Conv1d(2, 2, 3), nn.BatchNorm1d(2))
        self.rnn = nn.LSTM(2, 3)
        self.head = nn.Linear(3, 2)


class Widened(nn.Conv2d):
    """Has children of its own."""

    def __init__(self):
        super().__init__(1, 1, 1)
        self.scale = nn.Linear(1, 1)


net = Net()
with torch.no_grad():
    for place, module in enumerate(net.modules()):
        if isinstance(module, (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear)):
            module.weight.fill_(0.1 * place)
print([round(p.sum().item(), 4) for n, p in net.named_parameters() if n.endswith("0.weight")])
print(round(net.head.weight.sum().item(), 4))
print(len(list(net.modules())))
print([name for name, _ in net.named_modules()])
print([name for name, _ in net.named_modules(prefix="net")][-1])
print(list(dict(net.line.named_modules())))
print(sum(1 for _ in Widened().modules()), [name for name, _ in Widened().named_modules()])
print([type(module) is nn.BatchNorm2d for module in list(net.modules())].count(True))
