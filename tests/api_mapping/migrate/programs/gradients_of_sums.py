import torch
from torch import nn


def rounded(values):
    if isinstance(values, list):
        return [rounded(value) for value in values]
    return round(values, 4) + 0.0 if isinstance(values, float) else values


def plus():
    net = nn.Linear(2, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    x = torch.tensor([[1.0, 2.0]])
    for i in range(3):
        loss = (net(x) ** 2).sum()
        loss += 0.1 * net.weight.abs().sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(round(loss.item(), 4))


def plus2():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    y += 1
    y = y * 3
    (g,) = torch.autograd.grad(y.sum(), x)
    print(rounded(g.tolist()))


def plus3():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x * 2
    z += x
    z.sum().backward()
    print(rounded(x.grad.tolist()))


def sums():
    net = nn.Linear(2, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    x = torch.tensor([[1.0, 2.0]])
    loss = 0
    loss += net(x).sum()
    loss += net(x * 2).pow(2).sum()
    loss.backward()
    print(rounded(net.weight.grad.tolist()), round(loss.item(), 4))


def reg():
    net = nn.Linear(2, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    x = torch.tensor([[1.0, 2.0]])
    loss = net(x).sum()
    for p in net.parameters():
        loss += (p**2).sum()
    loss = loss + 0.1 * sum(q.abs().sum() for q in net.parameters())
    loss.backward()
    print(rounded(net.weight.grad.tolist()))


def one():
    net = nn.Linear(2, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    x = torch.tensor([[1.0, 2.0]])
    loss = net(x).pow(2).sum()
    g = torch.autograd.grad(loss, net.weight)[0]
    print(rounded(g.tolist()))


def ones():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.backward(gradient=torch.ones_like(y))
    print(rounded(x.grad.tolist()), rounded(y.tolist()))


def alias():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    g = x.grad
    (x * 3).sum().backward()
    print(rounded(g.tolist()))


plus()
plus2()
plus3()
sums()
reg()
one()
ones()
alias()
