"""References without a call, aliases, conditional imports, literals in getattr."""
import functools
import importlib
from collections import OrderedDict
from functools import partial

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError:
    torch = None

if torch is not None:
    from torch.nn import Module as Base
    from torch.nn.modules.conv import Conv2d
    from torch.nn.modules.batchnorm import BatchNorm2d as Norm

Layer = nn.Linear  #: nn.Linear
relu = torch.relu  #: torch.relu
Float = torch.float32  #: torch.float32
ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "silu": F.silu, "tanh": torch.tanh}  #: nn.ReLU nn.GELU F.silu torch.tanh
NORMS = [nn.BatchNorm1d, Norm, functools.partial(nn.GroupNorm, 8)]  #: nn.BatchNorm1d nn.BatchNorm2d nn.GroupNorm


class Mlp(Base):  #: nn.Module
    def __init__(self, dim, act=nn.GELU, norm=partial(nn.LayerNorm, eps=1e-6), pool=F.avg_pool2d):  #: nn.GELU nn.LayerNorm F.avg_pool2d
        Base.__init__(self)  #: nn.Module
        self.fc1 = Layer(dim, dim)  #: nn.Linear
        self.act = act()
        self.norm = norm(dim)
        self.conv = Conv2d(3, 3, 1)  #: nn.Conv2d
        self.body = nn.Sequential(OrderedDict([("a", nn.Identity()), ("b", nn.Flatten(1))]))  #: nn.Sequential nn.Identity nn.Flatten

    def forward(self, x):
        y = relu(self.fc1(x))  #: torch.relu
        z = torch.zeros(3, dtype=Float)  #: torch.zeros torch.float32
        return map(torch.abs, [y, z])  #: torch.abs


def pick(name):
    layer = getattr(nn, "LSTM")  #: nn.LSTM
    if hasattr(F, "gelu"):  #: F.gelu
        pass
    dynamic = getattr(nn, name)
    return layer(3, 4), dynamic  #: nn.LSTM


def inner():
    from torch import einsum, optim
    import torch.linalg as la

    a = torch.eye(3)  #: torch.eye
    b = einsum("ij,jk->ik", a, a)  #: torch.einsum
    c = la.norm(b)  #: torch.linalg.norm
    step = optim.AdamW([a]).step  #: torch.optim.AdamW O.step
    step()
    return c.item()  #: T.item


@torch.jit.script  #: torch.jit.script
def scripted(x: torch.Tensor, n: int) -> torch.Tensor:  #: torch.Tensor torch.Tensor
    return x.repeat(n, 1)  #: T.repeat


@functools.wraps(scripted)
@torch.compile(dynamic=True)  #: torch.compile
def compiled(x: "torch.Tensor"):  #: torch.Tensor
    return x.relu().sum()  #: T.relu T.sum


class Function(torch.autograd.Function):  #: torch.autograd.Function
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class Dense(nn.modules.linear.Linear):  #: nn.Linear
    pass


class Twice(Dense):
    def forward(self, x):
        return super().forward(x) * 2  #: M.forward


t = importlib.import_module("torch")
print(t.arange(3), torch.float16, torch.long, torch.pi)  #: torch.arange torch.float16 torch.long torch.pi
print(isinstance(3, torch.Tensor), issubclass(Mlp, nn.Module), torch.Size([1]))  #: torch.Tensor nn.Module torch.Size
pair = torch.max(torch.rand(3, 4), dim=1)  #: torch.max torch.rand
print(pair.values.shape, pair[1].tolist(), pair.indices)  #: T.shape T.tolist torch.return_types.values torch.return_types.indices
lambdas = [lambda v: F.relu(v), lambda x=torch.ones(1): x]  #: F.relu torch.ones
