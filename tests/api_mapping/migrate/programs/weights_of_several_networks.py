import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, value):
        super().__init__()
        self.weight = nn.Parameter(torch.full((2,), value))
        self.inner = nn.Linear(2, 2)
        nn.init.constant_(self.inner.weight, value)
        nn.init.constant_(self.inner.bias, 0.0)

    def forward(self, x):
        return self.inner(x) * self.weight


class Owner:
    def __init__(self):
        self.one, self.two = Scale(0.5), Scale(0.25)
        self.optimizer = torch.optim.SGD(
            [self.one.weight, self.two.weight, self.two.inner.bias], lr=0.1
        )

    def step(self, x):
        loss = self.two(self.one(x)).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def first():
    a, b = Scale(0.5), Scale(0.75)
    x = torch.tensor([[1.0, 2.0]])
    params = [p for p in a.parameters() if p.requires_grad] + [b.weight]
    optimizer = torch.optim.SGD(params, lr=0.1)
    for _ in range(2):
        loss = b(a(x)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(round(loss.item(), 4), [round(v, 4) for v in b.weight.tolist()])


def second():
    a, b = Scale(1.0), Scale(0.25)
    x = torch.tensor([[1.0, -1.0]])
    optimizer = torch.optim.Adam([{"params": a.weight}, {"params": [b.weight], "lr": 0.5}], lr=0.1)
    for _ in range(2):
        loss = (b(x) + a(x)).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(round(loss.item(), 4), [round(v, 4) for v in a.weight.tolist()])


first()
second()
owner = Owner()
print([round(owner.step(torch.ones(1, 2)), 4) for _ in range(3)])
a, b = Scale(0.5), Scale(0.5)
optimizer = torch.optim.SGD([a.inner.weight, b.inner.weight], lr=0.5)
for _ in range(2):
    loss = b(a(torch.ones(1, 2))).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4), a.inner.weight.sum().item())
