import torch
from torch import nn
class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(0.5)
        self.calls = 0
    def train(self, mode: bool = True):
        super().train(mode)
        self.calls += 1
        self.bn.eval()
        return self
    def forward(self, x):
        return self.bn(x)
class Colder(Frozen):
    def train(self, mode=True):
        return super().train(False)
class Never(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.train(False)
    def train(self, mode=True):
        if mode:
            return self
        return super().train(mode)
    def forward(self, x):
        return self.norm(x)
class Mixin:
    def train(self, mode=True):
        super().train(mode)
        for m in self.modules():
            if isinstance(m, nn.BatchNorm1d):
                m.eval()
        return self
class Mixed(Mixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
    def forward(self, x):
        return self.norm(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), Frozen(), nn.ModuleList([Colder()])[0])
        self.teacher = Never()
        self.mixed = Mixed()
    def forward(self, x):
        return self.body(x) + self.teacher(x) + self.mixed(x)
TRAIN = True
def check(net: Net):
    out = []
    for mode in (True, False, True):
        net.train(mode)
        net.body[1].calls = 0
        net.body.train(mode)
        out += [m.training for m in net.modules()]
        out += [net.body[1].calls, net.body[2].calls, net.body[2].training]
    net.body[1].train()
    net.eval()
    out += [m.training for m in net.modules()]
    return out + [net(torch.ones(2, 3))]
