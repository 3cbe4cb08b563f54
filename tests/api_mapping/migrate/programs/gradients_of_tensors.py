import torch
import torch.nn.functional as F
from torch import nn


def rounded(values):
    if isinstance(values, list):
        return [rounded(value) for value in values]
    return round(values, 4) + 0.0 if isinstance(values, float) else values


def leaf():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x**2).sum()
    y.backward()
    print(rounded(x.grad.tolist()))


def descent():
    x = torch.arange(6.0).reshape(3, 2)
    t = torch.tensor([1.0, 2.0, 3.0])
    w = torch.zeros(2, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for step in range(5):
        pred = x @ w + b
        loss = ((pred - t) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
            b -= 0.01 * b.grad
            w.grad.zero_()
            b.grad.zero_()
    print(rounded(w.tolist()), rounded(b.tolist()), round(loss.item(), 4))


def pgd():
    net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))
    for i, p in enumerate(net.parameters()):
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)

    def pgd(model, x, y, eps=0.3, alpha=0.1, steps=4):
        delta = torch.zeros_like(x, requires_grad=True)
        for _ in range(steps):
            loss = F.cross_entropy(model(x + delta), y)
            loss.backward()
            delta.data = (delta + alpha * delta.grad.detach().sign()).clamp(-eps, eps)
            delta.grad.zero_()
        return delta.detach()

    x = torch.linspace(0, 1, 8).reshape(2, 4)
    d = pgd(net, x, torch.tensor([0, 2]))
    print([[round(v, 4) for v in r] for r in rounded(d.tolist())])


def hook():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.register_hook(lambda g: g * 2)
    z = (y**2).sum()
    z.backward()
    print(rounded(x.grad.tolist()))


def langevin():
    def energy(x):
        return ((x - 2) ** 2).sum(dim=1)

    x = torch.zeros(3, 2, requires_grad=True)
    for i in range(5):
        e = energy(x).sum()
        e.backward()
        with torch.no_grad():
            x -= 0.1 * x.grad
            x.grad = None
    print([[round(v, 4) for v in r] for r in rounded(x.tolist())])


def style():
    target = torch.linspace(0, 1, 9).reshape(1, 1, 3, 3)
    img = torch.zeros(1, 1, 3, 3).requires_grad_(True)
    opt = torch.optim.Adam([img], lr=0.1)
    for i in range(5):
        opt.zero_grad()
        loss = nn.functional.mse_loss(img, target)
        loss.backward()
        opt.step()
    print([round(v, 4) for v in img.detach().flatten().tolist()], round(loss.item(), 4))


def customfn():
    class Clamp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, low, high):
            ctx.save_for_backward(x)
            ctx.low, ctx.high = low, high
            return x.clamp(low, high)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * ((x >= ctx.low) & (x <= ctx.high)).float() + 0.1 * grad, None, None

    x = torch.tensor([-2.0, 0.5, 3.0], requires_grad=True)
    Clamp.apply(x, -1.0, 1.0).pow(2).sum().backward()
    print(rounded(x.grad.tolist()))


def nozero():
    w = torch.zeros(2, requires_grad=True)
    x = torch.tensor([1.0, 2.0])
    for i in range(4):
        loss = ((w * x).sum() - 1) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
    print(rounded(w.tolist()), rounded(w.grad.tolist()))


def nozero2():
    w = torch.zeros(2, requires_grad=True)
    x = torch.tensor([1.0, 2.0])
    for i in range(4):
        loss = ((w * x).sum() - 1) ** 2
        loss.backward()
        w.data = w.data - 0.01 * w.grad
        print(rounded(w.grad.tolist()))
    print(rounded(w.tolist()))


def nozero3():
    w = torch.zeros(2, requires_grad=True)
    x = torch.tensor([1.0, 2.0])
    for i in range(4):
        loss = ((w * x).sum() - 1) ** 2
        loss.backward()
        w.data.sub_(0.01 * w.grad.data)
        w.grad.data.zero_()
    print(rounded(w.tolist()), rounded(w.grad.tolist()))


def sgd_lists():
    def sgd(params, lr, batch):
        with torch.no_grad():
            for p in params:
                p -= lr * p.grad / batch
                p.grad.zero_()

    def linreg(X, w, b):
        return torch.matmul(X, w) + b

    def squared_loss(y_hat, y):
        return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2

    w = torch.zeros((2, 1), requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    X = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    y = torch.tensor([1.0, 2.0, 3.0])
    for epoch in range(3):
        l = squared_loss(linreg(X, w, b), y)
        l.sum().backward()
        sgd([w, b], 0.03, 3)
        with torch.no_grad():
            print(round(float(squared_loss(linreg(X, w, b), y).mean()), 5))


def vecback():
    x = torch.arange(4.0, requires_grad=True)
    y = x * x
    y.backward(torch.ones(4))
    print(rounded(x.grad.tolist()))
    x.grad.zero_()
    u = y.detach()
    z = u * x
    z.sum().backward()
    print(rounded(x.grad.tolist()), (x.grad == u).tolist())
    x.grad.zero_()
    (x * x).sum().backward()
    print(rounded(x.grad.tolist()))


def vecback2():
    x = torch.arange(4.0)
    x.requires_grad_(True)
    print(x.grad)
    y = 2 * torch.dot(x, x)
    y.backward()
    print(rounded(x.grad.tolist()), (x.grad == 4 * x).all().item())


def controlflow():
    def f(a):
        b = a * 2
        while b.norm() < 1000:
            b = b * 2
        if b.sum() > 0:
            c = b
        else:
            c = 100 * b
        return c

    a = torch.tensor(0.7, requires_grad=True)
    d = f(a)
    d.backward()
    print((a.grad == d / a).item())


leaf()
descent()
pgd()
hook()
langevin()
style()
customfn()
nozero()
nozero2()
nozero3()
sgd_lists()
vecback()
vecback2()
controlflow()
