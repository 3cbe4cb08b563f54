"""Functions that train where they are given an optimizer, and evaluate where they are not."""

import torch
from torch import nn


def run(model, data, optimizer=None, scheduler=None):
    total = 0.0
    for x, y in data:
        out = model(x)
        loss = (out - y).pow(2).mean()
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if scheduler is not None:
                scheduler.step()
        total += loss.item()
    return total


def run2(model, data, optimizer=None):
    train = optimizer is not None
    model.train() if train else model.eval()
    total = 0.0
    for x, y in data:
        if train:
            optimizer.zero_grad()
        out = model(x)
        loss = (out - y).abs().mean()
        if train:
            loss.backward()
            optimizer.step()
        total += loss.item() * len(x)
    return total


def run3(model, data, is_train, optimizer=None):
    total = 0.0
    for x, y in data:
        if is_train:
            optimizer.zero_grad()
            with torch.set_grad_enabled(True):
                loss = (model(x) - y).abs().mean()
                loss.backward()
                optimizer.step()
        else:
            with torch.no_grad():
                loss = (model(x) - y).abs().mean()
        total += loss.item()
    return total


def loop(dataloaders, model, optimizer):
    for phase in ["train", "val"]:
        model.train() if phase == "train" else model.eval()
        tot = 0.0
        for x, y in dataloaders[phase]:
            optimizer.zero_grad()
            with torch.set_grad_enabled(phase == "train"):
                out = model(x)
                loss = (out - y).pow(2).sum()
                if phase == "train":
                    loss.backward()
                    optimizer.step()
            tot += loss.item()
        print(phase, round(tot, 3))


net = nn.Linear(2, 1)
nn.init.constant_(net.weight, 0.5)
nn.init.zeros_(net.bias)
data = [(torch.tensor([[1.0, 2.0]]) * i, torch.tensor([[1.0]])) for i in range(3)]
opt = torch.optim.SGD(net.parameters(), lr=0.05)
sch = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
for _ in range(2):
    print(round(run(net, data, opt, sch), 3), round(run(net, data), 3))
    print(round(run2(net, data, opt), 3), round(run2(net, data), 3))
    print(round(run3(net, data, True, opt), 3), round(run3(net, data, False), 3))
    loop({"train": data, "val": data[:1]}, net, opt)


def epoch(model, data, opt, train=True):
    total, n = 0.0, 0
    for step, (x, y) in enumerate(data):
        if train:
            opt.zero_grad()
        out = model(x)
        loss = (out - y).abs().mean()
        if train:
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            opt.step()
        total += loss.item() * len(x)
        n += len(x)
    return total / n


def accumulate(model, data, opt, is_train, every=2):
    opt.zero_grad()
    tot = 0.0
    for step, (x, y) in enumerate(data):
        loss = (model(x) - y).pow(2).mean() / every
        if is_train:
            loss.backward()
            if (step + 1) % every == 0:
                opt.step()
                opt.zero_grad()
        tot += loss.item()
    return tot


class T:
    def __init__(self, net, opt=None):
        self.net, self.opt = net, opt

    def run(self, data, train):
        self.net.train(train)
        tot = 0.0
        for x, y in data:
            if train:
                self.opt.zero_grad()
            loss = (self.net(x) - y).abs().mean()
            if train:
                loss.backward()
                self.opt.step()
            tot += loss.item()
        return tot


net = nn.Linear(2, 1)
nn.init.constant_(net.weight, 0.5)
nn.init.zeros_(net.bias)
data = [(torch.tensor([[1.0, 2.0]]) * i, torch.tensor([[1.0]])) for i in range(4)]
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(2):
    print(
        round(epoch(net, data, opt), 3),
        round(epoch(net, data, opt, train=False), 3),
        round(epoch(net, data, None, False), 3),
    )
    print(round(accumulate(net, data, opt, True), 3), round(accumulate(net, data, opt, False), 3))
    t = T(net, opt)
    print(
        round(t.run(data, True), 3), round(t.run(data, False), 3), round(T(net).run(data, False), 3)
    )
