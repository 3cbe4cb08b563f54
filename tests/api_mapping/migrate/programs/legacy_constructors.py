import torch
from torch import nn


class A(nn.Module):
    def __init__(self, n, cfg, opts):
        super().__init__()
        self.a = nn.Parameter(torch.Tensor(n))
        self.b = nn.Parameter(torch.FloatTensor(n))
        self.c = nn.Parameter(torch.empty(n))
        self.d = nn.Parameter(torch.Tensor(cfg["n"]))
        self.e = nn.Parameter(torch.Tensor(opts.width))
        self.f = nn.Parameter(torch.Tensor(n * 2))
        self.g = nn.Parameter(torch.Tensor(len(cfg)))
        self.h = nn.Parameter(torch.Tensor(n, n).fill_(1.0))
        self.i = nn.Parameter(torch.zeros(n))
        self.j = torch.cuda.FloatTensor if False else torch.DoubleTensor(n)


class O:
    width = 6


def make(cls, *args):
    return cls(*args)


m = make(A, 3, {"n": 5}, O())
for k in "abcdefghi":
    print(k, tuple(getattr(m, k).shape))
print(tuple(m.j.shape), m.j.dtype == torch.float64)


def t(v):
    return torch.Tensor(v)


def l(v):
    return torch.LongTensor(v)


def call(f, v):
    return f(v)


for v in (4, [1.0, 2.0], (3.0,), torch.ones(2, 2)):
    print(tuple(call(t, v).shape))
for v in (4, [1, 2], (3,)):
    x = call(l, v)
    print(tuple(x.shape), x.dtype == torch.int64)


class B(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        n, m = sizes
        self.w = nn.Parameter(torch.Tensor(m))
        self.v = nn.Parameter(torch.Tensor(n, m))
        self.register_buffer("u", torch.Tensor(n))


b = make(B, (2, 3))
print(tuple(b.w.shape), tuple(b.v.shape), tuple(b.u.shape))
