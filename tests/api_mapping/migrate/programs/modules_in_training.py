import copy

import torch
from torch import nn


x = torch.ones(400, 2)


def show(y):
    print(int((y == 0).sum()) > 0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.Dropout(0.5)

    def forward(self, x):
        return self.d(x)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Net()

    def forward(self, x):
        return self.inner(x)


def trainer():
    class T:
        def __init__(self):
            self.net = Net()

        def run(self):
            return self.net(x)

    show(T().run())


trainer()


def trainer_arg():
    class T:
        def __init__(self, net):
            self.net = net

        def run(self):
            return self.net(x)

    show(T(Net()).run())


trainer_arg()


def listed():
    nets = [Net() for _ in range(2)]
    for n in nets:
        show(n(x))


listed()


def listed2():
    nets = [Net(), nn.Dropout(0.5)]
    show(nets[1](x))
    show(nets[0](x))


listed2()


def dicted():
    nets = {"a": Net()}
    show(nets["a"](x))


dicted()


def made():
    def make():
        return Net()

    net = make()
    show(net(x))


made()


def made2():
    def make():
        net = Net()
        return net

    show(make()(x))


made2()


def given():
    def use(net):
        show(net(x))

    use(Net())


given()


def given2():
    def use(net):
        show(net(x))

    n = Net()
    use(n)


given2()


def forward():
    net = Net()
    show(net.forward(x))


forward()


def called():
    net = Net()
    show(net.__call__(x))


called()


def ann():
    net: nn.Module = Net()
    show(net(x))


ann()


def tuple():
    a, b = Net(), Net()
    show(a(x))
    show(b(x))


tuple()


def two():
    a = b = Net()
    show(b(x))


two()


def walrus():
    if (net := Net()) is not None:
        show(net(x))


walrus()


def moved():
    net = Net().to("cpu")
    show(net(x))


moved()


def moved2():
    net = Net()
    net = net.to("cpu")
    show(net(x))


moved2()


def wrapped():
    net = nn.Sequential(Net(), nn.Identity())
    show(net(x))


wrapped()


def wrapped2():
    inner = Net()
    net = nn.Sequential(inner, nn.Identity())
    show(net(x))


wrapped2()


def ternary():
    net = Net() if len(x) else None
    show(net(x))


ternary()


def eval_later():
    net = Net()
    show(net(x))
    net.eval()
    show(net(x))
    net.train()
    show(net(x))


eval_later()


def eval_first():
    net = Net()
    net.eval()
    show(net(x))


eval_first()


def eval_in_function():
    net = Net()

    def evaluate(m):
        m.eval()
        show(m(x))

    evaluate(net)


eval_in_function()


def attr():
    class S:
        pass

    s = S()
    s.net = Net()
    show(s.net(x))


attr()


def training_flag():
    net = Net()
    print(net.training, net.d.training)


training_flag()


def with_default():
    def run(net=Net()):
        show(net(x))

    run()


with_default()


def classattr():
    class K:
        net = Net()

        def go(self):
            show(self.net(x))

    K().go()


classattr()


def appended():
    nets = []
    nets.append(Net())
    show(nets[0](x))


appended()


def class_var():
    kind = Net
    net = kind()
    show(net(x))


class_var()


def registry():
    KINDS = {"net": Net}
    net = KINDS["net"]()
    show(net(x))


registry()


def copied():
    net = copy.deepcopy(Net())
    show(net(x))


copied()


def static():
    class F:
        @staticmethod
        def make():
            return Net()

        @classmethod
        def new(cls):
            return Net()

    n = F.make()
    show(n(x))
    m = F.new()
    show(m(x))


static()


def loop():
    for net in (Net(), Net()):
        show(net(x))


loop()


def zipped():
    for net, k in zip([Net(), Net()], range(2)):
        show(net(x))


zipped()


def ret_tuple():
    def make():
        return Net(), 3

    net, n = make()
    show(net(x))


ret_tuple()


def list_module():
    m = nn.ModuleList([Net(), Net()])
    for k in m:
        show(k(x))


list_module()


def child():
    show(Outer()(x))
    outer = Outer()
    show(outer.inner(x))


child()


class Agent:
    """Holds two networks, and sets the mode of one."""

    def __init__(self, policy, critic):
        self.policy = policy
        self.critic = critic.eval()
        self.target = copy.deepcopy(policy)

    def act(self, x):
        show(self.policy(x))
        show(self.target(x))
        show(self.critic(x))


Agent(Net(), Net()).act(x)
made = Outer()
for name, one in made.named_children():
    show(one(x))
