"""Utilities with closures, descriptors, generics, match, walrus, properties, singledispatch."""
from __future__ import annotations

import dataclasses as dc
import enum
import functools as ft
import typing as tp
from collections import ChainMap, deque, namedtuple
from functools import singledispatch, singledispatchmethod

import numpy as np
import torch, torch.nn as nn
from torch import Tensor as T, float32 as f32, nn as n2
from torch.nn.functional import *

K = tp.TypeVar("K")
Point = namedtuple("Point", ["x", "y"])
Pair = tuple[T, T]
MaybeT = tp.Optional[T]
Reducer = tp.Callable[[T], T]


class Box(tp.Generic[K]):
    def __init__(self, value: K):
        self.value = value

    def map(self, fn):
        return Box(fn(self.value))

    def get(self) -> K:
        return self.value


class Lazy:
    def __init__(self, fn):
        self.fn = fn

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        if not hasattr(obj, self.name):
            setattr(obj, self.name, self.fn(obj))
        return getattr(obj, self.name)


class Stats:
    def __init__(self, x):
        self.x = x

    @Lazy
    def mean(self):
        return self.x.mean(0).tolist()

    @Lazy
    def cov(self):
        c = self.x - self.x.mean(0, keepdim=True)
        return c.t().mm(c) / (self.x.size(0) - 1)

    @property
    def shape(self):
        return list(self.x.shape)

    @shape.setter
    def shape(self, v):
        self.x = self.x.reshape(*v)

    def size(self):
        return {"n": self.x.numel()}


class Mode(enum.Enum):
    MEAN = enum.auto()
    SUM = "sum"


class Reducers(dict):
    def __missing__(self, key):
        return lambda t: t


REDUCE: dict[str, Reducer] = {"mean": torch.mean, "sum": torch.sum, "none": lambda t: t, "max": T.max}


@singledispatch
def size(x):
    return len(x)


@size.register
def _(x: T):
    return x.numel()


@size.register(np.ndarray)
def _(x):
    return x.size


def reduce_by(mode, t):
    match mode:
        case Mode.MEAN | "mean":
            return t.mean()
        case Mode.SUM:
            return t.sum()
        case {"dim": int(d), **rest}:
            return t.sum(dim=d)
        case (a, b):
            return t[a:b].max()
        case torch.dtype():
            return t.to(mode).min()
        case nn.Module() as m:
            return m(t)
        case _:
            return t


def make_metric(name: str, *, eps=1e-8):
    state = torch.zeros(2)
    calls = 0

    def update(a: T, b: T):
        nonlocal calls, state
        calls += 1
        state = state + torch.stack([(a - b).abs().sum(), torch.tensor(float(a.numel()))])
        return compute()

    def compute():
        return (state[0] / (state[1] + eps)).item()

    def reset():
        nonlocal state
        state = torch.zeros_like(state)

    update.reset, update.name = reset, name
    return update


def compose(*fns):
    return ft.reduce(lambda f, g: lambda x: g(f(x)), fns)


def curve(scores: T, labels: T) -> tuple[T, T, T]:
    order = scores.argsort(descending=True)
    scores, labels = scores[order], labels[order]
    distinct = torch.where(scores.diff())[0]
    idx = torch.cat([distinct, torch.tensor([labels.numel() - 1])])
    tps = labels.cumsum(0)[idx]
    fps = 1 + idx - tps
    return fps / fps[-1], tps / tps[-1], scores[idx]


def auc(x, y):
    dx = torch.diff(x)
    if (dx < 0).any():
        if (dx <= 0).all():
            direction = -1.0
        else:
            raise ValueError
    else:
        direction = 1.0
    return direction * torch.trapezoid(y, x).item()


@dc.dataclass
class Result:
    values: T
    names: list[str] = dc.field(default_factory=list)
    extra: dict[str, T] | None = None
    total: T = dc.field(init=False)

    def __post_init__(self):
        self.total = self.values.sum()

    def __iter__(self):
        yield from zip(self.names, self.values.tolist())

    def __add__(self, other: Result) -> Result:
        return dc.replace(self, values=torch.cat([self.values, other.values]), names=self.names + other.names)

    def best(self):
        i = int(self.values.argmax())
        return self.names[i], self.values[i]


class History:
    def __init__(self, n=3):
        self.buf: deque[T] = deque(maxlen=n)
        self.by: dict[str, list[T]] = {}

    def __iadd__(self, t):
        self.buf.append(t.detach())
        return self

    def push(self, **kw: T):
        for k, v in kw.items():
            self.by.setdefault(k, []).append(v.detach())

    def means(self):
        return {k: torch.stack(v).mean() for k, v in self.by.items()}

    def smooth(self):
        return sum(self.buf) / len(self.buf)


def stream(xs: tp.Iterable[T]) -> tp.Iterator[T]:
    total = None
    for x in xs:
        total = x if total is None else total + x
        yield total.clone()


def topk_acc(out: T, y: T, ks=(1, 2)):
    if (m := max(ks)) > out.size(1):
        raise ValueError
    hit = out.topk(m, 1).indices.eq(y[:, None])
    return {k: hit[:, :k].any(1).to(f32).mean() for k in ks}


def tree_map(fn, tree):
    if isinstance(tree, dict):
        return {k: tree_map(fn, v) for k, v in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(tree_map(fn, v) for v in tree)
    return fn(tree) if isinstance(tree, T) else tree


def shapes(*ts: T, **named: T):
    return [t.shape for t in ts], {k: v.ndim for k, v in named.items()}


def main():
    torch.manual_seed(0)
    x, y = torch.randn(6, 3), torch.randint(0, 3, (6,))
    st = Stats(x)
    print(st.mean[0], st.cov.diag().sum(), st.shape, st.size()["n"])
    st.shape = (3, 6)
    b = Box(x).map(relu).map(lambda t: t.sum(1))
    print(b.get().mean(), b.value.shape, size(x), size(np.ones(3)), size([1]))
    m = make_metric("l1")
    print(m(x, x + 1), m.name)
    m.reset()
    print([float(reduce_by(k, x).sum()) for k in (Mode.MEAN, Mode.SUM, {"dim": 1}, (0, 2), torch.float64, n2.Linear(3, 2), None)])
    print({k: f(x).sum().item() for k, f in REDUCE.items()}, Reducers()["q"](x).shape)
    fpr, tpr, thr = curve(torch.rand(6), (torch.rand(6) > 0.4).long())
    print(auc(fpr, tpr), thr.shape)
    r = Result(x[:, 0], list("abcdef")) + Result(x[:2, 1], ["g", "h"])
    name, best = r.best()
    print(name, best.item(), r.total.item(), dict(r)["a"], r.values.shape)
    h = History()
    for row in x:
        h += row
        h.push(a=row, b=row.exp())
    print(h.smooth().norm(), h.means()["a"].shape if False else h.means()["b"].item() > 0)
    last = None
    for last in stream(x.unbind(0)):
        pass
    print(last.sum(), topk_acc(x, y)[2].item(), compose(torch.exp, torch.log, lambda t: t.round())(x).shape)
    tree = tree_map(lambda t: t.double(), {"a": x, "b": [y, 3]})
    print(tree["a"].dtype, shapes(x, y, z=x))
    p = Point(torch.ones(2), torch.zeros(2))
    px, py = p
    print(p.x.sum() + p.y.sum(), px.shape, p._replace(x=py).x.mean(), mse_loss(px, py), pad(px, (0, 1)).shape)
    best, arg = x.max(dim=1)
    vals = x.sort(0).values
    u, inv = torch.unique(y, return_inverse=True)
    print(best.shape, arg.dtype, vals[0], u.numel(), inv.shape, one_hot(y, 3).sum(0))
    out = torch.nonzero(y > 0, as_tuple=True)[0]
    flat = torch.nonzero(y > 0, as_tuple=False).squeeze(1)
    cnt = torch.unique(y, return_counts=False).sum()
    z = max_pool1d(x[None], 2, return_indices=False).mean()
    print(out.shape, flat.shape, cnt, z)


if __name__ == "__main__":
    main()
