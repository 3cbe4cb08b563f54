import torch
from torch import nn


class Accumulator:
    def __init__(self, n):
        self.data = [0.0] * n

    def add(self, *args):
        self.data = [a + float(b) for a, b in zip(self.data, args)]

    def __getitem__(self, idx):
        return self.data[idx]


def train_epoch_ch3(net, train_iter, loss, updater):
    if isinstance(net, torch.nn.Module):
        net.train()
    metric = Accumulator(2)
    for X, y in train_iter:
        y_hat = net(X)
        l = loss(y_hat, y)
        if isinstance(updater, torch.optim.Optimizer):
            updater.zero_grad()
            l.mean().backward()
            updater.step()
        else:
            l.sum().backward()
            updater(X.shape[0])
        metric.add(l.sum().item(), y.numel())
    return metric[0] / metric[1]


W = torch.full((3, 2), 0.1, requires_grad=True)
b = torch.zeros(2, requires_grad=True)


def softmax(X):
    X_exp = torch.exp(X)
    partition = X_exp.sum(1, keepdim=True)
    return X_exp / partition


def net(X):
    return softmax(torch.matmul(X.reshape((-1, W.shape[0])), W) + b)


def cross_entropy(y_hat, y):
    return -torch.log(y_hat[torch.arange(len(y_hat)), y])


def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


def updater(batch_size):
    return sgd([W, b], 0.1, batch_size)


data = [
    (torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]]), torch.tensor([0, 1])),
    (torch.ones(2, 3), torch.tensor([1, 1])),
]
for epoch in range(3):
    print(round(train_epoch_ch3(net, data, cross_entropy, updater), 3))

lin = nn.Linear(3, 2)
nn.init.constant_(lin.weight, 0.1)
nn.init.zeros_(lin.bias)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for epoch in range(3):
    print(round(train_epoch_ch3(lin, data, nn.CrossEntropyLoss(reduction="none"), opt), 3))
net = nn.Linear(2, 1)
nn.init.constant_(net.weight, 0.5)
nn.init.zeros_(net.bias)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    x = torch.tensor([[1.0, float(i)]])
    loss = net(x).pow(2).mean()
    if i != 2:
        loss.backward()
        for p in net.parameters():
            print(round(p.grad.sum().item(), 3))
        opt.step()
        opt.zero_grad()
