import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.out = nn.Linear(width, 2)
        for i, p in enumerate(self.parameters()):
            nn.init.constant_(p, 0.5 + 0.25 * i)

    def forward(self, x):
        return self.out(self.norm(x))


class Average(nn.Module):
    """Its constructor puts the copy in evaluation."""

    def __init__(self, net):
        super().__init__()
        self.module = copy.deepcopy(net)
        self.module.eval()
        self.own = nn.BatchNorm1d(2)

    def forward(self, x):
        return self.own(self.module(x))


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Net()
        self.body.train(False)
        self.head = nn.BatchNorm1d(2)

    def forward(self, x):
        return self.head(self.body(x))


class Pair(nn.Module):
    def __init__(self, teacher, student):
        super().__init__()
        self.teacher, self.student = teacher, student

    def forward(self, x):
        return self.teacher(x) - self.student(x)


def filled(net, value):
    for p in net.parameters():
        p.data.fill_(value)
    return net


def fit(net, x):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        loss = net(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


x = torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 0.0], [5.0, 4.0, 2.0]])
net = Net()
ema = Average(net)
print([m.training for m in ema.modules()], round(ema(x).abs().sum().item(), 4))
print(round(net(x).sum().item(), 4), [round(v, 4) for v in net.norm.running_mean.tolist()])
frozen = Frozen()
print([m.training for m in frozen.modules()], round(frozen(x).abs().sum().item(), 4))
print([round(v, 4) for v in frozen.body.norm.running_mean.tolist()])
teacher = Net()
teacher.eval()
pair = Pair(teacher, Net())
print([m.training for m in pair.modules()], round(pair(x).sum().item(), 4))
print([round(v, 4) for v in pair.student.norm.running_var.tolist()])
made = filled(Net(), 0.25)
print(round(fit(made, x), 4), [round(v, 4) for v in made.norm.running_mean.tolist()])
one, two = filled(Net(), 0.5), filled(net=Net(), value=0.75)
print(round(fit(one, x), 4), round(fit(two, x), 4))
one.eval()
print([round(v, 4) for v in one(x)[0].tolist()], one.training)
