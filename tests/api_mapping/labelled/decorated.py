"""Decorators of the project: some leave a function as it is, some make something else of it."""

import functools
from contextlib import contextmanager

import torch

REGISTRY = {}


def register(fn):
    REGISTRY[fn.__name__] = fn
    return fn


def named(name):
    def wrap(fn):
        REGISTRY[name] = fn
        return fn

    return wrap


def logged(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        out = fn(*args, **kwargs)
        print(fn.__name__)
        return out

    return inner


def main_only(fn):
    def inner(*args, **kwargs):
        if REGISTRY:
            return fn(*args, **kwargs)

    return inner


def to_numpy(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        return fn(*args, **kwargs).detach().numpy()  #: T.detach T.numpy

    return inner


def timed(fn):
    def inner(*args, **kwargs):
        return fn(*args, **kwargs), 0.1

    return inner


def halved(scale=2):
    return lambda fn: lambda x: fn(x) / scale


def first_as_tensor(fn):
    @functools.wraps(fn)
    def inner(x):
        return fn(torch.as_tensor(x))  #: torch.as_tensor

    return inner


class Lazy:
    def __init__(self, fn):
        self.fn = fn

    def __get__(self, obj, owner=None):
        return self.fn(obj)


class Box:
    def __init__(self):
        self.x = torch.ones(3)  #: torch.ones

    @Lazy
    def total(self):
        return self.x.sum()  #: T.sum

    @Lazy
    def size(self):
        return {"n": self.x.numel()}  #: T.numel


@register
def a(x):
    return torch.relu(x)  #: torch.relu


@named("b")
def b(x):
    return torch.relu(x)  #: torch.relu


@logged
def c(x):
    return torch.relu(x)  #: torch.relu


@main_only
def d(x):
    return torch.relu(x)  #: torch.relu


@to_numpy
def e(x):
    return torch.relu(x)  #: torch.relu


@timed
def f(x):
    return torch.relu(x)  #: torch.relu


@halved()
def g(x):
    return torch.relu(x)  #: torch.relu


@first_as_tensor
def h(x):
    return x.square()  #: T.square


@contextmanager
def zeros():
    yield torch.zeros(3)  #: torch.zeros


def run(box: Box):
    x = torch.ones(3)  #: torch.ones
    a(x).sum(), b(x).sum(), c(x).sum(), d(x).sum()  #: T.sum T.sum T.sum T.sum
    e(x).astype(int).sum()
    out, seconds = f(x)
    out.abs()  #: T.abs
    g(x).cos()  #: T.cos
    h([1, 2])
    box.total.tanh()  #: T.tanh
    box.size.items()
    with zeros() as z:
        z.sin()  #: T.sin
