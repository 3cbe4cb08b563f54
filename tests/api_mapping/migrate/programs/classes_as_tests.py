import collections
import functools

import torch
from torch import nn


def t1():
    KINDS = (nn.Conv2d, nn.Linear)
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2))
    print([isinstance(x, KINDS) for x in m])


t1()


def t2():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2))

    def find(net, kinds=(nn.Conv2d, nn.Linear)):
        return [isinstance(x, kinds) for x in net]

    print(find(m), find(m, (nn.ReLU, nn.Linear)), find(m, kinds=[nn.Linear][0]))


t2()


def t3():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2))
    INIT = {nn.Linear: "linear", nn.BatchNorm1d: "norm"}
    print([INIT.get(type(x)) for x in m])


t3()


def t4():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2))

    class Finder:
        kinds = (nn.Linear, nn.Conv2d)

        def find(self, net):
            return [type(x) in self.kinds for x in net]

    print(Finder().find(m))


t4()


def t5():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2))

    def count(net, kind):
        return sum(isinstance(x, kind) for x in net)

    print(count(m, nn.Linear), count(m, nn.ReLU))


t5()


def t6():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2))
    print(
        [x.__class__ is nn.Linear for x in m],
        [x.__class__ in (nn.Linear, nn.ReLU) for x in m],
        type(m[0]) is nn.Linear,
        type(m[0]).__name__,
    )


t6()


def t7():
    L = nn.Linear
    m = nn.Sequential(L(2, 2), nn.ReLU())
    print([isinstance(x, L) for x in m])


t7()


def t8():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    kinds = {"linear": nn.Linear, "relu": nn.ReLU}
    print([[k for k, c in kinds.items() if isinstance(x, c)] for x in m])


t8()


def t9():
    m = nn.Sequential(nn.Linear(2, 2), nn.Conv2d(1, 1, 1))
    for x in m:
        match x:
            case nn.Linear():
                print("linear")
            case nn.Conv2d():
                print("conv")


t9()


def t10():
    make = nn.Linear
    x = make(2, 3)
    print(isinstance(x, nn.Linear), issubclass(nn.Linear, nn.Module), isinstance(x, make))


t10()


def t11():
    def build(layer=nn.Linear):
        return layer(2, 3)

    print(isinstance(build(), nn.Linear), tuple(build().weight.shape))


t11()


def t12():
    class My(nn.Linear):
        pass

    x = My(2, 3)
    K = [nn.Linear]
    print(isinstance(x, tuple(K)), any(isinstance(x, k) for k in K))


t12()


def t13():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
    c = collections.Counter(type(x) for x in m)
    print(c[nn.Linear], c[nn.ReLU])


t13()


def t14():
    @functools.singledispatch
    def f(m):
        return "other"

    @f.register(nn.Linear)
    def _(m):
        return "linear"

    @f.register
    def _(m: nn.ReLU):
        return "relu"

    print(f(nn.Linear(2, 2)), f(nn.ReLU()), f(nn.GELU()))


t14()


def layers_of(net, types):
    return [n for n, m in net.named_modules() if any(isinstance(m, t) for t in types)]


def kinds_of(net, types):
    return [isinstance(net[0], t) for t in types]


deep = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Tanh()))
print(layers_of(deep, [nn.Linear]), layers_of(deep, (nn.Tanh, nn.ReLU)))
print(kinds_of(deep, [nn.Linear]), kinds_of(deep, [nn.Tanh]), kinds_of(deep, [nn.ReLU, nn.Linear]))
ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh}


def activation(name, **options):
    return ACTIVATIONS[name](**options)


print([round(activation(name)(torch.tensor([0.5])).item(), 4) for name in ACTIVATIONS])
