"""Networks whose mode was chosen where they were made: by a call, a function, a constructor."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)

    def forward(self, x):
        return self.bn(self.fc(x))


def build():
    net = Net()
    for i, p in enumerate(net.parameters()):
        p.data = torch.sin(torch.arange(p.numel()).float() + i).view(p.shape)
    return net


x = torch.linspace(-1, 1, 12).view(3, 4)
net = build().eval()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    print("a", f"{loss.item():.4f}", net.training)
b = build()
b.eval()
img = x.clone().requires_grad_(True)
opt = torch.optim.SGD([img], lr=0.1)
for _ in range(2):
    opt.zero_grad()
    loss = b(img).pow(2).mean()
    loss.backward()
    opt.step()
    print("b", f"{loss.item():.4f}", b.training)
c = Net().eval()
for p in c.parameters():
    p.requires_grad_(False)
    p.copy_(torch.cos(torch.arange(p.numel()).float()).view(p.shape))
img = nn.Parameter(x.clone())
opt = torch.optim.SGD([img], lr=0.1)
for _ in range(2):
    opt.zero_grad()
    loss = c(img).pow(2).mean()
    loss.backward()
    opt.step()
    print("c", f"{loss.item():.4f}", c.training)


def load_teacher():
    net = Net()
    for i, p in enumerate(net.parameters()):
        p.data = torch.cos(torch.arange(p.numel()).float() + i).view(p.shape)
        p.requires_grad = False
    net.eval()
    return net


def make(kind):
    return {"plain": Net, "other": nn.Identity}[kind]().eval()


teacher = load_teacher()
third = make("plain")
for p in third.parameters():
    p.data = torch.cos(torch.arange(p.numel()).float()).view(p.shape)
student = build()
opt = torch.optim.SGD(student.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    loss = (student(x) - teacher(x)).pow(2).mean() + (student(x) - third(x)).pow(2).mean()
    loss.backward()
    opt.step()
    print("d", f"{loss.item():.4f}", teacher.training, student.training, third.training)


class Wrapper(nn.Module):
    def __init__(self, back):
        super().__init__()
        self.back = back
        self.head = nn.Linear(4, 2)
        nn.init.constant_(self.head.weight, 0.1)
        nn.init.zeros_(self.head.bias)
        self.back.eval()

    def forward(self, x):
        return self.head(self.back(x))


w = Wrapper(build())
opt = torch.optim.SGD(w.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    loss = (w(x) - 1).pow(2).mean()
    loss.backward()
    opt.step()
    print("e", f"{loss.item():.4f}", w.training, w.back.training)
