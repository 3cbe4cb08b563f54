import copy
from abc import ABC, abstractmethod
import torch
from torch import nn
import torch.nn.functional as F
def get_clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])
def make_block(cin, cout):
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.c = nn.Linear(cin, cout)
        def forward(self, x):
            return F.relu(self.c(x))
    return Inner()
class Base(nn.Module, ABC):
    def __init__(self, n: int):
        super().__init__()
        self.n = n
        self.layers = self.build()
    @abstractmethod
    def build(self) -> nn.Module:
        ...
    def forward(self, *inputs, **kwargs):
        return self.run(*inputs, **kwargs)
    def run(self, x, scale=1.0):
        return self.layers(x) * scale
class Impl(Base):
    def build(self):
        layers = nn.Sequential(nn.Linear(3, self.n), nn.ReLU())
        layers.append(nn.Linear(self.n, self.n))
        layers.extend([nn.Tanh(), nn.Linear(self.n, 3)])
        layers[1] = nn.Sigmoid()
        del layers[3]
        return layers
class Switch(nn.Module):
    def __init__(self, fast):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        if fast:
            self.forward = self.forward_fast
    def forward(self, x):
        return self.fc(x)
    def forward_fast(self, x):
        return self.fc(x) * 2
class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = None
        self.downsample = None
    def forward(self, x):
        identity = x
        if self.fc is None:
            self.fc = nn.Linear(x.shape[1], 3).to(x.device)
            nn.init.eye_(self.fc.weight)
            nn.init.zeros_(self.fc.bias)
        if self.downsample is not None:
            identity = self.downsample(x)
        return self.fc(x) + identity
class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)
    def __len__(self):
        return 3
class Fn(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn
    def forward(self, x, **kw):
        return self.fn(x, **kw) + x
class Net(nn.Module):
    """A net."""
    count = 0
    @classmethod
    def build(cls, *a):
        return cls(*a)
    def __init__(self):
        nn.Module.__init__(self)
        Net.count += 1
        self.impl = Impl(4)
        self.clones = get_clones(nn.Linear(3, 3), 2)
        self.inner = make_block(3, 3)
        self.switch = Switch(True)
        self.lazy = Lazy()
        self.wrapped = Wrapper(nn.LayerNorm(3))
        self.fn = Fn(nn.Linear(3, 3))
        self.acts = {"relu": F.relu, "tanh": torch.tanh}
        self.activation = getattr(F, "relu")
        self.fc1, self.fc2 = nn.Linear(3, 3), nn.Linear(3, 3)
        self._reset_parameters()
    def _reset_parameters(self):
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        for name, m in self.named_modules():
            if isinstance(m, nn.Linear) and "clones" in name:
                m.reset_parameters()
    def forward(self, x, mask=None):
        x = self.impl(x, scale=2.0)
        for layer in self.clones:
            x = layer(x)
        x = self.inner(x) + self.switch(x) + self.lazy(x)
        x = self.wrapped(x)
        x = self.fn(x)
        x = self.acts["tanh"](x)
        return self.fc2(self.activation(self.fc1(x)))
def check(net: Net):
    n_params = sum(p.numel() for p in net.parameters() if p.requires_grad)
    net.load_state_dict(net.state_dict())
    total = 0
    for name, p in net.named_parameters():
        if "weight" in name:
            total += 1
    norms = [float(p.data.norm(2)) for p in net.fc1.parameters()]
    total_norm = sum(n ** 2 for n in norms) ** 0.5
    return [n_params, total, total_norm, len(net.wrapped), net.wrapped.module.weight, next(net.parameters()).shape[0], [k for k in net.state_dict().keys() if "fc1" in k]]
