"""Methods of modules that are called by a class above: `nn.Linear.forward(self, x)`."""

import torch
from torch import nn

torch.manual_seed(0)


class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        nn.init.constant_(self.l.weight, 0.5)
        nn.init.zeros_(self.l.bias)
        self.calls = 0

    def train(self, mode=True):
        nn.Module.train(self, mode)
        self.calls += 1
        return self

    def forward(self, x):
        return self.l(x)


class B(A):
    def train(self, mode=True):
        A.train(self, mode)
        self.calls += 10
        return self

    def forward(self, x):
        return A.forward(self, x) * 2


class L(nn.Linear):
    def train(self, mode=True):
        nn.Linear.train(self, mode)
        self.mode = mode
        return self

    def forward(self, x):
        return nn.Linear.forward(self, x) + 1


class E(nn.Embedding):
    def forward(self, x):
        return nn.Embedding.forward(self, x) * 3


class C(nn.Conv2d):
    def forward(self, x):
        return nn.Conv2d.forward(self, x).relu()


options = {"fused": True} if torch.cuda.is_available() else {}
optimizer = torch.optim.AdamW(A().parameters(), lr=0.1, **options)
print("rate", round(optimizer.param_groups[0]["lr"], 4))

a, b, layer = A(), B(), L(2, 2)
table = E(4, 3)
kernel = C(1, 2, 3, padding=1)
nn.init.constant_(kernel.weight, 0.1)
nn.init.zeros_(kernel.bias)
nn.init.constant_(layer.weight, 0.5)
nn.init.zeros_(layer.bias)
nn.init.ones_(table.weight)
a.eval()
b.train()
layer.eval()
x = torch.ones(1, 2)
print("calls", a.calls, b.calls, layer.mode)
print("modes", a.training, b.training, layer.training)
print("plain", a(x).tolist())
print("twice", b(x).tolist())
print("linear", layer(x).tolist())
print("embedding", table(torch.tensor([1, 2])).tolist())
print("convolution", round(kernel(torch.ones(1, 1, 3, 3)).sum().item(), 4))
