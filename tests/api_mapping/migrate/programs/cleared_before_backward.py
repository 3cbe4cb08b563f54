import numpy as np
import torch
from torch import nn


class SGD:
    def __init__(self, params, lr):
        self.params = list(params)
        self.lr = lr

    def step(self):
        with torch.no_grad():
            for p in self.params:
                p -= self.lr * p.grad

    def zero_grad(self):
        for p in self.params:
            p.grad = None


def clear(params):
    for p in params:
        if p.grad is not None:
            p.grad.zero_()


def update(w, lr):
    with torch.no_grad():
        w -= lr * w.grad
        w.grad.zero_()


def main():
    rng = np.random.RandomState(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.from_numpy(rng.randn(*p.shape).astype("float32")) * 0.3)
    x = torch.from_numpy(rng.randn(16, 4).astype("float32"))
    y = torch.from_numpy(rng.randn(16, 1).astype("float32"))
    opt = SGD(net.parameters(), 0.1)
    for i in range(5):
        loss = ((net(x) - y) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(i, f"{loss.item():.5f}")
    w = torch.ones(4, 1, requires_grad=True)
    for i in range(3):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        update(w, 0.1)
        print(i, f"{loss.item():.5f}")
    for i in range(3):
        loss = ((x @ w - y) ** 2).mean()
        print([round(v, 4) for v in w.grad.view(-1).tolist()])
        w.grad = None
        print(f"{loss.item():.5f}")
        loss.backward()
        print([round(v, 4) for v in w.grad.view(-1).tolist()])
    for i in range(3):
        loss = ((x @ w - y) ** 2).mean()
        total = loss.item() + i
        clear([w])
        loss.backward()
        print(f"{total:.5f}", [round(v, 4) for v in w.grad.view(-1).tolist()])


main()
